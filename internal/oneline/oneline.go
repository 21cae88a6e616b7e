// Package oneline holds names that people see to one line of visible text.
package oneline

import (
	"strings"
	"unicode"

	"inlay/fault"
)

// Check refuses, as fault.Usage with the subject field, a text that holds
// characters of which [Unseen] reports true.
func Check(field, text string) error {
	if strings.ContainsFunc(text, Unseen) {
		return fault.Invalid(field, "text without control characters")
	}
	return nil
}

// Unseen reports characters that make a name look like another one, or like
// several lines: controls, line and paragraph separators, and what turns the
// direction of the text around it. The marks that only say which way a letter
// goes belong to Arabic and Hebrew names.
func Unseen(r rune) bool {
	const leftMark, rightMark, letterMark = '\u200e', '\u200f', '\u061c'
	if r == leftMark || r == rightMark || r == letterMark {
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}
