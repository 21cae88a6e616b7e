package office

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"inlay/parse"
)

// rtfAsides gathers what is beside the text of an RTF file: notes, comments
// and the margins of pages.
type rtfAsides struct {
	open    string // kind of the one being read: "note", "comment", "margin"; "" for none
	depth   int    // of its group
	text    []byte
	noted   int
	notes   []string // that wait for their paragraph to end
	margins []string
	author  []byte // of the next comment
	said    []string
}

// aside begins what is beside the text, if that is where a group with this
// word comes from. It reports whether the word is one of these.
func (r *rtf) aside(word string) bool {
	var kind string
	switch word {
	case "footnote":
		kind = "note"
	case "annotation":
		kind = "comment"
	case "header", "footer", "headerl", "headerr", "headerf", "footerl", "footerr", "footerf":
		kind = "margin"
	case "atnauthor":
		r.state.into, r.asides.author = toAuthor, nil
		return true
	default:
		return false
	}
	if r.state.into != toBody {
		return true // a note in a note is part of it
	}
	if kind == "note" {
		r.asides.noted++
		r.write("[^" + strconv.Itoa(r.asides.noted) + "]")
	}
	r.asides.open, r.asides.depth, r.asides.text = kind, len(r.stack), nil
	r.state.into, r.state.hidden = toAside, false
	return true
}

// endAside files what stood beside the text once its group has ended.
func (r *rtf) endAside() {
	a := &r.asides
	if a.open == "" || len(r.stack) >= a.depth {
		return
	}
	text := strings.Join(strings.Fields(string(a.text)), " ")
	switch {
	case text == "":
	case a.open == "note":
		a.notes = append(a.notes, "[^"+strconv.Itoa(a.noted)+"]: "+text)
	case a.open == "comment":
		a.said = append(a.said, remark{author: strings.TrimSpace(string(a.author))}.label()+text)
	case strings.ContainsFunc(text, unicode.IsLetter) && !slices.Contains(a.margins, text):
		a.margins = append(a.margins, text)
	}
	a.open, a.text = "", nil
}

// flushNotes adds the notes of a paragraph after it.
func (r *rtf) flushNotes() {
	if len(r.asides.notes) == 0 {
		return
	}
	r.flushList()
	for _, note := range r.asides.notes {
		r.b.Block(parse.Paragraph, "footnote", note)
	}
	r.asides.notes = nil
}

// finish ends the file, wherever it was cut off.
func (r *rtf) finish() {
	r.decode()
	r.stack = nil
	r.asides.depth++
	r.endAside()
	r.state.into = toBody
	r.endParagraph()
	r.flushTable()
	r.flushList()
	r.flushNotes()
	addPart(r.b, "comments", r.asides.said)
	addPart(r.b, "headers and footers", r.asides.margins)
}
