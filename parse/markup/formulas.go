package markup

import (
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// formulas writes the formulas of a page as the TeX that most of them carry
// beside their MathML.
type formulas struct{}

// Name implements [converter.Plugin].
func (formulas) Name() string { return "formulas" }

// Init implements [converter.Plugin].
func (formulas) Init(c *converter.Converter) error {
	c.Register.RendererFor("math", converter.TagTypeInline, func(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
		tex := texOf(n)
		if tex == "" {
			return converter.RenderTryNext
		}
		if inCell(n) {
			tex = strings.ReplaceAll(tex, "|", `\vert `)
		}
		_, _ = w.WriteString("$" + tex + "$") // into memory
		return converter.RenderSuccess
	}, converter.PriorityEarly)
	return nil
}

// inCell reports whether a node is in a cell of a table, which a bar would end.
func inCell(n *html.Node) bool {
	for up := range n.Ancestors() {
		if up.DataAtom == atom.Td || up.DataAtom == atom.Th {
			return true
		}
	}
	return false
}

// texOf is the TeX of a formula on one line, "" if it has none.
func texOf(math *html.Node) string {
	tex := attribute(math, "alttext")
	for n := range math.Descendants() {
		if n.Data == "annotation" && strings.Contains(attribute(n, "encoding"), "tex") {
			tex = textOf(n)
		}
	}
	return strings.Join(strings.Fields(tex), " ")
}
