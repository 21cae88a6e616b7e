package lexis

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// Language is an ISO 639-1 code of a language with a stemmer.
type Language string

// English is the language of texts that no other claims.
const English Language = "en"

// sampled is how many words are looked at to tell a text's language.
const sampled = 400

// fewest is how many function words a language other than English needs to be told.
const fewest = 3

// stemmers returns Snowball's stemmers by language.
func stemmers() map[Language]func(*snowballstem.Env) bool {
	return map[Language]func(*snowballstem.Env) bool{
		"ar": arabic.Stem, "da": danish.Stem, "de": german.Stem, "en": english.Stem, "es": spanish.Stem,
		"fi": finnish.Stem, "fr": french.Stem, "ga": irish.Stem, "hu": hungarian.Stem, "it": italian.Stem,
		"nl": dutch.Stem, "no": norwegian.Stem, "pt": portuguese.Stem, "ro": romanian.Stem, "ru": russian.Stem,
		"sv": swedish.Stem, "ta": tamil.Stem, "tr": turkish.Stem,
	}
}

// stemmer returns the stemmer of a language; of one without, it returns words
// as they are. A stemmer is not safe for concurrent use.
func stemmer(lang Language) func(string) string {
	if lang == "hi" {
		return hindi
	}
	step := stemmers()[lang]
	if step == nil {
		return func(w string) string { return w }
	}
	env := snowballstem.NewEnv("")
	return func(w string) string {
		env.SetCurrent(w)
		step(env)
		return env.Current()
	}
}

// Detect tells the language of a text by the function words among its first
// few hundred words. A text that no language claims is taken for English.
func (l *Lexicon) Detect(text string) Language {
	lang, _ := l.Tell(text)
	return lang
}

// Tell is Detect, and reports whether the text itself says so: it has function
// words of the language, or is mostly in a script that tells it.
func (l *Lexicon) Tell(text string) (lang Language, sure bool) {
	hits, scripts, n := l.signs(text)
	for lang, of := range scripts {
		if 2*of > min(n, sampled) {
			return lang, true
		}
	}
	best := English
	for _, lang := range slices.Sorted(maps.Keys(hits)) {
		if hits[lang] > hits[best] && hits[lang] >= fewest && 8*hits[lang] >= min(n, sampled) {
			best = lang
		}
	}
	return best, hits[best] >= fewest && 8*hits[best] >= min(n, sampled)
}

// signs counts, in the first words of a text, those that a language has as
// function words, and those of a script that tells one; n is how many words were
// looked at, at most one more than sampled.
func (l *Lexicon) signs(text string) (hits, scripts map[Language]int, n int) {
	hits, scripts = map[Language]int{}, map[Language]int{}
	seen := map[string]int{} // a table has one cell a hundred times
	var lower []byte
	for w := range words(text) {
		if n++; n > sampled {
			break
		}
		if lower = appendLower(lower[:0], w); lower == nil {
			lower = []byte(strings.ToLower(w))
		}
		if tells := l.tells[string(lower)]; l.frequent[string(lower)] || tells != nil {
			if seen[string(lower)]++; seen[string(lower)] <= n/9+1 {
				l.hit(hits, lower)
			}
		}
		if lang := ofScript(lower); lang != "" {
			scripts[lang]++
		}
	}
	return hits, scripts, n
}

func (l *Lexicon) hit(hits map[Language]int, word []byte) {
	if l.frequent[string(word)] {
		hits[English]++
	}
	for _, lang := range l.tells[string(word)] {
		hits[lang]++
	}
}

// words yields the runs of letters and marks of a text.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1
		for i := 0; i < len(text); {
			separate, size := text[i]|0x20 < 'a' || text[i]|0x20 > 'z', 1
			if text[i] >= utf8.RuneSelf {
				var r rune
				r, size = utf8.DecodeRuneInString(text[i:])
				separate = separates(r)
			}
			switch {
			case !separate && start < 0:
				start = i
			case separate && start >= 0:
				if !yield(text[start:i]) {
					return
				}
				start = -1
			}
			i += size
		}
		if start >= 0 {
			yield(text[start:])
		}
	}
}

// appendLower appends a word of ASCII in lower case; it returns nil for another.
func appendLower(dst []byte, w string) []byte {
	for i := range len(w) {
		c := w[i]
		if c >= utf8.RuneSelf {
			return nil
		}
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// ofScript is the language that a word's script is taken for, where the script
// alone tells it.
func ofScript(w []byte) Language {
	r, _ := utf8.DecodeRune(w)
	switch {
	case r < 0x370:
		return ""
	case unicode.Is(unicode.Tamil, r):
		return "ta"
	case unicode.Is(unicode.Devanagari, r):
		return "hi"
	case unicode.Is(unicode.Greek, r):
		return "el"
	case unicode.Is(unicode.Hebrew, r):
		return "he"
	}
	return ""
}

func separates(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }

// Particles are the prepositions, conjunctions and articles that a language
// writes as part of the word after them.
func Particles(lang Language) []string {
	switch lang { //nolint:exhaustive // the others write them apart
	case "ar":
		return []string{"و", "ف", "ب", "ل", "ك", "ال", "لل", "وال", "بال", "فال", "كال"}
	case "he":
		return []string{"ו", "ה", "ב", "ל", "מ", "ש", "כ", "וה", "שה", "מה", "כש"}
	}
	return nil
}
