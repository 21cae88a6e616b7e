package parse

import (
	"slices"
	"strings"

	"inlay/chat"
)

// Repeated are the headers and footers that passages leave out, in order and joined
// where only white space is between them. Each reaches over the white space after
// it, so that what is before and after it fits together.
type Repeated []chat.Range

// Repeated returns the headers and footers of pages but for the first of each text,
// numbers aside, so that nothing is lost. The document's text has all of them.
func (d Document) Repeated() Repeated {
	var out Repeated
	said := map[string]bool{"": true} // page numbers alone are worth nothing
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Kind != PageHeader && s.Kind != PageFooter {
			continue
		}
		if !said[s.Label] {
			said[s.Label] = true
			continue
		}
		rest := d.Text[s.End:]
		end := s.End + len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
		if n := len(out); n > 0 && out[n-1].End >= s.Start {
			out[n-1].End = max(out[n-1].End, end)
		} else {
			out = append(out, chat.Range{Start: s.Start, End: end})
		}
	}
	return out
}

// Without returns what of the bytes [start, end) is left without headers and
// footers: ranges in order, none if nothing is left.
func (r Repeated) Without(start, end int) []chat.Range {
	first, _ := slices.BinarySearchFunc(r, start, func(one chat.Range, at int) int { return one.End - at - 1 })
	var kept []chat.Range
	for _, one := range r[first:] {
		if one.Start >= end {
			break
		}
		if one.Start > start {
			kept = append(kept, chat.Range{Start: start, End: one.Start})
		}
		start = one.End
	}
	if start < end {
		kept = append(kept, chat.Range{Start: start, End: end})
	}
	return kept
}

// Blanked is a text of the same length in which headers and footers are spaces.
func (r Repeated) Blanked(text string) string {
	if len(r) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, one := range r {
		b.WriteString(text[at:one.Start])
		for _, c := range []byte(text[one.Start:one.End]) {
			if c != '\n' {
				c = ' '
			}
			b.WriteByte(c)
		}
		at = one.End
	}
	b.WriteString(text[at:])
	return b.String()
}
