package injection

import (
	"cmp"
	"context"
	"fmt"

	"inlay/chat"
	"inlay/internal/asks"
	"inlay/internal/plural"
	"inlay/parse"
	"inlay/prompts"
	"inlay/retrieve"
	"inlay/tokens"
)

// Coverer selects what represents whole documents; a Retriever may be one.
type Coverer interface {
	Cover(ctx context.Context, r retrieve.CoverRequest) (retrieve.Selection, error)
}

// CoverageReport says what share of the documents the model sees when a
// selection stands for all of them (INJ-13).
type CoverageReport struct {
	Share    float64 `json:"share"` // of the documents' bytes, 0..1
	Shown    int     `json:"shown_bytes"`
	Total    int     `json:"total_bytes"`
	Passages int     `json:"passages"` // there were to choose from
}

// WholeDocument reports whether a question asks about documents as a whole: for a
// summary, a comparison, a count, a full list, their chapters.
//
// A count of units ("how many days of leave") asks for one fact that a passage
// holds, and is no such question.
func WholeDocument(question string) bool { return asks.Of(question) != asks.Passage }

// wants is what the request wants of whole documents, as far as the options let
// it be served.
func (t *turn) wants() asks.Kind {
	switch {
	case t.req.Options.NoCoverage:
		return asks.Passage
	case t.req.Options.Cover, t.req.Options.CoverAlways:
		return cmp.Or(asks.Of(t.req.Text), asks.Summary)
	}
	return asks.Of(t.req.Text)
}

// find fills b with passages, or with a selection that represents whole
// documents, and with notes where the request asks for what passages do not say.
func (t *turn) find(ctx context.Context, p *plan, b *built) error {
	kind := t.wants()
	err := t.note(ctx, p, b, kind)
	if err != nil {
		return err
	}
	c, ok := t.retriever.(Coverer)
	covered := ok && kind != asks.Passage && (kind != asks.Structure || len(b.notes) == 0)
	if covered {
		if p.stored, covered, err = t.coverable(ctx, p); err != nil {
			return err
		}
	}
	if covered {
		b.passages, b.coverage, err = t.cover(ctx, p, c, kind, b.notes)
	} else {
		b.passages, err = t.retrieve(ctx, p, b.query)
	}
	return err
}

// cover fills what the decision left available with a representative selection.
func (t *turn) cover(ctx context.Context, p *plan, c Coverer, kind asks.Kind, made []Note) (retrieve.Passages, *CoverageReport, error) {
	var keep []chat.Citation
	if kind != asks.Summary { // it is about something in the documents, which is to be among what is shown
		found, err := t.retrieve(ctx, p, t.query())
		if err != nil {
			return found, nil, err
		}
		keep = found.Citations
	}
	top := t.track.open(nil, Loading, textRetrieving)
	found, report, err := t.selectParts(ctx, p, c, top, keep, made)
	switch {
	case err != nil:
		top.fail(err)
	case len(found.Citations) == 0:
		top.set(Canceled, textNothingRelevant)
	default:
		top.set(Done, textRetrieved(len(found.Citations)))
	}
	return found, report, err
}

func (t *turn) selectParts(ctx context.Context, p *plan, c Coverer, top *node, keep []chat.Citation, made []Note) (retrieve.Passages, *CoverageReport, error) {
	files, err := t.searchable(ctx, p, top)
	if err != nil {
		return retrieve.Passages{}, nil, err
	}
	files = append(files, p.stored...)
	docs := make([]parse.Document, len(files))
	byContent := map[string]*attached{}
	for i, a := range files {
		docs[i] = a.doc
		docs[i].Name = a.Name
		byContent[a.content] = a
		for k := range keep {
			if keep[k].FileID == a.id() {
				keep[k].FileID = a.doc.FileID
			}
		}
	}
	budget := p.decision.Available - p.decision.Prompt.Budgeted()
	for _, a := range p.whole {
		budget -= a.count.Budgeted()
	}
	for _, n := range made {
		budget -= t.counter.Count(n.Text).Budgeted()
	}
	s, err := t.selectWithin(ctx, c, retrieve.CoverRequest{
		Documents: docs, Budget: budget, Keep: keep, Namespace: t.req.Options.Namespace, Measure: t.counterIdentity(),
	}, made)
	if err != nil {
		return retrieve.Passages{}, nil, fmt.Errorf("select what represents the documents: %w", err)
	}
	profile := t.retriever.Profile()
	found := retrieve.Passages{Citations: s.Citations, Total: s.Passages, Embedder: profile.Embedder, Threshold: profile.Threshold, Limit: profile.Limit}
	t.nameCitations(found, byContent)
	return found, &CoverageReport{Total: s.Total, Passages: s.Passages}, nil
}

// selectWithin selects what takes at most the request's budget as it is rendered,
// the words of the prompt around it included.
func (t *turn) selectWithin(ctx context.Context, c Coverer, req retrieve.CoverRequest, made []Note) (retrieve.Selection, error) {
	cost := t.passageCost()
	room := req.Budget - cost.words(made)
	req.Budget, req.Cost, req.Frame = room-room/100, cost.of, cost.frame() // parts that are joined take a little more than each
	for {
		s, err := c.Cover(ctx, req)
		if err = cmp.Or(err, cost.err); err != nil {
			return s, err
		}
		over := cost.all(s.Citations) - room
		if over <= 0 || len(s.Citations) == 0 {
			return s, cost.err
		}
		req.Budget -= over
	}
}

// longestExtent stands for what [turn.extent] says before it is known.
const longestExtent = "100 % of their text; 10,000 of 10,000 table rows"

// passageCost measures passages as the prompt set in use renders them.
type passageCost struct {
	turn  *turn
	names map[string]string
	err   error // of the templates
}

func (t *turn) passageCost() *passageCost { return &passageCost{turn: t, names: t.shownNames()} }

// of is what the words of one passage take.
func (p *passageCost) of(c chat.Citation) int {
	return p.turn.counter.Count(Where(c) + c.Heading + c.Header + c.Shown()).Budgeted()
}

// frame is what the lines around a passage take, of the file with the longest name.
func (p *passageCost) frame() int {
	longest := ""
	for _, name := range p.names {
		if len(name) > len(longest) {
			longest = name
		}
	}
	return p.all([]chat.Citation{{File: longest}, {File: longest}}) / 2
}

// all is what passages take together.
func (p *passageCost) all(list []chat.Citation) int {
	shown := make([]prompts.Citation, len(list))
	for i, c := range list {
		shown[i] = p.shown(c)
	}
	text, err := p.turn.prompts.Context(prompts.Data{Citations: shown})
	p.err = cmp.Or(p.err, err)
	return p.turn.counter.Count(text).Budgeted()
}

func (p *passageCost) shown(c chat.Citation) prompts.Citation {
	return prompts.Citation{Number: 100, Text: c.Shown(), File: cmp.Or(p.names[c.FileID], c.File), Where: Where(c), Heading: c.Heading, Header: c.Header}
}

// words is what a prompt takes besides passages, notes and the question.
func (p *passageCost) words(made []Note) int {
	none := prompts.Data{Selection: true, Shown: 100, Total: 1000, Extent: longestExtent, Citations: []prompts.Citation{{Number: 1}}, Notes: built{notes: made}.shownNotes()}
	whole, err := p.turn.prompts.Retrieval(none)
	p.err = cmp.Or(p.err, err)
	part, err := p.turn.prompts.Context(none)
	p.err = cmp.Or(p.err, err)
	return p.turn.counter.Count(whole).Budgeted() - p.turn.counter.Count(part).Budgeted()
}

// counterIdentity names the counter in force, where its counts may be remembered.
func (t *turn) counterIdentity() any {
	if lasting, ok := t.counter.(tokens.Lasting); ok {
		return lasting.Identity()
	}
	return nil
}

// tellCoverage says how much of the documents is in the prompt.
func (t *turn) tellCoverage(p *plan, b *built) {
	if b.coverage == nil || b.coverage.Passages == 0 {
		return
	}
	for _, c := range b.citations {
		b.coverage.Shown += len(c.Shown())
	}
	b.coverage.Share = float64(b.coverage.Shown) / float64(max(b.coverage.Total, 1))
	why := "The question is about whole documents"
	switch {
	case t.req.Options.Cover:
		why = "Nothing was found for the question"
	case t.wants() == asks.Summary && !WholeDocument(t.req.Text):
		why = "Every question gets a selection"
	}
	sees := cmp.Or(t.extent(*b), "all of their text") + ", chosen to represent all of it"
	if len(b.citations) == 0 {
		nothing := fmt.Sprintf("of %s fits beside the rest of the prompt into %s", plural.Of(b.coverage.Passages, "passage"), plural.Of(p.decision.Available, "available token"))
		sees = "none of their text: none " + nothing + ", and a larger window (--context-length) or smaller chunks (--chunk) would show it a part"
		if b.strategy == None {
			b.reasonCode, b.reason = NoWindowLeft, "None "+nothing+"."
		}
	}
	t.warn("coverage", "", fmt.Sprintf("%s; the model sees %s.", why, sees))
}

// hint names the way where nothing was found for a request that may be about
// whole documents.
func (t *turn) hint(b *built) {
	if b.strategy != None || t.req.Options.CoverAlways || b.coverage != nil {
		return
	}
	switch {
	case t.req.Options.NoCoverage && WholeDocument(t.req.Text):
		t.warn("coverage_off", "", "The question is about whole documents, of which no passage tells; with coverage auto (--coverage auto) the model sees a selection that represents them.")
	case asks.Maybe(t.req.Text):
		t.warn("coverage_hint", "", "If the question is about a document as a whole, coverage always (--coverage always) shows the model a selection that represents all of it.")
	}
}
