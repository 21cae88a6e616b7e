package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"inlay/parse"
)

// boldWeight is the weight from which a font is bold.
const boldWeight = 600

// char is a character of a page, as PDFium sees it.
type char struct {
	text string
	box  box
	face string // of the first character of a word, as are the next ones
	size float64
	bold bool
}

// layOut finds out where the words of a page are that has the index i, and how its
// lines look.
func (p *pageText) layOut(s session, i int) {
	chars, err := s.chars(i)
	if err != nil {
		return
	}
	words := wordsOf(chars)
	page := s.frame(i)
	boxes, of := locate(p.text, words)
	p.text = corrected(p.text, boxes, of, words)
	page.Boxes = boxes
	p.boxes, p.lines = parse.AppendBoxes(nil, page), linesOf(p.text, boxes, of, words)
}

// chars returns the characters of a page. Each question to PDFium takes its time, so
// the font is asked for once a word.
func (s session) chars(i int) ([]char, error) {
	page, err := s.engine.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: s.page(i)})
	if err != nil {
		return nil, err
	}
	defer func() { _, _ = s.engine.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: page.TextPage}) }()
	count, err := s.engine.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: page.TextPage})
	if err != nil {
		return nil, err
	}
	out := make([]char, 0, count.Count)
	first := true
	for i := range count.Count {
		r, err := s.engine.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: page.TextPage, Index: i})
		if err != nil {
			return nil, err
		}
		c := char{text: string(rune(r.Unicode))}
		if r.Unicode == 0 || isBreak(c.text) {
			out = append(out, char{text: " "})
			first = true
			continue
		}
		b, err := s.engine.FPDFText_GetCharBox(&requests.FPDFText_GetCharBox{TextPage: page.TextPage, Index: i})
		if err != nil {
			return nil, err
		}
		c.box = box{b.Left, b.Bottom, b.Right, b.Top}
		if first {
			s.look(page.TextPage, i, &c)
		}
		out = append(out, c)
		first = false
	}
	return out, nil
}

// isBreak reports what parts words in PDFium's text.
func isBreak(text string) bool {
	return strings.TrimSpace(text) == "" || text == "\uFFFE" || text == "\x02"
}

// look finds out in what font a character is; what PDFium does not say is left out.
func (s session) look(page references.FPDF_TEXTPAGE, i int, c *char) {
	if size, err := s.engine.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: page, Index: i}); err == nil {
		c.size = size.FontSize
	}
	if m, err := s.engine.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: page, Index: i}); err == nil {
		c.size *= math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D))
	}
	if font, err := s.engine.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: page, Index: i}); err == nil {
		c.face, c.bold = unprefixed(font.FontName), saysBold(font.FontName)
	}
	if weight, err := s.engine.FPDFText_GetFontWeight(&requests.FPDFText_GetFontWeight{TextPage: page, Index: i}); err == nil {
		c.bold = c.bold || weight.FontWeight >= boldWeight
	}
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

// wordsOf puts characters together.
func wordsOf(chars []char) (words []boxed) {
	from := 0
	for i, c := range chars {
		if isBreak(c.text) {
			words = appendWord(words, chars[from:i])
			from = i + 1
		}
	}
	return appendWord(words, chars[from:])
}

// appendWord appends the word of characters.
func appendWord(words []boxed, chars []char) []boxed {
	if len(chars) == 0 {
		return words
	}
	w := boxed{text: tidy(spelled(chars)), box: emptyBox(), size: chars[0].size, face: chars[0].face, bold: chars[0].bold}
	for _, c := range chars {
		w.box = w.box.with(c.box)
	}
	if turnLigatures(chars) {
		w.real = tidy(spelled(chars))
	}
	return append(words, w)
}

func spelled(chars []char) string {
	var b strings.Builder
	for _, c := range chars {
		b.WriteString(c.text)
	}
	return b.String()
}

// turnLigatures turns the letters of Arabic and Hebrew ligatures, which have one box,
// into their order. PDFium puts a line from right to left in order by its letters, and
// with that reverses those of a ligature.
func turnLigatures(chars []char) (turned bool) {
	for i := 0; i < len(chars); {
		end := i + 1
		for end < len(chars) && chars[end].box == chars[i].box && isRightToLeft(chars[end].text) {
			end++
		}
		if one := chars[i:end]; len(one) > 1 && isRightToLeft(one[0].text) && !isLamAlef(one) {
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
func isLamAlef(chars []char) bool {
	return len(chars) == 2 && chars[0].text == "ل" && strings.Contains("اأإآ", chars[1].text)
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
