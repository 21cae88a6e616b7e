package intent

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"inlay/internal/lazy"
)

// Range is a half-open range of bytes of the raw message.
type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Measures of what an intent can carry in other words.
const (
	paraphrase   = 4       // bytes of a request for each byte of the intent that puts it in other words
	courtesies   = 200     // bytes of a request beyond that, such as greetings
	longestAdded = 200     // bytes of a left-out sentence that is added to the intent; a longer one becomes an item
	concise      = 4 << 10 // bytes of the longest intent that is not the message itself
	carriedShare = 3       // one of so many words of a sentence must be in the intent
)

// What [Complete] refuses.
var (
	errParagraphs = errors.New("its intent has more than one paragraph")
	errLong       = errors.New("its intent is not concise")
	errLeftOut    = errors.New("it leaves out a part of the message")
)

// Complete checks an analysis and makes it account for every byte of the
// message, white space aside (INT-9). What is in an item or in the intent word
// for word is accounted for; sentences of the request that the intent puts
// in other words are listed in Paraphrased. Whatever else the analysis leaves
// out is added: a short sentence to the intent, anything longer as a further
// item. It fails where [Check] does, for an intent of several paragraphs or of
// more than 4 KiB that is not the message's own text, and where a part is left
// out of a message that is too small for items. Complete of its own result
// changes nothing.
func Complete(m Message, a Analysis) (Analysis, error) {
	if err := Check(m, a); err != nil {
		return Analysis{}, err
	}
	a.Paraphrased = nil
	rest := remainder(m.Text, a.ContextItems)
	if folded(rest) == folded(a.Intent) {
		return a, nil
	}
	switch {
	case severalParagraphs(a.Intent):
		return Analysis{}, errParagraphs
	case len(a.Intent) > concise:
		return Analysis{}, errLong
	}
	c := completion{raw: m.Text, intent: folded(a.Intent), bulk: newPage(m.Text)}
	c.room = paraphrase*len(c.intent) + courtesies
	a.ContextItems = c.wholeLines(a.ContextItems)
	for _, g := range between(len(m.Text), a.ContextItems) {
		c.gap(g)
	}
	if len(c.items) > 0 && !m.Large {
		return Analysis{}, errLeftOut
	}
	a.Paraphrased = c.paraphrased
	a.Completed += c.added
	a.Intent = strings.TrimSpace(strings.Join(append([]string{strings.TrimSpace(a.Intent)}, c.sentences...), " "))
	a.ContextItems = append(slices.Clip(a.ContextItems), c.items...)
	slices.SortStableFunc(a.ContextItems, func(x, y Item) int { return x.Start - y.Start })
	return a, nil
}

// completion collects what an analysis of one message leaves out.
type completion struct {
	raw         string
	intent      string // folded
	bulk        *page
	spans       []span // of the bulk that has a structure
	items       []Item
	sentences   []string
	paraphrased []Range
	room        int // bytes that the intent may still say in other words
	added       int // bytes that are in sentences and items
}

// wholeLines are the items, those of several lines that begin within a word or
// end within a line with the rest of that line, unless the intent says it: a line
// that is half in one document and half in another answers no question.
func (c *completion) wholeLines(items []Item) []Item {
	items = slices.Clone(items)
	for i, it := range items {
		before, after := 0, len(c.raw)
		if i > 0 {
			before = items[i-1].End
		}
		if i+1 < len(items) {
			after = items[i+1].Start
		}
		if strings.Contains(it.Content, "\n") {
			grown := c.toLine(Range{before, after}, Range{it.Start, it.End})
			c.added += it.Start - grown.Start + grown.End - it.End
			it.Start, it.End, it.Content = grown.Start, grown.End, c.raw[grown.Start:grown.End]
			items[i] = it
		}
	}
	return items
}

// toLine grows a stretch to the ends of its lines within room.
func (c *completion) toLine(room, r Range) Range {
	grown := r
	head := c.raw[room.Start:r.Start]
	head = strings.TrimLeftFunc(head[1+strings.LastIndexByte(head, '\n'):], unicode.IsSpace)
	tail, _, _ := strings.Cut(c.raw[r.End:room.End], "\n")
	tail = strings.TrimRightFunc(tail, unicode.IsSpace)
	if last, _ := utf8.DecodeLastRuneInString(head); head != "" && !unicode.IsSpace(last) && !unicode.IsSpace(rune(c.raw[r.Start])) {
		grown.Start -= len(head)
	}
	first, _ := utf8.DecodeRuneInString(tail)
	inWord := !unicode.IsSpace(first) && !unicode.IsSpace(rune(c.raw[r.End-1]))
	bulkGoesOn := room.End-r.End > paraphrase*len(c.intent)+courtesies
	rest := c.trim(Range{r.End, r.End + len(tail)})
	said := c.holds(rest) || !bulkGoesOn && c.carries(c.raw[rest.Start:rest.End])
	if c.raw[r.End-1] != '\n' && rest.Start < rest.End && (inWord || !said) {
		grown.End = rest.End
	}
	return grown
}

// gap accounts for a stretch that is in no item: first for the bulk in it, then
// for the words around that.
func (c *completion) gap(r Range) {
	r = c.trim(r)
	if r.Start == r.End || c.holds(r) {
		return
	}
	if c.spans == nil {
		c.spans = append([]span{}, c.bulk.pieces()...)
	}
	at := r.Start
	for _, s := range c.spans {
		from, to := max(s.start, at), min(s.end, r.End)
		if to-from < least {
			continue
		}
		c.prose(Range{at, from})
		c.item(Range{from, to})
		at = to
	}
	c.prose(Range{at, r.End})
}

// prose accounts for the sentences of a stretch of the request.
func (c *completion) prose(r Range) {
	if r = c.trim(r); r.End-r.Start > paraphrase*len(c.intent)+courtesies {
		c.item(r)
		return
	}
	for _, s := range sentenceRanges(c.raw, r) {
		text := c.raw[s.Start:s.End]
		switch {
		case c.holds(s):
		case len(text) <= c.room && c.carries(text):
			c.paraphrased = append(c.paraphrased, s)
			c.room -= len(text)
		case len(text) <= longestAdded:
			c.sentences = append(c.sentences, folded(text))
			c.added += len(text)
		default:
			c.item(s)
		}
	}
}

// item adds a stretch as an item, unless the intent holds it.
func (c *completion) item(r Range) {
	r = c.trim(r)
	if r.Start == r.End || c.holds(r) {
		return
	}
	c.added += r.End - r.Start
	c.items = append(c.items, Item{Title: "Rest of the message", MimeType: "text/plain", Content: c.raw[r.Start:r.End], Start: r.Start, End: r.End})
}

func (c *completion) trim(r Range) Range {
	text := c.raw[r.Start:r.End]
	r.Start += len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	r.End = r.Start + len(strings.TrimSpace(text))
	return r
}

// holds reports whether the intent has a stretch word for word.
func (c *completion) holds(r Range) bool {
	return r.End-r.Start <= 2*len(c.intent)+longestAdded && within(c.intent, folded(c.raw[r.Start:r.End]))
}

// carries reports whether the intent can be a sentence in other words: it has
// every name, number and quotation of it, and a third of its longer words. A
// sentence of one word, a greeting or thanks, is carried by any intent.
func (c *completion) carries(sentence string) bool {
	low := strings.ToLower(c.intent)
	for _, name := range exactWords().FindAllString(sentence, -1) {
		if !strings.Contains(low, strings.ToLower(name)) {
			return false
		}
	}
	if len(strings.Fields(sentence)) < 2 && len(sentence) < longestName {
		return true
	}
	have, all := stems(low), stems(strings.ToLower(sentence))
	shared := 0
	for _, s := range all {
		if slices.Contains(have, s) {
			shared++
		}
	}
	return shared > 0 && shared*carriedShare >= len(all)
}

// longestName is the bytes below which a sentence without spaces is one word.
const longestName = 24

// exactWords are what no paraphrase changes: quotations, numbers, and names of
// code, files and abbreviations.
var exactWords = lazy.Regexp("\"[^\"\n]{1,80}\"|`[^`\n]{1,80}`|„[^“\n]{1,80}“|“[^”\n]{1,80}”|[\\w./:-]*\\d[\\w./:-]*\\w|\\d+|\\w+_\\w+|\\b[a-z]+[A-Z]\\w*|\\b[A-Z]{2,}\\w*")

// stems are the first four letters of the words that have as many, and the
// pairs of characters of scripts without spaces.
func stems(low string) (out []string) {
	for w := range strings.FieldsFuncSeq(low, func(r rune) bool { return !unicode.IsLetter(r) }) {
		runes := []rune(w)
		switch {
		case runes[0] >= firstUnspaced:
			for i := range len(runes) - 1 {
				out = append(out, string(runes[i:i+2]))
			}
		case len(runes) >= 4:
			out = append(out, string(runes[:4]))
		}
	}
	return out
}

// sentenceRanges are the sentences of a stretch, without white space around them.
func sentenceRanges(raw string, r Range) (out []Range) {
	c := completion{raw: raw}
	add := func(from, to int) {
		if s := c.trim(Range{from, to}); s.Start < s.End {
			out = append(out, s)
		}
	}
	from := r.Start
	for at := r.Start; at < r.End; {
		char, size := utf8.DecodeRuneInString(raw[at:r.End])
		at += size
		after, _ := utf8.DecodeRuneInString(raw[at:r.End])
		if char == '\n' || strings.ContainsRune("。！？", char) || strings.ContainsRune(".!?", char) && (at == r.End || unicode.IsSpace(after)) {
			add(from, at)
			from = at
		}
	}
	add(from, r.End)
	return out
}

// between are the stretches of a message of n bytes that are in no item.
func between(n int, items []Item) (out []Range) {
	end := 0
	for _, it := range items {
		out = append(out, Range{end, it.Start})
		end = it.End
	}
	return append(out, Range{end, n})
}

// remainder is a message without its items.
func remainder(raw string, items []Item) string {
	var b strings.Builder
	for _, r := range between(len(raw), items) {
		b.WriteString(raw[r.Start:r.End])
	}
	return b.String()
}

// folded is a text with one space for each stretch of white space.
func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// within reports whether a text holds a part that neither begins nor ends within
// one of its words.
func within(text, part string) bool {
	if part == "" {
		return true
	}
	for from := 0; ; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(part):])
		first, size := utf8.DecodeRuneInString(part)
		last, _ := utf8.DecodeLastRuneInString(part)
		if (!wordly(before) || !wordly(first)) && (!wordly(last) || !wordly(after)) {
			return true
		}
		from = at + size
	}
}

// wordly reports whether a character is of a word in a script with spaces.
func wordly(r rune) bool { return r < firstUnspaced && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// firstUnspaced is the first character of the scripts without spaces that
// [wordCount] knows: Hiragana, Katakana, Han.
const firstUnspaced = 0x3040

var paragraphEnd = lazy.Regexp(`\n[ \t\r]*\n|\x{2029}`)

func severalParagraphs(s string) bool { return paragraphEnd().MatchString(strings.TrimSpace(s)) }
