package outline

import (
	"strings"

	"inlay/parse"
)

// most is how many sections a text has at most, since their map should not
// outgrow the text.
const most = 100_000

// Paragraphs returns the blocks of plain text that blank lines part. Where there
// are very many, neighbours are joined.
func Paragraphs(source string) []parse.Section {
	sections := blocks(source, Least(len(source)))
	if len(sections) > most {
		return blocks(source, len(source)/most)
	}
	return sections
}

// blocks parts a text at blank lines, into sections of at least that many
// bytes; it gives up after too many.
func blocks(source string, least int) []parse.Section {
	var sections []parse.Section
	at, start := 0, -1
	end := 0
	for line := range strings.Lines(source) {
		blank := strings.TrimSpace(line) == ""
		if blank && start >= 0 && end-start >= least {
			sections = append(sections, parse.Section{Kind: parse.Paragraph, Start: start, End: end})
			start = -1
			if least == 0 && len(sections) > most {
				return sections
			}
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
// none up to 16 MiB; beyond, so many that there are at most 100,000 sections.
func Least(size int) int {
	if size <= 16<<20 {
		return 0
	}
	return size / most
}
