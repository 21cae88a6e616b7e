// Package parse turns attached bytes into a [Document]: one text, a map of
// sections over it, how much of each page had text, and warnings.
package parse

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"inlay/tokens"
)

// File is what was attached: a name, its bytes and, if the sender said so, a
// media type. Bytes decide over name and type (PAR-1).
type File struct {
	Name      string
	Path      string // where it was read from; empty for uploads
	MediaType string // as claimed; may be empty
	Data      []byte
}

// FileIDPrefix begins every id that [FileID] makes.
const FileIDPrefix = "file-"

// FileID names a file by its bytes: the same bytes have the same id under any name.
func FileID(data []byte) string {
	sum := sha256.Sum256(data)
	return FileIDPrefix + hex.EncodeToString(sum[:idBytes])
}

// idBytes is how much of a SHA-256 an id has.
const idBytes = 12

// FileIDOf is the [FileID] of bytes whose SHA-256 is known, in hexadecimal.
func FileIDOf(sum string) string { return FileIDPrefix + sum[:2*idBytes] }

// Document is a parsed file. It is immutable: everything later points into
// Text by byte offset.
type Document struct {
	FileID    string    `json:"file_id"`
	Name      string    `json:"name"`
	Path      string    `json:"path,omitempty"`
	MediaType string    `json:"media_type"`         // what the bytes are
	Charset   string    `json:"charset,omitempty"`  // of plain-text formats: the encoding it was read from
	Library   string    `json:"library"`            // what read it
	Parser    string    `json:"parser"`             // parser name and version; part of every derived key
	Text      string    `json:"text"`               // valid UTF-8
	Sections  []Section `json:"sections,omitempty"` // ordered by Start; may nest
	Coverage  Coverage  `json:"coverage"`
	Warnings  []Warning `json:"warnings,omitempty"`
	WordBoxes []byte    `json:"word_boxes,omitempty"` // where words are on their pages, see Boxes and AppendBoxes
	Partial   bool      `json:"partial,omitempty"`    // reading was ended from outside: other pages may come next time
	Cached    bool      `json:"-"`                    // it came from a cache: nothing was parsed

	Counts *tokens.Known `json:"-"` // of Text, where the document is kept in memory; else nil
}

// ReadBy names what read the document, and the pages that something else read:
// "ledongthuc/pdf, tesseract (page 2)".
func (d Document) ReadBy() string {
	var pages map[string][]int
	var others []string
	for i := range d.Sections { // there may be many, and a copy of each takes its time
		s := &d.Sections[i]
		if s.Kind != Page || s.Library == "" || s.Library == d.Library {
			continue
		}
		if pages == nil {
			pages = map[string][]int{}
		}
		if pages[s.Library] == nil {
			others = append(others, s.Library)
		}
		pages[s.Library] = append(pages[s.Library], s.Number)
	}
	var out strings.Builder
	out.WriteString(d.Library)
	for _, library := range others {
		slices.Sort(pages[library])
		out.WriteString(", " + library + " (" + ranges("page", pages[library]) + ")")
	}
	return out.String()
}

// Kind says what a section is.
type Kind string

// The kinds of section.
const (
	Page      Kind = "page"
	Slide     Kind = "slide"
	Sheet     Kind = "sheet"
	Heading   Kind = "heading"   // from the heading to the next of its level or above
	Paragraph Kind = "paragraph" // a block of running text
	List      Kind = "list"      // one list, its items on lines
	Table     Kind = "table"     // a Markdown table; its first row is the header
	Code      Kind = "code"      // a code block or, in source code, a top-level declaration
	Part      Kind = "part"      // of a container: a mail's attachment, a chapter file
	Cue       Kind = "cue"       // of subtitles: what is said from one time to another

	PageHeader Kind = "page_header" // a line at the top of page after page, see Repeated
	PageFooter Kind = "page_footer" // a line at the bottom or in the margin of page after page
)

// Status says how a page was read.
type Status string

// The outcomes of a page.
const (
	Read    Status = "text"
	Scanned Status = "scanned" // images but no text layer
	Empty   Status = "empty"
	Failed  Status = "failed"
)

// Section marks the half-open byte range [Start, End) of the document's text.
type Section struct {
	Kind    Kind   `json:"kind"`
	Label   string `json:"label,omitempty"`   // heading text, sheet name, declaration name; cues: their time, "0:01:02-0:01:05"
	Number  int    `json:"number,omitempty"`  // page, slide, sheet: from 1
	Level   int    `json:"level,omitempty"`   // headings: 1..6
	Library string `json:"library,omitempty"` // pages: what read this one, when not Document.Library
	Status  Status `json:"status,omitempty"`  // pages and slides
	Start   int    `json:"start"`
	End     int    `json:"end"`

	Own int `json:"own,omitempty"` // of a part with lines of its own: where its text begins, after its title

	Rows []RowMark `json:"rows,omitempty"` // blocks out of spreadsheets: rows of the file; see RowOf
}

// ShortLabel returns at most limit bytes of a label, whole characters of it and
// an ellipsis if it is longer.
func ShortLabel(label string, limit int) string {
	if len(label) <= limit {
		return label
	}
	for !utf8.RuneStart(label[limit]) {
		limit--
	}
	return label[:limit] + "…"
}

// Coverage says how much of a document became text (PAR-4). Pages is 0 for
// formats that have none.
type Coverage struct {
	Pages      int   `json:"pages,omitempty"`
	Characters int   `json:"characters"`         // runes of Text
	PerPage    []int `json:"per_page,omitempty"` // runes of each page
	Scanned    []int `json:"scanned,omitempty"`  // numbers of pages without a text layer
	Empty      []int `json:"empty,omitempty"`    // blank pages
	Failed     []int `json:"failed,omitempty"`   // pages that could not be read
	Repeated   int   `json:"repeated,omitempty"` // sections of the kinds PageHeader and PageFooter
}

// Warning is something the reader of a document should know.
type Warning struct {
	Code    string `json:"code"` // "type_mismatch", "scanned_pages", "repaired_utf8"
	Message string `json:"message"`
}
