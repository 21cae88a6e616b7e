package asks

import (
	"embed"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"inlay/internal/lazy"
	"inlay/internal/wordlist"
)

// The words are data: one file for each language, in the form of wordlist. An
// entry is a phrase, as a regular expression of lower-case text without
// punctuation and marks on letters:
//
//	phrase    anywhere between the ends of words
//	^phrase   begins the request
//	~         any letters
//	..        up to four words
//	<name>    any entry of that list
//
// Chinese, Japanese and Korean words have no ends.

//go:embed words/*.txt
var wordFiles embed.FS

// The lists of a language.
const (
	please        = iota // politeness that is left out at the beginning
	documents            // words for documents
	summary              // requests for what is in them
	compare              // requests for what differs
	list                 // requests for all of something
	count                // words that ask for a number
	mentions             // questions how often something is mentioned
	units                // what one number is measured in, after a word of count
	unitsAfter           // the same, anywhere after it
	contents             // requests for the table of contents
	structure            // words for chapters and the like
	structureNext        // the same, right after a word of count
	which                // questions which chapters there are
	passage              // what only questions about a passage have
	conditions           // words that make a count more than that of one value
	alternatives         // words between values of which either is counted
	lists
)

func names() []string {
	return []string{
		"please", "documents", "summary", "compare", "list", "count", "mentions", "units", "units after",
		"contents", "structure", "", "which", "passage", "conditions", "alternatives",
	}
}

// language is the words of one language.
type language struct {
	script   *unicode.RangeTable // of its letters
	unspaced bool                // written without spaces
	headLast bool                // the word for what is counted may come before the number
	words    func() *vocabulary  // read when first asked for
}

// vocabulary is the words of a language, read.
type vocabulary struct {
	lists  [lists]expression
	starts map[string]bool // a word that begins with none of these is in no list
}

//nolint:gochecknoglobals // made once, never changed
var languages = sync.OnceValue(func() []*language {
	var all []*language
	for _, l := range []struct {
		code   string
		script *unicode.RangeTable
	}{
		{"en", unicode.Latin},
		{"de", unicode.Latin},
		{"fr", unicode.Latin},
		{"es", unicode.Latin},
		{"it", unicode.Latin},
		{"pt", unicode.Latin},
		{"tr", unicode.Latin},
		{"ru", unicode.Cyrillic},
		{"ar", unicode.Arabic},
		{"hi", unicode.Devanagari},
		{"ko", unicode.Hangul},
		{"zh", unicode.Han},
		{"ja", unicode.Han},
	} {
		all = append(all, &language{
			script: l.script, unspaced: l.script == unicode.Han, headLast: l.code == "ja" || l.code == "ko",
			words: sync.OnceValue(func() *vocabulary { return readVocabulary(l.code, l.script == unicode.Han || l.code == "ko") }),
		})
	}
	return all
})

var quoted = lazy.Regexp(`"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|『[^』]*』`)

// readVocabulary reads an embedded file. Words of a language without ends may be
// followed by anything.
func readVocabulary(code string, endless bool) *vocabulary {
	words := folded(code)
	expand := strings.NewReplacer(
		"<documents>", "(?:"+strings.Join(words["documents"], "|")+")", "<structure>", "(?:"+strings.Join(words["structure"], "|")+")",
		".. ", "(?:[^ ]+ ){0,4}", "~", "[^ ]*",
	)
	v := &vocabulary{starts: map[string]bool{}}
	for i, name := range names() {
		v.lists[i] = newExpression(words[name], expand, !endless)
		if i != please && i != units && i != unitsAfter && i != passage && i < conditions {
			v.start(words[name])
		}
	}
	v.lists[structureNext] = newExpression(anchored("^(?:の|つの)?", words["structure"], ""), expand, !endless)
	v.lists[units] = newExpression(anchored("^", words["units"], ""), expand, !endless)
	v.lists[please] = newExpression(slices.Concat(anchored("^", words["please"], ""), anchored("", words["please"], "$")), expand, !endless)
	return v
}

// shortest is the length in bytes from which a word of a list is known by its
// beginning.
const shortest = 3

// start notes the literal words of phrases, those that may lack their last
// letter without it.
func (v *vocabulary) start(phrases []string) {
	for _, p := range phrases {
		for len(p) > 0 {
			end := strings.IndexFunc(p, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
			if end < 0 {
				end = len(p)
			}
			if end == 0 {
				_, size := utf8.DecodeRuneInString(p)
				p = p[size:]
				continue
			}
			word := p[:end]
			if strings.HasPrefix(p[end:], "?") {
				_, size := utf8.DecodeLastRuneInString(word)
				word = word[:end-size]
			}
			v.starts[word] = true
			p = p[end:]
		}
	}
	delete(v.starts, "")
}

// knows reports whether a word of the text may be in a list.
func (v *vocabulary) knows(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if v.starts[word] {
			return true
		}
		for end := shortest; end < len(word); end++ {
			if v.starts[word[:end]] {
				return true
			}
		}
	}
	return false
}

// folded are the phrases of a file by the names of their lists.
func folded(code string) map[string][]string {
	lists := wordlist.Read(wordFiles, path.Join("words", code+".txt"))
	for _, phrases := range lists {
		for i, p := range phrases {
			phrases[i] = fold(p)
		}
	}
	return lists
}

// anchored are phrases with what binds them to one end of the text.
func anchored(before string, phrases []string, after string) []string {
	out := make([]string, len(phrases))
	for i, p := range phrases {
		out[i] = before + "(?:" + p + ")" + after
	}
	return out
}
