package markup

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// lines reads a page of too many elements without building a tree: its text by
// lines, headings, list items and table rows in Markdown's form, everything
// else of its layout left out.
func lines(ctx context.Context, page string) (text, title string, err error) {
	w := lineWriter{}
	z := html.NewTokenizer(strings.NewReader(page))
	for n := 0; ; n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return "", "", ctx.Err()
		}
		switch z.Next() {
		case html.ErrorToken:
			w.endTable()
			return strings.TrimSpace(w.out.String()), strings.Join(strings.Fields(w.title), " "), nil
		case html.TextToken:
			w.write(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			w.start(atom.Lookup(name))
		case html.EndTagToken:
			name, _ := z.TagName()
			w.end(atom.Lookup(name))
		default:
		}
	}
}

// lineWriter lays tokens out as lines.
type lineWriter struct {
	out    strings.Builder
	line   strings.Builder // text of the line or cell at hand
	mark   string          // what the line begins with
	hidden atom.Atom       // the element being left out, if any
	title  string
	row    []string
	inRow  bool
	rows   int // of the open table
}

// write adds text to the line at hand.
func (w *lineWriter) write(text string) {
	switch w.hidden {
	case atom.Title:
		w.title += text
	case 0:
		blank := len(text) > 0 && strings.TrimLeft(text[:1], " \t\r\n") == ""
		fields := strings.Fields(text)
		if w.line.Len() > 0 && (blank || len(fields) == 0) && !strings.HasSuffix(w.line.String(), " ") {
			w.line.WriteByte(' ')
		}
		w.line.WriteString(strings.Join(fields, " "))
		if len(fields) > 0 && strings.TrimRight(text[len(text)-1:], " \t\r\n") == "" {
			w.line.WriteByte(' ')
		}
	default:
	}
}

func (w *lineWriter) start(tag atom.Atom) {
	if w.hidden != 0 {
		return
	}
	switch tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Svg, atom.Title:
		w.hidden = tag
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.flush()
		w.mark = strings.Repeat("#", int(tag.String()[1]-'0')) + " "
	case atom.Li:
		w.flush()
		w.mark = "- "
	case atom.Td, atom.Th:
		w.endCell()
		w.inRow = true
	case atom.Tr:
		w.endRow()
	case atom.Table:
		w.flush()
		w.endTable()
	case atom.Br:
		w.flush()
	default:
		w.block(tag)
	}
}

func (w *lineWriter) end(tag atom.Atom) {
	switch {
	case w.hidden != 0:
		if tag == w.hidden {
			w.hidden = 0
		}
	case tag == atom.Td, tag == atom.Th:
		w.endCell()
	case tag == atom.Tr:
		w.endRow()
	case tag == atom.Table:
		w.endTable()
	case tag == atom.Li, tag == atom.Tbody, tag == atom.Thead:
		w.flush()
	default:
		w.block(tag)
	}
}

// block ends the line at an element that is on lines of its own.
func (w *lineWriter) block(tag atom.Atom) {
	switch tag {
	case atom.P, atom.Div, atom.Ul, atom.Ol, atom.Dl, atom.Dt, atom.Dd, atom.Pre, atom.Blockquote, atom.Section,
		atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Hr, atom.Form, atom.Figure,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.flush()
		if !w.inRow {
			w.gap()
		}
	default:
	}
}

// gap leaves a blank line before what follows.
func (w *lineWriter) gap() {
	if w.out.Len() > 0 && !strings.HasSuffix(w.out.String(), "\n\n") {
		w.out.WriteByte('\n')
	}
}

// flush ends a line; in a cell lines are one.
func (w *lineWriter) flush() {
	if w.inRow {
		if w.line.Len() > 0 && !strings.HasSuffix(w.line.String(), " ") {
			w.line.WriteByte(' ')
		}
		return
	}
	if text := strings.TrimSpace(w.line.String()); text != "" {
		w.out.WriteString(w.mark + text + "\n")
		w.mark = ""
	}
	w.line.Reset()
}

func (w *lineWriter) endCell() {
	if w.inRow {
		w.row = append(w.row, strings.ReplaceAll(strings.TrimSpace(w.line.String()), "|", `\|`))
		w.line.Reset()
		w.inRow = false
		return
	}
	if len(w.row) == 0 {
		w.flush()
	}
}

// endRow writes the row at hand; the first of a table is its header.
func (w *lineWriter) endRow() {
	w.endCell()
	if len(w.row) == 0 {
		return
	}
	if w.rows == 0 {
		w.gap()
	}
	w.out.WriteString("| " + strings.Join(w.row, " | ") + " |\n")
	if w.rows == 0 {
		w.out.WriteString("|" + strings.Repeat(" --- |", len(w.row)) + "\n")
	}
	w.rows++
	w.row = w.row[:0]
}

func (w *lineWriter) endTable() {
	w.endRow()
	if w.rows > 0 {
		w.gap()
	}
	w.rows = 0
	w.flush()
}
