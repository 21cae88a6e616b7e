package retrieve

import (
	"context"
	"math"
	"sync"

	"inlay/internal/lexis"
	"inlay/parse"
)

// lexicalFile is one file ready for lexical search: for each of its chunks the
// sequence of its terms, and apart from them those of what is above it.
type lexicalFile struct {
	terms *lexis.Analyzer
	body  [][]uint32 // by chunk: terms of Text
	above [][]uint32 // by chunk: terms of Heading and Header
	words int        // of all bodies
	title [][]uint32 // by chunk: terms of the titles of its page and table
	pages []int      // by chunk: the number of its page from 0, -1 for none
	// sample is set where only some passages are in memory: words are of all of
	// them, and body, above and title are empty for the others.
	sample *sampled
	// lengths are the terms of each body where not all bodies are in memory; nil:
	// they are.
	lengths []int

	sorted *sortedTerms
}

// sortedTerms are the numbers of an analyzer's terms in alphabetical order, see
// variants.
type sortedTerms struct {
	once sync.Once
	ids  []uint32
}

// detectIn is how many bytes of a file its language is told from.
const detectIn = 8 << 10

// newLexicalFile analyses a file; it stops with the context's error.
func newLexicalFile(ctx context.Context, lex *lexis.Lexicon, d parse.Document, chunks []Chunk) (*lexicalFile, error) {
	f := &lexicalFile{
		terms: lex.Analyzer(lex.Detect(d.Text[:min(len(d.Text), detectIn)])), sorted: new(sortedTerms),
		body: make([][]uint32, len(chunks)), above: make([][]uint32, len(chunks)),
	}
	for i, c := range chunks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.analyse(i, c)
		f.words += len(f.body[i])
	}
	f.entitle(d, chunks)
	return f, nil
}

// analyse takes the terms of one chunk.
func (f *lexicalFile) analyse(i int, c Chunk) {
	f.body[i] = f.terms.Append(make([]uint32, 0, len(c.Text)/5), c.Text)
	f.above[i] = f.terms.Append(f.terms.Append(nil, c.Heading), c.Header)
}

// lexicalHits are the scores of one query: for every chunk of every file, in order.
type lexicalHits struct {
	score [][]float64 // BM25 over its sum for an ideal passage, 0..1 without the document's part
	asked map[lexis.Language]*lexicalQuery
}

// searchLexical scores every chunk of files for the query. What collections
// found gives their statistics.
func (r *Retriever) searchLexical(files []*lexicalFile, outside []Candidates, query string, set *setting) lexicalHits {
	asked := map[lexis.Language]*lexicalQuery{}
	hits := lexicalHits{make([][]float64, len(files)), asked}
	size := measureCorpus(files, outside, set.neighbours)
	for i, f := range files {
		q := asked[f.terms.Lang]
		if q == nil {
			an := r.asking.take(r.lex, f.terms.Lang)
			q = newLexicalQuery(r.lex, an, query, len(files), set)
			r.asking.put(an)
			asked[f.terms.Lang] = q
		}
		q.count(i, f)
	}
	for lang, q := range asked {
		q.countOutside(lang, outside)
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

func measureCorpus(files []*lexicalFile, outside []Candidates, neighbours float64) corpusSize {
	var all Size
	for _, f := range files {
		if f.sample != nil {
			continue // counted in outside
		}
		all.Documents++
		all.Passages += len(f.body)
		all.Words += f.words
		for k := range f.body {
			for _, o := range beside(k, len(f.body)) {
				if o >= 0 {
					all.Beside += len(f.body[o])
				}
			}
		}
	}
	for _, o := range outside {
		all = all.plus(o.Size)
	}
	return newCorpusSize(all, neighbours)
}

func newCorpusSize(s Size, neighbours float64) corpusSize {
	return corpusSize{
		files: float64(s.Documents), chunks: float64(s.Passages),
		chunkWords: (float64(s.Words) + float64(neighbours*float64(s.Beside))) / max(float64(s.Passages), 1),
		fileWords:  float64(s.Words) / max(float64(s.Documents), 1),
	}
}

// countOutside adds the passages and files of collections that hold the terms.
func (q *lexicalQuery) countOutside(lang lexis.Language, outside []Candidates) {
	for _, o := range outside {
		for i, n := range o.Terms[string(lang)] {
			q.terms[i].chunks += float64(n.Passages)
			q.terms[i].files += float64(n.Documents)
		}
	}
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
		q.countChunk(row, counts.pairs[k*p:(k+1)*p], column, f, k)
		for i, x := range row {
			if x > 0 && f.sample == nil {
				q.terms[i].chunks++
				seen[i]++
			}
		}
	}
	if f.sample != nil {
		seen = f.sample.holding
	}
	for i, s := range seen {
		if s > 0 && f.sample == nil {
			q.terms[i].files++
		}
		counts.holding[i] = q.set.subject > 0 && len(f.body) >= subjectChunks && s*subjectShare >= len(f.body)
	}
}

// countChunk counts the terms and pairs in one chunk.
func (q *lexicalQuery) countChunk(row, pairs []float32, column []int16, f *lexicalFile, k int) {
	if f.sample != nil && f.sample.counts != nil {
		q.tallyPairs(nil, pairs, column, f.body[k], 1)
		if f.title != nil {
			q.tallyPairs(nil, pairs, column, f.title[k], q.set.titles)
		}
		copy(row, f.sample.counts[k])
		return
	}
	q.tallyPairs(row, pairs, column, f.body[k], 1)
	tally(row, column, f.above[k], q.set.headings)
	if f.title != nil {
		q.tallyPairs(row, pairs, column, f.title[k], q.set.titles)
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

// tallyPairs counts in row the terms of a sequence that have a column, and in
// pairs those that follow the query's term before them within the setting's
// distance. Without a row it counts the pairs alone.
func (q *lexicalQuery) tallyPairs(row, pairs []float32, column []int16, sequence []uint32, weight float32) {
	last, lastAt := int16(0), 0
	for at, id := range sequence {
		c := column[id]
		if c == 0 {
			continue
		}
		if row != nil {
			row[c-1] += weight
		}
		if last > 0 && at-lastAt <= q.set.pairDistance {
			for _, p := range q.follows[last-1] {
				if q.pairs[p].second == int(c-1) {
					pairs[p] += weight
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

// passages is what scoring asks about a file: the in-memory one, or the counts
// of a collection.
type passages interface {
	length(chunk int) int  // its terms
	ranked(chunk int) bool // false: it is known only for the sake of those beside it
	allWords() int
	total(term int, counts []float32) float64 // occurrences in the whole file of a term of the query
}

func (f *lexicalFile) length(chunk int) int {
	if f.lengths != nil {
		return f.lengths[chunk]
	}
	return len(f.body[chunk])
}

func (f *lexicalFile) ranked(chunk int) bool { return f.sample == nil || f.sample.hits[chunk] }
func (f *lexicalFile) allWords() int         { return f.words }

func (f *lexicalFile) total(term int, counts []float32) float64 {
	if f.sample != nil {
		return f.sample.totals[term]
	}
	return sumEvery(counts, term, len(counts)/max(len(f.body), 1))
}

// sumEvery adds every step-th number from start.
func sumEvery(numbers []float32, start, step int) float64 {
	total := 0.0
	for at := start; at < len(numbers); at += step {
		total += float64(numbers[at])
	}
	return total
}

// score returns the ranking score of each chunk of a file.
func (q *lexicalQuery) score(file int, f *lexicalFile, size corpusSize) []float64 {
	scores := make([]float64, len(f.body))
	if q.counts[file].terms != nil {
		q.scoreCounts(scores, q.counts[file], f, size)
	}
	return scores
}

// scoreCounts scores the chunks of a file from the counts of its terms. Without
// counts of pairs, what these and phrases add is left out.
func (q *lexicalQuery) scoreCounts(scores []float64, counts termCounts, f passages, size corpusSize) {
	ideal, n := 0.0, len(q.terms)
	for _, t := range q.terms[:q.own] {
		ideal += t.weight
	}
	buffer := make([]float64, n)
	whole := q.set.document * q.document(counts, f, size)
	for k := range scores {
		if !f.ranked(k) {
			continue
		}
		var pairs []float32
		if counts.pairs != nil {
			pairs = q.pairsIn(counts, k)
		}
		row := q.context(buffer, counts, len(scores), k, q.set.neighbours)
		norm := q.set.saturation * (1 - q.set.lengthShare + q.set.lengthShare*wordsAround(f, k, len(scores), q.set.neighbours)/size.chunkWords)
		if sum := q.passage(row, pairs, norm); sum > 0 {
			scores[k] = (sum + whole) / ideal
		}
	}
}

// passage is the BM25 sum of a passage by its counts of terms and pairs. Where
// pairs is nil, what pairs and phrases add is left out.
func (q *lexicalQuery) passage(row []float64, pairs []float32, norm float64) float64 {
	sum := 0.0
	for i, x := range row[:q.own] {
		if x > 0 {
			sum += q.terms[i].weight * x / (x + norm)
		}
	}
	if pairs == nil {
		return sum
	}
	for i, p := range q.pairs[:q.ownPair] {
		if y := float64(pairs[i]); y > 0 {
			sum += q.set.pairs * min(q.terms[p.first].weight, q.terms[p.second].weight) * y / (y + norm)
		}
	}
	for _, p := range q.phrases {
		weight := q.set.phrases
		if weight == 0 {
			break
		}
		own := 0.0
		for _, t := range p.terms {
			own += q.terms[t].weight
		}
		sum += float64(weight * own * q.share(p, row, pairs, norm, inRanking))
	}
	return sum
}

// document is the BM25 sum of the whole file.
func (q *lexicalQuery) document(counts termCounts, f passages, size corpusSize) float64 {
	norm := q.set.saturation * (1 - q.set.lengthShare + q.set.lengthShare*float64(f.allWords())/size.fileWords)
	sum := 0.0
	for i, t := range q.terms[:q.own] {
		if total := f.total(i, counts.terms); total > 0 {
			sum += t.inFiles * total / (total + norm)
		}
	}
	return sum
}

// beside are the chunks before and after one of n, -1 where there is none.
func beside(chunk, n int) [2]int {
	if chunk+1 == n {
		return [2]int{chunk - 1, -1}
	}
	return [2]int{chunk - 1, chunk + 1}
}

// wordsAround is the length of a chunk and, for the given weight, of those beside it.
func wordsAround(f passages, chunk, chunks int, weight float64) float64 {
	words := float64(f.length(chunk))
	for _, k := range beside(chunk, chunks) {
		if k >= 0 {
			words += weight * float64(f.length(k))
		}
	}
	return words
}

// pairsOf are the counts of the pairs in a chunk.
func (q *lexicalQuery) pairsOf(file, chunk int) []float32 { return q.pairsIn(q.counts[file], chunk) }

func (q *lexicalQuery) pairsIn(counts termCounts, chunk int) []float32 {
	n := len(q.pairs)
	return counts.pairs[chunk*n : (chunk+1)*n]
}
