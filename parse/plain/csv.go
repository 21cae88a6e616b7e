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

// CSV reads values parted by commas, semicolons, tabs or bars. The document is
// one Markdown table whose header is the file's first row.
func CSV(limits parse.Limits) parse.Parser {
	return csvParser{limits}
}

type csvParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p csvParser) Info() parse.Info {
	return parse.Info{
		Name: "csv", Version: "2", Library: "encoding/csv",
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
	var b, above strings.Builder
	first := true
	err = eachRow(ctx, source, separator, func(row []string, read int64) {
		if blank(row) {
			return
		}
		if first && isTitle(row, columns) {
			above.WriteString(strings.TrimSpace(row[0]) + "\n")
			return
		}
		mdtable.WriteRow(&b, row, columns)
		if first {
			b.WriteString("|" + strings.Repeat(" --- |", columns) + "\n")
			first = false
		}
		report.Tell(float64(read) / float64(len(source)))
	})
	if err != nil {
		return parse.Document{}, err
	}
	d.Text, d.Sections = laid(strings.TrimSuffix(above.String(), "\n"), strings.TrimSuffix(b.String(), "\n"))
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

// laid puts the lines above a table before it.
func laid(above, table string) (text string, sections []parse.Section) {
	if above == "" {
		return table, []parse.Section{{Kind: parse.Table, End: len(table)}}
	}
	sections = []parse.Section{{Kind: parse.Paragraph, End: len(above)}}
	if table == "" {
		return above, sections
	}
	text = above + "\n\n" + table
	return text, append(sections, parse.Section{Kind: parse.Table, Start: len(above) + 2, End: len(text)})
}

// countColumns finds the widest row.
func countColumns(ctx context.Context, text string, separator rune) (columns int, err error) {
	err = eachRow(ctx, text, separator, func(row []string, _ int64) {
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

// eachRow calls f with every row and the bytes read so far. The row is reused.
func eachRow(ctx context.Context, text string, separator rune, f func(row []string, read int64)) error {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = separator, true, -1, true
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &fault.Error{Code: fault.Corrupt, Reason: "it is no table of separated values", Next: "attach it as .txt", Err: err}
		}
		f(row, r.InputOffset())
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
