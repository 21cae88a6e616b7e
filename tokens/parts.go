package tokens

import "strings"

// Part is a stretch of a text. Where Known is set, it remembers the counts of
// the stretch.
type Part struct {
	Text  string
	Known *Known
}

// joiner counts a text by its parts.
type joiner interface {
	join(parts []Part) Count
}

// CountParts is c.Count of the parts' texts joined. Where c is an [Encoding] or
// an [Estimator], of a part whose counts are known only the ends are counted.
func CountParts(c Counter, parts []Part) Count {
	if j, ok := c.(joiner); ok {
		return j.join(parts)
	}
	return c.Count(joined(parts))
}

func joined(parts []Part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Text
	}
	return strings.Join(texts, "")
}

// join implements joiner: between two safe cuts a part has the same tokens
// whatever is around it, which is what it has in all less its ends'.
func (e *Encoding) join(parts []Part) Count {
	n := 0
	var open strings.Builder // not counted yet
	for _, p := range parts {
		from, to, ok := e.inner(p)
		if !ok {
			open.WriteString(p.Text)
			continue
		}
		open.WriteString(p.Text[:from])
		n += e.Count(open.String()).N + p.Known.Count(e, p.Text).N - e.Count(p.Text[:from]).N - e.Count(p.Text[to:]).N
		open.Reset()
		open.WriteString(p.Text[to:])
	}
	return Count{N: n + e.Count(open.String()).N, Method: Exact, By: e.name}
}

// inner is the stretch between the first and the last safe cut of a part that
// is known, if it is long enough to be worth it.
func (e *Encoding) inner(p Part) (from, to int, ok bool) {
	s := p.Text
	if p.Known == nil || len(s) < 2*cutSearch {
		return 0, 0, false
	}
	from, to = 2, len(s)-1
	for from < cutSearch && !e.cuts.safe(s, from) {
		from++
	}
	for to > len(s)-cutSearch && !e.cuts.safe(s, to) {
		to--
	}
	return from, to, from < cutSearch && to > len(s)-cutSearch
}

// join implements joiner.
func (s *Estimator) join(parts []Part) Count {
	return s.count(KindOf(joined(parts)), s.base.join(parts).N)
}
