package office

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"

	"inlay/fault"
	"inlay/internal/mediatype"
	"inlay/parse"
	"inlay/parse/zipfile"
)

// XLSX reads Excel workbooks, one section a sheet: each stretch of rows between
// blank rows is a table, values as Excel shows them, comments after them.
func XLSX(limits parse.Limits) parse.Parser { return xlsxParser{limits.WithDefaults()} }

type xlsxParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p xlsxParser) Info() parse.Info {
	return parse.Info{
		Name: "xlsx", Version: "4", Library: "xuri/excelize",
		MediaTypes: []string{mediatype.XLSX},
		Extensions: []string{".xlsx", ".xlsm", ".xltx", ".xltm"},
	}
}

// Parse implements [parse.Parser].
func (p xlsxParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	a, err := p.check(ctx, f)
	if err != nil {
		return parse.Document{}, err
	}
	parts, err := sheetParts(ctx, a)
	if err != nil {
		return parse.Document{}, err
	}
	book, err := excelize.OpenReader(bytes.NewReader(f.Data), excelize.Options{
		UnzipSizeLimit: p.limits.ZipTotal, UnzipXMLSizeLimit: p.limits.ZipTotal, // equal: nothing is spilled to disk
	})
	if err != nil {
		return parse.Document{}, &fault.Error{Code: fault.Corrupt, Reason: "it is not a workbook that can be read", Next: "open and save it again in Excel", Err: err}
	}
	defer func() { _ = book.Close() }()
	w := workbook{book: book, archive: a, parts: parts, limits: p.limits, b: &parse.Builder{Limit: p.limits.Text}}
	sheets := book.GetSheetList()
	for i, name := range sheets {
		if err := w.sheet(ctx, i+1, name); err != nil {
			return parse.Document{}, err
		}
		report.Tell(float64(i+1) / float64(len(sheets)))
	}
	if !w.anything {
		return parse.Document{}, nil
	}
	d, err := w.b.Document()
	d.Warnings = w.allWarnings()
	return d, err
}

// check reads every part once under the zip limits, which excelize does not keep.
func (p xlsxParser) check(ctx context.Context, f parse.File) (*zipfile.Archive, error) {
	a, err := container(f, p.limits)
	if err != nil {
		return nil, err
	}
	for _, name := range a.Names() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := optional(a, name); err != nil {
			return nil, err
		}
	}
	return zipfile.Open(f.Data, p.limits.Zip()) // what is read from here on counts again
}

// workbook is an Excel file being read.
type workbook struct {
	book     *excelize.File
	archive  *zipfile.Archive
	parts    map[string]string // entries by sheet name
	limits   parse.Limits
	b        *parse.Builder
	cells    int
	bare     int  // formulas without results
	anything bool // some cell has text: sheet names alone are no content
	warnings []parse.Warning
}

// sheet adds one sheet under its name.
func (w *workbook) sheet(ctx context.Context, number int, name string) error {
	w.b.Open(parse.Section{Kind: parse.Sheet, Number: number, Label: name})
	defer w.b.Close()
	w.b.Heading(1, name)
	rows, err := w.rows(ctx, name)
	if err != nil {
		return err
	}
	data, err := optional(w.archive, w.parts[name])
	if err != nil {
		return err
	}
	if err := w.showFormulas(&rows, bareFormulas(data, w.limits.Cells)); err != nil {
		return err
	}
	rows.spread(mergedRanges(data), w.limits.Span)
	w.anything = emitRegions(w.b, rows) || w.anything
	charts, err := sheetCharts(ctx, w.archive, w.parts[name], w.limits.Cells)
	if err != nil {
		return err
	}
	for _, c := range charts {
		c.emit(w.b)
		w.anything = true
	}
	return w.comments(ctx, name)
}

// comments adds what was said about the cells of a sheet. Threads are in a
// part of their own, and once more, with a notice, where old programs look.
func (w *workbook) comments(ctx context.Context, name string) error {
	said, err := threads(ctx, w.archive, w.parts[name])
	if err != nil {
		return err
	}
	old, err := w.book.GetComments(name)
	if err != nil {
		old = nil // a sheet whose comments cannot be read still has its cells
	}
	for _, c := range old {
		if len(said) == 0 || !strings.HasPrefix(c.Author, "tc=") {
			w.remark(remark{place: c.Cell, author: c.Author, text: commentText(c)})
		}
	}
	for _, r := range said {
		w.remark(r)
	}
	return w.b.Err()
}

// rows reads the rows of a sheet; a run of blank ones is one. Chart sheets have none.
func (w *workbook) rows(ctx context.Context, name string) (sheetRows, error) {
	var s sheetRows
	it, err := w.book.Rows(name)
	if err != nil {
		return s, nil
	}
	defer func() { _ = it.Close() }()
	blank := false
	for number := 1; it.Next(); number++ {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		row, err := it.Columns()
		if err != nil {
			w.warnings = append(w.warnings, parse.Warning{Code: parse.WarnDamaged, Message: fmt.Sprintf("sheet %d is damaged: only a part of it was read", len(w.warnings)+1)})
			return s, nil
		}
		if w.cells += len(row); w.cells > w.limits.Cells {
			return s, tooManyCells(w.limits.Cells)
		}
		was := blank
		if blank = strings.TrimSpace(strings.Join(row, "")) == ""; blank && was {
			continue
		}
		s.rows, s.numbers = append(s.rows, row), append(s.numbers, number)
	}
	return s, nil
}

func (w *workbook) remark(r remark) {
	w.anything = true
	w.b.Block(parse.Paragraph, "comment", r.label()+r.text)
}
