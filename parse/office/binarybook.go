package office

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/xuri/excelize/v2"

	"inlay/fault"
	"inlay/parse"
)

// binaryBook is a workbook in one of Excel's binary formats that is being read.
type binaryBook struct {
	b        *parse.Builder
	limits   parse.Limits
	strings  []string       // shared by all sheets
	formats  map[int]string // number formats by their id
	styles   []int          // id of the number format of each cell style
	is1904   bool           // dates count from 1904
	scratch  *sync.Pool     // of *numberFormats
	shown    *numberFormats
	cells    int
	anything bool
	warnings []parse.Warning
}

func newBinaryBook(limits parse.Limits, scratch *sync.Pool) *binaryBook {
	return &binaryBook{b: &parse.Builder{Limit: limits.Text}, limits: limits, formats: map[int]string{}, scratch: scratch}
}

// close hands the scratch workbook on to the next file.
func (k *binaryBook) close() {
	if k.shown != nil && len(k.shown.styles) < maxKeptStyles {
		k.scratch.Put(k.shown)
	}
}

// maxKeptStyles is how many styles a scratch workbook may have to be used again.
const maxKeptStyles = 500

// maxSheets bounds a workbook: all of them may say that they are at the same place.
const maxSheets = 2000

func tooManySheets() error {
	return &fault.Error{Code: fault.LimitExceeded, Reason: "it has more than " + itoa(maxSheets) + " sheets", Next: "split it, or save the sheet you need as CSV"}
}

// binarySheet is one sheet's cells and what was said about them.
type binarySheet struct {
	name    string
	rows    map[int][]string
	ranges  []merged
	remarks []remark
	boxes   []string // text boxes, headers and footers
}

// set puts a value into a cell; row and column count from 0.
func (k *binaryBook) set(s *binarySheet, row, column int, value string) error {
	if value == "" || row < 0 || column < 0 || column >= maxColumns {
		return nil
	}
	if s.rows == nil {
		s.rows = map[int][]string{}
	}
	cells := s.rows[row]
	if k.cells += max(1, column+1-len(cells)); k.cells > k.limits.Cells {
		return tooManyCells(k.limits.Cells)
	}
	if missing := column + 1 - len(cells); missing > 0 {
		cells = append(cells, make([]string, missing)...)
	}
	cells[column] = value
	s.rows[row] = cells
	return nil
}

// number shows a number as Excel does in a cell of that style.
func (k *binaryBook) number(value float64, style int) string {
	id := 0
	if style >= 0 && style < len(k.styles) {
		id = k.styles[style]
	}
	if k.shown == nil {
		k.shown, _ = k.scratch.Get().(*numberFormats)
	}
	if k.shown == nil {
		k.shown = &numberFormats{styles: map[numberFormat]int{}}
	}
	code := k.formats[id]
	if code != "" {
		id = 0
	}
	return k.shown.show(value, numberFormat{id, code, k.is1904})
}

// shared is the shared string of that number.
func (k *binaryBook) shared(n int) string {
	if n < 0 || n >= len(k.strings) {
		return ""
	}
	return k.strings[n]
}

// emit adds a sheet to the document.
func (k *binaryBook) emit(number int, s *binarySheet) error {
	k.b.Open(parse.Section{Kind: parse.Sheet, Number: number, Label: s.name})
	defer k.b.Close()
	k.b.Heading(1, s.name)
	var rows sheetRows
	for row, cells := range s.rows {
		rows.rows, rows.numbers = append(rows.rows, cells), append(rows.numbers, row+1)
	}
	rows.settle()
	rows.spread(s.ranges, k.limits.Span)
	k.anything = emitRegions(k.b, rows) || k.anything
	for _, r := range s.remarks {
		k.anything = true
		k.b.Block(parse.Paragraph, "comment", r.label()+r.text)
	}
	slices.Sort(s.boxes)
	for _, text := range slices.Compact(s.boxes) {
		k.anything = true
		k.b.Block(parse.Paragraph, "", text)
	}
	return k.b.Err()
}

// document is what was read; sheet names alone are no content.
func (k *binaryBook) document(ctx context.Context) (parse.Document, error) {
	if err := ctx.Err(); err != nil {
		return parse.Document{}, err
	}
	if !k.anything {
		return parse.Document{}, nil
	}
	d, err := k.b.Document()
	d.Warnings = k.warnings
	return d, err
}

// numberFormat is a built-in format by its id, or one by its code.
type numberFormat struct {
	id     int
	code   string
	is1904 bool
}

// numberFormats shows numbers by Excel's formats. A scratch workbook does it, so
// that they come out as those of an .xlsx file do.
type numberFormats struct {
	scratch *scratchBook
	styles  map[numberFormat]int
}

// scratchBook is a workbook with one cell. It is reached through functions: with the
// workbook as a field, the linker would keep all that excelize can do, formulas and
// charts included, since reflection could get at it.
type scratchBook struct {
	style func(numberFormat) (int, error)
	show  func(value float64, style int, is1904 bool) (string, error)
}

func newScratchBook() *scratchBook {
	book, set1904 := excelize.NewFile(), false
	const cell, sheet = "A1", "Sheet1"
	return &scratchBook{
		style: func(f numberFormat) (int, error) {
			s := &excelize.Style{NumFmt: f.id}
			if f.code != "" {
				s = &excelize.Style{CustomNumFmt: &f.code}
			}
			return book.NewStyle(s)
		},
		show: func(value float64, style int, is1904 bool) (string, error) {
			if set1904 != is1904 {
				set1904 = is1904
				if err := book.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &is1904}); err != nil {
					return "", err
				}
			}
			if err := book.SetCellFloat(sheet, cell, value, -1, 64); err != nil {
				return "", err
			}
			if err := book.SetCellStyle(sheet, cell, cell, style); err != nil {
				return "", err
			}
			return book.GetCellValue(sheet, cell)
		},
	}
}

// show formats a number.
func (n *numberFormats) show(value float64, f numberFormat) string {
	style, known := n.styles[f]
	if !known {
		style = n.style(f)
		n.styles[f] = style
	}
	if style == 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		return general(value)
	}
	text, err := n.scratch.show(value, style, f.is1904)
	if err != nil {
		return general(value)
	}
	return strings.TrimSpace(text)
}

// style makes a style of the scratch workbook; 0 for the format General.
func (n *numberFormats) style(f numberFormat) int {
	if f.code == "" && (f.id == 0 || f.id > 49) || strings.EqualFold(f.code, "General") || f.code == "@" {
		return 0
	}
	if n.scratch == nil {
		n.scratch = newScratchBook()
	}
	style, err := n.scratch.style(f)
	if err != nil {
		return 0
	}
	return style
}

// general shows a number as cells without a format do, to fifteen digits.
func general(value float64) string {
	if size := math.Abs(value); size != 0 && (size >= 1e15 || size < 1e-9) || math.IsNaN(value) {
		return strconv.FormatFloat(value, 'G', 15, 64)
	}
	text := strconv.FormatFloat(value, 'g', 15, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err == nil {
		value = rounded
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}

// rk is a number in Excel's short form: 30 bits of an integer or of a float, by 100
// if so marked.
func rk(bits uint32) float64 {
	value := math.Float64frombits(uint64(bits&^3) << 32)
	if bits&2 != 0 {
		value = float64(int32(bits) >> 2) //nolint:gosec // the sign is meant
	}
	if bits&1 != 0 {
		value /= 100
	}
	return value
}

// cellError names the error that a cell shows.
func cellError(code byte) string {
	switch code {
	case 0x00:
		return "#NULL!"
	case 0x07:
		return "#DIV/0!"
	case 0x0F:
		return "#VALUE!"
	case 0x17:
		return "#REF!"
	case 0x1D:
		return "#NAME?"
	case 0x24:
		return "#NUM!"
	case 0x2A:
		return "#N/A"
	}
	return "#ERROR!"
}

func cellBool(code byte) string {
	if code != 0 {
		return "TRUE"
	}
	return "FALSE"
}
