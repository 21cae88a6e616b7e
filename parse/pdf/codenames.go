package pdf

import (
	"strconv"
	"strings"
)

// Fonts of type 3 that were made of TeX's bitmaps name their glyphs by the
// character code: "a97" or "97". The code is ASCII where it can be, and TeX's own
// below and around it.

// Positions at which TeX's text encodings differ from Latin-1.
const (
	otOne   = "11ff 12fi 13fl 14ffi 15ffl 16ı 17ȷ 25ß 26æ 27œ 28ø 29Æ 30Œ 31Ø 34” 39’ 60¡ 62¿ 92“ 96‘ 123– 124—"
	tOne    = "16“ 17” 18„ 19« 20» 21– 22— 25ı 26ȷ 27ff 28fi 29fl 30ffi 31ffl 34\" 39’ 96‘ 215Œ 223SS 247œ 255ß"
	lowest  = 11 // what TeX's text fonts show begins here
	maxLow  = .25
	minCode = 3 // glyphs of a font that is judged by its widths
)

// codeNames reads names of glyphs as character codes, if the font looks like one
// whose names are: widths are those of the codes. The result is nil else.
func codeNames(names map[int]string, widths *[256]float64) map[int]string {
	numbers := map[int]int{}
	low, has := 0, map[int]float64{}
	for code, name := range names {
		n, exact := codeName(name)
		if n < 0 || !exact && n != code {
			continue
		}
		numbers[code] = n
		has[n] = widths[code]
		low += btoi(n < lowest && widths[code] > 0)
	}
	if len(numbers) == 0 || over(low, len(numbers), maxLow) || !plausible(has) {
		return nil
	}
	special := texCodes(has)
	out := map[int]string{}
	for code, n := range numbers {
		switch text, ok := special[n]; {
		case ok && widths[code] > 0:
			out[code] = text
		case n == '\t', n == '\n', n == '\r':
			out[code] = " "
		case n >= ' ' && n < 0x7F || n >= 0xA0:
			out[code] = string(rune(n))
		}
	}
	return out
}

// codeName reads "97" and "a97"; -1 is none. Names without a letter say the code
// wherever they are.
func codeName(name string) (n int, exact bool) {
	digits := strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || n > 255 || len(name)-len(digits) > 1 {
		return -1, false
	}
	return n, len(name) == len(digits)
}

// texCodes are the characters of the text encoding that a font of codes seems to
// have: it is TeX's if it has ligatures.
func texCodes(has map[int]float64) map[int]string {
	table := ""
	for code := 27; code <= 31; code++ {
		if has[code] > 0 {
			table = tOne
		}
	}
	for code := 11; code <= 15; code++ {
		if code != '\r' && has[code] > 0 {
			table = otOne
		}
	}
	out := map[int]string{}
	for entry := range strings.FieldsSeq(table) {
		text := strings.TrimLeft(entry, "0123456789")
		code, err := strconv.Atoi(entry[:len(entry)-len(text)])
		if err == nil {
			out[code] = text
		}
	}
	return out
}

// plausible reports whether narrow letters are narrower than wide ones, by the
// codes of both: where codes only count the glyphs, they are as often wider.
func plausible(width map[int]float64) bool {
	narrow, wide := 0, 0
	for _, a := range "ijlt.,;:I" {
		for _, b := range "mwoMWNODH" {
			x, y := width[int(a)], width[int(b)]
			if x > 0 && y > 0 {
				narrow, wide = narrow+btoi(x < y), wide+btoi(x > y)
			}
		}
	}
	return narrow+wide < minCode || 4*wide <= narrow
}
