// Package lexis turns text of any language into terms that can be compared:
// words are found, folded and stemmed by language, identifiers split into
// their parts, scripts without spaces cut into pairs of characters. It also
// knows how common a term is in ordinary text.
package lexis

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"
)

//go:generate go run ./generate/main.go ../../node_modules data

//go:embed data/english.txt
var englishStems string

//go:embed data/stop.txt
var stopWords string

// functionShare is the share of running text that a function word of a
// language without a frequency table is taken to have: of the order of an
// English word among the hundred most frequent.
const functionShare = 1e-3

// Lexicon holds what is known of words before any document is read, and
// remembers how words were folded. It is safe for concurrent use; most
// callers want [Shared].
type Lexicon struct {
	share    map[string]float64           // English stem to its share of running text
	frequent map[string]bool              // the stems that tell English text
	stop     map[Language]map[string]bool // function words and their stems
	folded   map[Language]*folds
}

// folds remembers the terms of words as written.
type folds struct {
	words sync.Map // string to []string
	mu    sync.Mutex
	n     int
}

// remembered bounds the words a Lexicon remembers of one language.
const remembered = 200_000

// tellers is how many of the most frequent English stems tell English text.
const tellers = 120

//nolint:gochecknoglobals // its tables never change, and what it remembers is what folding a word again would give
var shared = sync.OnceValue(New)

// Shared returns the Lexicon of the process, so that the embedder and the search
// read the tables and fold each word once.
func Shared() *Lexicon { return shared() }

// New reads the built-in tables.
func New() *Lexicon {
	l := &Lexicon{
		share: make(map[string]float64, 32_000), frequent: map[string]bool{},
		stop: map[Language]map[string]bool{}, folded: map[Language]*folds{},
	}
	for line := range strings.Lines(englishStems) {
		stem, units, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, _ := strconv.Atoi(units)
		l.share[stem] = float64(n) / 1e8
		if len(l.frequent) < tellers {
			l.frequent[stem] = true
		}
	}
	for line := range strings.Lines(stopWords) {
		fields := strings.Fields(line)
		lang := Language(fields[0])
		stem, set := stemmer(lang), make(map[string]bool, 2*len(fields))
		for _, w := range fields[1:] {
			set[w], set[strip(stem(w))] = true, true
		}
		l.stop[lang] = set
	}
	for lang := range stemmers() {
		l.folded[lang] = &folds{}
	}
	return l
}

// Share estimates the share of running text of a language that a term makes
// up, 0..1. It is 0 for terms that are not common.
func (l *Lexicon) Share(lang Language, term string) float64 {
	if lang == English {
		return l.share[term]
	}
	if l.stop[lang][term] {
		return functionShare
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
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n < remembered {
		f.n++
		f.words.Store(strings.Clone(word), terms)
	}
	return terms
}
