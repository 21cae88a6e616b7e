package route

import (
	"fmt"
	"path"
	"strings"

	"inlay/internal/lazy"
)

// edit is why a change of a file cannot be proposed: the file was not read, or
// the text to be replaced is not what was read.
func (c checker) edit(params map[string]any) string {
	p, _ := params["path"].(string)
	text, ok := c.read[path.Clean(p)]
	if !ok {
		return fmt.Sprintf("%s has not been read yet, and must be before it is changed. Should it be read first?", p)
	}
	diff, isDiff := params["diff"].(string)
	if !isDiff {
		return ""
	}
	old := replaced(diff)
	if len(old) == 0 {
		return fmt.Sprintf("The diff of %s does not say which text it replaces. Which one is meant?", p)
	}
	plain := unnumbered(text)
	for _, block := range old {
		switch n := strings.Count(plain, block); {
		case strings.TrimSpace(block) == "" || n == 0:
			return fmt.Sprintf("The text that would be replaced in %s is not what was read of it. Should it be read again?", p)
		case n > 1:
			return fmt.Sprintf("The text that would be replaced is in %s %d times. Which one is meant?", p, n)
		}
	}
	return ""
}

var (
	searchBlock = lazy.Regexp(`(?ms)^<{5,} ?SEARCH[^\n]*\n(?::start_line:[^\n]*\n)?(?::end_line:[^\n]*\n)?(?:-{5,}\n)?(.*?)\n?^={5,}$`)
	lineNumber  = lazy.Regexp(`(?m)^ {0,8}(\d+)(?: ?[|:\x{2192}]|\t) ?`)
)

// replaced are the texts that a diff replaces: of SEARCH blocks, or the lines
// that a unified diff takes away or leaves around them.
func replaced(diff string) (out []string) {
	for _, m := range searchBlock().FindAllStringSubmatch(diff, -1) {
		out = append(out, m[1])
	}
	if len(out) > 0 || !strings.Contains(diff, "@@") {
		return out
	}
	var hunk []string
	end := func() {
		if len(hunk) > 0 {
			out, hunk = append(out, strings.Join(hunk, "\n")), nil
		}
	}
	inside := false
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "@@"):
			end()
			inside = true
		case inside && line != "" && (line[0] == '-' || line[0] == ' '):
			hunk = append(hunk, line[1:])
		}
	}
	end()
	return out
}

// unnumbered is a text without the numbers that some tools write before all of
// its lines, each one more than the one before.
func unnumbered(text string) string {
	before := -1
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		m := lineNumber().FindStringSubmatch(line)
		if m == nil || before >= 0 && number(m[1]) != before+1 {
			return text
		}
		before = number(m[1])
	}
	return lineNumber().ReplaceAllString(text, "")
}
