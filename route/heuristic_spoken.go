package route

import (
	"regexp"
	"strings"
	"sync"
)

// What people write in other forms than the rules have: contractions without an
// apostrophe, the makefile for Makefile, a command in words. Each is a list of
// words with lines of the form "what is written -> what it stands for".

// substitutions are such a list.
type substitutions struct {
	any  *regexp.Regexp // any of them
	from []*regexp.Regexp
	to   []string
}

// substituted compiles a list when it is first asked for; around is put around
// every entry, with "%" for the entry.
func substituted(name, around string) func() *substitutions {
	return sync.OnceValue(func() *substitutions {
		var out substitutions
		var all []string
		around := fold(filled(around, anyLanguage))
		for _, line := range entries(name, anyLanguage) {
			from, to, _ := strings.Cut(line, " -> ")
			all = append(all, fold(from))
			out.from = append(out.from, regexp.MustCompile(strings.Replace(around, "%", fold(from), 1)))
			out.to = append(out.to, to)
		}
		out.any = regexp.MustCompile(strings.Replace(around, "%", strings.Join(all, "|"), 1))
		return &out
	})
}

var (
	informal       = substituted("informal", `(?i)\b(?:%)\b`)
	spokenFiles    = substituted("spoken files", `(?i)(?:^|\PL)(?:<determiners>|<file verbs>) (%)(?:(?: file| datei)?(?:[,.:;?!]*(?:\s|$)))`)
	spokenCommands = substituted("spoken commands", `(?i)^(?:%)$`)

	notAFile    = worded(`^(?:<kinds of files>)\b`)
	anyCourtesy = worded(`(?i)^(?:<courtesies>)*`)
	anyFarewell = worded(`(?i)(?:[\s,.!?]+(?:<farewells>))*[\s,.!?]*$`)
)

// formal is a folded text with contractions written out.
func formal(words string) string {
	list := informal()
	if !list.any.MatchString(words) {
		return words
	}
	for i, from := range list.from {
		words = from.ReplaceAllString(words, list.to[i])
	}
	return words
}

// written is a text with the real names of the files that it speaks of: the
// makefile is Makefile.
func written(text string) string {
	list := spokenFiles()
	if !list.any.MatchString(text) {
		return text
	}
	for i, from := range list.from {
		m := from.FindStringSubmatchIndex(text)
		if m == nil || notAFile.in(anyLanguage).MatchString(strings.ToLower(strings.TrimLeft(text[m[3]:], " "))) {
			continue
		}
		text = text[:m[2]] + list.to[i] + text[m[3]:]
	}
	return text
}

// spokenLength is the most bytes of an ask that is a command in words.
const spokenLength = 120

// spokenCommand is the command that an ask is for in words alone, such as "show
// me the diff"; empty if that is not all it is.
func (a ask) spokenCommand() string {
	text := formal(fold(a.text))
	if len(text) > spokenLength {
		return ""
	}
	text = text[len(anyCourtesy.in(anyLanguage).FindString(text)):]
	text = text[:anyFarewell.in(anyLanguage).FindStringIndex(text)[0]]
	list := spokenCommands()
	if !list.any.MatchString(text) {
		return ""
	}
	for i, from := range list.from {
		m := from.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		if len(m) > 2 && m[2] >= 0 && (said().MatchString(text[m[2]:m[3]]) || !strings.Contains(a.text, text[m[2]:m[3]])) {
			return ""
		}
		return string(from.ExpandString(nil, list.to[i], text, m))
	}
	return ""
}
