package office

import (
	"strconv"
	"strings"

	"inlay/internal/xmlscan"
	"inlay/parse"
)

// word turns the tokens of a WordprocessingML part into blocks.
type word struct {
	doc    *docx
	links  map[string]relation
	skip   skipper
	math   formula
	paras  []*paragraph // open paragraphs; a text box nests them
	tables []*grid      // open tables, outermost first
	list   []string     // lines of the list being gathered
	inText bool
	merged bool     // the open cell goes on from the one above it
	charts []string // relations of charts in the paragraph
	label  string   // goes before the next paragraph: a note's mark, a comment's author
}

// paragraph is one that is being read.
type paragraph struct {
	text  []byte
	style string
	level int // outline level given directly, from 1
	num   listRef
	link  string
	mark  int // where the link's text began
}

// listRef says which list a paragraph belongs to and how deep; id "" is none.
type listRef struct {
	id    string
	level int
}

func newWord(d *docx, links []relation) *word { return &word{doc: d, links: byID(links)} }

// Start implements [xmlscan.Handler].
func (w *word) Start(e element) {
	name := e.Name.Local
	switch name {
	case "Fallback", "del", "moveFrom", "sdtPr", "instrText", "delText", "pPrChange", "rPrChange", "tblPrChange", "sectPr":
		w.skip.start(true)
		return
	}
	if w.skip.start(false) || w.math.start(e) {
		return
	}
	switch name {
	case "p":
		w.paras = append(w.paras, &paragraph{})
	case "footnote", "endnote":
		w.note(e)
	case "comment":
		w.label = remark{author: xmlscan.Attr(e, "author"), initials: xmlscan.Attr(e, "initials"), when: xmlscan.Attr(e, "date")}.label()
	case "altChunk":
		w.doc.foreign++
	case "tbl", "tr", "tc", "gridBefore", "gridSpan", "vMerge":
		w.startTable(e)
	default:
		if n := len(w.paras); n > 0 {
			w.startInside(e, w.paras[n-1])
		}
	}
}

// note begins a foot- or endnote; separators are not text.
func (w *word) note(e element) {
	if kind := xmlscan.Attr(e, "type"); kind != "" && kind != "normal" {
		w.skip.start(true)
		return
	}
	w.label = w.doc.noteMark(e.Name.Local, xmlscan.Attr(e, "id")) + ": "
}

// noteMark is the mark of a note. Notes count in the order in which the text
// refers to them, as they are shown; their ids are arbitrary.
func (d *docx) noteMark(kind, id string) string {
	sign := ""
	if strings.HasPrefix(kind, "endnote") {
		sign = "e"
	}
	n, known := d.notes[sign+id]
	if !known {
		d.noted[sign]++
		n = d.noted[sign]
		d.notes[sign+id] = n
	}
	return "[^" + sign + strconv.Itoa(n) + "]"
}

// startInside handles what is in a paragraph.
func (w *word) startInside(e element, p *paragraph) {
	switch e.Name.Local {
	case "t":
		w.inText = true
	case "pStyle":
		p.style = xmlscan.Attr(e, "val")
	case "outlineLvl":
		if n, err := strconv.Atoi(xmlscan.Attr(e, "val")); err == nil && n >= 0 && n < 9 {
			p.level = n + 1
		}
	case "ilvl":
		p.num.level, _ = strconv.Atoi(xmlscan.Attr(e, "val"))
	case "numId":
		p.num.id = xmlscan.Attr(e, "val")
	case "tab", "ptab":
		if len(p.text) > 0 {
			p.text = append(p.text, '\t')
		}
	case "br", "cr":
		p.text = append(p.text, '\n')
	case "noBreakHyphen":
		p.text = append(p.text, '-')
	case "footnoteReference", "endnoteReference":
		p.text = append(p.text, w.doc.noteMark(e.Name.Local, xmlscan.Attr(e, "id"))...)
	case "chart":
		w.charts = append(w.charts, xmlscan.AttrNS(e, "r", "id"))
	case "hyperlink":
		p.link, p.mark = "", len(p.text)
		if r := w.links[xmlscan.AttrNS(e, "r", "id")]; r.external {
			p.link = r.target
		}
	}
}

// End implements [xmlscan.Handler].
func (w *word) End(name string) {
	if w.skip.end() {
		return
	}
	if latex, inside := w.math.end(name); inside {
		if n := len(w.paras); n > 0 {
			w.paras[n-1].text = append(w.paras[n-1].text, latex...)
		}
		return
	}
	switch name {
	case "t":
		w.inText = false
	case "hyperlink":
		w.endLink()
	case "p":
		w.endParagraph()
	case "tc", "tr", "tbl":
		w.endTable(name)
	}
}

// Text implements [xmlscan.Handler].
func (w *word) Text(data []byte) {
	if w.skip.active() || w.math.write(data) {
		return
	}
	if n := len(w.paras); w.inText && n > 0 {
		w.paras[n-1].text = append(w.paras[n-1].text, ticked(data)...)
	}
}

// ticked writes the box of a form as Markdown does.
func ticked(data []byte) []byte {
	switch string(data) {
	case "☒", "☑":
		return []byte("[x]")
	case "☐":
		return []byte("[ ]")
	}
	return data
}

// endLink writes a web or mail link as Markdown.
func (w *word) endLink() {
	if len(w.paras) == 0 {
		return
	}
	p := w.paras[len(w.paras)-1]
	p.text, p.link = linked(p.text, p.mark, p.link), ""
}

// linked makes what is in text from mark on a Markdown link, if it leads to
// the web or to a mailbox.
func linked(text []byte, mark int, link string) []byte {
	shown := ""
	if mark <= len(text) {
		shown = string(text[mark:])
	}
	web := strings.HasPrefix(link, "http://") || strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "mailto:")
	if web && strings.TrimSpace(shown) != "" && !strings.ContainsAny(shown, "[]\n") && !strings.ContainsAny(link, "() ") {
		text = append(text[:mark], "["+shown+"]("+link+")"...)
	}
	return text
}

// endParagraph puts a finished paragraph where it belongs.
func (w *word) endParagraph() {
	n := len(w.paras)
	if n == 0 {
		return
	}
	p := w.paras[n-1]
	w.paras = w.paras[:n-1]
	defer w.drawCharts()
	text := strings.Trim(string(p.text), " \t\r\n")
	if text == "" {
		return
	}
	text, w.label = w.label+text, ""
	st := w.doc.styles[p.style]
	if p.num.id == "" {
		p.num.id = st.num.id
		p.num.level = max(p.num.level, st.num.level)
	}
	mark := w.doc.numbering.next(p.num)
	level := st.heading
	if p.level > 0 && level == 0 {
		level = p.level
	}
	switch {
	case len(w.tables) > 0 && w.tables[len(w.tables)-1].open:
		w.tables[len(w.tables)-1].write(join(mark, text))
	case level > 0:
		w.flushList()
		w.doc.b.Heading(level, join(strings.TrimPrefix(mark, "-"), text))
	case mark != "":
		w.list = append(w.list, strings.Repeat("  ", min(p.num.level, 8))+join(mark, text))
	default:
		w.flushList()
		w.doc.b.Block(parse.Paragraph, "", text)
	}
}

func join(mark, text string) string {
	if mark == "" {
		return text
	}
	return mark + " " + text
}

// drawCharts puts the numbers of a paragraph's charts after it.
func (w *word) drawCharts() {
	if len(w.charts) == 0 || len(w.tables) > 0 {
		return
	}
	w.flushList()
	for _, id := range w.charts {
		if c := w.doc.charts[id]; c != nil {
			c.emit(w.doc.b)
		}
	}
	w.charts = nil
}

// endCell closes a cell. One that goes on from above has no text of its own.
func (w *word) endCell(t *grid) {
	if !t.open {
		return
	}
	if r := len(t.rows) - 1; w.merged && r > 0 && len(t.rows[r]) < len(t.rows[r-1]) && t.text.Len() == 0 {
		t.write(t.rows[r-1][len(t.rows[r])].text)
	}
	w.merged = false
	t.endCell()
	t.widen()
}

// flushList ends the list being gathered.
func (w *word) flushList() {
	w.doc.b.Block(parse.List, "", strings.Join(w.list, "\n"))
	w.list = nil
}

// startTable handles the tags that build tables.
func (w *word) startTable(e element) {
	n := len(w.tables)
	switch {
	case e.Name.Local == "tbl":
		if n == 0 {
			w.flushList()
		}
		w.tables = append(w.tables, &grid{})
	case n == 0:
	case e.Name.Local == "tr":
		w.tables[n-1].row()
	case e.Name.Local == "tc":
		w.tables[n-1].cell()
	case e.Name.Local == "gridBefore": // columns left out at the row's start
		for range w.span(e) {
			w.tables[n-1].add(cell{})
		}
	case e.Name.Local == "gridSpan":
		w.tables[n-1].next.right = w.span(e)
	case xmlscan.Attr(e, "val") != "restart": // vMerge: goes on from the row above
		w.merged = true
	}
}

// span is how many columns an element names, 0 if it names none.
func (w *word) span(e element) int {
	n, err := strconv.Atoi(xmlscan.Attr(e, "val"))
	if err != nil {
		return 0
	}
	return min(n, w.doc.span)
}

func (w *word) endTable(name string) {
	n := len(w.tables)
	if n == 0 {
		return
	}
	t := w.tables[n-1]
	if name == "tc" {
		w.endCell(t)
	}
	if name != "tbl" {
		return
	}
	w.tables = w.tables[:n-1]
	if n > 1 {
		w.tables[n-2].write(t.flat())
		return
	}
	t.emit(w.doc.b)
}
