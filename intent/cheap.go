package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What follows tells by a few bytes that a line cannot match an expression.

// marked reports whether a line may begin with the mark of an item.
func marked(trim string) bool {
	if trim == "" {
		return false
	}
	switch c := trim[0]; {
	case 'a' <= c|0x20 && c|0x20 <= 'z':
		return len(trim) > 1 && (trim[1] == '.' || trim[1] == ')')
	case '0' <= c && c <= '9', c >= utf8.RuneSelf:
		return true
	default:
		return strings.IndexByte("-*+([#", c) >= 0
	}
}

// item reports whether a line begins with the mark of an item.
func item(trim string) bool { return marked(trim) && itemMark().MatchString(trim) }

// bulleted is item for a line that may be indented, with #1 as a mark.
func bulleted(l line) bool { return marked(l.trim) && bullet().MatchString(l.text) }

// gaps counts the gaps between columns.
func gaps(s string) int {
	if !strings.Contains(s, "  ") && strings.IndexByte(s, '\t') < 0 {
		return 0
	}
	return len(columns().FindAllString(s, -1))
}

// logged reports whether a line begins like one of a log.
func logged(text string) bool {
	if text == "" {
		return false
	}
	if c := text[0]; 'a' <= c|0x20 && c|0x20 <= 'z' {
		if len(text) < 2 || 'A' <= text[1] && text[1] <= 'Z' || strings.ContainsAny(text, ":=|\t") {
			return logStart().MatchString(text)
		}
		return (strings.IndexByte("Fgnt", c) >= 0 || strings.Contains(text, "Error") || strings.Contains(text, "Exception") || strings.Contains(text, "Warning")) && logStart().MatchString(text)
	}
	return logStart().MatchString(text)
}

// commented reports whether a line is a comment of a program.
func commented(text string) bool {
	t := strings.TrimLeft(text, " \t\n\f\r")
	return t != "" && strings.IndexByte("/#*-<\"';%", t[0]) >= 0 && comment().MatchString(text)
}

// set reports whether a line is one of settings.
func set(l line) bool {
	return (strings.ContainsAny(l.text, ":=") || l.trim != "" && strings.IndexByte("-[#;", l.trim[0]) >= 0) && setting().MatchString(l.text)
}

// speaks is a line's speaker; nil if it has none.
func speaks(trim string) []string {
	if !strings.ContainsAny(trim, ":>：") {
		return nil
	}
	return turn().FindStringSubmatch(trim)
}

// hexed reports whether a line is one of a dump in hexadecimal.
func hexed(trim string) bool {
	return len(trim) > 12 && strings.IndexByte("0123456789abcdefABCDEF", trim[0]) >= 0 && strings.IndexByte("0123456789abcdefABCDEFxX", trim[1]) >= 0 && hexLine().MatchString(trim)
}

// starts reports whether a text begins with one of some bytes.
func starts(text, bytes string) bool { return text != "" && strings.IndexByte(bytes, text[0]) >= 0 }

// wordCount is the number of words of a text: those between white space, or of
// two characters each where there is none between them.
func wordCount(text string) int {
	fields, dense := 0, 0
	for range strings.FieldsSeq(text) {
		fields++
	}
	for _, r := range text {
		if r >= 0x3040 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			dense++
		}
	}
	return max(fields, dense/2)
}
