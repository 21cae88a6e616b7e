package intent

import (
	"strings"

	"inlay/internal/lazy"
)

// prose finds an article or specification in what the spans leave over. Plain
// paragraphs have no marks of their own, so they are moved only where the
// message says so: a request that announces or points at them stands before
// them, or one ends the message, and they are much larger than it.
func (p *page) prose(spans []span) []span {
	taken := make([]bool, len(p.lines))
	for _, s := range spans {
		for i := s.from; i < s.to; i++ {
			taken[i] = true
		}
	}
	from, to, told := p.body()
	if !told {
		return nil
	}
	var out []span
	for i := from; i < to; {
		j := i
		for j < to && !taken[j] {
			j++
		}
		if first := p.next(i); first < j {
			if s, ok := p.whole(Prose, first, j); ok && (s.end-s.start >= leastProse || len(spans) > 0 && s.end-s.start >= leastProse/2 && p.between(s, spans)) {
				out = append(out, s)
			}
		}
		i = j + 1
	}
	return out
}

// between reports whether a text stands between two spans, and so belongs to
// the same pasted document.
func (p *page) between(s span, spans []span) bool {
	before, after := false, false
	for _, o := range spans {
		before = before || o.end <= s.start
		after = after || o.start >= s.end
	}
	return before && after
}

// body is the lines between the request that opens the message and the one that
// ends it, and whether either of them says that something was pasted.
func (p *page) body() (from, to int, told bool) {
	to = p.closingAsk(0)
	told = to < len(p.lines) && (pointing().MatchString(p.raw[p.lines[to].start:]) || !own(p.raw[:p.lines[to].start]))
	at := p.next(0)
	for tries := 0; at < to && tries < 3; tries++ {
		_, end := p.paragraph(at)
		end = min(end, to)
		text := p.raw[p.lines[at].start:p.lines[end-1].end]
		if lead := p.leadLine(at, end); lead > at { // the text follows on the next line
			return lead, to, true
		}
		if len(text) > 600 || !leads(text) && !asks(text) && !separator(text) {
			break
		}
		if leads(text) || separator(text) {
			told = true
		}
		at = p.next(end)
		from = at
	}
	return from, to, told || from > 0 && from < to && !own(p.raw[p.lines[from].start:p.lines[to-1].end])
}

var firstPerson = lazy.Regexp(`(?i)(?:^|[^\p{L}])(?:i|i'm|i've|i'd|my|me|we|our|us|ich|mir|mich|mein\p{L}*|wir|uns|unser\p{L}*|je|j'|mon|ma|mes|nous|notre|nos|yo|mi|mis|me|nosotros|nuestr\p{L}*|io|mio|mia|noi|nostr\p{L}*|eu|meu|minha|nosso|nossa|ik|mijn|wij|ons|onze|я|мне|мой|мы|нам|наш\p{L}*)(?:[^\p{L}]|$)|私|僕|我们|我`)

// own reports whether people write of themselves in a text: then it is part of
// what they want rather than something they pasted.
func own(text string) bool {
	all := len(strings.Fields(text))
	return len(firstPerson().FindAllStringIndex(text, -1))*40 > all
}

// leadLine is the line after the one with which a paragraph announces what follows
// in the same paragraph, or at.
func (p *page) leadLine(at, end int) int {
	for i := at; i < end-1 && i < at+4; i++ {
		if l := p.lines[i].trim; len(l) < 400 && leads(l) && len(p.lines[i+1].trim) > len(l) {
			return i + 1
		}
	}
	return at
}

// separator reports whether a paragraph is a line that parts what is above from
// what is below.
func separator(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) >= 3 && strings.Trim(text, "-=*_#~") == ""
}
