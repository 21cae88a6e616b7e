package charset

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// shortText is the number of bytes beyond ASCII below which letter statistics
// mislead: there, the likeliest encoding that gives plausible words is taken.
const shortText = 48

// candidate is an encoding that short texts come in. Its handicap is what a
// likelier encoding may fall behind it and still be preferred, 0..1.
type candidate struct {
	name     string
	handicap float64
	value    func(before, r, after rune) float64 // plausibility of a character, -1..1
}

// candidates are the encodings of short texts, the likelier first among equals.
func candidates() []candidate {
	russian := words(unicode.Cyrillic, "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэіїє")
	return []candidate{
		{"windows-1252", 0, latin("äöüßé")},
		{"windows-1252", 0, latin("àâæçéèêëîïôœùûüÿ")},
		{"windows-1252", 0, latin("áéíñóúüçàèïòªº")},
		{"windows-1252", 0, latin("ãõáâàçéêíóôúüªº")},
		{"windows-1252", 0, latin("åäöæøéüèà")},
		{"windows-1252", .1, latin("àèéìíîòóùú")},
		{"windows-1252", .2, latin("áðéíóúýþæö")},
		{"windows-1251", 0, russian},
		{"euc-kr", 0, hangul},
		{"gb18030", 0, han(simplified)},
		{"shift_jis", 0, japanese},
		{"big5", .05, han(traditional)},
		{"euc-jp", .05, japanese},
		{"windows-1250", .15, latin("ąćęłńóśźż")},
		{"windows-1250", .15, latin("áčďéěíňóřšťúůýžäĺľôŕöü")},
		{"windows-1250", .15, latin("áéíóöőúüű")},
		{"windows-1250", .2, latin("ăâîşţ")},
		{"windows-1250", .2, latin("čćđšž")},
		{"windows-1253", .05, words(unicode.Greek, "αετοινρσκςπυμλγδηωάέήίόύώθφχβξζψ")},
		{"windows-874", .15, thai},
		{"koi8-r", .05, russian},
		{"windows-1255", .05, words(unicode.Hebrew, "יוהלאמרתבשנחםדכעקפטגןצזסךףץ")},
		{"windows-1256", .05, words(unicode.Arabic, "اليمنرتبةعدسفهكقحجشطأصخىضغءزثذإئظآؤ")},
		{"windows-1254", .15, latin("çğışöüâîûi̇")},
		{"windows-1257", .25, latin("ąčęėįšųūž")},
		{"windows-1257", .25, latin("āčēģīķļņšūžōŗ")},
		{"windows-1257", .25, latin("äõöüšž")},
		{"iso-8859-2", .25, latin("ąćęłńóśźż")},
		{"iso-8859-2", .25, latin("áčďéěíňóřšťúůýžäĺľôŕöü")},
		{"ibm866", .3, russian},
	}
}

// enough is the number of characters from which a handicap counts less: the more
// there are, the less a rare encoding owes to chance.
const enough = 6

// guessShort names the likeliest encoding of a text with few bytes beyond
// ASCII; "" where the text is longer or no reading is plausible.
func guessShort(sample []byte) string {
	if n := highBytes(sample); n == 0 || n >= shortText {
		return ""
	}
	best, most := "", .3
	for _, c := range candidates() {
		t := decodeAs(sample, c.name)
		if t.Replaced || strings.ContainsFunc(t.Text, controls) {
			continue
		}
		p, n := plausibility(t.Text, c.value)
		if p -= c.handicap * min(1, enough/float64(n)); p > most {
			best, most = c.name, p
		}
	}
	return best
}

func highBytes(sample []byte) int {
	n := 0
	for _, b := range sample {
		if b >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

// controls are characters that text does not have: C1 codes and private use.
func controls(r rune) bool { return r >= 0x80 && r < 0xA0 || r >= 0xE000 && r < 0xF900 }

// plausibility is the mean value of a text's characters beyond ASCII, and their number.
func plausibility(text string, value func(before, r, after rune) float64) (mean float64, n int) {
	runes := append([]rune(text), ' ')
	sum, before := 0.0, ' '
	for i, r := range runes[:len(runes)-1] {
		if r >= utf8.RuneSelf {
			n++
			sum += value(before, r, runes[i+1])
		}
		before = r
	}
	return sum / float64(max(n, 1)), max(n, 1)
}

// sign is the value of a character that is not a letter: dashes, quotation marks and
// currency signs have their places, others are rare, and none is inside a word.
func sign(before, r, after rune) float64 {
	switch {
	case r == '’' && unicode.IsLetter(before):
		return .9
	case unicode.IsLetter(before) && unicode.IsLetter(after):
		return -2
	case strings.ContainsRune("–—“„«‘¿¡•", r) && !unicode.IsLetter(before), strings.ContainsRune("–—”“»’…", r) && !unicode.IsLetter(after):
		return .8
	case strings.ContainsRune("®™ºª²³", r) && (unicode.IsDigit(before) || before == 'm' || r == '®' || r == '™'),
		strings.ContainsRune("€£°§©½¼\u00A0·", r) && !unicode.IsLetter(before) && !unicode.IsLetter(after):
		return .6
	}
	return -.5
}

// latin values the letters of a language written in Latin letters.
func latin(letters string) func(before, r, after rune) float64 {
	return func(before, r, after rune) float64 {
		switch {
		case !unicode.IsLetter(r) || strings.ContainsRune("ªº", r):
			return sign(before, r, after)
		case unicode.IsUpper(r) && unicode.IsLower(before), !latinOrNone(before), !latinOrNone(after):
			return -1
		case strings.ContainsRune(letters, unicode.ToLower(r)):
			return 1
		}
		return -.5
	}
}

func latinOrNone(r rune) bool { return !unicode.IsLetter(r) || unicode.Is(unicode.Latin, r) }

// words values the letters of a script: frequent ones in words of that script
// alone, and capitals at the beginning or throughout.
func words(script *unicode.RangeTable, frequent string) func(before, r, after rune) float64 {
	rank := map[rune]float64{}
	for i, r := range []rune(frequent) {
		rank[r] = 1 - .6*float64(i)/float64(len([]rune(frequent)))
	}
	return func(before, r, after rune) float64 {
		switch {
		case !unicode.Is(script, r):
			return sign(before, r, after)
		case unicode.IsUpper(r) && unicode.IsLower(before), unicode.Is(unicode.Latin, before), unicode.Is(unicode.Latin, after):
			return -1
		}
		value := .3 + .8*rank[unicode.ToLower(r)]
		if unicode.IsUpper(r) && unicode.IsUpper(before) {
			value -= .2
		}
		if !unicode.Is(script, before) && !unicode.Is(script, after) {
			value -= .5 // words have more than a letter
		}
		return value
	}
}

// thai values Thai letters, with vowel signs and tone marks over consonants and
// leading vowels before them.
func thai(before, r, after rune) float64 {
	consonant := func(r rune) bool { return r >= 0x0E01 && r <= 0x0E2E }
	mark := func(r rune) bool { return r == 0x0E31 || r >= 0x0E34 && r <= 0x0E3A || r >= 0x0E47 && r <= 0x0E4E }
	switch {
	case strings.ContainsRune("ฃฅฦฯ๎๏๚๛", r):
		return -1
	case mark(r):
		if consonant(before) || mark(before) {
			return 1
		}
		return -2
	case r >= 0x0E40 && r <= 0x0E44:
		if consonant(after) {
			return 1
		}
		return -2
	case consonant(r), r == 0x0E30, r == 0x0E32, r == 0x0E33:
		return .6
	case unicode.Is(unicode.Thai, r):
		return 0
	}
	return sign(before, r, after)
}
