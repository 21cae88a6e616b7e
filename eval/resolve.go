package eval

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"inlay/fault"
	"inlay/parse"
)

// span is a place that answers a question: bytes of a document, or all of it.
type span struct {
	doc        int // place in library.docs
	start, end int
	whole      bool
	page       bool // a page, slide or sheet, which a passage only needs to touch
}

// item is one expected thing; any of its spans is it.
type item struct {
	spans      []span
	grade      float64
	unreadable bool // its document gave no text
}

// asked is a question made ready: its scope and what it expects as places.
type asked struct {
	Question
	scope []int // places of documents; nil means all
	items []item
}

// byPassage reports whether a part of a document is expected.
func (q *asked) byPassage() bool {
	for _, it := range q.items {
		for _, s := range it.spans {
			if !s.whole {
				return true
			}
		}
	}
	return false
}

// matches reports whether a passage is what a span asks for: of the same
// document, and the two overlap in at least half of the shorter one; a page only
// needs to be touched.
func (s span) matches(doc, start, end int) bool {
	if s.doc != doc {
		return false
	}
	if s.whole {
		return true
	}
	overlap := min(s.end, end) - max(s.start, start)
	return overlap > 0 && (s.page || 2*overlap >= min(s.end-s.start, end-start))
}

// resolver turns what questions expect into places.
type resolver struct {
	lib     *library
	letters map[int]*letters // of documents that quotes were looked for in
	held    int              // bytes of these documents
}

// resolve makes all questions ready. What cannot be found is an error that names
// its line; further ones are counted.
func (lib *library) resolve(questions []Question) ([]asked, error) {
	r := &resolver{lib: lib, letters: map[int]*letters{}}
	all := make([]asked, len(questions))
	var bad []*fault.Error
	for i, q := range questions {
		a, err := r.question(q)
		if e, ok := errors.AsType[*fault.Error](err); ok {
			bad = append(bad, e)
		} else if err != nil {
			return nil, err
		}
		all[i] = a
	}
	return all, together(bad)
}

// together makes one error of several: the first, and where the others are.
func together(bad []*fault.Error) error {
	if len(bad) == 0 {
		return nil
	}
	first := *bad[0]
	if len(bad) > 1 {
		var places []string
		for _, e := range bad[1:min(len(bad), 11)] {
			places = append(places, e.Subject)
		}
		more := fmt.Sprintf("; and %d more: %s", len(bad)-1, strings.Join(places, ", "))
		if len(bad) > 11 {
			more += ", ..."
		}
		first.Reason += more
	}
	return &first
}

func (r *resolver) question(q Question) (asked, error) {
	a := asked{Question: q}
	for _, id := range q.Scope {
		doc, ok := r.lib.place[id]
		if !ok {
			return a, expectation(q, Expected{}, "", strconv.Quote(id)+" is not a document of the set", "")
		}
		a.scope = append(a.scope, r.lib.same[doc])
	}
	for _, e := range q.Expected {
		it, err := r.item(q, e, a.scope)
		if err != nil {
			return a, err
		}
		a.items = append(a.items, it)
	}
	return a, nil
}

// expectation is a mistake in what a question expects.
func expectation(q Question, e Expected, field, reason, next string) error {
	origin := cmp.Or(q.Origin, "question "+q.ID)
	if strings.ContainsAny(e.Field, ":.") { // a row or a place of its own
		origin = e.Field
	} else if field == "" {
		field = e.Field
	}
	if field != "" {
		reason = field + ": " + reason
	}
	return &fault.Error{Code: fault.Corrupt, Subject: origin, Reason: reason, Next: next}
}

func (r *resolver) item(q Question, e Expected, scope []int) (item, error) {
	it := item{grade: cmp.Or(e.Grade, 1)}
	if e.Document == "" {
		return r.anywhere(q, e, scope, it)
	}
	doc, ok := r.lib.find(e.Document)
	if !ok {
		return it, expectation(q, e, "file", strconv.Quote(e.Document)+" is not a document of the set", "name it by its path below the folder of the documents")
	}
	doc = r.lib.same[doc]
	if it.unreadable = r.lib.errs[doc] != nil; it.unreadable {
		return it, nil
	}
	spans, err := r.spans(q, e, doc)
	it.spans = spans
	return it, err
}

// spans finds what is expected within one document.
func (r *resolver) spans(q Question, e Expected, doc int) ([]span, error) {
	d := r.lib.docs[doc]
	from, to := 0, len(d.Text)
	if e.Page > 0 {
		var ok bool
		if from, to, ok = page(d, e.Page); !ok {
			return nil, expectation(q, e, "page", fmt.Sprintf("%s has no page %d that could be read; it has %d", d.Name, e.Page, d.Coverage.Pages), "count pages from the first, not by what is printed on them")
		}
	}
	switch {
	case e.Range != nil:
		start, end, ok := runeRange(d.Text, *e.Range)
		if !ok {
			return nil, expectation(q, e, "", fmt.Sprintf("[%d, %d] ends after the %d characters of %s", e.Range[0], e.Range[1],
				utf8.RuneCountInString(d.Text), d.Name), "count in characters of the text that inlay parse prints")
		}
		return []span{{doc: doc, start: start, end: end}}, nil
	case e.Quote != "":
		return r.quoted(q, e, doc, from, to)
	case e.Page > 0:
		return []span{{doc: doc, start: from, end: to, page: true}}, nil
	}
	return []span{{doc: doc, whole: true}}, nil
}

// quoted finds a quote between two offsets of a document.
func (r *resolver) quoted(q Question, e Expected, doc, from, to int) ([]span, error) {
	text, quote := r.lettersOf(doc), newLetters(e.Quote).text
	if len(quote) == 0 {
		return nil, expectation(q, e, "quote", "holds no letter and no digit", "quote some words of the passage")
	}
	var spans []span
	all := text.find(quote)
	for _, f := range all {
		if f[0] < to && f[1] > from {
			spans = append(spans, span{doc: doc, start: f[0], end: f[1]})
		}
	}
	name := r.lib.docs[doc].Name
	switch {
	case len(spans) > 0:
		return spans, nil
	case len(all) > 0:
		at := parse.NewMap(r.lib.docs[doc]).At(all[0][0], all[0][1])
		return nil, expectation(q, e, "page", fmt.Sprintf("the quote is on page %d of %s, not on page %d", max(at.Page, at.Slide), name, e.Page), "correct the page or leave it empty")
	}
	n, words := text.wordsFound(e.Quote)
	return nil, expectation(q, e, "quote", fmt.Sprintf("does not stand in %s (of its %d words the first %d do)", name, words, n), "copy it from what inlay parse prints, or quote fewer words")
}

// anywhere finds a quote in every document of the scope.
func (r *resolver) anywhere(q Question, e Expected, scope []int, it item) (item, error) {
	if e.Quote == "" {
		return it, expectation(q, e, "file", "is empty, and so is the quote", "name the document or quote the passage")
	}
	quote := newLetters(e.Quote).text
	for doc := range r.lib.docs {
		if r.lib.same[doc] != doc || r.lib.errs[doc] != nil || !within(scope, doc) {
			continue
		}
		for _, f := range r.lettersOf(doc).find(quote) {
			it.spans = append(it.spans, span{doc: doc, start: f[0], end: f[1]})
		}
	}
	if len(it.spans) == 0 {
		return it, expectation(q, e, "quote", "is in none of the documents", "name the file, copy it from what inlay parse prints, or quote fewer words")
	}
	return it, nil
}

func within(scope []int, doc int) bool {
	return scope == nil || slices.Contains(scope, doc)
}

// maxLetters bounds the documents, in bytes, that are kept ready for quotes.
const maxLetters = 64 << 20

func (r *resolver) lettersOf(doc int) *letters {
	if l := r.letters[doc]; l != nil {
		return l
	}
	text := r.lib.docs[doc].Text
	if r.held += len(text); r.held > maxLetters {
		clear(r.letters)
		r.held = len(text)
	}
	r.letters[doc] = newLetters(text)
	return r.letters[doc]
}

// page is the range of a numbered page, slide or sheet.
func page(d parse.Document, number int) (start, end int, ok bool) {
	for _, s := range d.Sections {
		if (s.Kind == parse.Page || s.Kind == parse.Slide || s.Kind == parse.Sheet) && s.Number == number {
			return s.Start, s.End, true
		}
	}
	return 0, 0, false
}

// runeRange turns a range in runes into one in bytes.
func runeRange(text string, r [2]int) (start, end int, ok bool) {
	n, start := 0, -1
	for i := range text {
		if n == r[0] {
			start = i
		}
		if n == r[1] {
			return start, i, true
		}
		n++
	}
	return start, len(text), start >= 0 && n == r[1]
}
