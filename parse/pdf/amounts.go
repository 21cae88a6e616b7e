package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isAmount reports whether a word is what the cells of a statement hold: a
// number with its signs, a dash for none, or an abbreviation for "no figure".
func isAmount(s string) bool {
	switch strings.ToLower(s) {
	case "n/a", "na", "nm", "n.m.", "n/m":
		return true
	}
	digits, dashes := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case isDash(r):
			dashes++
		case unicode.Is(unicode.Sc, r), strings.ContainsRune(".,'’()[]+%*†‡\u00A0", r):
		default:
			return false
		}
	}
	return digits > 0 || dashes > 0
}

// isDash reports whether a sign stands for "minus" or "none".
func isDash(r rune) bool { return strings.ContainsRune("-\u2010\u2011\u2012\u2013\u2014\u2212", r) }

// beforeAmount reports whether a word is a sign that belongs to the amount to
// its right, such as a currency.
func beforeAmount(s string) bool {
	letters, signs := 0, 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Sc, r):
			signs++
		case unicode.IsUpper(r):
			letters++
		case r == '(':
		default:
			return false
		}
	}
	return signs > 0 && letters <= 2 || s == "("
}

// afterAmount reports whether a word belongs to the amount to its left.
func afterAmount(s string) bool {
	switch s {
	case ")", "%", ")%", "%)", "pts", "pts.", "bps", "pp", "x":
		return true
	}
	r, n := utf8.DecodeRuneInString(s)
	return n == len(s) && (r == '*' || r == '†' || r == '‡')
}

// isYear reports whether a text is the number of a year, as headers have it.
func isYear(s string) bool {
	return len(s) == 4 && (strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20")) && strings.Trim(s, "0123456789") == ""
}
