package pdf_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
)

var converted = flag.String("converted", "", "with -figures: folder of PDFs that an office program made of docling's documents")

// structure is how much of a document's known structure was found.
type structure struct {
	cells, foundCells, ourCells int
	tables, foundTables         int // of the ground truth, and those of them that one of ours covers
	ourTables, trueTables       int // ours, and those of them that are one of the ground truth's
	headings, foundHeadings     int
	marked                      int // headings we marked
}

func (s *structure) add(o *structure) {
	s.cells, s.foundCells, s.ourCells = s.cells+o.cells, s.foundCells+o.foundCells, s.ourCells+o.ourCells
	s.tables, s.foundTables = s.tables+o.tables, s.foundTables+o.foundTables
	s.ourTables, s.trueTables = s.ourTables+o.ourTables, s.trueTables+o.trueTables
	s.headings, s.foundHeadings, s.marked = s.headings+o.headings, s.foundHeadings+o.foundHeadings, s.marked+o.marked
}

func (s *structure) String() string {
	return fmt.Sprintf("tables found %d of %d (%.3f), true %d of ours %d (%.3f); cells found %d of %d (recall %.3f), of ours %d (precision %.3f); headings found %d of %d (recall %.3f, precision %.3f)",
		s.foundTables, s.tables, ratio(s.foundTables, s.tables), s.trueTables, s.ourTables, ratio(s.trueTables, s.ourTables),
		s.foundCells, s.cells, ratio(s.foundCells, s.cells), s.ourCells, ratio(s.foundCells, s.ourCells),
		s.foundHeadings, s.headings, ratio(s.foundHeadings, s.headings), ratio(s.foundHeadings, s.marked))
}

// TestStructure prints how many tables, cells of tables and headings of
// docling's ground truth are found, and how many of those we mark are there.
// Contents with leaders, which docling calls a table, are none here; the second
// line of a set counts them.
func TestStructure(t *testing.T) {
	if !*figures {
		t.Skip("run with -figures")
	}
	p := parser(t)
	for _, set := range structureSets(t) {
		var sum, all structure
		files := 0
		for _, pair := range set.pairs {
			truth, err := os.ReadFile(pair[1])
			require.NoError(t, err)
			data, err := os.ReadFile(pair[0])
			require.NoError(t, err)
			doc, err := p.Parse(context.Background(), parse.File{Name: filepath.Base(pair[0]), Data: data}, nil)
			if err != nil {
				t.Logf("%s: %v", pair[0], err)
				continue
			}
			s := compare(withoutContents(string(truth)), doc)
			files++
			if *each && s.tables+s.ourTables+s.headings+s.marked > 0 {
				t.Logf("%-45s %v", filepath.Base(pair[0]), &s)
			}
			sum.add(&s)
			s = compare(string(truth), doc)
			all.add(&s)
		}
		t.Logf("%s: %d files, %v", set.name, files, &sum)
		t.Logf("%s, contents as tables: cells found %d of %d (%.3f)", set.name, all.foundCells, all.cells, ratio(all.foundCells, all.cells))
	}
}

func ratio(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

type structureSet struct {
	name  string
	pairs [][2]string // a PDF and its ground truth
}

// structureSets pairs PDFs with docling's ground truth.
func structureSets(t *testing.T) []structureSet {
	t.Helper()
	root, err := filepath.EvalSymlinks(refdata.Path(t, "documents"))
	require.NoError(t, err)
	sets := []structureSet{{"docling's PDFs", pairs(filepath.Join(root, "docling/files/pdf/sources"), filepath.Join(root, "docling/gt/pdf/groundtruth"), ".md")}}
	if *converted != "" {
		for _, kind := range []string{"docx", "html"} {
			sets = append(sets, structureSet{kind + " converted", pairs(filepath.Join(*converted, kind), filepath.Join(root, "docling/gt", kind, "groundtruth"), "."+kind+".md")})
		}
	}
	return sets
}

func pairs(dir, truths, suffix string) (out [][2]string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.pdf")) // the pattern is well formed
	for _, f := range files {
		truth := filepath.Join(truths, strings.TrimSuffix(filepath.Base(f), ".pdf")+suffix)
		if _, err := os.Stat(truth); err == nil {
			out = append(out, [2]string{f, truth})
		}
	}
	return out
}

// compare counts what of the ground truth's tables and headings is in doc.
func compare(truth string, doc parse.Document) (s structure) {
	var mine [][]string
	ours := map[string]int{}
	for _, part := range doc.Sections {
		switch part.Kind {
		case parse.Table:
			mine = append(mine, parted(tablesOf(doc.Text[part.Start:part.End]), nil)...)
		case parse.Heading:
			ours[plain(part.Label)]++
			s.marked++
		default:
		}
	}
	theirs := parted(tablesOf(truth), slices.Concat(mine...))
	s.cells, s.ourCells = len(slices.Concat(theirs...)), len(slices.Concat(mine...))
	s.foundCells = common(slices.Concat(theirs...), slices.Concat(mine...))
	s.tables, s.ourTables = len(theirs), len(mine)
	s.foundTables, s.trueTables = covered(theirs, mine), covered(mine, theirs)
	for line := range strings.SplitSeq(truth, "\n") {
		if strings.HasPrefix(line, "#") {
			s.headings++
			s.foundHeadings += taken(ours, plain(strings.TrimLeft(line, "# ")))
		}
	}
	return s
}

// parted parts the cells of the ground truth that join what is in several
// rows of the table, as docling's do where no rule parts these rows, if each
// part is a cell of ours.
func parted(tables [][]string, ours []string) [][]string {
	for i, table := range tables {
		var out []string
		for _, c := range table {
			parts := strings.Fields(c)
			for j := range parts {
				parts[j] = plain(parts[j])
			}
			if !slices.Contains(ours, plain(c)) && common(parts, ours) == len(parts) {
				out = append(out, parts...)
				continue
			}
			out = append(out, plain(c))
		}
		tables[i] = out
	}
	return tables
}

// covered counts the tables of which one of others has at least half, by the
// letters of their cells, however these are parted.
func covered(tables, others [][]string) (n int) {
	for _, table := range tables {
		letters := runes(table)
		if slices.ContainsFunc(others, func(o []string) bool { return 2*common(letters, runes(o)) >= len(letters) }) {
			n++
		}
	}
	return n
}

// runes are the pairs of letters that follow each other in cells.
func runes(cells []string) (out []string) {
	for _, c := range cells {
		r := []rune(c)
		for i := range r {
			out = append(out, string(r[i:min(i+2, len(r))]))
		}
	}
	return out
}

// common counts the texts that a and b share.
func common(a, b []string) (n int) {
	have := map[string]int{}
	for _, s := range b {
		have[s]++
	}
	for _, s := range a {
		n += taken(have, s)
	}
	return n
}

// tablesOf returns the cells of each Markdown table of a text.
func tablesOf(s string) (out [][]string) {
	inside := false
	for line := range strings.SplitSeq(s, "\n") {
		cells := cellsOf(line)
		bar := strings.HasPrefix(strings.TrimSpace(line), "|")
		switch {
		case bar && !inside:
			out = append(out, cells)
		case bar:
			out[len(out)-1] = append(out[len(out)-1], cells...)
		}
		inside = bar
	}
	return out
}

// withoutContents drops the rows of tables that end in the leaders of a table
// of contents.
func withoutContents(truth string) string {
	lines := strings.Split(truth, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "|") && strings.Contains(l, ". . . .")
	}), "\n")
}

func taken(from map[string]int, what string) int {
	if from[what] == 0 {
		return 0
	}
	from[what]--
	return 1
}

// cellsOf returns the cells of a line of a Markdown table that have text.
func cellsOf(line string) (out []string) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	for c := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		if strings.Trim(plain(c), "-:") != "" {
			out = append(out, c)
		}
	}
	return out
}

// plain is a text without white space, emphasis, escapes and the dots of a table of contents.
func plain(s string) string {
	s = strings.NewReplacer(`\_`, "", "_", "", "*", "", `\`, "", "<br>", "", "&amp;", "&", "&lt;", "<", "&gt;", ">", ".", "").Replace(s)
	return strings.Join(strings.Fields(s), "")
}
