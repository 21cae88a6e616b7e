package office

import (
	"bytes"
	"context"

	"inlay/fault"
	"inlay/parse"
)

// RTF reads Rich Text Format: paragraphs, headings by outline level or style
// name, lists by their written marks, tables, all its ways to encode characters; notes
// after their paragraph, comments, headers and footers at the end.
func RTF(limits parse.Limits) parse.Parser { return rtfParser{limits.WithDefaults()} }

type rtfParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p rtfParser) Info() parse.Info {
	return parse.Info{
		Name: "rtf", Version: "2", Library: "inlay/office",
		MediaTypes: []string{"application/rtf", "text/rtf"},
		Extensions: []string{".rtf"},
	}
}

// Parse implements [parse.Parser].
func (p rtfParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if err := parse.CheckSize(f, p.limits.File); err != nil {
		return parse.Document{}, err
	}
	if !bytes.HasPrefix(f.Data, []byte(`{\rtf`)) {
		return parse.Document{}, &fault.Error{Code: fault.Corrupt, Reason: `it does not begin with {\rtf`, Next: "open and save it again in the program that made it"}
	}
	r := newRTF(p.limits)
	s := rtfTokens{data: f.Data}
	for n := 0; ; n++ {
		if n%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return parse.Document{}, err
			}
			report.Tell(float64(s.at) / float64(len(f.Data)))
		}
		t, ok := s.next()
		if !ok {
			break
		}
		if err := r.token(t); err != nil {
			return parse.Document{}, err
		}
	}
	r.finish()
	return r.b.Document()
}

// rtfToken is one piece of an RTF file.
type rtfToken struct {
	kind  byte   // '{', '}', 'w' control word, 's' control symbol, 'c' one character byte
	word  string // of a control word
	value int    // its number
	given bool   // it has one
	char  byte   // of a symbol or character
}

// rtfTokens cuts an RTF file into tokens.
type rtfTokens struct {
	data []byte
	at   int
}

// next returns the next token; line breaks in the file are none.
func (s *rtfTokens) next() (rtfToken, bool) {
	for s.at < len(s.data) && (s.data[s.at] == '\r' || s.data[s.at] == '\n') {
		s.at++
	}
	if s.at >= len(s.data) {
		return rtfToken{}, false
	}
	c := s.data[s.at]
	s.at++
	switch c {
	case '{', '}':
		return rtfToken{kind: c}, true
	case '\\':
		return s.control()
	}
	return rtfToken{kind: 'c', char: c}, true
}

// control reads what follows a backslash.
func (s *rtfTokens) control() (rtfToken, bool) {
	if s.at >= len(s.data) {
		return rtfToken{}, false
	}
	if c := s.data[s.at]; !isLetter(c) {
		s.at++
		if c != '\'' {
			return rtfToken{kind: 's', char: c}, true
		}
		return s.hex(), true
	}
	start := s.at
	for s.at < len(s.data) && isLetter(s.data[s.at]) && s.at-start < 32 {
		s.at++
	}
	t := rtfToken{kind: 'w', word: string(s.data[start:s.at])}
	t.value, t.given = s.number()
	if s.at < len(s.data) && s.data[s.at] == ' ' {
		s.at++
	}
	if t.word == "bin" && t.value > 0 {
		s.at = min(s.at+t.value, len(s.data))
	}
	return t, true
}

// hex reads the two digits of \'xx; a broken one is nothing.
func (s *rtfTokens) hex() rtfToken {
	value, n := 0, 0
	for ; n < 2 && s.at < len(s.data); n++ {
		d := hexDigit(s.data[s.at])
		if d < 0 {
			break
		}
		value = value<<4 | d
		s.at++
	}
	if n == 0 {
		return rtfToken{kind: 'w'}
	}
	return rtfToken{kind: 'c', char: byte(value), given: true}
}

// number reads the parameter of a control word, bounded to ±1e9.
func (s *rtfTokens) number() (value int, given bool) {
	negative := s.at < len(s.data) && s.data[s.at] == '-'
	if negative {
		s.at++
	}
	for s.at < len(s.data) && s.data[s.at] >= '0' && s.data[s.at] <= '9' {
		value, given = min(value*10+int(s.data[s.at]-'0'), 1e9), true
		s.at++
	}
	if negative {
		value = -value
	}
	return value, given
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
