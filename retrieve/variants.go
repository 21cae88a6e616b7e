package retrieve

import (
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"inlay/internal/lexis"
)

// A stemmer leaves some forms of a word apart: "diagnosis" and "diagnosed". Two
// terms are taken for forms of one word if the shorter has variantLetters or
// more and the longer goes on from it by variantEnding letters at most.
const (
	variantLetters = 5
	variantEnding  = 3
	englishEnding  = 1 // English has few endings, and its stemmer knows them

	particleLetters = 3 // of a word without its particle, at least
)

// Vocabulary is the set of terms of some documents.
type Vocabulary interface {
	Has(term string) bool
	// Beginning yields the terms that begin with prefix, in alphabetical order.
	Beginning(prefix string) iter.Seq[string]
}

// variants returns the numbers of the file's terms that are other forms of a term.
func (f *lexicalFile) variants(term string) []uint32 {
	var found []uint32
	for _, other := range variants(f, f.terms.Lang, term) {
		id, _ := f.terms.Find(other)
		found = append(found, id)
	}
	return found
}

// Has implements [Vocabulary].
func (f *lexicalFile) Has(term string) bool {
	_, ok := f.terms.Find(term)
	return ok
}

// Beginning implements [Vocabulary].
func (f *lexicalFile) Beginning(prefix string) iter.Seq[string] {
	return func(yield func(string) bool) {
		f.sorted.once.Do(f.sortTerms)
		terms, ids := f.terms.Terms, f.sorted.ids
		first := sort.Search(len(ids), func(i int) bool { return terms[ids[i]] >= prefix })
		for _, id := range ids[first:] {
			if !strings.HasPrefix(terms[id], prefix) || !yield(terms[id]) {
				return
			}
		}
	}
}

// variants returns the terms of a vocabulary that are other forms of a term.
func variants(v Vocabulary, lang lexis.Language, term string) []string {
	letters := utf8.RuneCountInString(term)
	found := particles(v, lang, term, letters)
	if letters < variantLetters || lexis.Unspaced(term) || strings.ContainsFunc(term, notLetter) {
		return found
	}
	ending := variantEnding
	if lang == lexis.English {
		ending = englishEnding
	}
	for other := range v.Beginning(term) {
		if n := utf8.RuneCountInString(other) - letters; 0 < n && n <= ending && !strings.ContainsFunc(other, notLetter) {
			found = append(found, other)
		}
	}
	shorter := term
	for range min(ending, letters-variantLetters) {
		_, size := utf8.DecodeLastRuneInString(shorter)
		shorter = shorter[:len(shorter)-size]
		if v.Has(shorter) {
			found = append(found, shorter)
		}
	}
	return found
}

// particles returns the term with or without a particle of the language before
// it, where the vocabulary has it.
func particles(v Vocabulary, lang lexis.Language, term string, letters int) []string {
	var found []string
	if letters < particleLetters {
		return nil
	}
	for _, p := range lexis.Particles(lang) {
		if rest, ok := strings.CutPrefix(term, p); ok && utf8.RuneCountInString(rest) >= particleLetters && v.Has(rest) {
			found = append(found, rest)
		}
		if v.Has(p + term) {
			found = append(found, p+term)
		}
	}
	return found
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }

// sortTerms puts the file's terms in order for variants.
func (f *lexicalFile) sortTerms() {
	ids := make([]uint32, len(f.terms.Terms))
	for i := range ids {
		ids[i] = uint32(i)
	}
	f.sorted.ids = ids
	slices.SortFunc(ids, func(a, b uint32) int { return strings.Compare(f.terms.Terms[a], f.terms.Terms[b]) })
}
