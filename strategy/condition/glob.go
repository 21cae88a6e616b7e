package condition

// Glob reports whether the whole of s matches pattern, in which "*" is any text,
// separators included, and "?" is any one character.
func Glob(pattern, s string) bool {
	ok, _ := glob([]rune(pattern), s, func() bool { return false })
	return ok
}

// glob matches greedily with one remembered star. stop is asked now and then;
// once it says so, done is false and nothing is known.
func glob(pattern []rune, s string, stop func() bool) (ok, done bool) {
	text := []rune(s)
	p, t, star, mark := 0, 0, -1, 0
	for steps := 1; t < len(text); steps++ {
		if steps%4096 == 0 && stop() {
			return false, false
		}
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false, true
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern), true
}
