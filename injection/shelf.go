package injection

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"inlay/fault"
	"inlay/internal/asks"
	"inlay/internal/plural"
	"inlay/library"
	"inlay/retrieve"
	"inlay/tokens"
)

// Libraries are where libraries are kept; every [library.Index] is one.
type Libraries interface {
	library.Searcher
	library.Reader
	// Settings of a library; fault.FileNotFound if there is none of the name.
	Settings(ctx context.Context, owner, name string) (library.Settings, error)
}

// shelf is a library that the request asks.
type shelf struct {
	name     string
	called   string // in sentences
	extent   library.Extent
	count    tokens.Count // of its text, as far as the decision needed it
	docs     []*attached  // all of it, where it may go in whole
	covered  bool         // all of it is attached as well, or in the window already
	strategy Strategy
}

// LibraryReport says what became of one library.
type LibraryReport struct {
	Name      string        `json:"name"`
	Documents int           `json:"documents"` // that the filter leaves
	Passages  int           `json:"passages"`
	TextBytes int64         `json:"text_bytes"`
	Strategy  Strategy      `json:"strategy"`
	Tokens    *tokens.Count `json:"tokens,omitempty"` // absent where the decision did not need it
	Citations int           `json:"citations"`
}

// bytesPerToken is more than a token of any vocabulary has on average over a long
// text: a library with more text than that is not read to be counted.
const bytesPerToken = 64

// openShelves looks at the libraries that the request names.
func (t *turn) openShelves(ctx context.Context) error {
	o := t.req.Options
	if len(o.Libraries) == 0 || o.Mode == ModeNone {
		return nil
	}
	if t.in.Libraries == nil {
		return &fault.Error{Code: fault.Usage, Subject: "library", Reason: "there are no libraries here", Next: "name a data folder that has them"}
	}
	seen := map[string]bool{}
	for _, name := range o.Libraries {
		if seen[name] {
			continue
		}
		seen[name] = true
		settings, err := t.in.Libraries.Settings(ctx, o.Namespace, name)
		if err == nil {
			err = t.checkMaking(name, settings)
		}
		if err != nil {
			return err
		}
		s := &shelf{name: name, called: settings.Called(name), strategy: Retrieval}
		if s.extent, err = t.in.Libraries.Extent(ctx, o.Namespace, name, o.Filter); err != nil {
			return err
		}
		if s.extent.Documents == 0 {
			t.warn("library_empty", "", t.nothingIn(s.called))
			continue
		}
		t.shelves = append(t.shelves, s)
	}
	return nil
}

func (t *turn) nothingIn(name string) string {
	if t.req.Options.Filter.Empty() {
		return "The library " + name + " has no documents."
	}
	return "The library " + name + " has no documents that the filter leaves."
}

// checkMaking refuses a library whose passages are not those of this search.
func (t *turn) checkMaking(name string, s library.Settings) error {
	if made, ok := t.retriever.(interface{ Fingerprint() string }); ok {
		return s.Check(name, made.Fingerprint())
	}
	return nil
}

// countShelves counts the libraries as far as the decision needs it: their
// documents are read only while they may still go in whole.
func (t *turn) countShelves(ctx context.Context, budget int) (sum tokens.Count, err error) {
	start := time.Now()
	defer func() { t.took.Tokenise += time.Since(start) }()
	for _, s := range t.shelves {
		if t.req.Options.Mode == ModeRetrieval {
			continue
		}
		if err := t.countShelf(ctx, s, max(budget, 0)); err != nil {
			return sum, err
		}
		budget -= s.count.Budgeted()
		sum = sum.Add(s.count)
	}
	return sum, nil
}

func (t *turn) countShelf(ctx context.Context, s *shelf, budget int) error {
	full := t.req.Options.Mode == ModeFull
	if least := int(s.extent.Text / bytesPerToken); least > budget {
		s.count = tokens.Count{N: least, Method: tokens.AtLeast}
		if full {
			return &fault.Error{
				Code: fault.DoesNotFit, Subject: "library " + s.called,
				Reason: fmt.Sprintf("has %s of text, at least %d tokens, and %d are available", plural.Of(int(s.extent.Text), "byte"), least, budget),
				Next:   "let it be searched: leave out the mode full",
			}
		}
		return nil
	}
	entries, err := t.in.Libraries.Entries(ctx, t.req.Options.Namespace, s.name, t.req.Options.Filter)
	if err != nil {
		return err
	}
	return t.readShelf(ctx, s, entries, budget, full)
}

// readShelf takes the documents of a library until they exceed the budget.
func (t *turn) readShelf(ctx context.Context, s *shelf, entries []library.Entry, budget int, full bool) error {
	taken := map[string]bool{}
	for _, a := range t.fresh {
		taken[a.content] = true
	}
	held := t.held()
	for _, e := range entries {
		if taken[e.FileID] {
			continue // attached as well, or under another path
		}
		taken[e.FileID] = true
		a, err := t.shelved(ctx, s, e)
		if err != nil {
			return err
		}
		if held[a.content] || t.shown(a) {
			t.alreadyThere(a)
			continue
		}
		_, a.count = a.doc.Counts.Exceeds(t.counter, max(budget-s.count.Budgeted(), 0), a.doc.Text)
		if full {
			a.count = t.counter.Count(a.doc.Text)
		}
		s.count = s.count.Add(a.count)
		if s.docs = append(s.docs, a); s.count.Budgeted() > budget && !full {
			s.docs, s.count.Method = nil, max(s.count.Method, tokens.AtLeast)
			return nil
		}
	}
	s.covered = s.docs == nil
	return nil
}

// shelved is a document of a library on its way through the turn.
func (t *turn) shelved(ctx context.Context, s *shelf, e library.Entry) (*attached, error) {
	doc, err := t.in.Libraries.Open(ctx, t.req.Options.Namespace, s.name, e.Path)
	if err != nil {
		return nil, err
	}
	return &attached{
		File:    File{Name: e.Path, MediaType: doc.MediaType, Size: e.Size, Content: doc.FileID},
		content: doc.FileID, doc: doc, library: s.name,
	}, nil
}

// placeShelves carries a decision over to the libraries: their documents go in
// whole, or they are searched where they are.
func (t *turn) placeShelves(p *plan, whole bool) {
	for _, s := range t.shelves {
		if !whole && t.req.Options.Mode != ModeFull || s.docs == nil {
			s.docs, s.strategy = nil, Retrieval
			p.shelves = append(p.shelves, s)
			continue
		}
		s.strategy = InjectFull
		for _, a := range s.docs {
			a.strategy = InjectFull
		}
		t.fresh = append(t.fresh, s.docs...)
		p.whole = append(p.whole, s.docs...)
	}
}

// giveBack has libraries whose documents do not fit whole searched instead.
func (t *turn) giveBack(p *plan, searched []*attached) []*attached {
	var left []*attached
	for _, a := range searched {
		if a.library == "" {
			left = append(left, a)
			continue
		}
		for _, s := range t.shelves {
			if s.name == a.library && s.docs != nil {
				s.docs, s.strategy = nil, Retrieval
				p.shelves = append(p.shelves, s)
			}
		}
	}
	var fresh []*attached
	for _, a := range t.fresh {
		if a.library == "" || a.strategy == InjectFull {
			fresh = append(fresh, a)
		}
	}
	t.fresh = fresh
	return left
}

// collections are the libraries that are searched.
func (t *turn) collections(p *plan) []retrieve.Collection {
	var list []retrieve.Collection
	for _, s := range p.shelves {
		list = append(list, named{library.Collection{Index: t.in.Libraries, Owner: t.req.Options.Namespace, Library: s.name, Filter: t.req.Options.Filter}, t})
	}
	return list
}

// named notes which library each document came from.
type named struct {
	library.Collection
	t *turn
}

// Candidates implements [retrieve.Collection].
func (n named) Candidates(ctx context.Context, q retrieve.Question) (retrieve.Candidates, error) {
	found, err := n.Collection.Candidates(ctx, q)
	for _, d := range found.Documents {
		if n.t.libraryOf[d.Document.FileID] == "" {
			n.t.libraryOf[d.Document.FileID] = n.Library
		}
	}
	return found, err
}

// coverBytes is how much text of libraries a representative selection is made of.
const coverBytes = 8 << 20

// coverable are the documents of searched libraries for a selection; ok is false
// where there is too much text, and a warning says so.
func (t *turn) coverable(ctx context.Context, p *plan) (docs []*attached, ok bool, err error) {
	total := int64(0)
	for _, s := range p.shelves {
		total += s.extent.Text
	}
	if total > coverBytes {
		t.warn("coverage_skipped", "", fmt.Sprintf("The question is about whole documents, and the libraries have too much text (%d MiB) for a selection that represents it: passages were searched for instead. A filter can narrow them down.", total>>20))
		return nil, false, nil
	}
	docs, err = t.stored(ctx, p)
	return docs, err == nil, err
}

// mostOutlined is how many documents of libraries a prompt has outlines of.
const mostOutlined = 20

// notable are the documents of searched libraries that notes are made of; where
// there are too many, or too much text, a warning says so.
func (t *turn) notable(ctx context.Context, p *plan, kind asks.Kind) ([]*attached, error) {
	text, documents := int64(0), 0
	for _, s := range p.shelves {
		text += s.extent.Text
		documents += s.extent.Documents
	}
	if text > coverBytes || kind == asks.Structure && documents > mostOutlined {
		t.warn("notes_skipped", "", fmt.Sprintf(
			"The libraries have %s with %d MiB of text, too much to outline or to count in. A filter can narrow them down.", plural.Of(documents, "document"), text>>20))
		return nil, nil
	}
	return t.stored(ctx, p)
}

// stored reads the documents of searched libraries.
func (t *turn) stored(ctx context.Context, p *plan) (docs []*attached, err error) {
	for _, s := range p.shelves {
		entries, err := t.in.Libraries.Entries(ctx, t.req.Options.Namespace, s.name, t.req.Options.Filter)
		if err != nil {
			return nil, err
		}
		taken := map[string]bool{}
		for _, e := range entries {
			if taken[e.FileID] {
				continue
			}
			taken[e.FileID] = true
			a, err := t.shelved(ctx, s, e)
			if err != nil {
				return nil, err
			}
			a.strategy = Retrieval
			t.libraryOf[a.content] = s.name
			docs = append(docs, a)
		}
	}
	return docs, nil
}

// shelfReports says what became of the libraries.
func (t *turn) shelfReports(b built) []LibraryReport {
	var out []LibraryReport
	for _, s := range t.shelves {
		r := LibraryReport{
			Name: s.name, Documents: s.extent.Documents, Passages: s.extent.Passages, TextBytes: s.extent.Text, Strategy: s.strategy,
		}
		if s.count.N > 0 {
			r.Tokens = &s.count
		}
		for _, c := range b.citations {
			if c.Library == s.name {
				r.Citations++
			}
		}
		if r.Strategy == Retrieval && r.Citations == 0 && b.strategy == None {
			r.Strategy = None
		}
		out = append(out, r)
	}
	return out
}

// shelfNames are the names of the libraries, for sentences.
func (t *turn) shelfNames() string {
	names := make([]string, len(t.shelves))
	for i, s := range t.shelves {
		names[i] = s.called
	}
	return strings.Join(names, ", ")
}

// shelvesLeft reports that a library has something that is neither attached nor in
// the window already.
func (t *turn) shelvesLeft() bool {
	return slices.ContainsFunc(t.shelves, func(s *shelf) bool { return !s.covered })
}

// inLibrary is the name of a document with the library that it is of.
func inLibrary(library, name string) string {
	if library == "" {
		return name
	}
	return library + ":" + name
}
