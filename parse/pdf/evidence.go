package pdf

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rows whose gaps lie below each other are a table only if their cells read like
// one: prose, code, formulas and contents are laid out in columns as well, and
// text that is wrongly taken for a table is worse to read than a table that was
// left as lines.
const (
	minColumns   = 3   // fewer are lists, code and contents far more often than tables
	pairRows     = 4   // least rows of labels and what they stand for
	labelShare   = .75 // of two columns: first cells that end like a label
	solidShare   = .6  // cells with a word of two letters, or a number
	loneShare    = .34 // rows with one cell
	briefWords   = 3   // mean words of the briefest column
	leaderShare  = .25 // rows with a leader: contents
	fullColumns  = 4   // of a first row that fills all columns: a header
	headOccupied = .4  // least share of filled cells below such a header
)

// trimmed drops the rows at both ends that have one cell only: they are above
// or below a table.
func trimmed(cells [][][]at) (first, end int) {
	filled := func(row [][]at) (n int) {
		for _, cell := range row {
			n += min(len(cell), 1)
		}
		return n
	}
	end = len(cells)
	for first < end && filled(cells[first]) < 2 {
		first++
	}
	for end > first && filled(cells[end-1]) < 2 {
		end--
	}
	return first, end
}

// readsLikeTable judges rows that no rule marks.
func readsLikeTable(rows [][]string) bool {
	if len(rows) < minRows || len(rows[0]) < 2 {
		return false
	}
	if len(rows[0]) < minColumns && !labelled(rows) {
		return false
	}
	o := observe(rows)
	least := minOccupied
	if o.header {
		least = headOccupied
	}
	switch {
	case isContents(rows):
		return false
	case o.marks*2 > o.occupied[0], !o.header && 2*o.rarest() < len(rows):
		return false
	case float64(o.filled) < least*float64(len(rows)*len(rows[0])), o.words > maxAligned*o.filled:
		return false
	case float64(o.lone) > loneShare*float64(len(rows)), o.briefest() > briefWords:
		return false
	}
	return o.worded && float64(o.solid+checks(rows)) >= solidShare*float64(o.filled)
}

// checkHeader is how many rows above the first check may be its column's header.
const checkHeader = 3

// checks counts the cells of columns that say by a sign, below a header in words,
// what holds for the row: "*", "X", a tick.
func checks(rows [][]string) (all int) {
	for c := 1; c < len(rows[0]); c++ {
		n, header := 0, false
		for i, row := range rows {
			switch {
			case row[c] == "":
			case isCheck(row[c]):
				n++
			case n == 0 && i < checkHeader && wordy(row[c]):
				header = true
			default:
				n = -len(rows) // something else
			}
		}
		if header && n >= minRows {
			all += n
		}
	}
	return all
}

// isCheck reports whether a cell is a sign that something holds.
func isCheck(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n == len(s) && strings.ContainsRune("*xX\u00D7\u2713\u2714\u2715\u2717\u2611\u2612\u25CF\u2022\u25A0", r)
}

// marksATable judges rows whose cells rules mark: drawings have such cells too,
// but neither words nor numbers in them.
func marksATable(rows [][]string) bool {
	if len(rows) < 2 || len(rows[0]) < 2 || isContents(rows) && hasLeader(strings.Join(rows[0], " ")+strings.Join(rows[1], " ")) {
		return false
	}
	o := observe(rows)
	return o.worded || float64(o.numbers) >= solidShare*float64(o.filled)
}

// observed is what the cells of a table are like.
type observed struct {
	filled, words, solid, numbers, marks, lone int
	occupied, said                             []int // cells with text and their words, of each column
	header                                     bool  // the first row fills all of several columns, with words
	worded                                     bool  // there is a cell with a word, not only signs, letters and numbers
}

func observe(rows [][]string) observed {
	o := observed{occupied: make([]int, len(rows[0])), said: make([]int, len(rows[0]))}
	for i, row := range rows {
		cells, worded := 0, 0
		for c, s := range row {
			if s == "" {
				continue
			}
			cells++
			n := len(strings.Fields(s))
			o.occupied[c]++
			o.said[c] += n
			o.words += n
			number := isNumber(s)
			if number {
				o.numbers++
			}
			if word := wordy(s); word || number {
				o.solid++
				worded += btoi(word)
			}
			o.worded = o.worded || hasWord(s)
		}
		if isMark(row[0]) {
			o.marks++
		}
		if cells == 1 {
			o.lone++
		}
		o.filled += cells
		o.header = o.header || i == 0 && len(row) >= fullColumns && worded == len(row)
	}
	return o
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hasWord reports whether a text has three letters beside each other, or two of
// a script whose words are short.
func hasWord(s string) bool {
	run := 0
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r):
			run = 0
		case isIdeograph(r):
			run += 2
		default:
			run++
		}
		if run > 2 {
			return true
		}
	}
	return false
}

// isIdeograph reports whether r is a letter of a script that writes syllables or
// words with one sign.
func isIdeograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// rarest is how many cells of the emptiest column have text.
func (o observed) rarest() int {
	least := o.occupied[0]
	for _, n := range o.occupied {
		least = min(least, n)
	}
	return least
}

// briefest is the mean number of words in the cells of the briefest column.
func (o observed) briefest() float64 {
	least := float64(o.words)
	for c, n := range o.occupied {
		if n > 0 {
			least = min(least, float64(o.said[c])/float64(n))
		}
	}
	return least
}

// labelled reports whether two columns are labels and what they stand for.
func labelled(rows [][]string) bool {
	labels := 0
	for _, row := range rows {
		if strings.HasSuffix(row[0], ":") {
			labels++
		}
	}
	return len(rows) >= pairRows && float64(labels) >= labelShare*float64(len(rows))
}

// isContents reports whether rows are those of a table of contents: they have
// leaders, or each ends in a page's number and the numbers never fall.
func isContents(rows [][]string) bool {
	leaders, ordered, before := 0, true, 0
	for _, row := range rows {
		line := strings.Join(row, " ")
		if hasLeader(line) {
			leaders++
		}
		last := strings.Fields(line)
		if len(last) == 0 {
			continue
		}
		n, err := strconv.Atoi(last[len(last)-1])
		ordered = ordered && err == nil && n >= before
		before = n
	}
	return ordered && wordy(rows[0][0]+" "+rows[0][1]) && len(rows[0]) <= minColumns || float64(leaders) >= leaderShare*float64(len(rows))
}

// hasLeader reports whether a line has a row of dots, with blanks between or not.
func hasLeader(s string) bool {
	dots := 0
	for _, r := range s {
		switch {
		case r == '.' || r == '·' || r == '\u2026' || r == '\u2024':
			if dots++; dots == 5 {
				return true
			}
		case r != ' ':
			dots = 0
		}
	}
	return false
}

// isNumber reports whether a text is a number, as tables have them: with a sign,
// a currency, a unit of a letter or two, or a dash that stands for none.
func isNumber(s string) bool {
	digits, letters := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > 0 && letters <= 2 && len(strings.Fields(s)) <= 3 || digits+letters == 0 && strings.Trim(s, "-\u2013\u2014\u2212/") == ""
}

// isBullet reports whether the first word of a line marks the item of a list.
func isBullet(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n == len(s) && !isNumber(s) && isMark(s) || unicode.Is(unicode.Co, r) || strings.ContainsRune("•◦▪●○■□–☐☑", r)
}

// isMark reports whether a cell is the bullet or number of a list's item.
func isMark(s string) bool {
	runes := []rune(s)
	switch {
	case len(runes) == 0:
		return false
	case len(runes) == 1:
		return !unicode.IsLetter(runes[0]) && !unicode.IsDigit(runes[0])
	}
	return len(runes) <= 5 && strings.ContainsRune(".):", runes[len(runes)-1]) || strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && len(runes) <= 6
}
