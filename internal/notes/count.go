package notes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"inlay/internal/asks"
	"inlay/internal/plural"
	"inlay/parse"
)

// Named is a document with the name that a note gives it.
type Named struct {
	Name string
	parse.Document
}

// Counts counts the rows of tables that have the values which a request names
// literally, and the rows of these tables in all: for each document one text, ""
// where there is nothing to count. Nothing is counted where it is not certain
// what is asked for: a value that is in several columns of which the request
// names none or several, a request with a condition or a number of its own, a
// document that was not read completely or whose tables were recognised by
// their looks.
func Counts(ctx context.Context, docs []Named, request string) ([]string, error) {
	out := make([]string, len(docs))
	if asks.Of(request) != asks.Count {
		return out, nil
	}
	wanted := newPhrases(request)
	tables := make([][]*table, len(docs))
	for i, d := range docs {
		if !countable(d.Document) {
			continue
		}
		for _, t := range tablesOf(d.Document) {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("count rows of %s: %w", d.Name, err)
			}
			if t.count(wanted); !t.headless() {
				tables[i] = append(tables[i], t)
			}
		}
	}
	if asks.Conditional(request) { // "not", "more than": what a column has is all that is certain
		for i, list := range tables {
			out[i] = joined(list, func(t *table) string {
				if said := t.values(wanted, nil); len(said) > 0 {
					return t.headed(said)
				}
				return ""
			})
		}
		return out, nil
	}
	filters := agreed(slices.Concat(tables...), wanted)
	either := asks.Either(request)
	for i, list := range tables {
		out[i] = joined(list, func(t *table) string { return t.describe(filters, wanted, either) })
	}
	return out, nil
}

// countable reports whether a document's tables are those of its file, and all of them.
func countable(d parse.Document) bool {
	return !d.Partial && len(d.Warnings) == 0 && d.MediaType != "application/pdf" && !strings.HasPrefix(d.MediaType, "image/")
}

// phrases are the runs of words of a request that may be values of a table.
type phrases struct {
	written string
	request string          // in lower case
	words   map[string]bool // runs of words as asks.Words has them
}

// longestValue is how many words, or characters of a script without spaces, a
// value may have.
const longestValue = 8

func newPhrases(request string) *phrases {
	p := &phrases{written: request, request: strings.ToLower(request), words: map[string]bool{}}
	fields := strings.Fields(asks.Words(request))
	for i := range fields {
		for n := 1; n <= longestValue && i+n <= len(fields); n++ {
			p.words[strings.Join(fields[i:i+n], " ")] = true
		}
		for _, run := range unspacedRuns(fields[i]) {
			p.words[run] = true
		}
	}
	return p
}

// unspacedRuns are the runs of two or more characters of a word in Chinese,
// Japanese or Korean script.
func unspacedRuns(word string) []string {
	r := []rune(word)
	if !slices.ContainsFunc(r, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	}) {
		return nil
	}
	var runs []string
	for i := range r {
		for n := 2; n <= longestValue && i+n <= len(r); n++ {
			runs = append(runs, string(r[i:i+n]))
		}
	}
	return runs
}

// names reports whether the request has a cell's text, or a column's name, as it
// is written but for case.
func (p *phrases) names(cell string) bool {
	if !p.words[asks.Words(cell)] {
		return false
	}
	cell = strings.ToLower(cell)
	for at := 0; ; {
		i := strings.Index(p.request[at:], cell)
		if i < 0 {
			return false
		}
		i += at
		if p.bounded(i, i+len(cell)) {
			return true
		}
		at = i + 1
		for at < len(p.request) && !utf8.RuneStart(p.request[at]) {
			at++
		}
	}
}

// bounded reports whether a range of the request begins and ends with words.
func (p *phrases) bounded(start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(p.request[:start])
	after, _ := utf8.DecodeRuneInString(p.request[end:])
	first, _ := utf8.DecodeRuneInString(p.request[start:end])
	if unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		return true
	}
	letter := func(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r)) }
	return !letter(before) && !letter(after)
}

// filter is a value in a column.
type filter struct {
	column string
	value  string // in lower case
	shown  string // as it is written somewhere
}

// agreed are the filters that a request names without doubt, over all tables:
// each value in columns of one name alone.
func agreed(tables []*table, wanted *phrases) []filter {
	columns, shown := map[string][]string{}, map[string]string{} // by value
	for _, t := range tables {
		for key, value := range t.found {
			if was, ok := shown[key.value]; !ok || value < was {
				shown[key.value] = value
			}
			name := t.columns[key.column]
			if !slices.Contains(columns[key.value], name) {
				columns[key.value] = append(columns[key.value], name)
			}
		}
	}
	var filters []filter
	for value, names := range columns {
		named := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !wanted.namesColumn(name) })
		switch {
		case len(named) == 1 && inAll(tables, value, named[0]):
			filters = append(filters, filter{named[0], value, shown[value]})
		case len(names) == 1 && plain(value):
			filters = append(filters, filter{names[0], value, shown[value]})
		case len(names) > 1 && plain(value):
			return nil // which of them is meant is not certain, so nothing is
		}
	}
	filters = slices.DeleteFunc(filters, func(f filter) bool {
		return slices.ContainsFunc(filters, func(o filter) bool {
			return o.value != f.value && strings.Contains(" "+asks.Words(o.value)+" ", " "+asks.Words(f.value)+" ")
		})
	})
	if wanted.leftOver(filters) || wanted.partOfName(filters) {
		return nil
	}
	slices.SortFunc(filters, func(a, b filter) int { return strings.Compare(a.column+"\x00"+a.value, b.column+"\x00"+b.value) })
	return filters
}

// inAll reports whether every table that has a value has the column, too.
func inAll(tables []*table, value, column string) bool {
	return !slices.ContainsFunc(tables, func(t *table) bool {
		for key := range t.found {
			if key.value == value && !slices.Contains(t.columns, column) {
				return true
			}
		}
		return false
	})
}

// partOfName reports whether a value has a name's other word beside it in the
// request, as York has in "New York": a word with a capital letter that is
// neither the first of the request nor a value or column itself.
func (p *phrases) partOfName(filters []filter) bool {
	known := map[string]bool{}
	for _, f := range filters {
		for word := range strings.FieldsSeq(asks.Words(f.value + " " + f.column)) {
			known[word] = true
		}
	}
	fields := strings.Fields(p.written)
	for i, word := range fields {
		first, _ := utf8.DecodeRuneInString(word)
		if i == 0 || !unicode.IsUpper(first) || known[asks.Words(word)] {
			continue
		}
		for _, f := range filters {
			value := asks.Words(f.value)
			after, before := asks.Words(strings.Join(fields[i+1:], " ")), asks.Words(strings.Join(fields[:i], " "))
			if strings.HasPrefix(after+" ", value+" ") || strings.HasSuffix(" "+before, " "+value) && !ends(fields[i-1]) {
				return true
			}
		}
	}
	return false
}

// ends reports whether a word has punctuation after it, which ends a name.
func ends(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	return unicode.IsPunct(last)
}

// namesColumn reports whether the request has the name of a column, or its plural.
func (p *phrases) namesColumn(name string) bool {
	words := asks.Words(name)
	return words != "" && (p.words[words] || p.words[words+"s"] || p.words[words+"es"] || p.words[words+"n"] || p.words[words+"en"])
}

// plain reports whether a value is one by itself: without its column's name a
// number or a word of up to three letters may mean anything.
func plain(value string) bool {
	letters := 0
	for _, r := range value {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			letters += 2
		case unicode.IsLetter(r):
			letters++
		}
	}
	return letters > 3
}

// leftOver reports whether the request has a number that no filter accounts for.
func (p *phrases) leftOver(filters []filter) bool {
	rest := p.request
	for _, f := range filters {
		rest = strings.ReplaceAll(rest, strings.ToLower(f.value), " ")
	}
	return strings.ContainsFunc(rest, unicode.IsNumber)
}

// joined is what is said of the tables of a document.
func joined(tables []*table, say func(*table) string) string {
	var lines []string
	for _, t := range tables {
		if line := say(t); line != "" && len(lines) < mostTables {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// fewRows is how many rows a table has that nothing needs to be said of where
// the request names no value of any; mostTables is how many tables are described.
const (
	fewRows    = 10
	mostTables = 20
)

// describe says how many rows of a table pass the filters whose columns it has,
// and what is in other columns that the request names. Several values of one
// column are counted each, and so are all where the request asks for either.
func (t *table) describe(filters []filter, wanted *phrases, either bool) string {
	var mine []filter
	seen := map[string]bool{}
	each := false
	for _, f := range filters {
		if slices.Contains(t.columns, f.column) {
			mine = append(mine, f)
			each = each || seen[f.column]
			seen[f.column] = true
		}
	}
	each = each || either && len(mine) > 1
	said := t.values(wanted, mine)
	switch {
	case len(mine) == 0 && len(said) == 0 && (len(filters) > 0 || t.rows < fewRows):
		return ""
	case each:
		said = append(t.alone(mine, len(seen)), said...)
	case len(mine) > 0:
		said = slices.Insert(said, 0, t.sentence("Of these", mine))
	}
	return t.headed(said)
}

// alone says how many rows each filter has by itself and, where they are of as
// many columns, how many have all: whoever adds them up has these twice.
func (t *table) alone(filters []filter, columns int) (said []string) {
	for _, f := range filters {
		said = append(said, t.sentence("Of the "+rows(t.rows), []filter{f}))
	}
	if columns == len(filters) {
		said = append(said, t.sentence("Of the "+rows(t.rows), filters))
	}
	return said
}

// headed is what is said of a table, after the number of its rows.
func (t *table) headed(said []string) string {
	head := fmt.Sprintf("%s has %s below its header.", t.name, rows(t.rows))
	return strings.Join(append([]string{head}, said...), " ")
}

// fewValues is how many values of a column are given with their rows.
const fewValues = 12

// values says how many rows have each value of the columns that the request
// names and no filter uses, where they are few and repeat.
func (t *table) values(wanted *phrases, used []filter) (said []string) {
	for i, name := range t.columns {
		if !wanted.namesColumn(name) || slices.ContainsFunc(used, func(f filter) bool { return f.column == name }) {
			continue
		}
		if list := t.valuesOf(i); len(list) > 0 {
			said = append(said, fmt.Sprintf("Over all %s, the column %s has %s.", rows(t.rows), strconv.Quote(name), strings.Join(list, ", ")))
		}
	}
	return said
}

// valuesOf lists a column's values with their rows, whatever their case, in
// order; none where they are many, or each is there once.
func (t *table) valuesOf(column int) (list []string) {
	count, shown := map[string]int{}, map[string]string{}
	for line := range strings.Lines(t.body) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		value := ""
		if cells := cellsOf(line); column < len(cells) {
			value = cells[column]
		}
		key := strings.ToLower(value)
		if was, ok := shown[key]; !ok || value < was {
			shown[key] = value
		}
		if count[key]++; len(count) > fewValues {
			return nil
		}
	}
	if len(count) == t.rows {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(count)) {
		value := "no value"
		if key != "" {
			value = strconv.Quote(shown[key])
		}
		list = append(list, value+" in "+rows(count[key]))
	}
	return list
}

// sentence is the count of rows, of those named, for filters that hold together.
func (t *table) sentence(of string, filters []filter) string {
	var conditions []string
	for _, f := range filters {
		conditions = append(conditions, fmt.Sprintf("%s in the column %s", strconv.Quote(f.shown), strconv.Quote(f.column)))
	}
	return fmt.Sprintf("%s, %s %s (the whole cell, whatever its case).", of, has(t.where(filters)), strings.Join(conditions, " and "))
}

func has(n int) string {
	if n == 1 {
		return "1 row has"
	}
	return plural.Grouped(n) + " rows have"
}

func rows(n int) string {
	if n == 1 {
		return "1 row"
	}
	return plural.Grouped(n) + " rows"
}
