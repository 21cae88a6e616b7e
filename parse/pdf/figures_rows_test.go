package pdf_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
)

// statement is a row of a statement as pdftotext -layout shows it: a label, and
// the numbers to its right.
type statement struct{ label, numbers []string }

// rowCount is how many statement rows of a document are whole in one line of
// ours, and how many of them in a table.
type rowCount struct{ all, whole, table int }

// TestRows prints how many rows of the filings' statements keep their label and
// their numbers in one line: go test -run TestRows ./parse/pdf -figures -v
func TestRows(t *testing.T) {
	if !*figures {
		t.Skip("run with -figures")
	}
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed: scripts/install-poppler")
	}
	p := parser(t)
	var sum rowCount
	files, err := filepath.Glob(filepath.Join(refdata.Path(t, "retrieval/filings/docs"), "*.pdf"))
	require.NoError(t, err)
	for _, path := range slices.Concat(files, documents(t)) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		doc, err := p.Parse(context.Background(), parse.File{Name: filepath.Base(path), Data: data}, nil)
		if err != nil {
			continue
		}
		layout, _ := used(tool, "-layout", path, "-")
		n := countRows(t, doc, strings.Split(layout, "\f"))
		if *each && n.all > 0 {
			t.Logf("%-50s rows %5d whole %.3f in tables %.3f", filepath.Base(path), n.all, ratio(n.whole, n.all), ratio(n.table, n.all))
		}
		sum = rowCount{sum.all + n.all, sum.whole + n.whole, sum.table + n.table}
	}
	t.Logf("statement rows %d, whole %d (%.4f), in tables %d (%.4f)", sum.all, sum.whole, ratio(sum.whole, sum.all), sum.table, ratio(sum.table, sum.all))
}

// countRows looks for the statement rows of each page among ours.
func countRows(t *testing.T, doc parse.Document, pages []string) (n rowCount) {
	t.Helper()
	for _, s := range doc.Sections {
		if s.Kind != parse.Page || s.Number > len(pages) {
			continue
		}
		var lines [][]string
		var table []bool
		for line := range strings.SplitSeq(doc.Text[s.Start:s.End], "\n") {
			lines = append(lines, bareFields(line))
			table = append(table, strings.HasPrefix(line, "|"))
		}
		for line := range strings.SplitSeq(pages[s.Number-1], "\n") {
			row, ok := statementOf(line)
			if !ok {
				continue
			}
			n.all++
			at := slices.IndexFunc(lines, row.standsIn)
			if at < 0 {
				if *each {
					t.Logf("  page %d: %q %q", s.Number, row.label, row.numbers)
				}
				continue
			}
			n.whole++
			if table[at] {
				n.table++
			}
		}
	}
	return n
}

// statementOf reads a line of pdftotext -layout as a label and at least two
// numbers that wide gaps part.
func statementOf(line string) (s statement, ok bool) {
	if hasDots(line) {
		return s, false
	}
	for i, part := range strings.Split(line, "  ") {
		for _, w := range bareFields(part) {
			switch {
			case isAmount(w):
				if i == 0 || len(s.label) == 0 {
					return s, false
				}
				s.numbers = append(s.numbers, w)
			case len(s.numbers) > 0:
				return s, false
			default:
				s.label = append(s.label, w)
			}
		}
	}
	return s, len(s.numbers) >= 2 && len(s.label) > 0 && strings.IndexFunc(strings.Join(s.label, ""), unicode.IsLetter) >= 0
}

func hasDots(line string) bool {
	return strings.Contains(line, "....") || strings.Contains(line, ". . .")
}

// isAmount reports whether a word is a number or a dash for none.
func isAmount(w string) bool {
	return strings.ContainsAny(w, "0123456789") && strings.Trim(w, "0123456789.,-") == "" || strings.Trim(w, "—–-") == ""
}

// bareFields splits a line without the signs that are beside amounts.
func bareFields(line string) []string {
	return strings.Fields(strings.NewReplacer("|", " ", "$", " ", "%", " ", "(", " ", ")", " ", "€", " ", "£", " ").Replace(line))
}

// standsIn reports whether a line has the label and, after it, the numbers.
func (s statement) standsIn(line []string) bool {
	at := indexOf(line, s.label)
	return at >= 0 && indexOf(line[at+len(s.label):], s.numbers) >= 0
}

// indexOf returns where part begins in all, -1 if it is not there.
func indexOf(all, part []string) int {
	for i := 0; i+len(part) <= len(all); i++ {
		if slices.Equal(all[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}
