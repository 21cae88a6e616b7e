// Package asks tells requests about whole documents, which a few passages cannot
// serve (INJ-13), from questions that a passage answers, in thirteen languages.
package asks

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Kind is what a request wants of whole documents.
type Kind string

// The kinds of request. Passage is any other.
const (
	Passage   Kind = ""
	Summary   Kind = "summary"   // what it is about, in short
	Compare   Kind = "compare"   // what differs
	List      Kind = "list"      // all of something
	Count     Kind = "count"     // how many of something
	Structure Kind = "structure" // its chapters, sections, sheets, slides
)

// longest is how much of a request is looked at, in bytes: what comes after it
// is material rather than a request.
const longest = 2000

// Of returns what a request wants of whole documents.
//
// A count of units ("how many days of leave") asks for one fact that a passage
// holds, and is a question like any other.
func Of(request string) Kind {
	text := plainly(request)
	kana := hasKana(text)
	for _, l := range languages() {
		if !l.writes(text, kana) {
			continue
		}
		if kind := l.kind(text); kind != Passage {
			return kind
		}
	}
	return Passage
}

// writes reports whether the text may be a request in the language: it has
// letters of its script and, where words have ends, one of its words. Japanese
// may do with kana alone, and with kana is not Chinese.
func (l *language) writes(text string, kana bool) bool {
	if l.script == unicode.Han && kana {
		return l.headLast
	}
	written := strings.IndexFunc(text, func(r rune) bool { return (r >= utf8.RuneSelf || l.script == unicode.Latin) && unicode.Is(l.script, r) }) >= 0
	return written && (l.unspaced || l.headLast || l.words().knows(text))
}

func hasKana(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= 0x2000 && unicode.In(r, unicode.Hiragana, unicode.Katakana) }) >= 0
}

// kind is Of by the words of one language.
func (l *language) kind(text string) Kind {
	if l.unspaced {
		text = strings.ReplaceAll(text, " ", "")
	}
	for before := ""; before != text; {
		before = text
		text = strings.TrimSpace(l.words().lists[please].without(text))
	}
	switch {
	case l.matches(passage, text):
		return Passage
	case l.matches(contents, text), l.matches(which, text):
		return Structure
	case l.matches(mentions, text):
		return Count
	}
	if kind, ok := l.counted(text); ok {
		return kind
	}
	for _, k := range []struct {
		list int
		kind Kind
	}{{compare, Compare}, {list, List}, {summary, Summary}} {
		if l.matches(k.list, text) {
			return k.kind
		}
	}
	return Passage
}

// counted is the kind of a request with a word that asks for a number.
func (l *language) counted(text string) (Kind, bool) {
	at := l.words().lists[count].find(text)
	if at == nil {
		return Passage, false
	}
	rest := " " + strings.TrimSpace(text[at[1]:])
	switch {
	case l.matches(structureNext, rest), l.headLast && l.matches(structure, text):
		return Structure, true
	case l.matches(units, rest), l.matches(unitsAfter, rest):
		return Passage, true
	}
	return Count, true
}

// Conditional reports whether a request for a count has a word such as "not",
// "more than" or "different" in its language, so that the rows with a value are
// not what is asked for.
func Conditional(request string) bool { return counts(request, conditions) }

// Either reports whether a request for a count has a word such as "or" in its
// language: no two values that it names need be in one row.
func Either(request string) bool { return counts(request, alternatives) }

// counts reports whether a request for a count has a word of a list.
func counts(request string, list int) bool {
	text := plainly(request)
	kana := hasKana(text)
	for _, l := range languages() {
		if l.writes(text, kana) && l.kind(text) == Count && l.matches(list, text) {
			return true
		}
	}
	return false
}

// Maybe reports whether a request that Of takes for a question about a passage
// may be about whole documents after all: it names one.
func Maybe(request string) bool {
	text := plainly(request)
	kana := hasKana(text)
	for _, l := range languages() {
		if l.writes(text, kana) && l.matches(documents, text) {
			return true
		}
	}
	return false
}

// Words are the words of a text in lower case, with one space between them and
// without punctuation and the marks that are often left out.
func Words(text string) string {
	return strings.Join(strings.FieldsFunc(fold(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r)
	}), " ")
}

// plainly is a request in lower case, without quotations, punctuation and the
// marks that are often left out: words with a space between them.
func plainly(request string) string {
	request = strings.ToValidUTF8(request[:min(len(request), longest)], "")
	if strings.ContainsAny(request, `"“„«「『`) {
		if bare := quoted().ReplaceAllString(request, " "); len(strings.Fields(bare)) > 1 {
			request = bare
		}
	}
	return Words(request)
}

// fold lowers letters and leaves out the marks of Latin, Greek, Cyrillic and Arabic.
func fold(s string) string {
	s = strings.Map(func(r rune) rune {
		if '\u0300' <= r && r <= '\u036f' || '\u064b' <= r && r <= '\u0655' || r == 'ـ' {
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToLower(s)))
	return norm.NFC.String(strings.ReplaceAll(strings.ReplaceAll(s, "ı", "i"), "ß", "ss"))
}

// matches reports whether an entry of a list is in the text.
func (l *language) matches(list int, text string) bool { return l.words().lists[list].matches(text) }
