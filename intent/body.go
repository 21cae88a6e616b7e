package intent

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"inlay/internal/lazy"
)

// body is what is between the words that open a message and those that end it.
type body struct {
	from, to int  // lines
	asked    bool // somebody asks before or after it
	told     bool // those words point at it
	document bool // it has headings, and is not all wishes
	foreign  bool // it is somebody's text: the request works on it, or it begins with a greeting
}

// body finds the opening and the end of the request.
func (p *page) body(spans []span) body {
	taken := make([]bool, len(p.lines))
	for _, s := range spans {
		for i := s.from; i < s.to; i++ {
			taken[i] = true
		}
	}
	if to := p.letter(taken); to > 0 {
		return body{to: to, asked: true, told: true, document: true, foreign: true}
	}
	b := body{to: len(p.lines)}
	b.open(p, taken)
	b.foreign = b.foreign || b.asked && b.from > 0 && p.next(b.from) < len(p.lines) && greeting().MatchString(p.lines[p.next(b.from)].trim)
	if b.to = p.ending(max(b.from, 1), taken, b); b.to < len(p.lines) {
		b.note(p.raw[p.lines[b.to].start:])
	}
	if first := p.next(0); b.from == 0 && !b.asked && first < len(p.lines) && !taken[first] {
		b.onTop(p, first)
		b.open(p, taken)
	}
	for i := b.from; i < b.to && b.asked && !b.document; i++ {
		b.document = !taken[i] && p.heading(i)
	}
	b.document = b.document && !p.instructs(b.from, b.to)
	return b
}

// open walks over the paragraphs that open the request.
func (b *body) open(p *page, taken []bool) {
	for at := p.next(b.from); at < b.to && !taken[at]; at = p.next(b.from) {
		end := at
		for end < b.to && !p.blank(end) && !taken[end] {
			end++
		}
		if lead := p.leadLine(at, end, b.asked); lead > at && !b.foreign { // the text follows on the next line
			b.note(p.raw[p.lines[at].start:p.lines[lead-1].end])
			b.from = lead
			return
		}
		text := p.raw[p.lines[at].start:p.lines[end-1].end]
		if !opens(text, at == p.next(0), b.asked) || b.foreign && (len(text) > 160 || !asks(text)) || p.heading(at) || end > at+4 &&
			p.alike(at, end-1) && !p.instructs(at, end) || b.asked && (p.laid(at, end) || end > at+1 && !plain(p.lines[at].trim)) {
			return
		}
		b.note(text)
		b.from = end
	}
}

// onTop takes a single sentence on top of a message for the request where
// nothing else asks.
func (b *body) onTop(p *page, first int) {
	l := p.lines[first].trim
	alone := first+1 == len(p.lines) || p.blank(first+1)
	if alone && len(l) < 300 && (points(l) || briefly(l) || plain(l)) {
		b.from, b.asked, b.told = first+1, true, points(l)
	}
}

// heading reports whether line i is a heading of a Markdown document.
func (p *page) heading(i int) bool {
	return strings.HasPrefix(p.lines[i].text, "#") && headingMark().MatchString(p.lines[i].text)
}

// briefly reports whether a line is a short wish as people type it: small
// letters, no full stop.
func briefly(line string) bool {
	r, _ := utf8.DecodeRuneInString(line)
	return len(line) <= 120 && unicode.IsLower(r) && strings.Contains(line, " ") && !strings.ContainsRune(".,;:{", lastRune(line)) && !dense(line)
}

// note takes down what a part of the request says.
func (b *body) note(text string) {
	if b.asked && b.told && b.foreign {
		return
	}
	b.asked = b.asked || requests(text) || leads(text) || own(text) && points(text)
	b.told = b.told || leads(text) || len(text) < 160 && points(text)
	for s := range sentences(text) {
		working := works().MatchString(strings.TrimSpace(s))
		b.told = b.told || working || points(s) && asks(s)
		b.foreign = b.foreign || working && (points(s) || strings.HasSuffix(strings.TrimSpace(text), ":"))
	}
}

// sentences are a text's, roughly.
func sentences(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".!\n:。！", r) })
}

// requests reports whether a sentence of a text turns to the assistant.
func requests(text string) bool {
	for s := range sentences(text) {
		if asks(s + ".") {
			return true
		}
	}
	return asks(text) || briefly(text)
}

// opens reports whether a paragraph is of the request that opens a message.
func opens(text string, first, asked bool) bool {
	switch {
	case len(text) > 2000:
		return false
	case first && greeting().MatchString(text), separator(text):
		return true
	case strings.Count(text, "\n") > 3 && !own(text), labelled().MatchString(text):
		return false
	}
	return len(text) < 600 && (leads(text) || asks(text) || !asked && requests(text)) || own(text)
}

// ending is the line with which the words that end the message begin, if there
// are any after line from: what is asked, thanks, a name.
func (p *page) ending(from int, taken []bool, b body) int {
	to := len(p.lines)
	for to > 0 && p.blank(to-1) {
		to--
	}
	found := len(p.lines)
	for tries := 0; to > from && !taken[to-1] && tries < 5; tries++ {
		at := to - 1
		for at > from && !p.blank(at-1) && !taken[at-1] {
			at--
		}
		text := p.raw[p.lines[at].start:p.lines[to-1].end]
		switch {
		case strings.HasPrefix(text, "  "), b.foreign && at <= p.next(b.from):
			return found
		case tries == 0 && p.asksLast(at, to):
			return to - 1
		case len(text) <= 700 && (asks(text) || !b.asked && requests(text)), found < len(p.lines) && !b.foreign && own(text) && len(text) <= 1200 &&
			!p.verse(at, to), signature().MatchString(text) && to-at < 4:
			found = at
		case tries == 0 && len(text) < 40 && to-at == 1: // perhaps a name
		default:
			return found
		}
		for to = at; to > 0 && p.blank(to-1); {
			to--
		}
	}
	return found
}

// asksLast reports whether a paragraph asks in its last line alone.
func (p *page) asksLast(at, to int) bool {
	if to-at < 2 {
		return false
	}
	last := p.lines[to-1].trim
	if to-at > 4 && asks(last) && !p.asking(at, to-1) && (p.alike(at, to-1) || !own(p.raw[p.lines[at].start:p.lines[to-1].end])) {
		return true
	}
	return requests(last) && !requests(p.raw[p.lines[at].start:p.lines[to-2].end])
}

// asking reports whether one of the lines turns to the assistant.
func (p *page) asking(from, to int) bool {
	for _, l := range p.lines[from:to] {
		if asks(l.trim) {
			return true
		}
	}
	return false
}

// letter is the line after a letter that a message begins with: an address that
// nobody gives an assistant, a short last line, and then what is asked about
// it. It is 0 where there is none.
func (p *page) letter(taken []bool) int {
	first, last := p.next(0), len(p.lines)
	for last > 0 && p.blank(last-1) {
		last--
	}
	if first >= last || len(p.lines[first].trim) > 80 || !salutation().MatchString(p.lines[first].trim) {
		return 0
	}
	at, end := p.paragraph(last - 1)
	to := at
	for to > first && p.blank(to-1) {
		to--
	}
	text := p.raw[p.lines[at].start:p.lines[end-1].end]
	if to-first < 4 || slices.Contains(taken[at:end], true) || len(text) > 700 || !asks(text) || !points(text) || p.size(first, to) < leastTold {
		return 0
	}
	if name := p.lines[to-1].trim; len(name) > 60 || strings.ContainsAny(name, ".?!:;。？！：") {
		return 0
	}
	return at
}

// salutation is how letters begin, unlike what people type to an assistant.
var salutation = lazy.Regexp(`(?i)^(?:dear|to whom|sehr geehrte[rs]?|liebe[rs]?|ch(?:er|ère)s?|madame|monsieur|estimad[oa]s?|querid[oa]s?|gentil[ei]|egregio|spettabile|car[oaie]|prezad[oa]s?|exm[oa]s?|geachte|beste|szanown[aiy]|drog[ai]|уважаем\p{L}+|дорог\p{L}+)\s\P{Z}|^(?:拝啓|前略|謹啓|尊敬的|敬爱的|亲爱的)|^(?:존경하는|친애하는)`)

// verse reports whether a paragraph is a stanza: three short lines or more, and
// as many in the one above it.
func (p *page) verse(from, to int) bool {
	above := from
	for above > 0 && p.blank(above-1) {
		above--
	}
	if to-from < 3 || above < to-from {
		return false
	}
	first, _ := p.paragraph(above - 1)
	for i := first; i < to; i++ {
		if len(p.lines[i].trim) >= 66 {
			return false
		}
	}
	return above-first == to-from
}

// size is the bytes of lines.
func (p *page) size(from, to int) int { return p.lines[to-1].end - p.lines[from].start }

// works begins what is asked about a text that is beside it.
var works = phrasesOf(`(?i)^(?:please |pls |bitte |can you |could you )?(?:rewrite|rephrase|paraphrase|summari[sz]e|sum up|translate|proofread|shorten|simplify|transcribe|tl;?dr|explain (?:like|in (?:plain|simple))|fasse?|übersetze?|kürze?|korrigiere?|résume[zr]?|tradui[st]|traduisez|corrige[zr]?|reformule[zr]?|raccourci\p{L}*|resum[aei]|resumir|traduce|traduci|traduza|riassumi|correggi|corrija|vat|vertaal|verbeter|streść|podsumuj|przetłumacz|popraw|переведи|исправь|сократи)(?:\P{L}|$)`)

var greeting = lazy.Regexp(`(?i)^(?:hi|hello|hey|dear|good (?:morning|evening|afternoon|day)|hallo|moin|servus|guten (?:tag|morgen|abend)|liebe[rs]?|bonjour|salut|bonsoir|hola|buen[oa]s|ciao|buongiorno|ol[áa]|bom dia|hoi|goedemorgen|cześć|dzień dobry|привет|здравствуйте|добрый)(?:\P{L}[^\n]{0,60})?$`)

// leadLine is the line after the one with which a paragraph announces what follows
// in the same paragraph, or at.
func (p *page) leadLine(at, end int, asked bool) int {
	for i := at; i < end-1 && i < at+4; i++ {
		l := p.lines[i].trim
		if !asked && len(l) < 400 && end-i > 2 && (asks(l) || own(l)) && plain(l) && !plain(p.lines[i+1].trim) && p.laid(i+1, end) && !p.instructs(i+1, end) {
			return i + 1
		}
		if len(l) >= 400 || !leads(l) {
			continue
		}
		wanted := wishes(p.raw[p.lines[i+1].start:p.lines[end-1].end])
		if wanted && own(l) { // what is wanted of what the person needs
			return at
		}
		if strings.HasSuffix(l, ":") && end-i > 3 && p.size(i+1, end) > 2*len(l)+leastTold && !p.instructs(i+1, end) && !wanted {
			return i + 1
		}
		if len(p.lines[i+1].trim) > len(l) || p.laid(i+1, end) && end-i > 3 {
			return i + 1
		}
	}
	return at
}

// labelled is a question of a questionnaire and the like: Q7. or R12:
var labelled = lazy.Regexp(`^\p{Lu}{1,3}[-.]?\d{1,4}[.:)]\s`)

// separator reports whether a paragraph is a line that parts what is above from
// what is below.
func separator(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) >= 3 && strings.Trim(text, "-=*_#~") == ""
}
