package lexis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// longest is the byte length beyond which a run of letters and digits is taken
// for data rather than a word and not stemmed.
const longest = 64

// Analyzer numbers the terms of texts in one language. Numbers start at 0 and
// grow by one with each new term. It is not safe for concurrent use.
type Analyzer struct {
	Lang  Language
	Terms []string // by number

	lex  *Lexicon
	ids  map[string]uint32
	seen map[string][]uint32 // a word as written, to its terms
	stem func(string) string
}

// Analyzer makes an analyzer with an empty vocabulary.
func (l *Lexicon) Analyzer(lang Language) *Analyzer {
	return &Analyzer{Lang: lang, lex: l, ids: map[string]uint32{}, seen: map[string][]uint32{}, stem: stemmer(lang)}
}

// Find returns the number of a term that some text had.
func (a *Analyzer) Find(term string) (uint32, bool) {
	id, ok := a.ids[term]
	return id, ok
}

// Append appends the numbers of text's terms in order.
func (a *Analyzer) Append(dst []uint32, text string) []uint32 {
	for i := 0; i < len(text); {
		end, kind := next(text, i)
		switch kind {
		case word:
			dst = append(dst, a.word(text[i:end])...)
		case unspaced:
			dst = a.pairs(dst, text[i:end])
		default:
		}
		i = end
	}
	return dst
}

// pairs appends every pair of neighbouring characters of a run, or the one
// character it has.
func (a *Analyzer) pairs(dst []uint32, run string) []uint32 {
	first := cluster(run)
	if first == len(run) {
		return append(dst, a.id(run))
	}
	for first < len(run) {
		second := cluster(run[first:])
		dst = append(dst, a.id(run[:first+second]))
		run, first = run[first:], second
	}
	return dst
}

func (a *Analyzer) word(w string) []uint32 {
	if ids, ok := a.seen[w]; ok {
		return ids
	}
	var ids []uint32
	for _, t := range a.lex.remember(a.Lang, w, a.split) {
		ids = append(ids, a.id(t))
	}
	a.seen[strings.Clone(w)] = ids
	return ids
}

func (a *Analyzer) id(term string) uint32 {
	id, ok := a.ids[term]
	if !ok {
		id = uint32(len(a.Terms))
		term = strings.Clone(term)
		a.ids[term] = id
		a.Terms = append(a.Terms, term)
	}
	return id
}

// split returns the terms of one written word: the word itself and, of an
// identifier, its parts.
func (a *Analyzer) split(w string) []string {
	if len(w) > longest {
		return []string{strings.ToLower(w)}
	}
	if !ascii(w) {
		w = strings.ReplaceAll(norm.NFKC.String(w), "\u00ad", "")
	}
	if w == "" {
		return nil
	}
	if c := w[0]; '0' <= c && c <= '9' && strings.Trim(w, "0123456789.,") == "" {
		return []string{strings.ReplaceAll(w, ",", "")}
	}
	parts := humps(w)
	whole := strings.ReplaceAll(w, "_", "")
	if len(parts) < 2 {
		return []string{a.fold(whole)}
	}
	terms := []string{a.fold(whole)}
	for _, p := range parts {
		if len(p) > 1 {
			terms = append(terms, a.fold(p))
		}
	}
	return terms
}

// fold lower-cases, stems and strips accents.
func (a *Analyzer) fold(w string) string { return strip(a.stem(strings.ToLower(w))) }

// strip takes the accents off Latin letters.
func strip(w string) string {
	if ascii(w) {
		return w
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if 0x300 <= r && r < 0x370 {
			return -1
		}
		return r
	}, norm.NFD.String(w)))
}

// humps cuts an identifier at underscores, between a lower-case letter and a
// capital, before the last capital of a run that goes on in lower case, and
// between letters and digits.
func humps(w string) []string {
	var parts []string
	start, runes := 0, []rune(w)
	for i := 1; i <= len(runes); i++ {
		if i < len(runes) && !cut(runes, i) {
			continue
		}
		if p := strings.Trim(string(runes[start:i]), "_"); p != "" {
			parts = append(parts, p)
		}
		start = i
	}
	return parts
}

func cut(r []rune, i int) bool {
	a, b := r[i-1], r[i]
	switch {
	case b == '_' || a == '_':
		return true
	case unicode.IsDigit(a) != unicode.IsDigit(b):
		return true
	case unicode.IsLower(a) && unicode.IsUpper(b):
		return true
	}
	return unicode.IsUpper(a) && unicode.IsUpper(b) && i+1 < len(r) && unicode.IsLower(r[i+1])
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
