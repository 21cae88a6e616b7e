package outline

import (
	"strings"

	"inlay/parse"
)

// paragraph marks running text, and the table that may be in it: a line
// with bars followed by a line of dashes with as many columns.
func (w *walker) paragraph(start, end int) {
	at, header := start, -1
	previous := ""
	for line := range strings.Lines(w.source[start:end]) {
		if header < 0 && previous != "" && columns(line) > 0 && columns(line) == cells(previous) && strings.Contains(line+previous, "|") {
			header = at - len(previous)
		}
		previous = line
		at += len(line)
	}
	if header < 0 {
		w.add(parse.Paragraph, "", start, end)
		return
	}
	if header > start {
		w.add(parse.Paragraph, "", start, header)
	}
	w.add(parse.Table, "", header, end)
}

// columns counts the columns of a delimiter row such as "| --- | :-: |"; 0 if
// the line is none.
func columns(line string) int {
	line = strings.Trim(strings.TrimSpace(line), "|")
	if line == "" {
		return 0
	}
	parts := strings.Split(line, "|")
	for _, part := range parts {
		part = strings.TrimSpace(part)
		part = strings.TrimSuffix(strings.TrimPrefix(part, ":"), ":")
		if part == "" || strings.Trim(part, "-") != "" {
			return 0
		}
	}
	return len(parts)
}

// cells counts the cells of a table row.
func cells(line string) int {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	if !strings.HasSuffix(line, `\|`) {
		line = strings.TrimSuffix(line, "|")
	}
	return strings.Count(line, "|") - strings.Count(line, `\|`) + 1
}
