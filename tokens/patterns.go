package tokens

// nextGPT2 is
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func (c *scanner) nextGPT2(s string, i int) int {
	if s[i] == '\'' {
		if n := contractionGPT2(s, i); n > 0 {
			return i + n
		}
	}
	k, n := c.at(s, i)
	j := i + n
	if s[i] == ' ' && j < len(s) {
		k, n = c.at(s, j)
		j += n
	}
	switch {
	case k&letter != 0:
		return c.letters(s, j)
	case k == number:
		return c.run(s, j, number)
	case k&strange != 0:
		return c.run(s, j, strange)
	}
	return c.blanks(s, i, false)
}

// nextCL100K is
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
func (c *scanner) nextCL100K(s string, i int) int {
	k, n := c.at(s, i)
	j := i + n
	switch {
	case k&letter != 0:
		return c.letters(s, j)
	case k == number:
		return c.numbers3(s, i)
	case k == newline:
		return c.blanks(s, i, true)
	case s[i] == '\'':
		if m := contraction(s, i); m > 0 {
			return i + m
		}
	}
	if j < len(s) {
		d, m := c.at(s, j)
		if d&letter != 0 {
			return c.letters(s, j+m)
		}
		if s[i] == ' ' && d&strange != 0 {
			return c.strangeRun(s, j, false)
		}
	}
	if k == space {
		return c.blanks(s, i, true)
	}
	return c.strangeRun(s, i, false)
}

// nextO200K is, with U for [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], L for
// [\p{Ll}\p{Lm}\p{Lo}\p{M}] and C for the contractions,
//
//	[^\r\n\p{L}\p{N}]?U*L+C?|[^\r\n\p{L}\p{N}]?U+L*C?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
func (c *scanner) nextO200K(s string, i int) int {
	k, n := c.at(s, i)
	j := i + n
	switch {
	case k&letter != 0:
		return c.word(s, i)
	case k == number:
		return c.numbers3(s, i)
	case k == newline:
		return c.blanks(s, i, true)
	case k == mark:
		// The mark is either the optional first character or the first of U* and L+.
		if end := c.lowerWord(s, j); end > 0 {
			return end
		}
		return c.lowerWord(s, i)
	}
	if j < len(s) {
		d, _ := c.at(s, j)
		if d&(letter|mark) != 0 {
			return c.word(s, j)
		}
		if s[i] == ' ' && d == other {
			return c.strangeRun(s, j, true)
		}
	}
	if k == space {
		return c.blanks(s, i, true)
	}
	return c.strangeRun(s, i, true)
}

// word is U*L+C?|U+L*C? at a letter or mark, where one of the two matches.
// Most words are capitals and then small letters of ASCII, and no more.
func (c *scanner) word(s string, i int) int {
	j := i
	for j < len(s) && c.ascii[s[j]] == upper {
		j++
	}
	small := j
	j = lowerRun(s, j)
	if j > small && (j == len(s) || c.ascii[s[j]] != 0) {
		return c.suffix(s, j)
	}
	if end := c.lowerWord(s, i); end > 0 {
		return end
	}
	return c.suffix(s, c.run(s, i, upper))
}

// lowerWord is U*L+C? at i, or 0 if that does not match. U* takes all it can;
// without a lower-case letter behind, it gives back as far as the last
// character that L has too.
func (c *scanner) lowerWord(s string, i int) int {
	lastCommon := 0
	for i < len(s) {
		k, n := c.at(s, i)
		if k == lower {
			return c.suffix(s, c.run(s, i+n, lower|caseless|mark))
		}
		if k&(upper|caseless|mark) == 0 {
			break
		}
		i += n
		if k != upper {
			lastCommon = i
		}
	}
	if lastCommon == 0 {
		return 0
	}
	return c.suffix(s, lastCommon)
}

func (c *scanner) suffix(s string, i int) int {
	if i < len(s) && s[i] == '\'' {
		return i + contraction(s, i)
	}
	return i
}
