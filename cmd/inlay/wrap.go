package main

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// narrowest is the fewest columns that text is wrapped to.
const narrowest = 30

// columnsOf is the width of a terminal; 0: w is none, or too narrow to wrap for.
func columnsOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns < narrowest {
		return 0
	}
	return columns
}

// fitted is text for a writer: on a terminal no line is longer than it is wide.
func fitted(w io.Writer, text string) string { return fittedAt(w, text, 0) }

// fittedAt is fitted for rows whose values begin behind hang columns: there goes on
// what is wrapped.
func fittedAt(w io.Writer, text string, hang int) string {
	columns := columnsOf(w)
	if columns == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		body, end := strings.TrimSuffix(line, "\n"), line[len(strings.TrimSuffix(line, "\n")):]
		b.WriteString(wrapLine(body, columns, hang) + end)
	}
	return b.String()
}

// wrapLine breaks a line at spaces, or where one character takes two columns; what
// follows is indented as the line is, and behind the name of a row; hang is the
// column of the values of rows, 0 that of printResult.
func wrapLine(line string, columns, hang int) string {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if indent == 0 && hang > 0 && len(line) > hang && line[hang-1] == ' ' {
		indent = hang
	}
	if name := strings.IndexByte(line, ' '); indent == 0 && name > 0 && name < 11 && len(line) > 11 && line[10] == ' ' && line[11] != ' ' {
		indent = 11 // the column of the values of printResult
	}
	indent = min(indent, columns/2)
	var b strings.Builder
	at, wordAt, word := 0, 0, "" // columns so far; width of the word that is being read
	flush := func() {
		if at+wordAt > columns && at > indent {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
			word = strings.TrimLeft(word, " ")
			wordAt = widthOf(word)
		}
		b.WriteString(word)
		at, word, wordAt = at+wordAt, "", 0
	}
	for _, r := range line {
		wide := runeColumns(r)
		if r == ' ' && strings.TrimLeft(word, " ") != "" || wide == 2 {
			flush()
		}
		word += string(r)
		wordAt += wide
		if wide == 2 {
			flush()
		}
	}
	flush()
	return b.String()
}

func widthOf(s string) (n int) {
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

// wrapper wraps what is streamed to a terminal, word by word.
type wrapper struct {
	w       io.Writer
	columns int
	line    string // the last one, as far as it was written
}

// wrapping is w where it is not a terminal.
func wrapping(w io.Writer) io.Writer {
	if columns := columnsOf(w); columns > 0 {
		return &wrapper{w: w, columns: columns}
	}
	return w
}

// Write implements io.Writer. A word that grows over the edge goes to the next
// line as far as it has not been written yet.
func (w *wrapper) Write(p []byte) (int, error) {
	var b strings.Builder
	for _, piece := range strings.SplitAfter(string(p), " ") {
		first, _, _ := strings.Cut(piece, "\n")
		if strings.HasSuffix(w.line, " ") && widthOf(w.line)+widthOf(strings.TrimRight(first, " ")) > w.columns {
			b.WriteString("\n")
			w.line = ""
		}
		b.WriteString(piece)
		w.line += piece
		if i := strings.LastIndexByte(w.line, '\n'); i >= 0 {
			w.line = w.line[i+1:]
		}
	}
	_, err := io.WriteString(w.w, b.String())
	return len(p), err
}
