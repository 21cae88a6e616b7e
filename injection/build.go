package injection

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/internal/asks"
	"inlay/internal/plural"
	"inlay/parse"
	"inlay/prompts"
	"inlay/retrieve"
)

// built is what a plan became.
type built struct {
	strategy   Strategy
	reasonCode ReasonCode // set where it differs from the decision's
	reason     string
	prompt     string
	context    string
	query      string
	passages   retrieve.Passages
	notes      []Note
	coverage   *CoverageReport // set where the passages stand for whole documents
	citations  []chat.Citation // those that are in the prompt
	whole      []*attached
}

// show makes what was found, by its marks in the conversation, what the prompt
// shows.
func (t *turn) show(b *built, found retrieve.Passages) {
	found.Citations = t.numbered(found.Citations)
	b.passages, b.citations = found, found.Citations
}

// build carries a plan out and makes sure that the prompt fits (INJ-14).
func (t *turn) build(ctx context.Context, p plan) (Result, error) {
	ctx, end := t.stage(ctx, "render")
	defer end()
	var b built
	var err error
	if p.decision.Strategy == InjectFull {
		b, err = t.buildWhole(ctx, &p)
	} else {
		b, err = t.buildRetrieval(ctx, &p)
	}
	if err != nil {
		return Result{}, err
	}
	return t.result(p, b), nil
}

// buildWhole lays the files in whole. What the formula chose and does not fit
// after building is retrieved instead; an override that does not fit is refused,
// or retrieved where the request allows it.
func (t *turn) buildWhole(ctx context.Context, p *plan) (built, error) {
	b := built{strategy: InjectFull, whole: p.whole}
	if err := t.note(ctx, p, &b, countsAlone(t.wants())); err != nil {
		return built{}, err
	}
	data := t.data(b)
	var err error
	if b.prompt, err = t.prompts.Full(data); err != nil {
		return built{}, err
	}
	over, err := t.overflow(ctx, b.prompt, b.whole)
	if err != nil {
		return built{}, err
	}
	if over <= 0 {
		t.root.set(Done, textChosen(p.decision))
		b.context, err = t.prompts.Context(data)
		return b, err
	}
	if !t.giveUpWhole(p, over) {
		return built{}, t.doesNotFit(p, over, nextWhole)
	}
	return t.buildRetrieval(ctx, p)
}

// countsAlone is the kind of request for which whole files get notes: a model
// sees their chapters, but is bad at counting rows.
func countsAlone(kind asks.Kind) asks.Kind {
	if kind == asks.Count {
		return kind
	}
	return asks.Passage
}

// tryWhole tells a dry run what whole injection would meet: a prompt that does
// not fit is refused or retrieved just as the real run would.
func (t *turn) tryWhole(ctx context.Context, p *plan) error {
	if p.decision.Strategy != InjectFull {
		return nil
	}
	prompt, err := t.prompts.Full(t.data(built{whole: p.whole}))
	if err != nil {
		return err
	}
	over, err := t.overflow(ctx, prompt, p.whole)
	if err != nil || over <= 0 || t.giveUpWhole(p, over) {
		return err
	}
	return t.doesNotFit(p, over, nextWhole)
}

// nextWhole is what to do about whole files that do not fit.
const nextWhole = "leave files out, let them be retrieved, or use a model with a larger window"

// giveUpWhole turns whole files into searched ones because the prompt has over
// tokens too many: those that no override holds, else, where the request allows
// it, all of them. It reports whether any was turned.
func (t *turn) giveUpWhole(p *plan, over int) bool {
	var keep, searched []*attached
	for _, a := range p.whole {
		if t.req.Options.mode(a.File) == Auto {
			searched = append(searched, a)
		} else {
			keep = append(keep, a)
		}
	}
	if len(searched) == 0 && t.req.Options.RetrieveOverflow {
		keep, searched = nil, keep
	}
	if len(searched) == 0 {
		return false
	}
	for _, a := range searched {
		a.strategy = Retrieval
		t.warn("overflow_after_building", a.Name, fmt.Sprintf("%s is retrieved instead of injected whole: the built prompt has %d tokens too many.", a.Name, over))
	}
	searched = t.giveBack(p, searched)
	p.whole, p.searched = keep, t.inOrder(append(p.searched, searched...))
	p.decision.Strategy, p.decision.ReasonCode = Retrieval, OverflowAfterBuilding
	p.decision.Reason = fmt.Sprintf("Injected whole, the built prompt would have %d tokens more than the window allows, so passages are retrieved.", over)
	return true
}

// inOrder puts files back into the order of attachment.
func (t *turn) inOrder(files []*attached) []*attached {
	in := map[*attached]bool{}
	for _, a := range files {
		in[a] = true
	}
	var out []*attached
	for _, a := range t.fresh {
		if in[a] {
			out = append(out, a)
		}
	}
	return out
}

// buildRetrieval searches the chat's files and lays the passages in, dropping
// the lowest-ranked one by one until the prompt fits.
func (t *turn) buildRetrieval(ctx context.Context, p *plan) (built, error) {
	t.root.set(Done, textChosen(p.decision))
	b := built{strategy: Retrieval, whole: p.whole, query: t.query()}
	if err := t.find(ctx, p, &b); err != nil {
		return built{}, err
	}
	t.show(&b, b.passages)
	for {
		if err := t.renderRetrieval(&b); err != nil {
			return built{}, err
		}
		over, err := t.overflow(ctx, b.prompt, b.whole)
		if err != nil {
			return built{}, err
		}
		if over <= 0 {
			t.tellCoverage(p, &b)
			t.hint(&b)
			return b, nil
		}
		shorter, err := t.shorten(ctx, p, &b, over)
		if err != nil {
			return built{}, err
		}
		if !shorter {
			return t.buildRetrieval(ctx, p)
		}
	}
}

// shorten takes the least from a prompt with over tokens too many: its last
// passage, or a neighbour of the only one. It reports false where whole files
// were given up instead, so that all is to be searched again, and fails where
// nothing is left to take.
func (t *turn) shorten(ctx context.Context, p *plan, b *built, over int) (bool, error) {
	last := len(b.citations) - 1
	if n := len(b.notes) - 1; last < 0 && n >= 0 {
		t.warn("note_dropped", b.notes[n].File, fmt.Sprintf("The %s of %s was dropped: with it the prompt has %d tokens too many.", b.notes[n].Kind, b.notes[n].File, over))
		b.notes = b.notes[:n]
		return true, nil
	}
	if last < 1 && (last < 0 || len(p.whole) == 0) {
		if fewer, err := t.citeFewer(ctx, p, b, over); fewer || err != nil {
			return fewer, err
		}
		if t.giveUpWhole(p, over) {
			return false, nil
		}
		return false, t.doesNotFit(p, over, "shorten the history or the question, use smaller chunks, or use a model with a larger window")
	}
	dropped := b.citations[last]
	b.citations = b.citations[:last]
	t.warn("citation_dropped", dropped.File, fmt.Sprintf("Citation %d was dropped: with it the prompt has %d tokens too many.", dropped.Number, over))
	return true, nil
}

// citeFewer searches again for one passage less where those found are neighbours
// that were cited as one, which is too long.
func (t *turn) citeFewer(ctx context.Context, p *plan, b *built, over int) (bool, error) {
	limit := b.passages.Limit
	if b.coverage != nil || len(b.citations) == 0 || limit <= 1 {
		return false, nil
	}
	t.req.Options.Limit, t.req.Options.CitationShare = limit-1, nil
	found, err := t.retrieve(ctx, p, b.query)
	if err != nil {
		return false, err
	}
	t.warn("citation_dropped", b.citations[0].File, fmt.Sprintf("At most %s cited, not %d: those found are one stretch of text, with which the prompt has %d tokens too many.", plural.Of(limit-1, "passage")+plural.Pick(limit-1, " is", " are"), limit, over))
	t.show(b, found)
	return true, nil
}

// renderRetrieval writes prompt and context for the citations that b holds.
func (t *turn) renderRetrieval(b *built) error {
	var err error
	data := t.data(*b)
	switch {
	case len(b.citations) > 0 || len(b.notes) > 0 && len(b.whole) == 0:
		b.prompt, err = t.prompts.Retrieval(data)
	case len(b.whole) > 0:
		b.strategy = InjectFull
		b.prompt, err = t.prompts.Full(data)
	default:
		b.strategy, b.reasonCode = None, NothingAboveThreshold
		b.reason = fmt.Sprintf("None of %s has an affinity above %g.", plural.Of(b.passages.Total, "passage"), b.passages.Threshold)
		b.prompt, err = t.prompts.None(data)
	}
	if err != nil {
		return err
	}
	b.context, err = t.prompts.Context(data)
	return err
}

// data is what the templates see.
func (t *turn) data(b built) prompts.Data {
	d := prompts.Data{Query: t.req.Text, Shown: len(b.citations), Total: b.passages.Total, Selection: b.coverage != nil, Extent: t.extent(b), Notes: b.shownNotes()}
	names, marks := t.shownNames(), t.fileNumbers(b)
	for i, a := range b.whole {
		d.Files = append(d.Files, prompts.File{Number: marks[i], Name: inLibrary(a.library, cmp.Or(names[a.id()], a.Name)), Text: a.doc.Text})
	}
	for _, c := range b.citations {
		d.Citations = append(d.Citations, prompts.Citation{
			Number: c.Number, Text: c.Shown(), File: inLibrary(c.Library, c.File), Where: Where(c), Heading: c.Heading, Header: c.Header,
		})
	}
	return d
}

// shownNames are the files' names by id, with as much of their folders as tells
// those of one name apart (INJ-9).
func (t *turn) shownNames() map[string]string {
	files := t.considered()
	list := make([]prompts.Name, len(files))
	for i, a := range files {
		list[i] = prompts.Name{Name: a.Name, Path: a.Path}
	}
	shown := map[string]string{}
	for i, name := range prompts.Names(list) {
		shown[files[i].id()] = name
	}
	return shown
}

// overflow is by how many tokens the conversation with prompt, in which files
// are whole, as its new message exceeds the window less what is kept for the
// answer.
func (t *turn) overflow(ctx context.Context, prompt string, whole []*attached) (int, error) {
	start := time.Now()
	defer func() { t.took.Tokenise += time.Since(start) }()
	messages := append(slices.Clip(t.req.Messages), chat.Message{Role: chat.User, Text: prompt})
	n, err := t.countWith(ctx, messages, partly{t.counter, prompt, whole})
	if err != nil {
		return 0, err
	}
	return n.Budgeted() - (t.window.Length.N - t.req.Options.ReserveOutput), nil
}

// doesNotFit is the refusal of INJ-14 and INJ-11, with the numbers. Counts that
// stopped early are made in full first.
func (t *turn) doesNotFit(p *plan, over int, next string) error {
	files := 0
	for _, a := range p.whole {
		a.count = a.doc.Counts.Count(t.counter, a.doc.Text)
		files += a.count.Budgeted()
	}
	reason := fmt.Sprintf("the prompt has %d tokens more than the window of %d", over, t.window.Length.N)
	if t.req.Options.ReserveOutput > 0 {
		reason += fmt.Sprintf(" less %d reserved for the answer", t.req.Options.ReserveOutput)
	}
	reason += fmt.Sprintf(" (history %d, question %d", t.window.Used.Budgeted(), t.counter.Count(t.req.Text).Budgeted())
	if files > 0 {
		reason += fmt.Sprintf(", whole files %d", files)
	}
	return &fault.Error{Code: fault.DoesNotFit, Subject: "prompt", Reason: reason + ")", Next: next}
}

// query is what is searched for: the new message, with the previous question
// before it where the request asks for that (INJ-21).
func (t *turn) query() string {
	if !t.req.Options.ExpandQuery {
		return t.req.Text
	}
	for _, m := range slices.Backward(t.req.Messages) {
		if m.Role != chat.User {
			continue
		}
		if m.Injected != nil && m.Injected.Query != "" {
			return m.Injected.Query + "\n" + t.req.Text
		}
		return m.Text + "\n" + t.req.Text
	}
	return t.req.Text
}

// retrieve searches the plan's files and those of earlier turns.
func (t *turn) retrieve(ctx context.Context, p *plan, query string) (retrieve.Passages, error) {
	ctx, end := t.stage(ctx, "search")
	defer end()
	top := t.track.open(nil, Loading, textLoadingModel)
	found, err := t.search(ctx, p, query, top)
	switch {
	case err != nil:
		top.fail(err)
	case len(found.Citations) == 0:
		top.set(Canceled, textNothingRelevant)
	default:
		top.set(Done, textRetrieved(len(found.Citations)))
	}
	return found, err
}

func (t *turn) search(ctx context.Context, p *plan, query string, top *node) (retrieve.Passages, error) {
	files, err := t.searchable(ctx, p, top)
	if err != nil {
		return retrieve.Passages{}, err
	}
	top.set(Loading, textRetrieving)
	byContent := map[string]*attached{}
	nodes := map[string]*node{}
	docs := make([]parse.Document, len(files))
	for i, a := range files {
		docs[i] = a.doc
		docs[i].Name = a.Name
		byContent[a.content] = a
		nodes[a.content] = t.track.open(top, Waiting, textProcess(a.Name))
	}
	start := time.Now()
	found, err := t.retriever.Retrieve(ctx, retrieve.Request{
		Query: query, Documents: docs, Limit: t.req.Options.Limit, Threshold: t.req.Options.Threshold, NoRerank: t.req.Options.NoRerank,
		Budget:    int(t.req.Options.citationShare() * float64(max(p.decision.Available-p.decision.Prompt.Budgeted(), 0))),
		Namespace: t.req.Options.Namespace, Collections: t.collections(p),
		Report: func(s retrieve.Step) {
			if n := nodes[s.FileID]; n != nil {
				n.set(stageState(s), stageText(s))
			}
		},
	})
	t.took.Retrieve += time.Since(start)
	if err != nil {
		for _, a := range files {
			nodes[a.content].failOpen(err)
		}
		if ctx.Err() != nil {
			return found, canceled(ctx.Err())
		}
		return found, err
	}
	t.nameCitations(found, byContent)
	for _, w := range found.Warnings {
		t.warn(w.Code, "", w.Message)
	}
	return found, nil
}

// nameCitations gives citations the ids under which the caller knows the files,
// and names that differ.
func (t *turn) nameCitations(found retrieve.Passages, byContent map[string]*attached) {
	names := t.shownNames()
	for _, list := range [][]chat.Citation{found.Citations, found.NearMisses} {
		for i := range list {
			list[i].Library = t.libraryOf[list[i].FileID]
			if a := byContent[list[i].FileID]; a != nil {
				list[i].FileID, list[i].Library = a.id(), a.library
				list[i].File = cmp.Or(names[a.id()], list[i].File)
			}
		}
	}
}

// searchable reads the earlier files, which until now were only names, and
// returns all that is to be searched in order of attachment.
func (t *turn) searchable(ctx context.Context, p *plan, top *node) ([]*attached, error) {
	if err := t.readEarlier(ctx, top); err != nil {
		return nil, err
	}
	return append(append([]*attached{}, t.earlier...), p.searched...), nil
}

// readEarlier reads and parses the files of earlier turns, but for those that
// are attached again on this one.
func (t *turn) readEarlier(ctx context.Context, parent *node) error {
	taken := map[string]bool{}
	for _, a := range t.fresh {
		taken[a.content] = true
	}
	earlier, err := t.distinct(ctx, t.earlier)
	if err != nil {
		return err
	}
	var unread []*attached
	for _, a := range earlier {
		if !taken[a.content] && a.doc.FileID == "" {
			unread = append(unread, a)
		}
	}
	read, err := t.parseAll(ctx, unread, parent)
	if err != nil {
		return err
	}
	t.earlier = slices.DeleteFunc(earlier, func(a *attached) bool { return a.doc.FileID == "" })
	for _, a := range read {
		a.strategy = Retrieval
	}
	return nil
}

// someEarlierReadable fails for a follow-up that has files, none of which can
// be read and none of which is whole in the window.
func (t *turn) someEarlierReadable() error {
	if len(t.earlier) > 0 || len(t.inWindow) > 0 || len(t.failures) == 0 || t.req.Options.Continue {
		return nil
	}
	return t.nothingReadable()
}

func stageState(s retrieve.Step) State {
	if s.Stage == retrieve.Processed {
		return Done
	}
	return Loading
}
