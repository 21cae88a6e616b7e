package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"inlay/internal/lazy"
)

// loose finds what was pasted beside or without the marks of a format: articles,
// mails without headers, recipes, reports of programs. What is between the
// words that open the message and those that end it, and is neither a piece
// already found nor in the person's own words, is moved: layout that nobody
// types into a request on little evidence, paragraphs on more.
func (p *page) loose(spans []span) []span {
	b := p.body(spans)
	var out []span
	for i, next := b.from, 0; i < b.to; {
		for next < len(spans) && spans[next].to <= i {
			next++
		}
		j := b.to
		if next < len(spans) {
			j = min(j, max(spans[next].from, i))
		}
		s, ok := p.whole(Prose, p.next(i), max(j, p.next(i)))
		if !b.document {
			s, ok = p.peel(i, j, next > 0, next < len(spans))
		}
		if ok && b.pasted(p, s, spans, next) {
			out = append(out, p.unless(s, &b))
		}
		if i = j; next < len(spans) && spans[next].from <= j {
			i = max(j, spans[next].to)
		}
	}
	return out
}

// unless leaves a last short sentence where it is: it may be what is asked.
func (p *page) unless(s span, b *body) span {
	at, _ := p.paragraph(s.to - 1)
	last := p.lines[s.to-1]
	if b.document || p.next(s.to) < len(p.lines) || at != s.to-1 || at <= s.from || len(last.trim) > 120 || !plain(last.trim) ||
		dense(last.trim) || !p.laid(s.from, at) && 6*len(last.trim) > s.end-s.start {
		return s
	}
	cut, _ := p.whole(Prose, s.from, at)
	return cut
}

// peel is what is left between two lines without the paragraphs in the person's
// own words that are at either end beside a piece.
func (p *page) peel(from, to int, after, before bool) (span, bool) {
	for from = p.next(from); after && from < to; {
		_, end := p.paragraph(from)
		if end >= to || !p.spoken(from, end) {
			break
		}
		from = p.next(end)
	}
	for before && to > from {
		for to > from && p.blank(to-1) {
			to--
		}
		at, _ := p.paragraph(max(to-1, 0))
		if at <= from || !p.spoken(at, to) {
			break
		}
		to = at
	}
	if from >= to {
		return span{}, false
	}
	return p.whole(Prose, from, to)
}

// spoken reports whether a paragraph is a line or two of the person's own words.
func (p *page) spoken(from, to int) bool {
	text := p.raw[p.lines[from].start:p.lines[to-1].end]
	return to-from <= 2 && len(text) < 400 && plain(p.lines[from].trim) && own(text) && !p.laid(from, to)
}

// Bytes of the smallest text that is moved: where it is laid out as nobody
// types, where the request points at it, and where neither is so.
const (
	leastLaid  = 150 // and pointed at
	leastTold  = 240
	leastProse = 700
)

// pasted reports whether a text in the body is no part of the request. next is
// the first span after it.
func (b *body) pasted(p *page, s span, spans []span, next int) bool {
	text, size := p.raw[s.start:s.end], s.end-s.start
	laid := p.laid(s.from, s.to) || next > 0 && spans[next-1].to == s.from && s.to-s.from == 1 && !plain(p.lines[s.from].trim) && !leads(p.lines[s.from].trim)
	beside := next > 0 || next < len(spans)
	switch {
	case b.document, labelled().MatchString(text) && next < len(spans) && s.to-s.from == 1 && p.next(s.to) == spans[next].from:
		return true
	case b.foreign && s.from == p.next(b.from) && size >= leastTold && !wishes(text):
		return true
	case p.instructs(s.from, s.to):
		return false
	case own(text) && !laid, b.from == 0 && firstPerson().MatchString(text[:min(len(text), 200)]) && !laid:
		return false
	case (laid || p.itemised(s.from, s.to)) && beside:
		return b.asked || size >= leastLaid
	case !b.asked:
		return false
	case laid && b.told:
		return size >= leastLaid
	case laid || b.told:
		return size >= leastTold
	}
	return size >= leastProse && !wishes(text)
}

// manyLines are enough to tell what the lines of a text are like.
const manyLines = 200

// laid reports whether lines are laid out as nobody types a request: short ones
// below each other, columns, marks and figures rather than sentences.
func (p *page) laid(from, to int) bool {
	lines, strange, short := 0, 0, 0
	to = min(to, from+manyLines)
	for i := from; i < to; i++ {
		l := p.lines[i]
		if l.trim == "" {
			continue
		}
		lines++
		if !plain(unmarked(l.trim)) || strings.HasPrefix(l.text, "  ") || strings.HasPrefix(l.text, "\t") {
			strange++
		}
		if len(l.trim) < 66 && i+1 < to && !p.blank(i+1) && !item(l.trim) {
			short++
		}
	}
	if lines == 1 {
		return dense(p.lines[from].trim) || strings.HasPrefix(p.lines[from].text, "  ")
	}
	return lines >= 2 && strange*2 > lines || short >= 6 && short*3 > lines*2 || p.alike(from, to)
}

// itemised reports whether lines hold five items or more.
func (p *page) itemised(from, to int) bool {
	n := 0
	for i := from; i < min(to, from+manyLines); i++ {
		if item(p.lines[i].trim) {
			n++
		}
	}
	return n >= 5
}

// alike reports whether four paragraphs or lines, most of all, begin with marks
// of one shape, such as R1: and R2:, or four paragraphs with a title.
func (p *page) alike(from, to int) bool {
	var lines, firsts, titles []string
	for i := from; i < to; i++ {
		if p.blank(i) {
			continue
		}
		l := p.lines[i].trim
		lines = append(lines, markShape(l))
		if i > from && !p.blank(i-1) {
			continue
		}
		firsts, titles = append(firsts, markShape(l)), append(titles, "")
		if numbered().MatchString(l) {
			firsts[len(firsts)-1] = "1"
		}
		if i+1 < to && !p.blank(i+1) && len(l) < 60 && !plain(unmarked(l)) {
			titles[len(titles)-1] = "title"
		}
	}
	return repeated(lines) || repeated(firsts) || repeated(titles)
}

// repeated reports whether one of the shapes makes up two thirds, and is there
// four times at least.
func repeated(shapes []string) bool {
	counts := map[string]int{}
	for _, s := range shapes {
		counts[s]++
	}
	delete(counts, "")
	for _, n := range counts {
		if n >= 4 && n*3 > len(shapes)*2 {
			return true
		}
	}
	return false
}

// markShape is the form of the first word of a line where that is a mark: letters
// as a, figures as 9, runs as one. It is empty for words and for marks of lists.
func markShape(line string) string {
	word, _, _ := strings.Cut(line, " ")
	if len(word) > 40 {
		return ""
	}
	var b strings.Builder
	last, marks := rune(0), false
	for _, r := range word {
		switch {
		case unicode.IsLetter(r):
			r = 'a'
		case unicode.IsDigit(r):
			r, marks = '9', true
		default:
			marks = marks || !strings.ContainsRune(".,!?;'’", r)
		}
		if r != last {
			b.WriteRune(r)
		}
		last = r
	}
	if !marks || item(line) {
		return ""
	}
	shape, _ := utf8.DecodeRuneInString(b.String())
	if shape != 'a' && shape != '9' { // its first mark will do
		return string(shape)
	}
	return b.String()
}

// plain reports whether a line reads like what people type: words, ended like a
// sentence.
func plain(s string) bool {
	if r, _ := utf8.DecodeRuneInString(s); !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("\"'“„«¿¡(‘", r) {
		return false
	}
	last := lastRune(s)
	return sentence(s) || !dense(s) && (strings.ContainsRune(".!?", last) && strings.Contains(s, " ") || strings.ContainsRune("。！？", last))
}

// dense reports whether a line has more figures and marks than sentences do.
func dense(s string) bool {
	if len(s) > judged {
		s = s[:judged]
	}
	marks, all := 0, 0
	for _, r := range s {
		switch {
		case r == ' ' || r == '\t':
			continue
		case r >= '0' && r <= '9', r < 128 && strings.ContainsRune("|<>{}[]()=+*/\\_#$%&@~^:;\"`", r):
			marks++
		}
		all++
	}
	return marks*10 > all
}

// instructs reports whether lines are wishes and questions, a third of them at
// least: a list of those is the request itself.
func (p *page) instructs(from, to int) bool {
	lines, wanted := 0, 0
	for i := from; i < min(to, from+manyLines); i++ {
		t := unmarked(p.lines[i].trim)
		if t == "" {
			continue
		}
		lines++
		if t == p.lines[i].trim && strings.HasPrefix(p.lines[i].text, "    ") {
			continue
		}
		item := t != p.lines[i].trim
		if !dense(t) && (instruction().MatchString(t) || asks(t+".") || item && (wish().MatchString(t) || firstPerson().MatchString(t))) {
			wanted++
		}
	}
	return wanted*3 >= lines
}

var (
	numbered    = lazy.Regexp(`^\(?\d{1,3}[.)]`)
	headingMark = lazy.Regexp(`^#{1,6} \S`)
	itemMark    = lazy.Regexp(`^(?:[-*•+·–‣◦]|\d{1,4}[.)]|[a-zA-Z][.)]|\(\d+\)|\[[ xX]\])\s+`)
	instruction = phrasesOf(`(?i)^(?:do not|don't|never|always|no|not|nothing|avoid|use|keep|mention|include|add|remove|start|begin|end|make|be|let|set|put|say|tell|address|give|limit|ensure|format|return|output|skip|ignore|leave|stick|try|focus|` +
		`nicht|kein\p{L}*|nie|immer|verwende|benutze|nutze|beginne|ende|halte|vermeide|erwähne|füge|achte|ne pas|ne|pas de|évite\p{L}*|utilise\p{L}*|ajoute\p{L}*|commence\p{L}*|termine\p{L}*|garde\p{L}*|` +
		`no|sin|usa|evita|incluye|añade|empieza|termina|mantén|non|senza|aggiungi|inizia|finisci|mantieni|não|sem|use|evite|inclua|adicione|geen|niet|gebruik|vermijd|begin|eindig|voeg|houd|nie|bez|użyj|unikaj|dodaj|не|без|используй|избегай|добавь|начни|закончи)(?:\P{L}|$)`)
	wish = phrasesOf(`(?i)(?:^|\P{L})(?:should|must|shall|needs? to|ought|would like|soll(?:en|te|ten)?|muss|müssen|möchte\p{L}*|devrai\p{L}*|doi(?:t|vent)|debe\p{L}*|tiene que|deve|devono|dovrebbe\p{L}*|precisa|moet\p{L}*|powin\p{L}*|должн\p{L}*|нужно)(?:\P{L}|$)|たい|必要|需要|希望|应该|싶|필요`)
)

// unmarked is an item without its bullet or number.
func unmarked(item string) string {
	if !marked(item) {
		return item
	}
	return itemMark().ReplaceAllString(item, "")
}

// wishes reports whether a text says how something ought to be, as requests do.
func wishes(text string) bool {
	return wish().outnumber(text, 50)
}

var firstPerson = phrasesOf(`(?i)(?:^|[^\p{L}])(?:i|i['’](?:m|ve|d|ll)|my|me|we|we['’](?:re|ve|d|ll)|our|us|ich|mir|mich|mein\p{L}*|wir|uns|unser\p{L}*|je|[jm]['’]\p{L}+|mon|ma|mes|nous|notre|nos|` +
	`yo|mi|mis|me|nosotros|nuestr\p{L}*|necesito|necesitamos|quiero|queremos|tengo|tenemos|estoy|estamos|busco|buscamos|puedo|podemos|hemos|io|mio|mia|noi|nostr\p{L}*|vorrei|vorremmo|voglio|devo|dobbiamo|abbiamo|posso|` +
	`eu|meu|minha|nosso|nossa|preciso|precisamos|quero|tenho|temos|estou|gostaria|ik|mijn|wij|ons|onze|mam|mamy|chcę|chcemy|jestem|potrzebuję|mogę|moj\p{L}*|mnie|nam|nas|nasz\p{L}*|я|мне|меня|мой|моя|мы|нам|нас|наш\p{L}*|хочу|jag|jeg|vi|oss)(?:[^\p{L}]|$)|私|僕|我们|我|저는|우리|제가`)

// own reports whether people write of themselves in a text: then it is part of
// what they want rather than something they pasted.
func own(text string) bool {
	return firstPerson().outnumber(text[:min(len(text), 8<<10)], 40)
}
