package retrieve

import (
	"context"
	"math"
	"sync"

	"inlay/internal/lexis"
	"inlay/parse"
)

// lexicalFile is one file ready for lexical search: for each of its chunks the
// sequence of its terms, and apart from them those of what stands above it.
type lexicalFile struct {
	terms *lexis.Analyzer
	body  [][]uint32 // by chunk: terms of Text
	above [][]uint32 // by chunk: terms of Heading and Header
	words int        // of all bodies
	title [][]uint32 // by chunk: terms of the titles of its page and table
	pages []int      // by chunk: the number of its page from 0, -1 for none

	sort   sync.Once
	sorted []uint32 // terms in alphabetical order, see variants
}

// detectIn is how many bytes of a file its language is told from.
const detectIn = 8 << 10

// newLexicalFile analyses a file; it stops with the context's error.
func newLexicalFile(ctx context.Context, lex *lexis.Lexicon, d parse.Document, chunks []Chunk) (*lexicalFile, error) {
	f := &lexicalFile{
		terms: lex.Analyzer(lex.Detect(d.Text[:min(len(d.Text), detectIn)])),
		body:  make([][]uint32, len(chunks)), above: make([][]uint32, len(chunks)),
	}
	for i, c := range chunks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.body[i] = f.terms.Append(make([]uint32, 0, len(c.Text)/5), c.Text)
		f.above[i] = f.terms.Append(f.terms.Append(nil, c.Heading), c.Header)
		f.words += len(f.body[i])
	}
	f.entitle(d, chunks)
	return f, nil
}

// lexicalHits are the scores of one query: for every chunk of every file, in order.
type lexicalHits struct {
	score [][]float64 // BM25 over its sum for an ideal passage, 0..1 without the document's part
	asked map[lexis.Language]*lexicalQuery
}

// searchLexical scores every chunk of files for the query.
func searchLexical(lex *lexis.Lexicon, files []*lexicalFile, query string, set *setting) lexicalHits {
	asked := map[lexis.Language]*lexicalQuery{}
	hits := lexicalHits{make([][]float64, len(files)), asked}
	size := measureCorpus(files, set.neighbours)
	for i, f := range files {
		q := asked[f.terms.Lang]
		if q == nil {
			q = newLexicalQuery(lex, f.terms.Lang, query, len(files), set)
			asked[f.terms.Lang] = q
		}
		q.count(i, f)
	}
	for _, q := range asked {
		q.weigh(size)
	}
	for i, f := range files {
		hits.score[i] = asked[f.terms.Lang].score(i, f, size)
	}
	return hits
}

// corpusSize holds what BM25 asks about a corpus.
type corpusSize struct {
	files, chunks         float64
	chunkWords, fileWords float64 // on average
}

func measureCorpus(files []*lexicalFile, neighbours float64) corpusSize {
	var s corpusSize
	words, around := 0, 0.0
	for _, f := range files {
		s.chunks += float64(len(f.body))
		words += f.words
		around += float64(f.words)
		for k := range f.body {
			for _, o := range f.beside(k) {
				around += neighbours * float64(len(f.body[o]))
			}
		}
	}
	s.files = float64(len(files))
	s.chunkWords = around / max(s.chunks, 1)
	s.fileWords = float64(words) / max(s.files, 1)
	return s
}

// termCounts are what a file has of a query: chunk after chunk, one number for
// each term.
type termCounts struct {
	terms   []float32
	pairs   []float32 // one number for each pair
	holding []bool    // by term: the whole file is about it
}

// count counts the query's terms in every chunk of a file.
func (q *lexicalQuery) count(file int, f *lexicalFile) {
	column := q.columns(f)
	if column == nil {
		return
	}
	q.column[file] = column
	n := len(q.terms)
	p := len(q.pairs)
	counts := termCounts{make([]float32, n*len(f.body)), make([]float32, p*len(f.body)), make([]bool, n)}
	q.counts[file] = counts
	seen := make([]int, n)
	for k := range f.body {
		row := counts.terms[k*n : (k+1)*n]
		tally(row, column, f.body[k], 1)
		tally(row, column, f.above[k], q.set.headings)
		q.tallyPairs(counts.pairs[k*p:(k+1)*p], column, f.body[k], 1)
		if f.title != nil {
			tally(row, column, f.title[k], q.set.titles)
			q.tallyPairs(counts.pairs[k*p:(k+1)*p], column, f.title[k], q.set.titles)
		}
		for i, x := range row {
			if x > 0 {
				q.terms[i].chunks++
				seen[i]++
			}
		}
	}
	for i, s := range seen {
		if s > 0 {
			q.terms[i].files++
		}
		counts.holding[i] = q.set.subject > 0 && len(f.body) >= subjectChunks && s*subjectShare >= len(f.body)
	}
}

// columns returns, by the number of a term of the file, 1 + its place in
// q.terms, 0 for other terms; nil where the file has none of the query's.
func (q *lexicalQuery) columns(f *lexicalFile) []int16 {
	var column []int16
	take := func(id uint32, place int) {
		if column == nil {
			column = make([]int16, len(f.terms.Terms))
		}
		if column[id] == 0 {
			column[id] = int16(place + 1)
		}
	}
	for i, t := range q.terms {
		if id, ok := f.terms.Find(t.text); ok {
			take(id, i)
		}
	}
	for i, t := range q.terms {
		if q.set.variants > 0 {
			for _, id := range f.variants(t.text) {
				take(id, i)
			}
		}
	}
	return column
}

// tally counts in row the terms of a sequence that have a column, each for
// the given weight.
func tally(row []float32, column []int16, sequence []uint32, weight float32) {
	for _, id := range sequence {
		if c := column[id]; c > 0 {
			row[c-1] += weight
		}
	}
}

// tallyPairs counts in row the terms that follow the query's term before them
// within the setting's distance.
func (q *lexicalQuery) tallyPairs(row []float32, column []int16, sequence []uint32, weight float32) {
	last, lastAt := int16(0), 0
	for at, id := range sequence {
		c := column[id]
		if c == 0 {
			continue
		}
		if last > 0 && at-lastAt <= q.set.pairDistance {
			for _, p := range q.follows[last-1] {
				if q.pairs[p].second == int(c-1) {
					row[p] += weight
				}
			}
		}
		last, lastAt = c, at
	}
}

// weigh gives every term its weight once all files are counted. The counts
// start from some passages of ordinary text, so that a corpus of one short
// document does not take "report" for a rare word.
func (q *lexicalQuery) weigh(size corpusSize) {
	for i := range q.terms {
		t := &q.terms[i]
		t.weight = t.asked * inverseFrequency(t.chunks+q.set.background*t.common, size.chunks+q.set.background)
		t.inFiles = t.asked * inverseFrequency(t.files+q.set.background*t.common, size.files+q.set.background)
	}
}

// inverseFrequency is BM25's: ln(1 + (n - holding + 1/2) / (holding + 1/2)).
func inverseFrequency(holding, n float64) float64 {
	return math.Log(1 + (n-holding+.5)/(holding+.5))
}

// score returns the ranking score of each chunk of a file.
func (q *lexicalQuery) score(file int, f *lexicalFile, size corpusSize) []float64 {
	scores := make([]float64, len(f.body))
	if q.counts[file].terms == nil {
		return scores
	}
	ideal, n := 0.0, len(q.terms)
	for _, t := range q.terms[:q.own] {
		ideal += t.weight
	}
	phraseWeight := make([]float64, len(q.phrases))
	for i, p := range q.phrases {
		for _, t := range p.terms {
			phraseWeight[i] += q.terms[t].weight
		}
	}
	buffer := make([]float64, n)
	whole := q.set.document * q.document(file, f, size)
	for k := range f.body {
		row, pairs := q.context(buffer, file, f, k, q.set.neighbours), q.pairsOf(file, k)
		norm := q.set.saturation * (1 - q.set.lengthShare + q.set.lengthShare*f.wordsAround(k, q.set.neighbours)/size.chunkWords)
		sum := 0.0
		for i, x := range row[:q.own] {
			if x > 0 {
				sum += q.terms[i].weight * x / (x + norm)
			}
		}
		for i, p := range q.pairs[:q.ownPair] {
			if y := float64(pairs[i]); y > 0 {
				sum += q.set.pairs * min(q.terms[p.first].weight, q.terms[p.second].weight) * y / (y + norm)
			}
		}
		if q.set.phrases > 0 {
			for i, p := range q.phrases {
				sum += float64(q.set.phrases * phraseWeight[i] * q.share(p, row, pairs, norm, inRanking))
			}
		}
		if sum > 0 {
			scores[k] = (sum + whole) / ideal
		}
	}
	return scores
}

// document is the BM25 sum of the whole file.
func (q *lexicalQuery) document(file int, f *lexicalFile, size corpusSize) float64 {
	n := len(q.terms)
	norm := q.set.saturation * (1 - q.set.lengthShare + q.set.lengthShare*float64(f.words)/size.fileWords)
	sum := 0.0
	for i, t := range q.terms[:q.own] {
		total := 0.0
		for at := i; at < len(q.counts[file].terms); at += n {
			total += float64(q.counts[file].terms[at])
		}
		if total > 0 {
			sum += t.inFiles * total / (total + norm)
		}
	}
	return sum
}

// beside are the chunks before and after one.
func (f *lexicalFile) beside(chunk int) []int {
	var at [2]int
	n := 0
	for _, k := range [2]int{chunk - 1, chunk + 1} {
		if 0 <= k && k < len(f.body) {
			at[n] = k
			n++
		}
	}
	return at[:n]
}

// wordsAround is the length of a chunk and, for the given weight, of those beside it.
func (f *lexicalFile) wordsAround(chunk int, weight float64) float64 {
	words := float64(len(f.body[chunk]))
	for _, k := range f.beside(chunk) {
		words += weight * float64(len(f.body[k]))
	}
	return words
}

// pairsOf are the counts of the pairs in a chunk.
func (q *lexicalQuery) pairsOf(file, chunk int) []float32 {
	n := len(q.pairs)
	return q.counts[file].pairs[chunk*n : (chunk+1)*n]
}
