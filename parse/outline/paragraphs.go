package outline

import (
	"strings"

	"inlay/parse"
)

// Paragraphs returns the blocks of plain text that blank lines part. In a very
// large text neighbours are joined, see [Least].
func Paragraphs(source string) []parse.Section {
	var sections []parse.Section
	least := Least(len(source))
	at, start := 0, -1
	end := 0
	for line := range strings.Lines(source) {
		blank := strings.TrimSpace(line) == ""
		if blank && start >= 0 && end-start >= least {
			sections = append(sections, parse.Section{Kind: parse.Paragraph, Start: start, End: end})
			start = -1
		}
		if !blank && start < 0 {
			start = at
		}
		at += len(line)
		if !blank {
			end = at - len(line) + len(strings.TrimRight(line, "\r\n"))
		}
	}
	if start >= 0 {
		sections = append(sections, parse.Section{Kind: parse.Paragraph, Start: start, End: end})
	}
	return sections
}

// Least is how many bytes the smallest section of a text of that size may have:
// none up to 16 MiB; beyond, so many that there are at most 100,000 sections,
// since their map should not outgrow the text.
func Least(size int) int {
	if size <= 16<<20 {
		return 0
	}
	return size / 100_000
}
