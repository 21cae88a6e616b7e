package office

import (
	"slices"
	"strconv"
	"strings"

	"inlay/fault"
	"inlay/internal/xmlscan"
	"inlay/parse"
)

// odf turns the content of an OpenDocument file into blocks.
type odf struct {
	b      *parse.Builder
	limits parse.Limits
	err    error
	ignore skipper

	parents map[string]string // styles to the ones they are made from
	paras   []*odfPara
	tables  []*odfTable
	lists   int // depth
	fresh   bool
	list    []string
	named   []string // the styles of the open lists, "" for the one around it
	counts  odfLists
	math    formula
	remarks odfRemarks
	isText  bool // the file is a text
	sheet   bool // the file is a workbook: top tables are sheets
	sheets  int
	slides  int
	cells   int
	objects map[string]parse.Document // embedded charts and formulas
	shown   []string                  // objects to show after the paragraph
	notes   []string                  // of the paragraph being read
	mark    string                    // citation of the note being read
	inMark  bool
}

// odfPara is a paragraph or heading that is being read.
type odfPara struct {
	text    []byte
	level   int
	heading bool // it counts with the headings
	link    string
	mark    int // where the link's text began
}

// odfTable is a table that is being read.
type odfTable struct {
	grid
	repeatRow  int
	numbers    []int // of the rows kept, as the file numbers them
	seen       int   // rows of the file so far
	repeatCell int
}

func newODF(limits parse.Limits) *odf {
	return &odf{limits: limits, b: &parse.Builder{Limit: limits.Text}, parents: map[string]string{}, counts: newODFLists()}
}

// Start implements [xmlscan.Handler].
func (o *odf) Start(e element) {
	name := e.Name.Local
	if o.remarks.start(e) || o.ignore.start(name == "tracked-changes" || name == "binary-data" || name == "forms" || name == "covered-table-cell" && o.cover(e)) ||
		o.math.start(e) || o.counts.define(e) {
		return
	}
	switch name {
	case "text":
		o.isText = true
	case "style":
		o.parents[xmlscan.Attr(e, "name")] = xmlscan.Attr(e, "parent-style-name")
	case "spreadsheet":
		o.sheet = true
	case "page":
		if e.Name.Space == "draw" {
			o.openSlide(e)
		}
	case "notes":
		o.b.Open(parse.Section{Kind: parse.Part, Label: "notes"})
	case "table", "table-row", "table-cell":
		o.startTable(e)
	case "a":
		o.startLink(e)
	case "list":
		o.startList(e)
	case "list-item", "list-header":
		o.fresh = true
	case "h", "p":
		o.startPara(e)
	case "note-citation":
		o.inMark, o.mark = true, ""
	case "object":
		o.embed(strings.Trim(strings.TrimPrefix(xmlscan.Attr(e, "href"), "./"), "/"))
	case "chart":
		o.chart(e)
	default:
		o.inline(e)
	}
}

// chart names the kind of an embedded chart.
func (o *odf) chart(e element) {
	if _, kind, ok := strings.Cut(xmlscan.Attr(e, "class"), ":"); ok && kind != "" {
		o.b.Block(parse.Paragraph, "chart", strings.ToUpper(kind[:1])+kind[1:]+" chart")
	}
}

// show adds the charts that wait for the paragraph or frame to end.
func (o *odf) show() {
	if len(o.paras) > 0 || len(o.tables) > 0 {
		return
	}
	for _, name := range o.shown {
		if d := o.objects[name]; d.Text != "" {
			o.flushList()
			o.b.Markdown(d.Text, d.Sections)
		}
	}
	o.shown = nil
}

// cover fills the places of cells that another one spans.
func (o *odf) cover(e element) bool {
	if n := len(o.tables); n > 0 {
		for range min(repeats(e, "number-columns-repeated"), o.limits.Span) {
			o.tables[n-1].covered()
		}
	}
	return true
}

func (o *odf) openSlide(e element) {
	o.slides++
	o.b.Open(parse.Section{Kind: parse.Slide, Number: o.slides, Label: xmlscan.Attr(e, "name")})
}

func (o *odf) startPara(e element) {
	p := &odfPara{}
	if e.Name.Local == "h" {
		p.level, _ = strconv.Atoi(xmlscan.Attr(e, "outline-level"))
		p.level, p.heading = max(p.level, 1), xmlscan.Attr(e, "is-list-header") != "true"
	}
	for style, hops := xmlscan.Attr(e, "style-name"), 0; style != "" && hops < 20; hops++ {
		if style == "Title" {
			p.level = 1
		}
		style = o.parents[style]
	}
	o.paras = append(o.paras, p)
}

// inline handles what is in a paragraph.
func (o *odf) inline(e element) {
	n := len(o.paras)
	if n == 0 {
		return
	}
	p := o.paras[n-1]
	switch e.Name.Local {
	case "s":
		p.text = append(p.text, strings.Repeat(" ", min(repeats(e, "c"), 100))...)
	case "tab":
		p.text = append(p.text, '\t')
	case "line-break":
		p.text = append(p.text, '\n')
	}
}

// repeats reads a count attribute, at least 1.
func repeats(e element, name string) int {
	n, err := strconv.Atoi(xmlscan.Attr(e, name))
	if err != nil {
		return 1
	}
	return max(n, 1)
}

func (o *odf) startTable(e element) {
	n := len(o.tables)
	switch {
	case e.Name.Local == "table":
		if n == 0 {
			o.flushList()
			if o.sheet {
				o.sheets++
				title := xmlscan.Attr(e, "name")
				o.b.Open(parse.Section{Kind: parse.Sheet, Number: o.sheets, Label: title})
				o.b.Heading(1, title)
			}
		}
		o.tables = append(o.tables, &odfTable{})
	case n == 0:
	case e.Name.Local == "table-row":
		o.tables[n-1].row()
		o.tables[n-1].repeatRow = repeats(e, "number-rows-repeated")
	default:
		o.tables[n-1].cell()
		o.tables[n-1].repeatCell = repeats(e, "number-columns-repeated")
		o.tables[n-1].next.right = min(repeats(e, "number-columns-spanned"), o.limits.Span)
		o.tables[n-1].next.down = min(repeats(e, "number-rows-spanned"), o.limits.Span)
	}
}

// End implements [xmlscan.Handler].
func (o *odf) End(name string) {
	if o.remarks.end(name) || o.ignore.end() || o.endMath(name) {
		return
	}
	switch name {
	case "a":
		o.endLink()
	case "h", "p":
		o.endPara()
		o.show()
	case "frame":
		o.show()
	case "list":
		o.named = o.named[:max(len(o.named)-1, 0)]
		if o.lists--; o.lists <= 0 {
			o.lists = 0
			o.flushList()
		}
	case "note-citation":
		o.inMark = false
		o.write([]byte("[^" + o.mark + "]"))
	case "table-cell", "table-row", "table":
		o.endTable(name)
	case "page", "notes":
		o.flushList()
		if o.slides > 0 {
			o.closeGroup()
		}
	}
}

// closeGroup ends a slide or its notes; stray end tags do nothing.
func (o *odf) closeGroup() {
	if o.b.Groups() > 0 {
		o.b.Close()
	}
}

// Text implements [xmlscan.Handler].
func (o *odf) Text(data []byte) {
	switch {
	case o.remarks.write(data), o.ignore.active(), o.math.write(data):
	case o.inMark:
		o.mark += string(data)
	default:
		o.write(data)
	}
}

// write adds text to the innermost paragraph. Line ends in the file are blanks.
func (o *odf) write(data []byte) {
	n := len(o.paras)
	if n == 0 {
		return
	}
	for _, c := range data {
		if c == '\n' || c == '\r' {
			c = ' '
		}
		o.paras[n-1].text = append(o.paras[n-1].text, c)
	}
}

// endPara puts a finished paragraph where it belongs; those of a note wait for
// the paragraph that the note is in.
func (o *odf) endPara() {
	n := len(o.paras)
	if n == 0 {
		return
	}
	p := o.paras[n-1]
	o.paras = o.paras[:n-1]
	text := strings.TrimSpace(string(p.text))
	if text == "" {
		return
	}
	if n > 1 && o.mark != "" {
		o.notes = append(o.notes, "[^"+o.mark+"]: "+text)
		o.mark = ""
		return
	}
	mark := o.number(p)
	if t := len(o.tables); t > 0 && o.tables[t-1].open {
		o.tables[t-1].write(join(mark, text))
		return
	}
	o.place(p.level, mark, text)
	if len(o.notes) > 0 {
		o.flushList()
	}
	for _, note := range o.notes {
		o.b.Block(parse.Paragraph, "footnote", note)
	}
	o.notes = nil
}

// place adds a paragraph outside tables.
func (o *odf) place(level int, mark, text string) {
	switch {
	case level > 0:
		o.flushList()
		o.b.Heading(level, join(strings.TrimPrefix(mark, "-"), text))
	case o.lists > 0:
		if mark == "" { // a further paragraph of the item
			mark = " "
		}
		o.list = append(o.list, strings.Repeat("  ", min(o.lists-1, 8))+join(mark, text))
	default:
		o.b.Block(parse.Paragraph, "", text)
	}
}

func (o *odf) flushList() {
	o.b.Block(parse.List, "", strings.Join(o.list, "\n"))
	o.list = nil
}

func (o *odf) endTable(name string) {
	n := len(o.tables)
	if n == 0 {
		return
	}
	t := o.tables[n-1]
	switch name {
	case "table-cell":
		o.endCell(t)
	case "table-row":
		o.endRow(t)
	default:
		o.tables = o.tables[:n-1]
		if n > 1 {
			o.tables[n-2].write(t.flat())
			return
		}
		if o.sheet {
			emitRegions(o.b, sheetRows{t.texts(), t.numbered()})
		} else {
			t.emit(o.b)
		}
		if o.sheet {
			o.closeGroup()
		}
	}
}

// endCell repeats a cell with text as often as it says; blank ones only so far
// as a sheet is wide.
func (o *odf) endCell(t *odfTable) {
	if !t.open {
		return
	}
	t.endCell()
	last := &t.rows[len(t.rows)-1]
	text := (*last)[len(*last)-1].text
	again := min(t.repeatCell, maxColumns) - 1
	if text == "" {
		again = min(again, o.limits.Span)
	}
	if o.spend(again+1) == nil {
		for range again {
			*last = append(*last, cell{text: text})
		}
	}
	t.repeatCell = 1
}

// numbered returns the number of each row; cells outside of rows count on.
func (t *odfTable) numbered() []int {
	for len(t.numbers) < len(t.rows) {
		t.seen++
		t.numbers = append(t.numbers, t.seen)
	}
	return t.numbers
}

// endRow repeats a row with text; a run of blank rows is one.
func (o *odf) endRow(t *odfTable) {
	if len(t.rows) == 0 {
		return
	}
	row := t.rows[len(t.rows)-1]
	t.numbers = append(t.numbers, t.seen+1)
	if slices.ContainsFunc(row, func(c cell) bool { return c.text != "" }) && o.spend(len(row)*(t.repeatRow-1)) == nil {
		for i := range t.repeatRow - 1 {
			t.rows, t.numbers = append(t.rows, row), append(t.numbers, t.seen+2+i)
		}
	}
	t.seen += t.repeatRow
	t.repeatRow = 1
}

// maxColumns is what spreadsheets allow.
const maxColumns = 16_384

// spend counts cells against the limit.
func (o *odf) spend(cells int) error {
	o.cells += cells
	if o.cells > o.limits.Cells {
		o.err = tooManyCells(o.limits.Cells)
	}
	return o.err
}

func tooManyCells(limit int) error {
	return &fault.Error{Code: fault.LimitExceeded, Reason: "it has more than " + strconv.Itoa(limit) + " cells", Next: "split it, save the sheet you need as CSV, or raise the limit"}
}
