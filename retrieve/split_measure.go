package retrieve

import (
	"iter"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"inlay/tokens"
)

// Measure counts the tokens of texts for a [Splitter]. Implementations are
// safe for concurrent use.
type Measure interface {
	// Name names the measure: another name for anything that counts otherwise.
	Name() string
	// Walk yields places where text may be cut without changing how it is
	// counted, in order, each with the number of tokens before it. For places
	// a <= b <= c of which b was yielded, the tokens of text[a:c] are those of
	// text[a:b] and of text[b:c]. The last place is len(text); an empty text
	// has none. Whether text may be cut at a place shows close by: a place
	// yielded for a part of a text, but for the part's end, is one of the whole.
	Walk(text string) iter.Seq2[int, int]
}

// defaultMeasure is the vocabulary cl100k_base, whose tables are built at first
// use.
//
//nolint:gochecknoglobals // never changes; building it for every document would take longer than splitting most
var defaultMeasure = sync.OnceValue(func() Measure {
	e, err := tokens.NewEncoding("cl100k_base")
	if err != nil { // the vocabulary is in the program; were it damaged, counting words would still do
		return Words{}
	}
	return e
})

// Words is a [Measure] that needs no vocabulary: a token is up to eight bytes
// of letters and digits, a single other letter or sign, or a run of white space
// other than a single space.
type Words struct{}

// Name implements [Measure].
func (Words) Name() string { return "words" }

// Walk implements [Measure].
func (Words) Walk(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		total := 0
		for pos := 0; pos < len(text); {
			end, n := wordToken(text, pos)
			total += n
			pos = end
			if !yield(pos, total) {
				return
			}
		}
	}
}

// wordToken measures what begins at pos: a word, a stretch of white space or a
// single rune.
func wordToken(text string, pos int) (end, tokens int) {
	first, size := utf8.DecodeRuneInString(text[pos:])
	end = pos + size
	switch {
	case unicode.IsSpace(first):
		end = runEnd(text, end, unicode.IsSpace)
		return end, (end - pos + 126) / 128
	case wordRune(first):
		end = runEnd(text, end, wordRune)
		return end, (end - pos + 7) / 8
	}
	return end, 1
}

func wordRune(r rune) bool {
	return r < 0x3000 && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

func runEnd(text string, pos int, in func(rune) bool) int {
	for pos < len(text) {
		r, size := utf8.DecodeRuneInString(text[pos:])
		if !in(r) {
			break
		}
		pos += size
	}
	return pos
}

// ruler counts the tokens of any range of one text without counting the whole
// range: it knows running totals at marks.
type ruler struct {
	measure Measure
	text    string
	marks   []mark // ascending; the first is 0, the last len(text)
}

type mark struct{ pos, total int }

// partSize is how much of a text one goroutine walks at a time. Parts do not
// depend on the number of processors: marks, and with them chunks, must not.
const partSize = 64 << 10

// newRuler walks text once and keeps a mark at least every step bytes, where
// the measure allows. Parts of a large text are walked side by side.
func newRuler(m Measure, text string, step int) *ruler {
	ends := partition(m, text)
	walked := make([][]mark, len(ends))
	var next atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(len(ends)); i = next.Add(1) - 1 {
			start := 0
			if i > 0 {
				start = ends[i-1]
			}
			walked[i] = walk(m, text[start:ends[i]], step)
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(ends)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()

	count := 1
	for _, marks := range walked {
		count += len(marks)
	}
	r := &ruler{measure: m, text: text, marks: make([]mark, 1, count)}
	for i, marks := range walked {
		at := r.marks[len(r.marks)-1]
		for _, k := range marks {
			r.marks = append(r.marks, mark{at.pos + k.pos, at.total + k.total})
		}
		walked[i] = nil // it need not wait for the others
	}
	return r
}

// walk returns the marks of a text after its beginning; the last is its end.
func walk(m Measure, text string, step int) []mark {
	marks := make([]mark, 0, 1+len(text)/(step+4))
	last := 0
	for pos, total := range m.Walk(text) {
		if pos-last >= step || pos == len(text) {
			marks = append(marks, mark{pos, total})
			last = pos
		}
	}
	return marks
}

// partition returns the ends of the parts of a text, all at places where it may
// be cut.
func partition(m Measure, text string) (ends []int) {
	for near := partSize; near < len(text); near += partSize {
		if end := placeAfter(m, text, near); end < len(text) && end > near {
			ends = append(ends, end)
		}
	}
	return append(ends, len(text))
}

// placeAfter is a place shortly after near at which text may be cut, or near if
// there is none.
func placeAfter(m Measure, text string, near int) int {
	const look = 512
	from, to := near-look, min(near+look, len(text))
	for range utf8.UTFMax - 1 { // to whole runes
		if !utf8.RuneStart(text[from]) {
			from--
		}
		if to < len(text) && !utf8.RuneStart(text[to]) {
			to++
		}
	}
	for pos := range m.Walk(text[from:to]) {
		if from+pos > near && from+pos < to {
			return from + pos
		}
	}
	return near
}

// size counts a text by itself.
func (r *ruler) size(text string) int {
	n := 0
	for _, total := range r.measure.Walk(text) {
		n = total
	}
	return n
}

// after is the number of the first mark at or after pos.
func (r *ruler) after(pos int) int {
	return sort.Search(len(r.marks), func(i int) bool { return r.marks[i].pos >= pos })
}

// count is the exact number of tokens of text[from:to].
func (r *ruler) count(from, to int) int {
	i := r.after(from)
	j := r.after(to+1) - 1
	if i > j {
		return r.size(r.text[from:to])
	}
	a, b := r.marks[i], r.marks[j]
	return r.size(r.text[from:a.pos]) + b.total - a.total + r.size(r.text[b.pos:to])
}

// reach is a place after from, and as far as the marks tell, such that
// text[from:reach] has at most room tokens. Where a single token has more, it is
// the end of a rune.
func (r *ruler) reach(from, room int) int {
	i := r.after(from)
	if r.marks[i].pos-from > 256*room { // more than any measure packs into room
		return r.into(from, room, r.marks[i-1], r.marks[i])
	}
	head := r.size(r.text[from:r.marks[i].pos])
	over := i + sort.Search(len(r.marks)-i, func(k int) bool {
		return head+r.marks[i+k].total-r.marks[i].total > room
	})
	if over > i && r.marks[over-1].pos > from {
		return r.marks[over-1].pos
	}
	return r.into(from, room, r.marks[max(over-1, 0)], r.marks[over])
}

// into is reach for a stretch between two marks that is too large: it takes
// tokens to lie evenly in it, counts, and corrects itself.
func (r *ruler) into(from, room int, a, b mark) int {
	width := max(1, (b.pos-a.pos)*room/max(1, b.total-a.total))
	best := 0
	for range 40 {
		to := r.runeEnd(min(from+width, b.pos), from)
		n := r.size(r.text[from:to])
		switch {
		case n > room && best > 0:
			return best
		case n > room && to-from <= utf8.UTFMax:
			return to
		case n > room:
			width = min(width-1, width*room/n)
		case n > room/2 || to == b.pos:
			return to
		default:
			best = to
			width *= 2
		}
	}
	return max(best, r.runeEnd(from+1, from))
}

// runeEnd is pos moved back to a rune's end, but not to from or before it.
func (r *ruler) runeEnd(pos, from int) int {
	for p := pos; p > from; p-- {
		if p == len(r.text) || utf8.RuneStart(r.text[p]) {
			return p
		}
	}
	pos++
	for pos < len(r.text) && !utf8.RuneStart(r.text[pos]) {
		pos++
	}
	return pos
}
