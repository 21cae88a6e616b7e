package office

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"inlay/internal/xmlscan"
	"inlay/parse"
	"inlay/parse/zipfile"
)

// outline is the list that the headings of an OpenDocument text count by.
const outline = "\x00outline"

// odfLists gathers how the lists of an OpenDocument file count.
type odfLists struct {
	numbering
	style string // the list style being read
}

func newODFLists() odfLists {
	return odfLists{numbering: numbering{
		lists: map[string]string{}, restarts: map[string]bool{},
		levels: map[string][9]listLevel{}, counters: map[string]*[9]int{},
	}}
}

// define takes an element of a list style and reports whether it is one.
func (l *odfLists) define(e element) bool {
	switch e.Name.Local {
	case "list-style":
		l.style = xmlscan.Attr(e, "name")
	case "outline-style":
		l.style = outline
	case "list-level-style-number", "list-level-style-bullet", "list-level-style-image", "outline-level-style":
		l.level(e)
		return true
	default:
		return false
	}
	l.lists[l.style], l.levels[l.style] = l.style, [9]listLevel{}
	return true
}

// level sets one depth of the list style being read.
func (l *odfLists) level(e element) {
	n, err := strconv.Atoi(xmlscan.Attr(e, "level"))
	if err != nil || n < 1 || n > 9 || l.style == "" {
		return
	}
	levels := l.levels[l.style]
	levels[n-1] = listLevel{
		format: odfFormat(e), start: repeats(e, "start-value"),
		text: xmlscan.Attr(e, "num-prefix") + shownLevels(n, repeats(e, "display-levels")) + xmlscan.Attr(e, "num-suffix"),
	}
	l.levels[l.style] = levels
}

// odfFormat is the format of a level's number by Word's names.
func odfFormat(e element) string {
	switch e.Name.Local {
	case "list-level-style-bullet", "list-level-style-image":
		return "bullet"
	}
	switch xmlscan.Attr(e, "num-format") {
	case "":
		return "none"
	case "a":
		return "lowerLetter"
	case "A":
		return "upperLetter"
	case "i":
		return "lowerRoman"
	case "I":
		return "upperRoman"
	}
	return "decimal"
}

// shownLevels is the pattern of a number with those of the levels above it:
// "%1.%2".
func shownLevels(level, shown int) string {
	var parts []string
	for i := max(level-shown+1, 1); i <= level; i++ {
		parts = append(parts, fmt.Sprintf("%%%d", i))
	}
	return strings.Join(parts, ".")
}

// restart lets a list count from its start again.
func (l *odfLists) restart(style string) { delete(l.counters, "definition "+style) }

// odfStyles reads the styles part of an OpenDocument file: how its lists count,
// and what is in the margins of its pages.
type odfStyles struct {
	lists   odfLists
	margins []string
	inside  bool // a header or footer
	hidden  skipper
	text    []byte
}

func readODFStyles(ctx context.Context, a *zipfile.Archive) (odfStyles, error) {
	s := odfStyles{lists: newODFLists()}
	data, err := optional(a, "styles.xml")
	if err != nil {
		return s, err
	}
	if err := xmlscan.Walk(ctx, data, &s); err != nil && ctx.Err() != nil {
		return s, err
	}
	return s, nil
}

// isMargin reports whether an element is a header or footer of pages.
func isMargin(name string) bool {
	switch name {
	case "header", "footer", "header-left", "footer-left", "header-first", "footer-first":
		return true
	}
	return false
}

// Start implements [xmlscan.Handler].
func (s *odfStyles) Start(e element) {
	margin := e.Name.Space == "style" && isMargin(e.Name.Local)
	if s.hidden.start(margin && xmlscan.Attr(e, "display") == "false") || s.lists.define(e) {
		return
	}
	switch {
	case margin:
		s.inside, s.text = true, nil
	case s.inside && (e.Name.Local == "tab" || e.Name.Local == "s" || e.Name.Local == "line-break"):
		s.text = append(s.text, ' ')
	}
}

// End implements [xmlscan.Handler].
func (s *odfStyles) End(name string) {
	switch {
	case s.hidden.end():
	case name == "p":
		s.text = append(s.text, ' ')
	case isMargin(name) && s.inside:
		s.inside = false
		if text := strings.Join(strings.Fields(string(s.text)), " "); strings.ContainsFunc(text, unicode.IsLetter) { // more than a page's number
			s.margins = append(s.margins, text)
		}
	}
}

// Text implements [xmlscan.Handler].
func (s *odfStyles) Text(data []byte) {
	if s.inside && !s.hidden.active() {
		s.text = append(s.text, data...)
	}
}

// startList opens a list, which counts from its start unless it says that it
// goes on.
func (o *odf) startList(e element) {
	o.lists++
	style := xmlscan.Attr(e, "style-name")
	if n := len(o.named); style == "" && n > 0 {
		style = o.named[n-1]
	} else if xmlscan.Attr(e, "continue-numbering") != "true" && xmlscan.Attr(e, "continue-list") == "" {
		o.counts.restart(style)
	}
	o.named = append(o.named, style)
}

// number gives a paragraph the mark that is before it: that of its list's
// item, if it is the first in it, or the number of a heading.
func (o *odf) number(p *odfPara) string {
	if o.lists == 0 || len(o.named) == 0 {
		if p.heading {
			return o.counts.next(listRef{outline, p.level - 1})
		}
		return ""
	}
	if !o.fresh {
		return ""
	}
	o.fresh = false
	return o.counts.next(listRef{first(o.named[len(o.named)-1], "none"), o.lists - 1})
}

// embed shows an embedded object: a chart after the paragraph, a formula in it.
func (o *odf) embed(name string) {
	d := o.objects[name]
	if n := len(o.paras); n > 0 && strings.HasPrefix(d.Text, "$") {
		o.paras[n-1].text = append(o.paras[n-1].text, d.Text...)
		return
	}
	o.shown = append(o.shown, name)
}

// endMath takes an end tag and reports whether it belongs to a formula, which is
// the text of its file.
func (o *odf) endMath(name string) bool {
	latex, inside := o.math.end(name)
	if latex != "" {
		o.b.Block(parse.Paragraph, "", latex)
	}
	return inside
}
