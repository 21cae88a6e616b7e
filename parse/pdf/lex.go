package pdf

import "bytes"

// kind says what a token is.
type kind byte

const (
	end      kind = iota // no more input
	number               // token.num
	text                 // a string, decoded, in token.data
	name                 // a name without its slash in token.data
	keyword              // an operator or keyword in token.data
	open                 // [
	shut                 // ]
	dictOpen             // <<
	dictShut             // >>
)

// token is one lexical element of PDF syntax. data may point into the input.
type token struct {
	kind kind
	num  float64
	data []byte
}

// is reports whether t is the given keyword.
func (t token) is(word string) bool { return t.kind == keyword && string(t.data) == word }

// lexer splits PDF syntax into tokens. It never fails: what makes no sense is
// skipped, and input that ends early ends the token that was being read.
// Every call consumes at least one byte until the end.
type lexer struct {
	src []byte
	pos int
}

// next returns the next token.
func (l *lexer) next() token {
	for {
		l.skipSpace()
		if l.pos >= len(l.src) {
			return token{}
		}
		switch c := l.src[l.pos]; c {
		case '[':
			return l.take(open)
		case ']':
			return l.take(shut)
		case '(':
			return l.literal()
		case '/':
			return l.name()
		case '<':
			if l.peek(1) == '<' {
				l.pos++
				return l.take(dictOpen)
			}
			return l.hex()
		case '>':
			if l.peek(1) == '>' {
				l.pos++
				return l.take(dictShut)
			}
			l.pos++
		case ')', '{', '}':
			l.pos++
		default:
			return l.word()
		}
	}
}

// take consumes one byte and returns a token of kind k.
func (l *lexer) take(k kind) token {
	l.pos++
	return token{kind: k}
}

// peek returns the byte n places ahead, 0 past the end.
func (l *lexer) peek(n int) byte {
	if l.pos+n < len(l.src) {
		return l.src[l.pos+n]
	}
	return 0
}

// skipSpace moves past white space and comments.
func (l *lexer) skipSpace() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case isSpace(c):
			l.pos++
		case c == '%':
			for l.pos < len(l.src) && l.src[l.pos] != '\n' && l.src[l.pos] != '\r' {
				l.pos++
			}
		default:
			return
		}
	}
}

// regular returns the run of regular characters at the position.
func (l *lexer) regular() []byte {
	start := l.pos
	for l.pos < len(l.src) && !isSpace(l.src[l.pos]) && !isDelimiter(l.src[l.pos]) {
		l.pos++
	}
	return l.src[start:l.pos]
}

// word reads a number or a keyword.
func (l *lexer) word() token {
	w := l.regular()
	if c := w[0]; c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' {
		if n, ok := parseNumber(w); ok {
			return token{kind: number, num: n}
		}
	}
	return token{kind: keyword, data: w}
}

// name reads a name and resolves its #xx escapes.
func (l *lexer) name() token {
	l.pos++
	raw := l.regular()
	if bytes.IndexByte(raw, '#') < 0 {
		return token{kind: name, data: raw}
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) && unhex(raw[i+1]) >= 0 && unhex(raw[i+2]) >= 0 {
			out = append(out, byte(unhex(raw[i+1])<<4|unhex(raw[i+2])))
			i += 2
			continue
		}
		out = append(out, raw[i])
	}
	return token{kind: name, data: out}
}

// hex reads a hexadecimal string; what is not a digit is skipped.
func (l *lexer) hex() token {
	l.pos++
	stop := bytes.IndexByte(l.src[l.pos:], '>')
	if stop < 0 {
		stop = len(l.src) - l.pos
	}
	raw := l.src[l.pos : l.pos+stop]
	l.pos = min(l.pos+stop+1, len(l.src))
	out := make([]byte, 0, len(raw)/2+1)
	high := -1
	for _, c := range raw {
		d := unhex(c)
		switch {
		case d < 0:
		case high < 0:
			high = d
		default:
			out = append(out, byte(high<<4|d))
			high = -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return token{kind: text, data: out}
}

// literal reads a string in parentheses. Without escapes it points into the input.
func (l *lexer) literal() token {
	l.pos++
	start, depth := l.pos, 1
	for i := start; i < len(l.src); i++ {
		switch l.src[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '\\':
			return l.escaped(start)
		}
		if depth == 0 {
			l.pos = i + 1
			return token{kind: text, data: l.src[start:i]}
		}
	}
	l.pos = len(l.src)
	return token{kind: text, data: l.src[start:]}
}

// escaped reads a string in parentheses that has escapes in it.
func (l *lexer) escaped(start int) token {
	l.pos = start
	var out []byte
	for depth := 1; l.pos < len(l.src); {
		c := l.src[l.pos]
		l.pos++
		switch c {
		case '\\':
			out = l.escape(out)
			continue
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			break
		}
		out = append(out, c)
	}
	return token{kind: text, data: out}
}

// escape appends what the escape after a backslash stands for.
func (l *lexer) escape(out []byte) []byte {
	if l.pos >= len(l.src) {
		return out
	}
	c := l.src[l.pos]
	l.pos++
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\n':
		return out
	case '\r':
		if l.peek(0) == '\n' {
			l.pos++
		}
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	v := int(c - '0')
	for range 2 {
		d := l.peek(0)
		if d < '0' || d > '7' {
			break
		}
		v = v*8 + int(d-'0')
		l.pos++
	}
	return append(out, byte(v))
}

// maxNumber is far above any coordinate; digits beyond it are not counted.
const maxNumber = 1e15

// parseNumber reads a PDF number: an optional sign, digits, one point. Readers
// agree to take "--5" and "5-3" (a writer's bug) as -5 and 5.
func parseNumber(w []byte) (value float64, ok bool) {
	i, negative := 0, false
	for i < len(w) && (w[i] == '-' || w[i] == '+') {
		negative = negative || w[i] == '-'
		i++
	}
	scale, point := 1.0, false
	for ; i < len(w); i++ {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			ok = true
			if value > maxNumber || scale > maxNumber {
				continue // no more digits matter, and infinity must not come of them
			}
			value = value*10 + float64(c-'0')
			if point {
				scale *= 10
			}
		case c == '.' && !point:
			point, ok = true, true
		case c == '-' && ok:
			i = len(w)
		default:
			return 0, false
		}
	}
	if negative {
		value = -value
	}
	return value / scale, ok
}

func isSpace(c byte) bool {
	switch c {
	case 0, '\t', '\n', '\f', '\r', ' ':
		return true
	}
	return false
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// unhex returns the value of a hexadecimal digit, -1 for anything else.
func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
