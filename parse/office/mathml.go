package office

// mathML writes an element of MathML as LaTeX: OpenDocument keeps its formulas so.
// ok is false for an element that has no form of its own.
func (n *mathNode) mathML() (latex string, ok bool) {
	switch n.name {
	case "mfrac":
		return `\frac{` + n.kid(0) + "}{" + n.kid(1) + "}", true
	case "msup", "mover":
		return group(n.kid(0)) + "^{" + n.kid(1) + "}", true
	case "msub", "munder":
		return group(n.kid(0)) + "_{" + n.kid(1) + "}", true
	case "msubsup", "munderover":
		return group(n.kid(0)) + "_{" + n.kid(1) + "}^{" + n.kid(2) + "}", true
	case "msqrt":
		return `\sqrt{` + n.inner() + "}", true
	case "mroot":
		return `\sqrt[` + n.kid(1) + "]{" + n.kid(0) + "}", true
	case "mtable":
		return `\begin{matrix}` + n.all("mtr", ` \\ `) + `\end{matrix}`, true
	case "mtr":
		return n.all("mtd", " & "), true
	case "annotation", "annotation-xml", "mphantom":
		return "", true
	}
	return "", false
}

// kid writes the child with index i, "" where there is none.
func (n *mathNode) kid(i int) string {
	if i >= len(n.kids) {
		return ""
	}
	return n.kids[i].latex()
}

// hasText reports whether an element of a formula holds signs itself.
func hasText(name string) bool {
	switch name {
	case "t", "mi", "mn", "mo", "mtext", "ms":
		return true
	}
	return false
}
