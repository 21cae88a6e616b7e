package plain

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"inlay/fault"
	"inlay/internal/mdtable"
	"inlay/parse"
)

// CSV reads values separated by commas, semicolons, tabs or bars. The document is
// one Markdown table whose header is the file's first row.
func CSV(limits parse.Limits) parse.Parser {
	return csvParser{limits}
}

type csvParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p csvParser) Info() parse.Info {
	return parse.Info{
		Name: "csv", Version: "3", Library: "encoding/csv",
		MediaTypes: []string{"text/csv", "text/tab-separated-values"},
		Extensions: []string{".csv", ".tsv", ".tab"},
	}
}

// Parse implements [parse.Parser].
func (p csvParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	d, err := decode(ctx, f, p.limits)
	if err != nil {
		return parse.Document{}, err
	}
	separator, skip := dialect(d.Text)
	d.Text = d.Text[skip:]
	columns, err := countColumns(ctx, d.Text, separator)
	if err != nil {
		return parse.Document{}, err
	}
	source := d.Text
	t := csvTable{columns: columns}
	err = eachRow(ctx, source, separator, func(row []string, number int, read int64) {
		t.add(row, number)
		report.Tell(float64(read) / float64(len(source)))
	})
	if err != nil {
		return parse.Document{}, err
	}
	d.Text, d.Sections = t.document()
	if separator == '\t' {
		d.MediaType = "text/tab-separated-values"
	}
	return d, nil
}

// isTitle reports whether a row above the table's header says what it is about:
// exports put a title, the date and remarks there, each in the first cell.
func isTitle(row []string, columns int) bool {
	return strings.TrimSpace(row[0]) != "" && blank(row[1:]) && (columns > 2 || columns == 2 && len(row) == 1)
}

// csvTable is the document being made of rows: titles above a table.
type csvTable struct {
	columns      int
	above, table strings.Builder
	titles, body parse.Section
	nTitles, n   int // lines of each
}

// add takes a row with its number in the file. Blank ones are left out.
func (t *csvTable) add(row []string, number int) {
	switch {
	case blank(row):
		return
	case t.n == 0 && isTitle(row, t.columns):
		t.above.WriteString(strings.Join(strings.Fields(row[0]), " ") + "\n")
		t.titles.MarkRow(t.nTitles, number)
		t.nTitles++
		return
	}
	mdtable.WriteRow(&t.table, row, t.columns)
	t.body.MarkRow(t.n, number)
	t.n++
	if t.n == 1 {
		t.table.WriteString("|" + strings.Repeat(" --- |", t.columns) + "\n")
		t.n++
	}
}

// document puts the titles before the table.
func (t *csvTable) document() (text string, sections []parse.Section) {
	above, table := strings.TrimSuffix(t.above.String(), "\n"), strings.TrimSuffix(t.table.String(), "\n")
	t.titles.Kind, t.titles.End = parse.Paragraph, len(above)
	t.body.Kind, t.body.End = parse.Table, len(table)
	switch {
	case above == "":
		return table, []parse.Section{t.body}
	case table == "":
		return above, []parse.Section{t.titles}
	}
	const gap = "\n\n"
	t.body.Start += len(above) + len(gap)
	t.body.End += len(above) + len(gap)
	return above + gap + table, []parse.Section{t.titles, t.body}
}

// countColumns finds the widest row.
func countColumns(ctx context.Context, text string, separator rune) (columns int, err error) {
	err = eachRow(ctx, text, separator, func(row []string, _ int, _ int64) {
		n := len(row)
		for n > 0 && strings.TrimSpace(row[n-1]) == "" {
			n--
		}
		columns = max(columns, n)
	})
	if err == nil && columns > maxColumns {
		err = &fault.Error{Code: fault.LimitExceeded, Reason: "a row has more than 16,384 columns", Next: "check that it is a table"}
	}
	return columns, err
}

// maxColumns is what spreadsheets allow.
const maxColumns = 16_384

// eachRow calls f with every row, its number as spreadsheets count, blank lines
// included, and the bytes read so far. The row is reused.
func eachRow(ctx context.Context, text string, separator rune, f func(row []string, number int, read int64)) error {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = separator, true, -1, true
	number := 0
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		number += blankLines(text[r.InputOffset():]) + 1
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &fault.Error{Code: fault.Corrupt, Reason: "it is not a table of separated values", Next: "attach it as .txt", Err: err}
		}
		f(row, number, r.InputOffset())
	}
}

// blankLines counts the empty lines that text begins with: the reader skips them,
// spreadsheets show them.
func blankLines(text string) int {
	for n := 0; ; n++ {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "\r"), "\n")
		if !ok {
			return n
		}
		text = rest
	}
}

func blank(row []string) bool {
	for _, cell := range row {
		if strings.TrimSpace(cell) != "" {
			return false
		}
	}
	return true
}

// dialectRows is how many rows the choice of separator looks at.
const dialectRows = 100

// dialect chooses the separator that gives the most rows the same number of
// columns, at least two; a comma if none does. skip is the length of the line
// "sep=;" that some spreadsheets put first.
func dialect(text string) (separator rune, skip int) {
	if line, _, ok := strings.Cut(text, "\n"); ok && len(strings.TrimRight(line, "\r")) == 5 && strings.HasPrefix(line, "sep=") && strings.ContainsAny(line[4:5], ",;|\t") {
		return rune(line[4]), len(line) + 1
	}
	sample := head(text, dialectRows)
	best, bestScore := ',', 0.0
	for _, separator := range []rune{',', '\t', ';', '|'} {
		if s := regularity(sample, separator); s > bestScore {
			best, bestScore = separator, s
		}
	}
	return best, 0
}

// regularity is the share of rows with the commonest number of columns, plus a
// little for more columns; 0 when most rows have a single one.
func regularity(sample string, separator rune) float64 {
	r := csv.NewReader(strings.NewReader(sample))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = separator, true, -1, true
	widths := map[int]int{}
	rows, common := 0, 1
	for {
		row, err := r.Read()
		if err != nil {
			break
		}
		rows++
		widths[len(row)]++
		if n := widths[len(row)]; n > widths[common] || n == widths[common] && len(row) > common {
			common = len(row)
		}
	}
	if rows == 0 || common < 2 {
		return 0
	}
	return float64(widths[common])/float64(rows) + min(float64(common), 50)/1000
}

// head returns the first n lines.
func head(text string, n int) string {
	at := 0
	for range n {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return text
		}
		at += i + 1
	}
	return text[:at]
}
