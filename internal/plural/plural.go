// Package plural puts numbers into English sentences: "1 page is", "2 pages
// are". Every count that a person reads goes through it.
package plural

import (
	"strconv"
	"strings"
)

// Of is n of a noun, given in the singular: "1 file", "0 files", "2 queries".
func Of(n int, noun string) string { return strconv.Itoa(n) + " " + Noun(n, noun) }

// Noun is the form of a noun that follows the number n.
func Noun(n int, noun string) string {
	switch {
	case n == 1:
		return noun
	case strings.HasSuffix(noun, "y") && len(noun) > 1 && !strings.ContainsRune("aeiou", rune(noun[len(noun)-2])):
		return noun[:len(noun)-1] + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	}
	return noun + "s"
}

// OfAll is n of all of a noun, whose form follows all: "1 of 2 pages", "1 of 1
// page".
func OfAll(n, all int, noun string) string {
	return strconv.Itoa(n) + " of " + Of(all, noun)
}

// Pick is one for 1 and many for every other number, for verbs and pronouns.
func Pick(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Grouped writes a number with its thousands apart: "3,000".
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
