package intent

import (
	"strings"
	"unicode"

	"github.com/abadojack/whatlanggo"
)

// What a text needs for its language to be told.
const (
	enoughLetters = 20       // of an alphabet
	sampled       = 64 << 10 // bytes that are looked at
	mixed         = 4 << 10  // bytes up to which a text is looked at sentence by sentence
	reliable      = whatlanggo.ReliableConfidenceThreshold
)

// among are the languages that are told apart: of the many that whatlanggo
// knows, short texts are otherwise taken for ones that hardly anybody writes. A
// text with letters that an alphabet lacks is not in its language.
func among(text string) map[whatlanggo.Lang]bool {
	list := []whatlanggo.Lang{
		whatlanggo.Eng, whatlanggo.Deu, whatlanggo.Fra, whatlanggo.Spa, whatlanggo.Por, whatlanggo.Ita, whatlanggo.Nld, whatlanggo.Pol,
		whatlanggo.Ces, whatlanggo.Hun, whatlanggo.Ron, whatlanggo.Swe, whatlanggo.Dan, whatlanggo.Nob, whatlanggo.Fin, whatlanggo.Tur,
		whatlanggo.Vie, whatlanggo.Ind, whatlanggo.Hrv, whatlanggo.Slv, whatlanggo.Lit, whatlanggo.Lav, whatlanggo.Est,
		whatlanggo.Rus, whatlanggo.Ukr, whatlanggo.Bul, whatlanggo.Srp, whatlanggo.Arb, whatlanggo.Pes, whatlanggo.Urd,
		whatlanggo.Heb, whatlanggo.Hin, whatlanggo.Mar,
	}
	m := make(map[whatlanggo.Lang]bool, len(list))
	for _, l := range list {
		m[l] = true
	}
	if strings.ContainsAny(text, "ыЫэЭёЁ") {
		for _, l := range []whatlanggo.Lang{whatlanggo.Bul, whatlanggo.Srp, whatlanggo.Ukr} {
			delete(m, l)
		}
	}
	return m
}

// Language is the ISO 639-1 code of a text's language as whatlanggo tells it;
// empty where it does not tell it reliably, or where there are fewer than 20
// letters of an alphabet. Addresses are not looked at. Of a mixed text of
// up to 4 KiB it is the language in which most of its letters are, sentence by
// sentence, each weighed by how sure its language is.
func Language(text string) string {
	if len(text) > sampled {
		text = strings.ToValidUTF8(text[:sampled], "")
	}
	text = address().ReplaceAllString(text, " ")
	whole, confidence := language(text)
	if confidence <= reliable {
		whole = ""
	}
	if len(text) > mixed {
		return whole
	}
	votes, all := map[string]float64{}, 0.0
	for _, clause := range strings.FieldsFunc(text, clauseEnd) {
		code, confidence := language(clause)
		if weight := float64(letters(clause)) * confidence; code != "" && (whole != "" || confidence > reliable) {
			votes[code] += weight
			all += weight
		}
	}
	for code, weight := range votes {
		if 2*weight > all && weight > 2*votes[whole] && (whole != "" || weight > float64(letters(text))/2) {
			return code
		}
	}
	return whole
}

// clauseEnd is what a quotation in another language is behind or between.
func clauseEnd(r rune) bool { return strings.ContainsRune(".!?:;\n\"„“”«»。！？：", r) }

// language is what whatlanggo takes a text for, and how sure it is: 0 to 1.
func language(text string) (code string, confidence float64) {
	info := whatlanggo.DetectWithOptions(text, whatlanggo.Options{Whitelist: among(text)})
	switch {
	case info.Script == unicode.Han && strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }):
		return "ja", info.Confidence
	case alphabetic(info.Script) && letters(text) < enoughLetters:
		return "", 0
	}
	return info.Lang.Iso6391(), info.Confidence
}

// alphabetic scripts write several languages, told apart by their letters.
func alphabetic(script *unicode.RangeTable) bool {
	return script == unicode.Latin || script == unicode.Cyrillic || script == unicode.Arabic || script == unicode.Devanagari || script == unicode.Hebrew
}

func letters(text string) (n int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
