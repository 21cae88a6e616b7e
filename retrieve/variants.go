package retrieve

import (
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

// variants returns the numbers of the file's terms that are other forms of a term.
func (f *lexicalFile) variants(term string) []uint32 {
	letters := utf8.RuneCountInString(term)
	found := f.particles(term, letters)
	if letters < variantLetters || lexis.Unspaced(term) || strings.ContainsFunc(term, notLetter) {
		return found
	}
	ending := variantEnding
	if f.terms.Lang == lexis.English {
		ending = englishEnding
	}
	f.sort.Do(f.sortTerms)
	terms := f.terms.Terms
	at := func(text string) int {
		return sort.Search(len(f.sorted), func(i int) bool { return terms[f.sorted[i]] >= text })
	}
	for i := at(term); i < len(f.sorted); i++ {
		other := terms[f.sorted[i]]
		if !strings.HasPrefix(other, term) {
			break
		}
		if n := utf8.RuneCountInString(other) - letters; 0 < n && n <= ending && !strings.ContainsFunc(other, notLetter) {
			found = append(found, f.sorted[i])
		}
	}
	shorter := term
	for range min(ending, letters-variantLetters) {
		_, size := utf8.DecodeLastRuneInString(shorter)
		shorter = shorter[:len(shorter)-size]
		if id, ok := f.terms.Find(shorter); ok {
			found = append(found, id)
		}
	}
	return found
}

// particles returns the numbers of the term with or without a particle of the
// language before it.
func (f *lexicalFile) particles(term string, letters int) []uint32 {
	var found []uint32
	if letters < particleLetters {
		return nil
	}
	for _, p := range lexis.Particles(f.terms.Lang) {
		if rest, ok := strings.CutPrefix(term, p); ok && utf8.RuneCountInString(rest) >= particleLetters {
			if id, ok := f.terms.Find(rest); ok {
				found = append(found, id)
			}
		}
		if id, ok := f.terms.Find(p + term); ok {
			found = append(found, id)
		}
	}
	return found
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }

// sortTerms puts the file's terms in order for variants.
func (f *lexicalFile) sortTerms() {
	f.sorted = make([]uint32, len(f.terms.Terms))
	for i := range f.sorted {
		f.sorted[i] = uint32(i)
	}
	slices.SortFunc(f.sorted, func(a, b uint32) int { return strings.Compare(f.terms.Terms[a], f.terms.Terms[b]) })
}
