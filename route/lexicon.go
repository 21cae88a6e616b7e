package route

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"inlay/internal/lazy"
	"inlay/internal/wordlist"
)

// The words of the heuristic are data: one file for each language, and
// names.txt for what is the same in all of them, such as programs and brands, in
// the form of wordlist. An entry is a word or phrase, as a regular expression of
// lower-case text. A list of all languages is one expression:
//
//	phrase    anywhere, between the ends of words
//	^phrase   begins the text
//	~phrase   is an expression of its own, without the ends of words
//	<name>    within a phrase, any entry of that list
//	a -> b    in lists of substitutions: a is replaced by b

//go:embed words/*.txt
var wordFiles embed.FS

// language is one whose lists are held against an ask.
type language uint8

const (
	anyLanguage language = iota // it is not clear: the lists of all languages
	english
	german
	french
	languages = iota
)

// languageOf is the language of a file of words; names are of every language.
func languageOf(file string) language {
	switch file {
	case "en.txt":
		return english
	case "de.txt":
		return german
	case "fr.txt":
		return french
	}
	return anyLanguage
}

// entry is a line of a list.
type entry struct {
	of   language
	text string
}

// holds reports whether a line counts for asks of a language: names and English
// always do, because people mix in English terms.
func (l language) holds(of language) bool {
	return l == anyLanguage || of == anyLanguage || of == english || of == l
}

// wordLists are the lists of all files by their names.
var wordLists = sync.OnceValue(readLists) //nolint:gochecknoglobals // read once, never changed

func readLists() map[string][]entry {
	out := map[string][]entry{}
	names, err := wordFiles.ReadDir("words")
	if err != nil {
		panic(err)
	}
	for _, f := range names {
		for section, phrases := range wordlist.Read(wordFiles, path.Join("words", f.Name())) {
			for _, p := range phrases {
				out[section] = append(out[section], entry{languageOf(f.Name()), p})
			}
		}
	}
	return out
}

// functionWords are the words that show which language a text is in.
var functionWords = sync.OnceValue(func() map[string]language { //nolint:gochecknoglobals // read once, never changed
	out := map[string]language{}
	for _, e := range wordLists()["function words"] {
		out[fold(e.text)] = e.of
	}
	return out
})

// clearly is how many times as many words of English as of other languages an
// English text has: others mix in English words, English has few of theirs.
const clearly = 3

// spoken is the language of a text in lower case, by its function words.
func spoken(low string) language {
	var votes [languages]int
	for field := range strings.FieldsSeq(fold(low)) {
		if strings.ContainsAny(strings.TrimRight(field, ".,;:?!)"), "./_") { // a name
			continue
		}
		for _, word := range strings.FieldsFunc(field, func(r rune) bool { return !unicode.IsLetter(r) }) {
			votes[functionWords()[word]]++
		}
	}
	switch en, de, fr := votes[english], votes[german], votes[french]; {
	case en > 0 && en >= clearly*(de+fr):
		return english
	case de > fr && de > 0:
		return german
	case fr > de:
		return french
	}
	return anyLanguage
}

// phrase is a list as an expression for each language, compiled when it is
// first asked for.
type phrase [languages]func() *regexp.Regexp

// in is the expression for asks of a language.
func (p *phrase) in(l language) *regexp.Regexp { return p[l]() }

// phrases is a list by its name.
func phrases(name string) *phrase {
	return perLanguage(func(l language) string { return expression(name, l) })
}

// worded is a pattern for folded text.
func worded(expr string) *phrase {
	return perLanguage(func(l language) string { return fold(filled(expr, l)) })
}

func perLanguage(expr func(language) string) *phrase {
	var out phrase
	for l := range language(languages) {
		out[l] = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr(l)) })
	}
	return &out
}

// never is an expression that nothing matches.
const never = `[^\s\S]`

// expression is a list as one regular expression.
func expression(name string, l language) string {
	var anywhere, first, own []string
	for _, p := range entries(name, l) {
		switch {
		case strings.HasPrefix(p, "~"):
			own = append(own, fold(p[1:]))
		case strings.HasPrefix(p, "^"):
			first = append(first, fold(p[1:]))
		default:
			anywhere = append(anywhere, fold(p))
		}
	}
	var all []string
	if len(anywhere) > 0 {
		all = append(all, `\b(?:`+strings.Join(anywhere, "|")+`)\b`)
	}
	if len(first) > 0 {
		all = append(all, `^(?:`+strings.Join(first, "|")+`)\b`)
	}
	if all = append(all, own...); len(all) == 0 {
		return never
	}
	return strings.Join(all, "|")
}

// entries are those of a list, with the lists that they name put in.
func entries(name string, l language) (out []string) {
	list, ok := wordLists()[name]
	if !ok {
		panic(fmt.Sprintf("route: there is no list %q in words", name))
	}
	for _, e := range list {
		if l.holds(e.of) {
			out = append(out, filled(e.text, l))
		}
	}
	return out
}

var listName = lazy.Regexp(`<[a-z][a-z ]+>`)

// anyOf is a list as a group of an expression, without the marks of its entries.
func anyOf(name string, l language) string {
	list := entries(name, l)
	for i, p := range list {
		list[i] = strings.TrimLeft(p, "^~")
	}
	if len(list) == 0 {
		return never
	}
	return "(?:" + strings.Join(list, "|") + ")"
}

// fold is a text without the marks on its letters, so that the ends of its words
// are those of expressions: è is e, ü is u, ß is ss.
func fold(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r == 'ß':
			b.WriteString("ss")
		case r == 'œ':
			b.WriteString("oe")
		case r == '’':
			b.WriteByte('\'')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// pattern returns what compiles an expression, in which <name> is any entry of
// that list in any language, when it is first called.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(filled(expr, anyLanguage)) })
}

// filled is an expression with the lists that it names put in.
func filled(expr string, l language) string {
	return listName().ReplaceAllStringFunc(expr, func(n string) string { return anyOf(n[1:len(n)-1], l) })
}
