package builtin

import (
	"strings"

	"inlay/internal/lazy"

	"inlay/processor"
)

// command finds the first $(...) in text and the bytes between its brackets:
// quotes and inner brackets are respected, a line break ends the search.
func command(text string) (start, end int, ok bool) {
	for from := 0; ; {
		i := strings.Index(text[from:], "$(")
		if i < 0 {
			return 0, 0, false
		}
		start = from + i
		if n := closing(text[start+2:]); n >= 0 {
			return start, start + 2 + n + 1, true
		}
		from = start + 2
	}
}

// closing is the offset of the bracket that ends a command; -1 if it has no end.
func closing(s string) int {
	depth, quote := 0, byte(0)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n':
			return -1
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// reference is an @name in a text.
type reference struct {
	start, end int    // of the whole, with its @
	name       string // without @ and quotes
}

// atName finds @name and @"name with spaces" at the beginning of a word.
var atName = lazy.Regexp(`(?:^|[\s("'\[{<])@(?:"([^"\n]+)"|([^\s"'<>|]+))`)

// references are the @names of a text, outside of commands.
func references(text string) []reference {
	var out []reference
	skip := 0 // end of the command that begins last before a name
	for _, m := range atName().FindAllStringSubmatchIndex(text, -1) {
		at := strings.IndexByte(text[m[0]:m[1]], '@') + m[0]
		for {
			s, e, ok := command(text[skip:])
			if !ok || skip+e > at && skip+s > at {
				break
			}
			if skip+s <= at && at < skip+e {
				at = -1
				break
			}
			skip += e
		}
		if at < 0 {
			continue
		}
		r := reference{start: at, end: m[1]}
		if m[2] >= 0 {
			r.name = text[m[2]:m[3]]
		} else {
			r.name = strings.TrimRight(text[m[4]:m[5]], `.,;:!?)]}`)
			r.end = m[4] + len(r.name)
		}
		if r.name != "" {
			out = append(out, r)
		}
	}
	return out
}

// expand replaces each expandable part of the messages by what f makes of it.
func expand(v []processor.Message, f func(processor.Part) ([]processor.Part, error)) ([]processor.Message, error) {
	out := processor.CloneMessages(v)
	for i, m := range out {
		var parts []processor.Part
		for _, p := range m.Parts {
			if !p.Origin.Expandable() {
				parts = append(parts, p)
				continue
			}
			made, err := f(p)
			if err != nil {
				return v, err
			}
			parts = append(parts, made...)
		}
		out[i].Parts = parts
	}
	return out, nil
}

// literal is a stretch of an expandable part.
func literal(p processor.Part, text string) []processor.Part {
	if text == "" {
		return nil
	}
	p.Text = text
	return []processor.Part{p}
}
