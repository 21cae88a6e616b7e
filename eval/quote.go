package eval

import (
	"bytes"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// letters is a text as quotes are compared with it: its letters and digits
// alone, in NFKC and lower case. Line breaks, hyphens at a line's end, kinds of
// quotation mark and ligatures, all that a copy from a page changes, are gone.
type letters struct {
	text []byte
	runs []stretch
}

// stretch is some letters that are together in the original.
type stretch struct {
	at       int32 // its first byte in letters.text
	from, to int32 // the range of the original
	same     bool  // rune by rune, each as long as it was
}

func newLetters(text string) *letters {
	l := &letters{}
	for start := 0; start < len(text); {
		end, before := segment(text, start), len(l.text)
		for _, r := range norm.NFKC.String(text[start:end]) {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				l.text = utf8.AppendRune(l.text, unicode.ToLower(r))
			}
		}
		if len(l.text) > before {
			l.add(stretch{int32(before), int32(start), int32(end), oneRune(text[start:end], l.text[before:])})
		}
		start = end
	}
	return l
}

// oneRune reports whether both are one rune of the same length.
func oneRune(text string, letters []byte) bool {
	_, n := utf8.DecodeRuneInString(text)
	_, m := utf8.DecodeRune(letters)
	return n == len(text) && m == len(letters) && n == m
}

// segment is the end of the shortest piece of a text from start on that is
// normalised by itself.
func segment(text string, start int) int {
	if text[start] < utf8.RuneSelf && (start+1 == len(text) || text[start+1] < utf8.RuneSelf) {
		return start + 1
	}
	if n := norm.NFKC.NextBoundaryInString(text[start:], true); n > 0 {
		return start + n
	}
	return len(text)
}

// add appends a run, or makes the last one longer.
func (l *letters) add(r stretch) {
	if n := len(l.runs) - 1; n >= 0 && r.same && l.runs[n].same && l.runs[n].to == r.from {
		l.runs[n].to = r.to
		return
	}
	l.runs = append(l.runs, r)
}

// find returns the ranges of the original where the quote is, at most 100.
func (l *letters) find(quote []byte) [][2]int {
	var found [][2]int
	for i := 0; len(quote) > 0 && len(found) < 100; {
		k := bytes.Index(l.text[i:], quote)
		if k < 0 {
			break
		}
		i += k
		found = append(found, [2]int{l.origin(i), l.after(i + len(quote) - 1)})
		i += len(quote)
	}
	return found
}

// origin is where in the original the byte at i comes from.
func (l *letters) origin(i int) int {
	r := l.run(i)
	if r.same {
		return int(r.from) + i - int(r.at)
	}
	return int(r.from)
}

// after is the end of what the byte at i comes from.
func (l *letters) after(i int) int {
	r := l.run(i)
	if r.same {
		return int(r.from) + i - int(r.at) + 1
	}
	return int(r.to)
}

func (l *letters) run(i int) stretch {
	return l.runs[sort.Search(len(l.runs), func(k int) bool { return int(l.runs[k].at) > i })-1]
}

// wordsFound is how many words of a quote, from its first, are in the text
// as they are, and how many it has.
func (l *letters) wordsFound(quote string) (found, all int) {
	words := strings.Fields(quote)
	n := sort.Search(len(words), func(n int) bool {
		return !bytes.Contains(l.text, newLetters(strings.Join(words[:n+1], " ")).text)
	})
	return n, len(words)
}
