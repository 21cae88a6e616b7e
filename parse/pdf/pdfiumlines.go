package pdf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"

	"inlay/parse"
)

// boldWeight is the weight from which a font is bold.
const boldWeight = 600

// layOut finds out where the words of a page are that has the index i, and how its
// lines look.
func (p *pageText) layOut(s session, i int) {
	chars, err := s.engine.GetPageTextStructured(&requests.GetPageTextStructured{
		Page: s.page(i), Mode: requests.GetPageTextStructuredModeChars, CollectFontInformation: true,
	})
	if err != nil {
		return
	}
	words := wordsOf(chars.Chars)
	page := s.frame(i)
	boxes, of := locate(p.text, words)
	p.text = corrected(p.text, boxes, of, words)
	page.Boxes = boxes
	p.boxes, p.lines = parse.AppendBoxes(nil, page), linesOf(p.text, boxes, of, words)
}

// corrected puts what words should be in the place of what they are.
func corrected(text string, boxes []parse.Box, of []int, words []boxed) string {
	var out []byte
	for i, b := range boxes {
		w := words[of[i]]
		if w.real == "" || text[b.Start:b.End] != w.text || len(w.real) != len(w.text) {
			continue
		}
		if out == nil {
			out = []byte(text)
		}
		copy(out[b.Start:], w.real)
	}
	if out == nil {
		return text
	}
	return string(out)
}

// wordsOf puts PDFium's characters together.
func wordsOf(chars []*responses.GetPageTextStructuredChar) (words []boxed) {
	var run []*responses.GetPageTextStructuredChar
	for _, c := range chars {
		if strings.TrimSpace(c.Text) == "" || c.Text == "\uFFFE" || c.Text == "\x02" {
			words = appendWord(words, run)
			run = run[:0]
			continue
		}
		run = append(run, c)
	}
	return appendWord(words, run)
}

// appendWord appends the word of characters.
func appendWord(words []boxed, chars []*responses.GetPageTextStructuredChar) []boxed {
	if len(chars) == 0 {
		return words
	}
	w := boxed{text: tidy(spelled(chars)), box: emptyBox()}
	for _, c := range chars {
		p := c.PointPosition
		w.box = w.box.with(box{p.Left, p.Bottom, p.Right, p.Top})
	}
	if f := chars[0].FontInformation; f != nil {
		w.size, w.face, w.bold = f.RenderedSize, unprefixed(f.Name), f.Weight >= boldWeight || saysBold(f.Name)
	}
	if turnLigatures(chars) {
		w.real = tidy(spelled(chars))
	}
	return append(words, w)
}

func spelled(chars []*responses.GetPageTextStructuredChar) string {
	var b strings.Builder
	for _, c := range chars {
		b.WriteString(c.Text)
	}
	return b.String()
}

// turnLigatures turns the letters of Arabic and Hebrew ligatures, which have one box,
// into their order. PDFium puts a line from right to left in order by its letters, and
// with that reverses those of a ligature.
func turnLigatures(chars []*responses.GetPageTextStructuredChar) (turned bool) {
	for i := 0; i < len(chars); {
		end := i + 1
		for end < len(chars) && chars[end].PointPosition == chars[i].PointPosition && isRightToLeft(chars[end].Text) {
			end++
		}
		if one := chars[i:end]; len(one) > 1 && isRightToLeft(one[0].Text) && !isLamAlef(one) {
			slices.Reverse(one)
			turned = true
		}
		i = end
	}
	return turned
}

// isRightToLeft reports whether a character is a letter of a script from right to left.
func isRightToLeft(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.In(r, unicode.Arabic, unicode.Hebrew) && unicode.IsLetter(r)
}

// isLamAlef reports a ligature in its order.
func isLamAlef(chars []*responses.GetPageTextStructuredChar) bool {
	return len(chars) == 2 && chars[0].Text == "ل" && strings.Contains("اأإآ", chars[1].Text)
}

// linesOf are the lines of a text, with the looks of those of their words that have
// boxes.
func linesOf(text string, boxes []parse.Box, of []int, words []boxed) (out []placed) {
	start := 0
	for l := range strings.SplitAfterSeq(text, "\n") {
		at := placed{line{text: strings.TrimRight(l, "\n"), ux: 1}, start}
		start += len(l)
		n := 0
		for n < len(boxes) && boxes[n].Start < start {
			n++
		}
		if inside := of[:n]; n > 0 && at.text != "" {
			at.look(words, inside)
			out = append(out, at)
		}
		boxes, of = boxes[n:], of[n:]
	}
	return out
}

// look takes over how words look, by their index.
func (p *placed) look(words []boxed, inside []int) {
	first := words[inside[0]]
	p.x, p.y, p.bold, p.face = first.box.x0, first.box.y0, true, first.face
	all := make([]boxed, len(inside))
	for i, n := range inside {
		all[i] = words[n]
		p.bold = p.bold && words[n].bold
		if words[n].face != p.face {
			p.face = ""
		}
	}
	p.size = usualSize(all)
}
