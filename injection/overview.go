package injection

import (
	"strconv"
	"strings"
	"unicode"

	"inlay/internal/plural"
	"inlay/prompts"
)

// Overview lists the files considered on a turn for a prompt, one on a line,
// with what of each the model can see; a name shared by several files comes with
// its folders. Without files it is a sentence that says so.
//
//   - lease.md (complete text below)
//   - draft.md (complete text earlier in this conversation)
//   - report.pdf (3 passages below)
func Overview(files []FileReport, failures []Failure) string {
	if len(files)+len(failures) == 0 {
		return "No document is attached."
	}
	var names []prompts.Name
	var seen []string
	for _, f := range files {
		names = append(names, prompts.Name{Name: f.Name, Path: f.Path})
		seen = append(seen, f.visible())
	}
	for _, f := range failures {
		names = append(names, prompts.Name{Name: f.File})
		seen = append(seen, "could not be read")
	}
	lines := make([]string, len(names))
	for i, name := range prompts.Names(names) {
		if strings.ContainsFunc(name, unicode.IsControl) {
			name = strconv.Quote(name)
		}
		lines[i] = "- " + name + " (" + seen[i] + ")"
	}
	return strings.Join(lines, "\n")
}

// visible says what of the file the model can see.
func (f FileReport) visible() string {
	switch {
	case f.InContext:
		return "complete text earlier in this conversation"
	case f.Strategy == InjectFull:
		return "complete text below"
	case f.Citations > 0:
		return plural.Of(f.Citations, "passage") + " below"
	case f.Strategy == Retrieval:
		return "passages below" // a dry run, which searches nothing
	}
	return "no part of it is shown"
}
