package office

import (
	"context"
	"strconv"
	"strings"

	"inlay/internal/xmlscan"
	"inlay/parse/zipfile"
)

// numbering gives list paragraphs the mark that Word shows before them.
type numbering struct {
	lists    map[string]string       // list id to its definition
	restarts map[string]bool         // lists that count on their own
	levels   map[string][9]listLevel // by definition
	counters map[string]*[9]int
}

// listLevel is how one depth of a list counts.
type listLevel struct {
	format string // "decimal", "bullet", "lowerRoman", ...
	text   string // "%1.%2)"
	start  int
}

// readNumbering reads the list definitions of a Word file.
func readNumbering(ctx context.Context, a *zipfile.Archive, entry string) (numbering, error) {
	s := numberScan{numbering: numbering{
		lists: map[string]string{}, restarts: map[string]bool{},
		levels: map[string][9]listLevel{}, counters: map[string]*[9]int{},
	}}
	data, err := optional(a, entry)
	if err != nil {
		return s.numbering, err
	}
	if err := xmlscan.Walk(ctx, data, &s); err != nil && ctx.Err() != nil {
		return s.numbering, err
	}
	return s.numbering, nil
}

type numberScan struct {
	ignoreText
	numbering
	definition, list string
	level            int
}

// Start implements [xmlscan.Handler].
func (s *numberScan) Start(e element) {
	value := xmlscan.Attr(e, "val")
	switch e.Name.Local {
	case "abstractNum":
		s.definition, s.list = xmlscan.Attr(e, "abstractNumId"), ""
		s.levels[s.definition] = [9]listLevel{}
	case "num":
		s.list, s.definition = xmlscan.Attr(e, "numId"), ""
	case "abstractNumId":
		s.lists[s.list] = value
	case "startOverride":
		s.restarts[s.list] = true
	case "lvl":
		s.level, _ = strconv.Atoi(xmlscan.Attr(e, "ilvl"))
	case "numFmt", "lvlText", "start":
		s.set(e.Name.Local, value)
	}
}

func (s *numberScan) set(what, value string) {
	levels, ok := s.levels[s.definition]
	if !ok || s.definition == "" || s.level < 0 || s.level > 8 {
		return
	}
	l := &levels[s.level]
	switch what {
	case "numFmt":
		l.format = value
	case "lvlText":
		l.text = value
	case "start":
		l.start, _ = strconv.Atoi(value)
	}
	s.levels[s.definition] = levels
}

// next counts a paragraph and returns its mark: "-" for bullets, "" for none.
func (n numbering) next(ref listRef) string {
	if ref.id == "" || ref.id == "0" {
		return ""
	}
	definition, known := n.lists[ref.id]
	if !known {
		return "-"
	}
	levels := n.levels[definition]
	level := min(max(ref.level, 0), 8)
	switch levels[level].format {
	case "none":
		return ""
	case "bullet", "":
		return "-"
	}
	counts := n.count(ref.id, definition, level)
	mark := levels[level].text
	for i := range levels {
		mark = strings.ReplaceAll(mark, "%"+strconv.Itoa(i+1), figure(levels[i].format, counts[i]))
	}
	if strings.TrimSpace(mark) == "" {
		return "-"
	}
	return strings.TrimSpace(mark)
}

// count advances the counter of a level and starts the deeper ones again.
func (n numbering) count(id, definition string, level int) [9]int {
	key := "definition " + definition
	if n.restarts[id] {
		key = "list " + id
	}
	counts := n.counters[key]
	levels := n.levels[definition]
	if counts == nil {
		counts = &[9]int{}
		for i := range counts {
			counts[i] = levels[i].start - 1
		}
		n.counters[key] = counts
	}
	counts[level]++
	for i := level + 1; i < len(counts); i++ {
		counts[i] = levels[i].start - 1
	}
	shown := *counts
	for i := range level {
		shown[i] = max(shown[i], levels[i].start)
	}
	return shown
}

// figure writes a count in a list's format.
func figure(format string, n int) string {
	switch format {
	case "lowerLetter", "upperLetter":
		return letters(n, format == "upperLetter")
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	case "decimalZero":
		if n < 10 {
			return "0" + strconv.Itoa(n)
		}
	}
	return strconv.Itoa(n)
}

// letters counts a, b, ... z, aa, bb, ... as Word does.
func letters(n int, upper bool) string {
	if n < 1 || n > 26*20 {
		return strconv.Itoa(n)
	}
	first := 'a'
	if upper {
		first = 'A'
	}
	return strings.Repeat(string(first+rune((n-1)%26)), (n-1)/26+1)
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, d := range []struct {
		value int
		sign  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for n >= d.value {
			b.WriteString(d.sign)
			n -= d.value
		}
	}
	return b.String()
}
