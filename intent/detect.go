package intent

import (
	"encoding/json"
	"regexp"
	"strings"

	"inlay/internal/lazy"
)

// detector claims lines from i on for a kind, or does not.
type detector func(p *page, i int) (span, bool)

// detectors are asked in this order: what is marked first, then what has a
// grammar, then what only looks like something.
func detectors() []detector {
	return []detector{
		fence, quotes, armour, jsonValue, markup, diff, mail, quoted, subtitles, transcript, logLines,
		table, hexLines, blob, code, settings, list,
	}
}

var fenceOpens = lazy.Regexp("^(`{3,}|~{3,})[^`]*$")

// fence is a fenced block, its fences included. One that is never closed is none.
func fence(p *page, i int) (span, bool) {
	if !starts(p.lines[i].trim, "`~") {
		return span{}, false
	}
	m := fenceOpens().FindStringSubmatch(p.lines[i].trim)
	if m == nil {
		return span{}, false
	}
	for j := i + 1; j < len(p.lines) && p.look(j); j++ {
		t := p.lines[j].trim
		if strings.HasPrefix(t, m[1]) && strings.Trim(t, m[1][:1]) == "" {
			return p.whole(fenceKind(p, i, j), i, j+1)
		}
	}
	return span{}, false
}

// fenceKind is what the fence says it holds, else code.
func fenceKind(p *page, i, j int) Kind {
	switch strings.ToLower(strings.TrimLeft(p.lines[i].trim, "`~ ")) {
	case "json", "jsonl", "ndjson":
		return JSON
	case "csv", "tsv":
		return Table
	case "log", "logs":
		return Log
	case "xml", "html":
		return Markup
	case "yaml", "yml", "toml", "ini":
		return Settings
	case "diff", "patch":
		return Diff
	case "":
		if j > i+1 && !p.blank(i+1) {
			if s, ok := jsonValue(p, i+1); ok && s.to == j {
				return JSON
			}
		}
	}
	return Code
}

var (
	quoteMark  = lazy.Regexp(`^("""|'''|«|<<<+|>>>+)$`)
	armourMark = lazy.Regexp(`^-{3,}\s*BEGIN ([\w .-]+?)\s*-{3,}$`)
)

// quotes is a text between lines of triple quotes and the like.
func quotes(p *page, i int) (span, bool) {
	m := ""
	if len(p.lines[i].trim) < 20 || starts(p.lines[i].trim, "<>") {
		m = quoteMark().FindString(p.lines[i].trim)
	}
	if m == "" {
		return span{}, false
	}
	closing := m
	switch m[0] {
	case '<':
		closing = strings.Repeat(">", len(m))
	case '>':
		closing = strings.Repeat("<", len(m))
	}
	if m == "«" {
		closing = "»"
	}
	for j := i + 1; j < len(p.lines) && p.look(j); j++ {
		if p.lines[j].trim == closing {
			return p.whole(Prose, i, j+1)
		}
	}
	return span{}, false
}

// armour is what is between -----BEGIN X----- and -----END X-----.
func armour(p *page, i int) (span, bool) {
	if !starts(p.lines[i].trim, "-") {
		return span{}, false
	}
	m := armourMark().FindStringSubmatch(p.lines[i].trim)
	if m == nil {
		return span{}, false
	}
	for j := i + 1; j < len(p.lines) && p.look(j); j++ {
		if t := p.lines[j].trim; strings.HasPrefix(t, "---") && strings.Contains(t, "END "+m[1]) {
			return p.whole(Blob, i, j+1)
		}
	}
	return span{}, false
}

// leastJSON is the bytes of the smallest JSON value that counts.
const leastJSON = 60

var jsonKey = lazy.Regexp(`(?m)["']?[\w$.-]+["']?\s*:\s*(?:["'{\[]|-?\d|true|false|null)`)

// jsonValue is a JSON value, or several, one below the other. It may begin
// within a line, after words. One with small mistakes counts too, if it is
// balanced and has keys.
func jsonValue(p *page, i int) (span, bool) {
	at := strings.IndexAny(p.lines[i].text, "{[")
	if at < 0 {
		return span{}, false
	}
	start := p.lines[i].start + at
	if p.budget <= 0 {
		return span{}, false
	}
	end := jsonEnd(p, start)
	if end > 0 && !opensAfter(p.lines[i].text[:at]) && !json.Valid([]byte(p.raw[start:end])) {
		return span{}, false
	}
	if end < 0 || end-start < leastJSON && !strings.HasPrefix(p.lines[i].trim, "{") {
		return span{}, false
	}
	to := i
	for to < len(p.lines) && p.lines[to].end < end {
		to++
	}
	if rest := strings.TrimSpace(p.raw[end:p.lines[to].end]); rest == "" || rest == ";" || rest == "," {
		end = p.lines[to].end
	}
	s := span{JSON, i, to + 1, start, end}
	if end == p.lines[to].end { // the next value, as in JSON Lines
		if n := p.next(to + 1); n < len(p.lines) && n <= to+2 && strings.HasPrefix(p.lines[n].trim, "{") {
			if more, ok := jsonValue(p, n); ok {
				s.to, s.end = more.to, more.end
			}
		}
	}
	return s, true
}

// opensAfter reports whether a value may follow these words on their line.
func opensAfter(before string) bool {
	before = strings.TrimRight(before, " \t")
	return before == "" || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "=") || strings.HasSuffix(before, "：")
}

// jsonEnd is where the value that begins at start ends, or -1.
func jsonEnd(p *page, start int) int {
	raw := p.raw
	end, seen := balanced(raw[start:])
	p.budget -= seen
	if end < 0 {
		return -1
	}
	text := raw[start : start+end]
	if json.Valid([]byte(text)) && (text[0] == '{' || end >= leastJSON) && strings.ContainsAny(text, ":,") {
		return start + end
	}
	keys := len(jsonKey().FindAllStringIndex(text, 200))
	if keys >= 3 && strings.Contains(text, `"`) && !strings.Contains(text, ";\n") && keys*160 > min(len(text), 32000) {
		return start + end
	}
	return -1
}

// balanced is the length of the bracketed text that s begins with, or -1, and
// how many bytes were looked at.
func balanced(s string) (end, seen int) {
	depth, quote := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote && c == '\\':
			i++
		case c == '"':
			quote = !quote
		case quote && c == '\n':
			quote = false
		case quote:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth--; depth == 0 {
				return i + 1, i + 1
			}
		}
	}
	return -1, len(s)
}

var (
	tagOpens = lazy.Regexp(`^<(?:!DOCTYPE\s+)?([A-Za-z][\w:.-]*)[^<>]*>?`)
	xmlHead  = lazy.Regexp(`^<(?:\?xml|!DOCTYPE|!--)`)
)

// markup is XML or HTML from a tag at the start of a line to where it is closed.
func markup(p *page, i int) (span, bool) {
	t := p.lines[i].trim
	if !strings.HasPrefix(t, "<") {
		return span{}, false
	}
	from := i
	for xmlHead().MatchString(t) && i+1 < len(p.lines) { // the element follows its prologue
		if i = p.next(i + 1); i == len(p.lines) {
			return span{}, false
		}
		t = p.lines[i].trim
	}
	m := tagOpens().FindStringSubmatch(t)
	if m == nil {
		return span{}, false
	}
	to := p.closing(i, m[1])
	if to < 0 {
		return span{}, false
	}
	kind := Markup
	if strings.Count(p.raw[p.lines[from].start:p.lines[to-1].end], "<") < 4 {
		kind = Prose // a wrapper around a text
	}
	return p.whole(kind, from, to)
}

// closing is the line after the one that closes the element which line i
// opens, or -1.
func (p *page) closing(i int, name string) int {
	opens, closes := regexp.MustCompile(`(?i)<`+regexp.QuoteMeta(name)+`\b`), regexp.MustCompile(`(?i)</`+regexp.QuoteMeta(name)+`\s*>`)
	depth := 0
	for j := i; j < len(p.lines) && p.look(j); j++ {
		depth += len(opens.FindAllString(p.lines[j].text, -1)) - len(closes.FindAllString(p.lines[j].text, -1))
		if depth <= 0 && (j > i || closes.MatchString(p.lines[j].text)) {
			return j + 1
		}
	}
	return -1
}

var (
	diffHead = lazy.Regexp(`^(?:diff --git |--- (?:a/|\S+\s*\d{4}-)|Index: |@@ -\d)`)
	diffLine = lazy.Regexp(`^(?:[ +\-\\]|@@ |diff --git|index [0-9a-f]|--- |\+\+\+ |new file|deleted file|similarity|rename |Index: |=====|$)`)
)

// diff is a patch.
func diff(p *page, i int) (span, bool) {
	if !starts(p.lines[i].text, "d-I@") || !diffHead().MatchString(p.lines[i].text) {
		return span{}, false
	}
	to, count := p.run(i, 0, func(l line) bool { return diffLine().MatchString(l.text) })
	if count < 4 {
		return span{}, false
	}
	return p.whole(Diff, i, to)
}
