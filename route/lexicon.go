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
)

// The words of the heuristic are data: one file for each language, and
// names.txt for what is the same in all of them, such as programs and brands. A
// line "[name]" begins a list; every other line is one word or phrase of it, as
// a regular expression of lower-case text. A list of all languages is one
// expression:
//
//	phrase    anywhere, between the ends of words
//	^phrase   begins the text
//	~phrase   is an expression of its own, without the ends of words
//	<name>    within a phrase, any entry of that list
//	a -> b    in lists of substitutions: a stands for b
//
// Lines that begin with # are comments.

//go:embed words/*.txt
var wordFiles embed.FS

// wordLists are the lists of all files by their names.
var wordLists = sync.OnceValue(readLists) //nolint:gochecknoglobals // read once, never changed

// readLists reads the embedded files; they are part of the program, so that a
// fault in them is one of the program.
func readLists() map[string][]string {
	out := map[string][]string{}
	names, err := wordFiles.ReadDir("words")
	if err != nil {
		panic(err)
	}
	for _, f := range names {
		data, err := wordFiles.ReadFile(path.Join("words", f.Name()))
		if err != nil {
			panic(err)
		}
		section := ""
		for line := range strings.Lines(string(data)) {
			line = strings.TrimRight(line, "\r\n")
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
				section = strings.Trim(line, "[]")
			default:
				out[section] = append(out[section], line)
			}
		}
	}
	return out
}

// phrases are what compiles a list when it is first asked for.
func phrases(name string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression(name)) })
}

// expression is a list as one regular expression.
func expression(name string) string {
	var anywhere, first, own []string
	for _, p := range entries(name) {
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
	return strings.Join(append(all, own...), "|")
}

// entries are those of a list, with the lists that they name put in.
func entries(name string) []string {
	list, ok := wordLists()[name]
	if !ok {
		panic(fmt.Sprintf("route: there is no list %q in words", name))
	}
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = filled(p)
	}
	return out
}

var listName = lazy.Regexp(`<[a-z][a-z ]+>`)

// anyOf is a list as a group of an expression, without the marks of its entries.
func anyOf(name string) string {
	list := entries(name)
	for i, p := range list {
		list[i] = strings.TrimLeft(p, "^~")
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

// worded is a pattern for folded text.
func worded(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(fold(filled(expr))) })
}

// pattern returns what compiles an expression, in which <name> is any entry of
// that list, when it is first called.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(filled(expr)) })
}

// filled is an expression with the lists that it names put in.
func filled(expr string) string {
	return listName().ReplaceAllStringFunc(expr, func(n string) string { return anyOf(n[1 : len(n)-1]) })
}
