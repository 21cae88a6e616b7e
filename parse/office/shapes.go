package office

import (
	"strconv"
	"strings"

	"inlay/internal/xmlscan"
	"inlay/parse"
)

// shapes turns the DrawingML of a slide into blocks.
type shapes struct {
	ignore skipper
	blocks []block
	title  string
	notes  bool // speaker notes and the like: without placeholders of the page

	shape  shape
	line   *line
	table  *grid
	inText bool
	span   int

	authors map[string]author // of comments, by id
	comment string            // goes before the next text
}

// block is a finished piece of a slide.
type block struct {
	kind  parse.Kind
	text  string
	table *grid // instead of text
}

// shape is one that is being read.
type shape struct {
	placeholder string // its role on the slide; "" for a free one
	lines       []line
}

// line is one paragraph of a shape.
type line struct {
	text   []byte
	level  int
	bullet bool
	bare   bool // told to have no bullet
	number int  // numbered, and where its list starts; 0 for none
}

func newShapes(span int) *shapes { return &shapes{span: span} }

// Start implements [xmlscan.Handler].
func (s *shapes) Start(e element) {
	name := e.Name.Local
	slideNumber := name == "fld" && (strings.HasPrefix(xmlscan.Attr(e, "type"), "slidenum") || strings.HasPrefix(xmlscan.Attr(e, "type"), "datetime"))
	if s.ignore.start(name == "Fallback" || slideNumber) {
		return
	}
	switch name {
	case "sp", "cxnSp":
		s.shape = shape{}
	case "ph":
		s.shape.placeholder = xmlscan.Attr(e, "type")
		if s.shape.placeholder == "" {
			s.shape.placeholder = "body"
		}
	case "p":
		s.line = &line{}
	case "cm", "reply":
		by := s.authors[xmlscan.Attr(e, "authorId")]
		s.comment = remark{author: by.name, initials: by.initials, when: first(xmlscan.Attr(e, "dt"), xmlscan.Attr(e, "created"))}.label()
	case "tbl", "tr", "tc":
		s.startTable(e)
	case "t", "text":
		s.inText = true
		if s.line == nil {
			s.line = &line{}
		}
	default:
		if s.line != nil {
			s.line.start(e)
		}
	}
}

// start handles what is in a paragraph.
func (l *line) start(e element) {
	switch e.Name.Local {
	case "pPr":
		l.level, _ = strconv.Atoi(xmlscan.Attr(e, "lvl"))
	case "buChar":
		l.bullet = true
	case "buAutoNum":
		l.number = repeats(e, "startAt")
	case "buNone":
		l.bare = true
	case "br":
		l.text = append(l.text, '\n')
	case "tab":
		l.text = append(l.text, '\t')
	}
}

func (s *shapes) startTable(e element) {
	switch {
	case e.Name.Local == "tbl":
		s.table = &grid{}
	case s.table == nil:
	case e.Name.Local == "tr":
		s.table.row()
	case xmlscan.Attr(e, "hMerge") == "1", xmlscan.Attr(e, "vMerge") == "1":
		s.table.covered()
	default:
		s.table.cell()
		s.table.next.right = min(repeats(e, "gridSpan"), s.span)
		s.table.next.down = min(repeats(e, "rowSpan"), s.span)
	}
}

// End implements [xmlscan.Handler].
func (s *shapes) End(name string) {
	if s.ignore.end() {
		return
	}
	switch name {
	case "t":
		s.inText = false
	case "text": // of a comment, which has no paragraphs
		s.inText = false
		s.endLine()
		s.endShape()
	case "p":
		s.endLine()
	case "tc":
		if s.table != nil {
			s.table.endCell()
		}
	case "tbl":
		if s.table != nil {
			s.blocks = append(s.blocks, block{table: s.table})
			s.table = nil
		}
	case "sp", "cxnSp", "txBody", "pt", "txPr":
		s.endShape()
	}
}

// Text implements [xmlscan.Handler].
func (s *shapes) Text(data []byte) {
	if s.inText && s.line != nil && !s.ignore.active() {
		s.line.text = append(s.line.text, data...)
	}
}

func (s *shapes) endLine() {
	l := s.line
	s.line = nil
	if l == nil || strings.TrimSpace(string(l.text)) == "" {
		return
	}
	if s.table != nil && s.table.open {
		s.table.write(strings.TrimSpace(string(l.text)))
		return
	}
	s.shape.lines = append(s.shape.lines, *l)
}

// endShape turns the lines of a shape into a block.
func (s *shapes) endShape() {
	lines := s.shape.lines
	s.shape.lines = nil
	if len(lines) == 0 || s.notes && (s.shape.placeholder == "sldNum" || s.shape.placeholder == "dt" || s.shape.placeholder == "hdr") {
		return
	}
	if role := s.shape.placeholder; !s.notes && (role == "title" || role == "ctrTitle") && s.title == "" {
		for _, l := range lines {
			s.title += " " + string(l.text)
		}
		s.title = strings.Join(strings.Fields(s.title), " ")
		return
	}
	text, kind := s.outline(lines)
	s.blocks = append(s.blocks, block{kind: kind, text: s.comment + text})
	s.comment = ""
}

// outline writes the lines of a shape with their bullets and numbers. Those of
// a body placeholder have bullets unless told otherwise.
func (s *shapes) outline(lines []line) (text string, kind parse.Kind) {
	body := s.shape.placeholder == "body" && len(lines) > 1 && !s.notes
	kind = parse.Paragraph
	counts := [10]int{}
	var texts []string
	for _, l := range lines {
		text, level := strings.TrimSpace(string(l.text)), min(max(l.level, 0), 8)
		clear(counts[level+1:])
		mark := ""
		switch {
		case l.number > 0:
			counts[level] = max(counts[level]+1, l.number)
			mark = strconv.Itoa(counts[level]) + ". "
		case l.bullet || body && !l.bare:
			mark = "- "
		}
		if mark != "" {
			kind = parse.List
			mark = strings.Repeat("  ", level) + mark
		}
		texts = append(texts, mark+text)
	}
	return strings.Join(texts, "\n"), kind
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func (s *shapes) empty() bool { return s.title == "" && len(s.blocks) == 0 }

// emit adds the title and the blocks to the document.
func (s *shapes) emit(b *parse.Builder) {
	s.endLine()
	s.endShape()
	if s.title != "" {
		b.Heading(1, s.title)
	}
	for _, piece := range s.blocks {
		if piece.table != nil {
			piece.table.emit(b)
			continue
		}
		b.Block(piece.kind, "", piece.text)
	}
}
