package tokens

// cuts knows places where a text can be cut without changing the pieces of
// either side, whatever else the text holds. Each rule looks at the characters
// on both sides of the place, and follows from the pattern of the family: no
// piece spans the place, no look-ahead of the left side sees it, and patterns
// never look back, so that the right side starts as it would in the whole.
type cuts struct {
	*classTable
	family family
}

// safe reports whether s can be cut at 0 < p < len(s).
func (c *cuts) safe(s string, p int) bool {
	left, ok := c.before(s, p)
	if !ok {
		return false
	}
	right, ok := c.after(s, p)
	if !ok {
		return false
	}
	if c.family == gpt2 {
		return c.safeGPT2(s, p, left, right)
	}
	switch {
	case right == space:
		return left&blank == 0 // a piece holds white space only at its start, or is all white
	case left&letter != 0:
		// Letters run on to letters and marks, and to a contraction.
		return right&(newline|number) != 0 || right == other && s[p] != '\''
	case left == number:
		return right != number
	case left == newline:
		// White space with a line break ends at its last one; after symbols,
		// o200k_base lets slashes follow.
		return right&blank == 0 && s[p] != '/'
	}
	return false
}

func (c *cuts) safeGPT2(s string, p int, left, right class) bool {
	switch {
	case right&blank != 0:
		return left&blank == 0
	case left&letter != 0:
		return right&letter == 0
	case left == number:
		return right != number
	case left&strange != 0:
		return right&strange == 0 && s[p-1] != '\'' // may begin a contraction
	case left == newline && p > 1:
		// A single line break is a piece; of several the last is one of its own.
		before, ok := c.before(s, p-1)
		return ok && before&blank == 0
	}
	return false
}

// find returns a safe cut of s near size, or the end of s.
func (c *cuts) find(s string, size int) int {
	for near := size; near < len(s); near += size {
		for p := near; p > near-cutSearch; p-- {
			if c.safe(s, p) {
				return p
			}
		}
	}
	return len(s)
}
