package office

import "strings"

// formulaNodes bounds the tree of one formula; what lies beyond is its text alone.
const formulaNodes = 20_000

// formula gathers the elements of an Office Math formula (ECMA-376 part 1,
// section 22.1) or of one in MathML, and writes it as LaTeX.
type formula struct {
	open    []*mathNode // from the root to the innermost; empty outside formulas
	nodes   int
	display bool // it is on a line of its own
}

// mathNode is an element of a formula.
type mathNode struct {
	name string
	val  string // its val attribute
	set  bool   // it has one
	text []byte
	kids []*mathNode
}

// start takes a start tag and reports whether it belongs to a formula.
func (f *formula) start(e element) bool {
	name := e.Name.Local
	switch {
	case name == "oMathPara" && len(f.open) == 0:
		f.display = true
		return true
	case len(f.open) == 0 && name != "oMath" && name != "math":
		return false
	case len(f.open) == 0:
		f.nodes = 0
	}
	n := &mathNode{name: name}
	for _, a := range e.Attr {
		if a.Name.Local == "val" {
			n.val, n.set = a.Value, true
		}
	}
	if k := len(f.open); k > 0 {
		if f.nodes++; f.nodes > formulaNodes {
			f.open = append(f.open, f.open[k-1]) // its text goes to the element around it
			return true
		}
		f.open[k-1].kids = append(f.open[k-1].kids, n)
	}
	f.open = append(f.open, n)
	return true
}

// write takes text and reports whether it belongs to a formula.
func (f *formula) write(data []byte) bool {
	k := len(f.open)
	if k == 0 {
		return false
	}
	if n := f.open[k-1]; hasText(n.name) || f.nodes > formulaNodes {
		n.text = append(n.text, data...)
	}
	return true
}

// end takes an end tag. It reports whether the tag belongs to a formula, and
// gives the formula when it was its last.
func (f *formula) end(name string) (latex string, inside bool) {
	k := len(f.open)
	if k == 0 {
		if name == "oMathPara" && f.display {
			f.display = false
			return "", true
		}
		return "", false
	}
	root := f.open[0]
	f.open = f.open[:k-1]
	if k > 1 {
		return "", true
	}
	body := strings.TrimSpace(root.latex())
	switch {
	case body == "":
		return "", true
	case f.display:
		return "$$" + body + "$$\n", true
	}
	return "$" + body + "$", true
}

// in finds the child of that name, or an empty node.
func (n *mathNode) in(names ...string) *mathNode {
	for _, name := range names {
		found := &mathNode{}
		for _, k := range n.kids {
			if k.name == name {
				found = k
				break
			}
		}
		n = found
	}
	return n
}

// or is the node's value, or another where it has none.
func (n *mathNode) or(standard string) string {
	if n.set {
		return n.val
	}
	return standard
}

// inner writes the children one after the other.
func (n *mathNode) inner() string {
	var b strings.Builder
	for _, k := range n.kids {
		part := k.latex()
		if s := b.String(); part != "" && commandEnd(s) && letter(part[0]) {
			b.WriteByte(' ')
		}
		b.WriteString(part)
	}
	return b.String()
}

// commandEnd reports whether a text ends in a command's name, which a letter
// after it would make longer.
func commandEnd(s string) bool {
	name := strings.TrimRightFunc(s, func(r rune) bool { return r < 0x80 && letter(byte(r)) })
	return len(name) < len(s) && strings.HasSuffix(name, `\`)
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// group puts braces around what is more than one sign.
func group(s string) string {
	if len([]rune(s)) == 1 {
		return s
	}
	return "{" + s + "}"
}

// all writes every child of that name, separated by sep.
func (n *mathNode) all(name, sep string) string {
	var parts []string
	for _, k := range n.kids {
		if k.name == name {
			parts = append(parts, k.latex())
		}
	}
	return strings.Join(parts, sep)
}

// fence is a delimiter after \left or \right.
func fence(s string) string {
	switch s {
	case "":
		return "."
	case "{", "}":
		return `\` + s
	}
	return mathText(s)
}

// scripts writes what is below and above a base.
func scripts(sub, sup *mathNode) string {
	s := ""
	if below := strings.TrimSpace(sub.inner()); below != "" {
		s += "_{" + below + "}"
	}
	if above := strings.TrimSpace(sup.inner()); above != "" {
		s += "^{" + above + "}"
	}
	return s
}

// latex writes an element.
func (n *mathNode) latex() string {
	switch n.name {
	case "t":
		return mathText(string(n.text))
	case "f":
		return n.fraction()
	case "sSup", "sSub", "sSubSup":
		return group(n.in("e").inner()) + scripts(n.in("sub"), n.in("sup"))
	case "sPre":
		return "{}" + scripts(n.in("sub"), n.in("sup")) + group(n.in("e").inner())
	case "rad":
		if degree := n.in("deg").inner(); degree != "" {
			return `\sqrt[` + degree + "]{" + n.in("e").inner() + "}"
		}
		return `\sqrt{` + n.in("e").inner() + "}"
	case "nary":
		return strings.TrimSpace(mathText(n.in("naryPr", "chr").or("∫"))) + scripts(n.in("sub"), n.in("sup")) + " " + n.in("e").inner()
	case "d":
		sep := mathText(n.in("dPr", "sepChr").or("|"))
		return `\left` + fence(n.in("dPr", "begChr").or("(")) + n.all("e", sep) + `\right` + fence(n.in("dPr", "endChr").or(")"))
	case "func":
		return functionName(n.in("fName").inner()) + "{" + n.in("e").inner() + "}"
	case "limLow", "limUpp":
		return n.limit()
	case "acc", "bar", "groupChr":
		return n.accent()
	case "m":
		return `\begin{matrix}` + n.all("mr", ` \\ `) + `\end{matrix}`
	case "mr":
		return n.all("e", " & ")
	case "eqArr":
		return `\begin{aligned}` + n.all("e", ` \\ `) + `\end{aligned}`
	}
	if s, ok := n.mathML(); ok || strings.HasSuffix(n.name, "Pr") {
		return s
	}
	return mathText(string(n.text)) + n.inner()
}

func (n *mathNode) fraction() string {
	over, under := n.in("num").inner(), n.in("den").inner()
	switch n.in("fPr", "type").val {
	case "noBar":
		return `\genfrac{}{}{0pt}{}{` + over + "}{" + under + "}"
	case "lin":
		return group(over) + "/" + group(under)
	}
	return `\frac{` + over + "}{" + under + "}"
}

// limit writes what is under or over a whole expression.
func (n *mathNode) limit() string {
	base, lim := n.in("e").inner(), "{"+n.in("lim").inner()+"}"
	switch known := functionName(base); {
	case known != base && n.name == "limLow":
		return known + "_" + lim
	case known != base, strings.HasPrefix(base, `\overbrace`):
		return known + "^" + lim
	case n.name == "limUpp":
		return `\overset` + lim + "{" + base + "}"
	case strings.HasPrefix(base, `\underbrace`):
		return base + "_" + lim
	}
	return group(base) + "_" + lim
}

// accent writes a mark over or under an expression.
func (n *mathNode) accent() string {
	base := "{" + n.in("e").inner() + "}"
	below := n.in(n.name+"Pr", "pos").or("bot") == "bot"
	switch {
	case n.name == "acc":
		if mark, ok := accents()[n.in("accPr", "chr").or("\u0302")]; ok {
			return `\` + mark + base
		}
		return base
	case n.name == "bar" && below:
		return `\underline` + base
	case n.name == "bar":
		return `\overline` + base
	case n.in("groupChrPr", "chr").or("⏟") == "⏞":
		return `\overbrace` + base
	case below:
		return `\underbrace` + base
	}
	return `\overbrace` + base
}
