package pdf

import (
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
// engine as well. docs/decisions.md says what they were measured on.
const (
	maxStrange      = .005 // share of strange characters
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
	run, letters, cjk := 0, 0, false
	flush := func() {
		if run > 0 && !cjk {
			q.words++
			q.length += letters
			if run == 1 && letters == 1 {
				q.single++
			}
		}
		run, letters, cjk = 0, 0, false
	}
	for _, r := range s {
		if unicode.IsSpace(r) {
			flush()
			continue
		}
		run++
		q.runes++
		switch {
		case unicode.IsControl(r), r == '\uFFFD', unicode.Is(unicode.Co, r):
			q.strange++
		case unicode.IsLetter(r), unicode.IsDigit(r):
			q.letters++
			letters++
			cjk = cjk || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer)
			if unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana) {
				q.rightLtr++
			}
		}
	}
	flush()
	return q
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
