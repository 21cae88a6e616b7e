package parse

import "context"

// Progress receives the share of a file that has been read, 0..1.
// It may be nil.
type Progress func(done float64)

// Tell calls p unless it is nil.
func (p Progress) Tell(done float64) {
	if p != nil {
		p(done)
	}
}

// Parser reads one family of formats. Parsers are safe for concurrent use,
// stop promptly when ctx ends, and give the same document for the same bytes.
type Parser interface {
	// Info describes the parser; it must not change while the program runs.
	Info() Info
	// Parse reads f. An error carries one of fault's codes.
	Parse(ctx context.Context, f File, report Progress) (Document, error)
}

// Info describes a parser.
type Info struct {
	Name       string   // "pdf"
	Version    string   // changes whenever the same bytes would give another document
	Library    string   // shown in statuses: "ledongthuc/pdf"
	MediaTypes []string // what it reads, by content
	Extensions []string // ".pdf": used where content does not tell
}

// PageText is a page as soon as it has been read. A page may come twice: the
// later text is the better one.
type PageText struct {
	Section Section // number, status and library; no offsets yet
	Of      int     // how many pages there are
	Text    string
	Boxes   []byte // the page's record of word boxes, see AppendBoxes; may be nil
}

// Pager is a [Parser] that hands over pages while it reads, so that what was
// read is not lost if reading is ended from outside.
type Pager interface {
	Parser
	ParsePages(ctx context.Context, f File, report Progress, each func(PageText)) (Document, error)
}

// ReadPages parses f with p and hands its pages to each, if p is a [Pager].
func ReadPages(ctx context.Context, p Parser, f File, report Progress, each func(PageText)) (Document, error) {
	if pager, ok := p.(Pager); ok {
		return pager.ParsePages(ctx, f, report, each)
	}
	return p.Parse(ctx, f, report)
}
