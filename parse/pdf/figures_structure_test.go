package pdf_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
)

var converted = flag.String("converted", "", "with -figures: folder of PDFs that an office program made of docling's documents")

// structure is how much of a document's known structure was found.
type structure struct {
	cells, foundCells       int
	headings, foundHeadings int
	marked                  int // headings we marked
}

// TestStructure prints how many cells of tables and how many headings of
// docling's ground truth are found.
func TestStructure(t *testing.T) {
	if !*figures {
		t.Skip("run with -figures")
	}
	p := parser(t)
	for _, set := range structureSets(t) {
		var sum structure
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
			s := compare(string(truth), doc)
			files++
			if *each {
				t.Logf("%-45s cells %4d of %4d, headings %3d of %3d, marked %3d", filepath.Base(pair[0]), s.foundCells, s.cells, s.foundHeadings, s.headings, s.marked)
			}
			sum.cells += s.cells
			sum.foundCells += s.foundCells
			sum.headings += s.headings
			sum.foundHeadings += s.foundHeadings
			sum.marked += s.marked
		}
		t.Logf("%s: %d files, cells found %d of %d (%.3f), headings found %d of %d (recall %.3f, precision %.3f)", set.name, files,
			sum.foundCells, sum.cells, ratio(sum.foundCells, sum.cells), sum.foundHeadings, sum.headings,
			ratio(sum.foundHeadings, sum.headings), ratio(sum.foundHeadings, sum.marked))
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

// compare counts what of the ground truth's cells and headings is in doc.
func compare(truth string, doc parse.Document) (s structure) {
	mine := map[string]int{}
	ours := map[string]int{}
	for _, part := range doc.Sections {
		switch part.Kind {
		case parse.Table:
			for line := range strings.SplitSeq(doc.Text[part.Start:part.End], "\n") {
				for _, c := range cellsOf(line) {
					mine[c]++
				}
			}
		case parse.Heading:
			ours[plain(part.Label)]++
			s.marked++
		default:
		}
	}
	for line := range strings.SplitSeq(truth, "\n") {
		if strings.HasPrefix(line, "#") {
			s.headings++
			s.foundHeadings += taken(ours, plain(strings.TrimLeft(line, "# ")))
			continue
		}
		for _, c := range cellsOf(line) {
			s.cells++
			s.foundCells += taken(mine, c)
		}
	}
	return s
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
		if c = plain(c); strings.Trim(c, "-:") != "" {
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
