package retrieve

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"inlay/embed"
	"inlay/internal/lazy"
	"inlay/internal/lexis"
	"inlay/parse"
)

// Collection is a set of documents that is searched where it is kept, without
// reading it into memory: a library. It finds the passages worth ranking and
// knows the statistics of all of them; a [Retriever] ranks and cites them as it
// does passages of its own documents.
type Collection interface {
	// Candidates returns the passages that are nearest to the question.
	Candidates(ctx context.Context, q Question) (Candidates, error)
}

// Question is what a [Collection] is asked.
type Question struct {
	Text   string
	Vector embed.Vector // of an embedder of meaning; nil where words alone are searched for
	Limit  int          // passages wanted from words, and as many from vectors

	lex *lexis.Lexicon
	set *setting
}

// Candidates are the passages of a [Collection] that are worth ranking, and the
// statistics of all its passages, which give words their weight.
type Candidates struct {
	Documents []Candidate            // in the collection's order, which breaks ties
	Size      Size                   // of the whole collection, or of what a filter leaves of it
	Terms     map[string][]Frequency // by language, in the order of [Ranker.Terms]
}

// Size is what ranking needs to know of a set of documents.
type Size struct {
	Documents int
	Passages  int
	Words     int // terms of all passages
	Beside    int // the sum, over all passages, of the terms of those before and after it
}

// Frequency is how many passages and documents hold a term.
type Frequency struct{ Passages, Documents int }

// Candidate is a document with passages that are worth ranking.
type Candidate struct {
	Document parse.Document // without Text and Sections
	Language string         // as [Indexed] had it
	Words    int            // terms of all its passages
	Chunks   []Chunk        // all of the document, without ids; Text is set for Hits, and without Counts for those beside them
	Hits     []int          // the places in Chunks of what is to be ranked, ascending
	Vectors  []embed.Vector // of Hits; nil where words alone are searched for
	Titles   []string       // by chunk, as [Indexed] had them; may be nil
	Pages    []int          // by chunk, as [Indexed] had them
	Totals   []float64      // occurrences in the whole document, in the order of [Ranker.Terms]
	Holding  []int          // chunks that hold each of these terms
	// Counts are the occurrences of the terms in Hits and those beside them, by
	// chunk, those above a chunk times [Ranker.Fields]; nil for a chunk without
	// any. Without Counts and Lengths they are taken from the texts.
	Counts  map[int][]float32
	Lengths []int // by chunk: its terms
	// Open reads the whole document: to cite it.
	Open func(ctx context.Context) (parse.Document, error)
}

// Indexed is a document as a [Collection] stores it.
type Indexed struct {
	Chunks   []Chunk
	Vectors  []embed.Vector // by chunk, nil where the embedder refused it; none at all of a lexical embedder
	Language string         // that the words were stemmed in
	Terms    []string       // by number; other documents' may be among them
	Body     [][]uint32     // by chunk: the terms of its text, in order
	Above    [][]uint32     // by chunk: the terms of its heading and table header
	Title    [][]uint32     // by chunk: the terms of its title; nil if none has one
	Titles   []string       // by chunk: what is over it on its page or before its table; nil if none has any
	Pages    []int          // by chunk: the place of its page among the document's pages, -1 for none
}

// indexVersion changes with what [Retriever.Index] makes of a document.
const indexVersion = "index2"

// Fingerprint names what [Retriever.Index] depends on besides the document: a
// collection made under another one has to be made again.
func (r *Retriever) Fingerprint() string {
	return indexVersion + " " + r.splitter.Fingerprint() + " " + r.embedder.Spec().Fingerprint
}

// SameBut reports whether two of [Retriever.Fingerprint] differ by nothing but
// the version of inlay.
func SameBut(a, b string) bool {
	settings := func(fingerprint string) []string {
		return slices.DeleteFunc(strings.Fields(fingerprint), func(word string) bool { return versions().MatchString(word) })
	}
	return slices.Equal(settings(a), settings(b))
}

// versions finds [indexVersion] and splitVersion.
var versions = lazy.Regexp(`^(index|split)\d+$`)

// Index cuts a document into passages, analyses their words and, unless the
// embedder is lexical, embeds them.
func (r *Retriever) Index(ctx context.Context, d parse.Document) (Indexed, error) {
	f := &indexed{doc: d, chunks: r.splitter.Split(d)}
	lang := r.lex.Detect(d.Text[:min(len(d.Text), detectIn)])
	words := &lexicalFile{terms: r.spare.take(r.lex, lang), body: make([][]uint32, len(f.chunks)), above: make([][]uint32, len(f.chunks))}
	defer r.spare.put(words.terms)
	for i, c := range f.chunks {
		if err := ctx.Err(); err != nil {
			return Indexed{}, err
		}
		words.analyse(i, c)
	}
	x := Indexed{Chunks: f.chunks, Language: string(lang), Body: words.body, Above: words.above}
	words.entitle(d, f.chunks)
	x.Title, x.Terms = words.title, words.terms.Terms
	x.Pages, x.Titles = titlesOf(d, f.chunks)
	if r.embedder.Spec().Lexical || len(f.chunks) == 0 {
		return x, nil
	}
	f.vectors = make([]embed.Vector, len(f.chunks))
	if _, err := r.embedMissing(ctx, f, func(float64) {}); err != nil {
		return Indexed{}, fmt.Errorf("embed %s: %w", d.Name, err)
	}
	x.Vectors = f.vectors
	return x, nil
}

// analyzers are kept from document to document, so that a word that both have is
// looked up and not folded again. The zero value is ready.
type analyzers struct {
	mu   sync.Mutex
	free []*lexis.Analyzer // the last used last
}

// spareTerms is how many terms an analyzer may have to be used again, spares how
// many analyzers are kept.
const (
	spareTerms = 400_000
	spares     = 4
)

func (a *analyzers) take(lex *lexis.Lexicon, lang lexis.Language) *lexis.Analyzer {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, one := range a.free {
		if one.Lang == lang {
			a.free = slices.Delete(a.free, i, i+1)
			return one
		}
	}
	return lex.Analyzer(lang)
}

func (a *analyzers) put(one *lexis.Analyzer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(one.Terms) > spareTerms {
		return
	}
	if a.free = append(a.free, one); len(a.free) > spares {
		a.free = slices.Delete(a.free, 0, 1)
	}
}

// Ranker scores passages of documents of one language for a [Question] by their
// words, as the search in memory does but for pairs of neighbouring terms
// and phrases.
type Ranker struct {
	lang string
	q    *lexicalQuery
	size corpusSize
}

// Ranker is for documents of a language, as [Indexed] names it.
func (q Question) Ranker(lang string) *Ranker {
	return &Ranker{lang: lang, q: newLexicalQuery(q.lex, q.lex.Analyzer(lexis.Language(lang)), q.Text, 0, q.set)}
}

// Terms are the distinct terms that are searched for.
func (k *Ranker) Terms() []string {
	terms := make([]string, len(k.q.terms))
	for i, t := range k.q.terms {
		terms[i] = t.text
	}
	return terms
}

// Places returns the terms of a vocabulary that count as a term of the query,
// each with that term's place in Terms.
func (k *Ranker) Places(v Vocabulary) map[string]int {
	places := map[string]int{}
	for i, t := range k.q.terms {
		if _, taken := places[t.text]; !taken && v.Has(t.text) {
			places[t.text] = i
		}
	}
	for i, t := range k.q.terms {
		if k.q.set.variants == 0 {
			break
		}
		for _, other := range variants(v, lexis.Language(k.lang), t.text) {
			if _, taken := places[other]; !taken {
				places[other] = i
			}
		}
	}
	return places
}

// Fields are what an occurrence in the heading or table header above a passage,
// and one in its title, counts for.
func (k *Ranker) Fields() (above, title float32) { return k.q.set.headings, k.q.set.titles }

// Weigh gives the terms their weights, once it is known how many hold them.
func (k *Ranker) Weigh(size Size, found []Frequency) {
	for i := range k.q.terms {
		k.q.terms[i].chunks, k.q.terms[i].files = float64(found[i].Passages), float64(found[i].Documents)
	}
	k.size = newCorpusSize(size, k.q.set.neighbours)
	k.q.weigh(k.size)
}

// Score returns the scores of all chunks of a document; dst is used again.
// counts are the occurrences of the terms, chunk after chunk, one number for each
// term, those above a chunk times [Ranker.Fields]; lengths are the terms of each chunk.
func (k *Ranker) Score(dst []float64, counts []float32, lengths []int) []float64 {
	dst = slices.Grow(dst[:0], len(lengths))[:len(lengths)]
	clear(dst)
	k.q.scoreCounts(dst, termCounts{terms: counts}, measured(lengths), k.size)
	return dst
}

// measured is a document of which the lengths of passages are known.
type measured []int

func (m measured) length(chunk int) int { return m[chunk] }
func (m measured) ranked(int) bool      { return true }

func (m measured) total(term int, counts []float32) float64 {
	return sumEvery(counts, term, len(counts)/len(m))
}

func (m measured) allWords() int {
	sum := 0
	for _, n := range m {
		sum += n
	}
	return sum
}

// plus adds two sizes.
func (s Size) plus(o Size) Size {
	return Size{s.Documents + o.Documents, s.Passages + o.Passages, s.Words + o.Words, s.Beside + o.Beside}
}

// sampled is what is known of a document of a collection beyond the passages in memory.
type sampled struct {
	hits    []bool            // by chunk: it is ranked
	totals  []float64         // occurrences of each of the query's terms in the whole document
	holding []int             // chunks that hold each of these
	counts  map[int][]float32 // see Candidate; nil: they are in the bodies
}

// withCollections is the corpus and what its collections have for a query.
func (c *Corpus) withCollections(ctx context.Context, query string) (*Corpus, error) {
	if len(c.collections) == 0 {
		return c, nil
	}
	vector, err := c.r.embedQuery(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("embed the query: %w", err)
	}
	q := Question{Text: query, Limit: candidates + candidates/4, lex: c.r.lex, set: &c.r.set}
	lexical := c.r.embedder.Spec().Lexical
	if !lexical {
		q.Vector = vector
	}
	all := *c
	all.lone = nil
	all.asked, all.failure, all.shared = vector, new(failure), map[lexis.Language]*vocabulary{}
	all.files, all.words, all.ids = slices.Clip(c.files), slices.Clip(c.words), slices.Clip(c.ids)
	all.place = make(map[string]int, len(c.place))
	maps.Copy(all.place, c.place)
	for _, from := range c.collections {
		found, err := from.Candidates(ctx, q)
		if err != nil {
			return nil, err
		}
		all.total += found.Size.Passages
		all.outside = append(all.outside, found)
		for _, d := range found.Documents {
			if _, ok := all.place[d.Document.FileID]; ok {
				continue
			}
			if err := all.take(ctx, d); err != nil {
				return nil, err
			}
		}
	}
	return &all, nil
}

// take adds a document of a collection.
func (c *Corpus) take(ctx context.Context, d Candidate) error {
	f := &prepared{doc: d.Document, indexed: &indexed{chunks: d.Chunks, vectors: make([]embed.Vector, len(d.Chunks)), byID: make(map[string]int, len(d.Hits))}}
	f.open = sync.OnceValue(func() parse.Document {
		whole, err := d.Open(ctx)
		if err != nil {
			c.failure.note(fmt.Errorf("read %s: %w", d.Document.Name, err))
		}
		if last := d.Chunks[len(d.Chunks)-1].End; len(whole.Text) < last { // the search fails in the end
			whole = parse.Document{Text: strings.Repeat(" ", last)}
		}
		whole.Name, whole.FileID = d.Document.Name, d.Document.FileID
		return whole
	})
	f.locator = sync.OnceValue(func() *locator { return newLocator(f.open()) })
	s := &sampled{hits: make([]bool, len(d.Chunks)), totals: d.Totals, holding: d.Holding, counts: d.Counts}
	c.name(f, d.Hits)
	for i, k := range d.Hits {
		s.hits[k] = true
		f.byID[d.Chunks[k].ID] = k
		if d.Vectors != nil {
			f.vectors[k] = d.Vectors[i]
		}
	}
	if err := c.embedHits(ctx, f, d.Hits); err != nil {
		return err
	}
	f.words = c.sampledFile(d, s)
	c.place[d.Document.FileID] = len(c.files)
	c.files, c.words, c.ids = append(c.files, f), append(c.words, f.words), append(c.ids, d.Document.FileID)
	return nil
}

// name gives ids to the passages that may be cited: those found, and what they
// may be widened by.
func (c *Corpus) name(f *prepared, hits []int) {
	id := identifier(f.doc.FileID, c.r.splitter.Fingerprint())
	for _, hit := range hits {
		for k := max(hit-widest, 0); k <= min(hit+widest, len(f.chunks)-1); k++ {
			if chunk := &f.chunks[k]; chunk.ID == "" {
				chunk.ID = id(chunk.Start, chunk.End)
			}
		}
	}
}

// embedHits makes the vectors that a lexical embedder's collection does not store.
func (c *Corpus) embedHits(ctx context.Context, f *prepared, hits []int) error {
	if !c.r.embedder.Spec().Lexical {
		return nil
	}
	texts := make([]string, len(hits))
	for i, k := range hits {
		texts[i] = embeddedText(f.chunks[k])
	}
	vectors, err := c.r.embedTexts(ctx, texts)
	if err != nil {
		return fmt.Errorf("embed passages of %s: %w", f.doc.Name, err)
	}
	for i, k := range hits {
		f.vectors[k] = vectors[i]
	}
	return nil
}

// sampledFile analyses the passages of a document that are in memory. Those of
// one language share their vocabulary.
func (c *Corpus) sampledFile(d Candidate, s *sampled) *lexicalFile {
	lang := lexis.Language(d.Language)
	words := c.shared[lang]
	if words == nil {
		words = &vocabulary{c.r.lex.Analyzer(lang), new(sortedTerms)}
		c.shared[lang] = words
	}
	f := &lexicalFile{
		terms: words.terms, sorted: words.sorted, sample: s, words: d.Words, lengths: d.Lengths,
		body: make([][]uint32, len(d.Chunks)), above: make([][]uint32, len(d.Chunks)),
	}
	f.pages = d.Pages
	if d.Titles != nil {
		f.title = make([][]uint32, len(d.Chunks))
	}
	for k, chunk := range d.Chunks {
		switch {
		case chunk.Text == "" || d.Counts != nil && !s.hits[k]:
			continue
		case d.Counts != nil:
			f.body[k] = f.terms.Append(make([]uint32, 0, len(chunk.Text)/5), chunk.Text)
		default:
			f.analyse(k, chunk)
		}
		if d.Titles != nil {
			f.title[k] = f.terms.Append(nil, d.Titles[k])
		}
	}
	return f
}

// vocabulary is the terms of documents of one language.
type vocabulary struct {
	terms  *lexis.Analyzer
	sorted *sortedTerms
}

// failure is the first thing that went wrong while documents were opened.
type failure struct {
	mu  sync.Mutex
	err error
}

func (f *failure) note(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

func (f *failure) first() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
