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
	seen := make([]string, 0, len(files)+len(failures))
	for _, f := range files {
		seen = append(seen, f.visible())
	}
	for range failures {
		seen = append(seen, "could not be read")
	}
	lines := make([]string, len(seen))
	for i, name := range ShownNames(files, failures) {
		if strings.ContainsFunc(name, unicode.IsControl) {
			name = strconv.Quote(name)
		}
		lines[i] = "- " + name + " (" + seen[i] + ")"
	}
	return strings.Join(lines, "\n")
}

// ShownNames are the names that a prompt and citations give files: with as much
// of their folders as tells those of one name apart (INJ-9). Failures follow the
// files.
func ShownNames(files []FileReport, failures []Failure) []string {
	names := make([]prompts.Name, 0, len(files)+len(failures))
	for _, f := range files {
		names = append(names, prompts.Name{Name: f.Name, Path: f.Path})
	}
	for _, f := range failures {
		names = append(names, prompts.Name{Name: f.File})
	}
	return prompts.Names(names)
}

// visible says what of the file the model can see.
func (f FileReport) visible() string {
	switch {
	case f.InContext:
		return "complete text earlier in this conversation"
	case f.Strategy == InjectFull:
		return "complete text below"
	case f.Note != "" && f.Citations > 0:
		return plural.Of(f.Citations, "passage") + " and " + f.noted() + " below"
	case f.Note != "":
		return f.noted() + " below"
	case f.Citations > 0:
		return plural.Of(f.Citations, "passage") + " below"
	case f.Strategy == Retrieval:
		return "passages below" // a dry run, which searches nothing
	}
	return "no part of it is shown"
}

// noted says what the file's note is.
func (f FileReport) noted() string {
	if f.Note == countNote {
		return "a count of its rows"
	}
	return "its outline"
}
