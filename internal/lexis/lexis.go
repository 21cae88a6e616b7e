// Package lexis turns text of any language into terms that can be compared:
// words are found, folded and stemmed by language, identifiers split into
// their parts, scripts without spaces cut into pairs of characters. It also
// knows how common a term is in ordinary text of its language or script.
package lexis

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

//go:generate go run ./generate/main.go ../../node_modules data

//go:embed data/english.txt
var englishStems string

//go:embed data/stop.txt
var stopWords string

//go:embed data/words.txt
var otherStems string

//go:embed data/characters.txt
var characterUnits string

// functionShare is the share of running text that a function word of a
// language without a frequency table is taken to have: of the order of an
// English word among the hundred most frequent.
const functionShare = 1e-3

// Lexicon holds what is known of words before any document is read, and
// remembers how words were folded. It is safe for concurrent use; most
// callers want [Shared].
type Lexicon struct {
	share    map[Language]func() map[string]float64 // stem to its share of running text
	pairs    func() map[string]float64              // the same of characters without spaces and pairs of them
	frequent map[string]bool                        // the stems that tell English text
	stop     map[Language]map[string]bool           // function words and their stems
	tells    map[string][]Language                  // a function word to the languages that have it
	folded   map[Language]*folds
	words    atomic.Int64 // remembered in folded
	phrases  func() map[string][]phrase // by the first term of what is asked
	request  func() map[string]bool     // see requestTerms
}

// folds remembers the terms of words as written.
type folds struct {
	words sync.Map // string to []string
}

// remembered bounds the words a Lexicon remembers, of all languages.
const remembered = 200_000

// tellers is how many of the most frequent English stems tell English text.
const tellers = 120

//nolint:gochecknoglobals // its tables never change, and what it remembers is what folding a word again would give
var shared = sync.OnceValue(New)

// Shared returns the Lexicon of the process, so that the embedder and the search
// read the tables and fold each word once.
func Shared() *Lexicon { return shared() }

// New reads the built-in tables. Those of other languages than English are
// read when they are first asked for.
func New() *Lexicon {
	l := &Lexicon{
		share: map[Language]func() map[string]float64{}, frequent: map[string]bool{},
		stop: map[Language]map[string]bool{}, tells: map[string][]Language{}, folded: map[Language]*folds{},
		pairs: sync.OnceValue(func() map[string]float64 { return units(strings.Fields(characterUnits)) }),
	}
	l.phrases, l.request = sync.OnceValue(l.readPhrases), sync.OnceValue(l.requestTerms)
	l.readEnglish()
	for line := range strings.Lines(stopWords) {
		fields := strings.Fields(line)
		lang := Language(fields[0])
		stem, set := stemmer(lang), make(map[string]bool, 2*len(fields))
		for _, w := range fields[1:] {
			set[w], set[strip(stem(w))] = true, true
		}
		l.stop[lang] = set
	}
	for line := range strings.Lines(otherStems) {
		lang, table, _ := strings.Cut(line, " ")
		l.share[Language(lang)] = sync.OnceValue(func() map[string]float64 { return ranked(strings.Fields(table)) })
		if l.stop[Language(lang)] == nil {
			l.stop[Language(lang)] = firstWords(table)
		}
	}
	for lang, set := range l.stop {
		l.folded[lang] = &folds{}
		for w := range set {
			l.tells[w] = append(l.tells[w], lang)
		}
	}
	l.folded[English], l.folded["ta"] = &folds{}, &folds{}
	return l
}

func (l *Lexicon) readEnglish() {
	share := units(strings.Fields(englishStems))
	l.share[English] = func() map[string]float64 { return share }
	for line := range strings.Lines(englishStems) {
		if len(l.frequent) == tellers {
			return
		}
		stem, _, _ := strings.Cut(line, " ")
		l.frequent[stem] = true
	}
}

// units reads "term units term units ...".
func units(fields []string) map[string]float64 {
	share := make(map[string]float64, len(fields)/2)
	for i := 0; i+1 < len(fields); i += 2 {
		n, _ := strconv.Atoi(fields[i+1])
		share[fields[i]] = float64(n) / 1e8
	}
	return share
}

// Zipf estimates the share of running text of the word of a rank, from 0:
// Zipf's law with Mandelbrot's offset.
func Zipf(rank int) float64 { return 0.1 / (float64(rank) + 2.7) }

// ranked are the shares of terms of which only the order is known.
func ranked(terms []string) map[string]float64 {
	share := make(map[string]float64, len(terms))
	for rank, t := range terms {
		share[t] = Zipf(rank)
	}
	return share
}

// firstWords are the most frequent words of a table: the function words of a
// language that has no list of them.
func firstWords(table string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(table) {
		if set[word] = true; len(set) == tellers {
			break
		}
	}
	return set
}

// Share estimates the share of running text of a language that a term makes
// up, 0..1: of a script without spaces, of its characters. It is 0 for terms
// that are not common.
func (l *Lexicon) Share(lang Language, term string) float64 {
	if Unspaced(term) {
		return l.pairs()[term]
	}
	if term != "" && digit(term[0]) {
		return numberShare(term)
	}
	share := 0.0
	if table := l.share[lang]; table != nil {
		share = table()[term]
	}
	if lang != English && l.stop[lang][term] {
		share = max(share, functionShare)
	}
	return share
}

// numberShare estimates the share of running text of one number, which no table
// of words has: small ones and years are common.
func numberShare(term string) float64 {
	year := len(term) == 4 && (term[:2] == "19" || term[:2] == "20")
	switch {
	case len(term) == 1:
		return 1e-3
	case len(term) == 2:
		return 2e-4
	case year:
		return 1e-4
	case len(term) == 3:
		return 3e-5
	}
	return 0
}

// Common returns the probability that n words of ordinary text hold the term
// at least once, taking its occurrences for independent.
func (l *Lexicon) Common(lang Language, term string, n float64) float64 {
	return 1 - math.Exp(-n*l.Share(lang, term))
}

// remember returns the terms of a written word, folding it at first sight.
func (l *Lexicon) remember(lang Language, word string, fold func(string) []string) []string {
	f := l.folded[lang]
	if f == nil {
		return fold(word)
	}
	if terms, ok := f.words.Load(word); ok {
		return terms.([]string)
	}
	terms := fold(word)
	if l.words.Load() < remembered {
		l.words.Add(1)
		f.words.Store(strings.Clone(word), terms)
	}
	return terms
}
