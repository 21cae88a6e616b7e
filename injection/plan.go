package injection

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"inlay/internal/plural"
	"inlay/tokens"
)

// plan says what happens to each file.
type plan struct {
	decision Decision
	whole    []*attached // laid in whole, in order of attachment
	searched []*attached // new files to be searched, in order of attachment
	shelves  []*shelf    // libraries to be searched
	stored   []*attached // their documents, where a selection is to represent them
}

// plan decides over the new files, or over the earlier ones where there are no
// new ones (INJ-4, INJ-5, INJ-11, INJ-12).
func (t *turn) plan(ctx context.Context) (plan, error) {
	t.req.Options.TargetContextUse = t.req.Options.share()
	prompt := t.counter.Count(t.req.Text)
	available := Available(t.window, t.req.Options.share())
	files := t.countFiles(t.fresh, available-prompt.Budgeted())
	stored, err := t.countShelves(ctx, available-prompt.Budgeted()-files.Budgeted())
	if err != nil {
		return plan{}, err
	}
	if len(t.fresh) == 0 && !t.shelvesLeft() {
		return t.planFollowUp(prompt), nil
	}
	d := Decide(t.window, files.Add(stored), prompt, t.req.Options.share())
	d.Reason = d.explain(t.subjects())
	p := t.planFiles(d, prompt)
	t.placeShelves(&p, d.Strategy == InjectFull)
	p.conclude(t.overridden())
	t.warnEarlier(p)
	return p, nil
}

// subjects are what the decision is about, for its sentence.
func (t *turn) subjects() string {
	switch {
	case len(t.fresh) == 0:
		return "documents of " + t.shelfNames()
	case len(t.shelves) > 0:
		return "new files and the documents of " + t.shelfNames()
	case !slices.ContainsFunc(t.fresh, func(a *attached) bool { return a.fresh }):
		return earlierFiles
	}
	return newFiles
}

// overridden reports that a mode was set for everything.
func (t *turn) overridden() bool {
	auto := func(a *attached) bool { return t.req.Options.mode(a.File) == Auto }
	return !slices.ContainsFunc(t.fresh, auto) && (len(t.shelves) == 0 || t.req.Options.Mode != Auto)
}

// planFiles says what happens to each of the new files.
func (t *turn) planFiles(d Decision, prompt tokens.Count) plan {
	p := plan{decision: d}
	left := d.Available - prompt.Budgeted()
	for _, a := range t.fresh {
		if t.req.Options.mode(a.File) == ModeFull {
			left -= a.count.Budgeted()
		}
	}
	chosen := t.chooseWhole(d, left)
	for _, a := range t.fresh {
		a.strategy = strategyFor(t.req.Options.mode(a.File), chosen[a])
		switch a.strategy {
		case InjectFull:
			p.whole = append(p.whole, a)
		case Retrieval:
			p.searched = append(p.searched, a)
		case None:
		}
	}
	return p
}

func strategyFor(m Mode, whole bool) Strategy {
	switch {
	case m == ModeNone:
		return None
	case m == ModeFull, m == Auto && whole:
		return InjectFull
	default:
		return Retrieval
	}
}

// chooseWhole picks the files without an override that go in whole: all or none
// of them, or, under the mixed policy, the newest that still fit.
func (t *turn) chooseWhole(d Decision, left int) map[*attached]bool {
	chosen := map[*attached]bool{}
	for _, a := range slices.Backward(t.fresh) {
		if t.req.Options.mode(a.File) != Auto {
			continue
		}
		switch {
		case d.Strategy == InjectFull:
			chosen[a] = true
		case t.req.Options.Policy == MixedPolicy && a.count.Method != tokens.AtLeast && a.count.Budgeted() <= left:
			chosen[a] = true
			left -= a.count.Budgeted()
		}
	}
	return chosen
}

// conclude names the strategy of the whole and, where it is not the formula's,
// why.
func (p *plan) conclude(overridden bool) {
	d := &p.decision
	formula := d.Strategy
	switch {
	case len(p.searched)+len(p.shelves) > 0:
		d.Strategy = Retrieval
	case len(p.whole) > 0:
		d.Strategy = InjectFull
	default:
		d.Strategy = None
	}
	switch {
	case overridden:
		d.ReasonCode = Override
		d.Reason = fmt.Sprintf("The mode was set by hand: %s whole, %s searched.", plural.Of(len(p.whole), "file"), p.searchedText())
	case len(p.whole) > 0 && len(p.searched)+len(p.shelves) > 0:
		d.ReasonCode = Mixed
		d.Reason = fmt.Sprintf("%s in whole and %s searched; %d tokens are available.",
			plural.Of(len(p.whole), "new file")+plural.Pick(len(p.whole), " goes", " go"), p.searchedText()+plural.Pick(len(p.searched)+len(p.shelves), " is", " are"), d.Available)
	case d.Strategy != formula:
		d.ReasonCode = Override
		d.Reason = fmt.Sprintf("Modes set for single files leave %d whole and %s searched.", len(p.whole), p.searchedText())
	}
}

// searchedText is how many files, and libraries if there are, are searched.
func (p *plan) searchedText() string {
	libraries := plural.Of(len(p.shelves), "library")
	switch {
	case len(p.shelves) == 0:
		return strconv.Itoa(len(p.searched))
	case len(p.searched) == 0:
		return libraries
	}
	return plural.Of(len(p.searched), "file") + " and " + libraries
}

// planFollowUp is the decision of a turn without readable new files.
func (t *turn) planFollowUp(prompt tokens.Count) plan {
	d := Decide(t.window, tokens.Count{}, prompt, t.req.Options.share())
	p := plan{}
	switch {
	case t.req.Options.Mode == ModeNone:
		d.Strategy, d.ReasonCode, d.Reason = None, Override, "The mode none was set, so no file is used."
	case len(t.earlier) == 0 && len(t.inWindow) > 0:
		d.Strategy, d.ReasonCode, d.Reason = None, AlreadyInContext, "What could be read is already whole in the conversation, so the message is unchanged."
	case len(t.earlier) == 0:
		d.Strategy, d.ReasonCode, d.Reason = None, NoFiles, "No attached file could be read, so the message is unchanged."
	default:
		d.Strategy, d.ReasonCode = Retrieval, FollowUp
		d.Reason = fmt.Sprintf("No new file is attached, so those of earlier turns are searched (%d).", len(t.earlier))
	}
	p.decision = d
	return p
}

// warnEarlier says that whole injection leaves the earlier files aside (INJ-5).
func (t *turn) warnEarlier(p plan) {
	if p.decision.Strategy != InjectFull {
		return
	}
	for _, a := range t.earlier {
		t.warn("earlier_not_searched", a.Name, fmt.Sprintf("%s of an earlier turn is not searched on this turn, because the new files are injected whole.", a.Name))
	}
}

// countFiles counts each file as far as the decision needs it: exactly while
// the budget lasts, then as proven lower bounds. Under the mixed policy, and
// where exact counts are asked for, every file has a count of its own.
func (t *turn) countFiles(files []*attached, budget int) tokens.Count {
	start := time.Now()
	defer func() { t.took.Tokenise += time.Since(start) }()
	var sum tokens.Count
	left := max(budget, 0)
	for _, a := range files {
		mode := t.req.Options.mode(a.File)
		if mode == ModeNone {
			continue
		}
		began := time.Now()
		room := left
		if t.req.Options.Policy == MixedPolicy {
			room = max(budget, 0)
		}
		if t.req.Options.ExactCounts || mode == ModeFull {
			a.count = a.doc.Counts.Count(t.counter, a.doc.Text)
		} else {
			_, a.count = a.doc.Counts.Exceeds(t.counter, room, a.doc.Text)
		}
		a.counted = time.Since(began)
		left = max(left-a.count.Budgeted(), 0)
		sum = sum.Add(a.count)
	}
	return sum
}
