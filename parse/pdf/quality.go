package pdf

import (
	"slices"
	"strings"
	"unicode"

	"inlay/parse"
)

// quality measures a text by what its characters and words are like.
type quality struct {
	runes    int // without white space
	strange  int // control characters, U+FFFD, private use
	letters  int // letters and digits
	rightLtr int // letters written from right to left
	words    int // runs without white space, of scripts that part words
	length   int // their letters and digits
	single   int // words of one letter
}

// The bounds of the gate: a page beyond one of them is read by the second
// engine as well. docs/parsing.md says what they were measured on.
const (
	maxStrange      = .005 // share of strange characters
	maxBullets      = .05  // lone private-use characters to letters
	maxUnmapped     = .05  // share of shown characters without text
	maxMeanWord     = 14   // runes
	maxSingle       = .5   // share of one-letter words
	minWords        = 20   // for judging by words
	maxRightToLeft  = .02  // share of letters
	minPerPage      = 15   // runes a page over the whole document
	expectedLetters = .8   // of the first engine's letters, for the second to be believed
)

// measure judges a text.
func measure(s string) (q quality) {
	var w run
	bullets := 0
	for _, r := range s {
		if unicode.IsSpace(r) {
			bullets += q.end(w)
			w = run{}
			continue
		}
		q.take(&w, r)
	}
	bullets += q.end(w)
	if over(bullets, q.letters, maxBullets) {
		q.strange += bullets
	}
	return q
}

// run is what is between white space.
type run struct {
	runes, letters, digits int  // letters: and digits
	private                int  // private-use characters
	unparted               bool // its script does not part words
}

// take counts one rune of a run.
func (q *quality) take(w *run, r rune) {
	w.runes++
	q.runes++
	switch {
	case r >= 0xE000 && unicode.Is(unicode.Co, r):
		w.private++
		q.strange++
	case unicode.IsControl(r), r == '\uFFFD':
		q.strange++
	case unicode.IsLetter(r), unicode.IsDigit(r):
		q.letters++
		w.letters++
		if unicode.IsDigit(r) {
			w.digits++
		}
		if r < 0x590 { // before the first of the scripts below
			return
		}
		w.unparted = w.unparted || isIdeograph(r) || unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer)
		if unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana) {
			q.rightLtr++
		}
	}
}

// end counts a run as a word. A private-use character or two that stand alone are
// the bullet of a symbol font, which the second engine knows no better: they are
// not strange, and their number is returned.
func (q *quality) end(w run) (bullets int) {
	if w.private > 0 && w.private == w.runes && w.runes <= 2 {
		q.strange -= w.private
		return w.private
	}
	if w.runes > 0 && !w.unparted {
		q.words++
		q.length += w.letters
		if w.runes == 1 && w.letters > w.digits {
			q.single++
		}
	}
	return 0
}

// doubtful reports whether the second engine should read a page too.
func doubtful(p pageText) bool {
	if p.broken || p.status == parse.Failed || over(p.lost, p.shown, maxUnmapped) {
		return true
	}
	q := measure(p.text)
	return over(q.strange, q.runes, maxStrange) ||
		over(q.rightLtr, q.letters, maxRightToLeft) ||
		q.words >= minWords && (over(q.length, q.words, maxMeanWord) || over(q.single, q.words, maxSingle))
}

// A page whose words mix scripts that no language mixes was decoded by a wrong table.
const (
	mixedWords = .2 // share of words of two such scripts
	leastMixed = 5
)

// garbled reports whether the letters of a page cannot be what it shows: many of its
// words mix letters of scripts that are in no word together.
func garbled(text string) bool {
	words, mixed := 0, 0
	for w := range strings.FieldsSeq(text) {
		found := -1
		for _, r := range w {
			i := scriptOf(r)
			if i < 0 {
				continue
			}
			if found >= 0 && i != found {
				mixed++
				break
			}
			found = i
		}
		words += btoi(found >= 0)
	}
	return mixed >= leastMixed && over(mixed, words, mixedWords)
}

// scriptOf numbers the scripts that do not mix; -1 for those that may, such as Latin.
// Chinese, Japanese and Korean are one.
func scriptOf(r rune) int {
	if r < 0x590 || !unicode.IsLetter(r) {
		return -1
	}
	return slices.IndexFunc([][]*unicode.RangeTable{
		{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo},
		{unicode.Arabic},
		{unicode.Hebrew},
		{unicode.Thai},
		{unicode.Lao},
		{unicode.Devanagari},
		{unicode.Tamil},
		{unicode.Bengali},
		{unicode.Mongolian},
		{unicode.Ethiopic},
		{unicode.Tibetan},
		{unicode.Khmer},
		{unicode.Yi},
		{unicode.Cherokee},
		{unicode.Canadian_Aboriginal},
		{unicode.Glagolitic},
		{unicode.Coptic},
		{unicode.Georgian},
		{unicode.Syriac},
	}, func(tables []*unicode.RangeTable) bool { return unicode.In(r, tables...) })
}

// withoutGarbled takes the text of pages that are garbled for unmapped.
func withoutGarbled(pages []pageText) {
	for i, p := range pages {
		if garbled(p.text) {
			pages[i] = pageText{library: p.library, status: parse.Failed, shown: p.shown, lost: max(p.lost, p.shown, 1)}
		}
	}
}

// over reports whether n of all is more than share.
func over(n, all int, share float64) bool { return float64(n) > share*float64(all) }

// sparse reports whether a whole document has hardly any text.
func sparse(pages []pageText) bool {
	runes := 0
	for _, p := range pages {
		runes += measure(p.text).runes
	}
	return runes < minPerPage*len(pages)
}

// better reports whether the second engine's page is to be taken over the
// first's, which was doubtful.
func better(first, second pageText) bool {
	a, b := measure(first.text), measure(second.text)
	switch {
	case a.runes == 0 && b.runes == 0:
		return !second.broken // it may know that the page is empty or scanned
	case b.letters == 0:
		return false
	case over(a.rightLtr, a.letters, maxRightToLeft):
		return true // only the second engine puts it in reading order
	}
	return over(b.letters, a.letters, expectedLetters) && !over(b.strange*max(a.runes, 1), max(b.runes, 1), float64(a.strange))
}
