package retrieve

import (
	"context"
	"fmt"

	"inlay/embed"
	"inlay/parse"
)

// Corpus is a set of documents made searchable once, for any number of
// queries. It is safe for concurrent use.
type Corpus struct {
	r        *Retriever
	files    []*prepared
	words    []*lexicalFile // of files, in order
	index    Index
	ids      []string       // of files, in order
	place    map[string]int // file id to its place in files
	total    int            // chunks
	warnings []parse.Warning
}

// Prepare chunks and embeds the request's documents as far as the cache does
// not have them. Documents of the same bytes count once. The request's query,
// limit and threshold are not looked at.
func (r *Retriever) Prepare(ctx context.Context, req Request) (*Corpus, error) {
	index, err := r.newIndex()
	if err != nil {
		return nil, fmt.Errorf("open an index: %w", err)
	}
	c := &Corpus{r: r, index: index, place: map[string]int{}}
	for _, d := range req.Documents {
		if _, taken := c.place[d.FileID]; taken {
			continue
		}
		f, err := r.prepare(ctx, d, req)
		if err != nil {
			return nil, err
		}
		if err := c.add(ctx, f); err != nil {
			return nil, fmt.Errorf("index %s: %w", d.Name, err)
		}
	}
	return c, nil
}

// add puts a prepared file into the index and the lexical leg.
func (c *Corpus) add(ctx context.Context, f *prepared) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	chunks, vectors := f.chunks, f.vectors
	if f.missing > 0 {
		chunks, vectors = embedded(f)
		c.warnings = append(c.warnings, parse.Warning{
			Code:    "partly_embedded",
			Message: fmt.Sprintf("%s: %d of %d passages could not be embedded and are found by their words alone", f.doc.Name, f.missing, len(f.chunks)),
		})
	}
	words, err := newLexicalFile(ctx, c.r.lex, f.doc.Text, f.chunks)
	if err != nil {
		return err
	}
	if len(chunks) > 0 {
		if err := c.index.Add(ctx, chunks, vectors); err != nil {
			return err
		}
	}
	c.place[f.doc.FileID] = len(c.files)
	c.files = append(c.files, f)
	c.words = append(c.words, words)
	c.ids = append(c.ids, f.doc.FileID)
	c.total += len(f.chunks)
	return nil
}

// embedded returns the chunks that have vectors, and these.
func embedded(f *prepared) (chunks []Chunk, vectors []embed.Vector) {
	for i, v := range f.vectors {
		if v != nil {
			chunks, vectors = append(chunks, f.chunks[i]), append(vectors, v)
		}
	}
	return chunks, vectors
}

// Search finds the passages that bear on the query: the limit best (0 means
// [DefaultLimit]) with an affinity strictly above the threshold (nil means the
// embedder's own).
func (c *Corpus) Search(ctx context.Context, query string, limit int, threshold *float64) (Passages, error) {
	if err := (Request{Limit: limit, Threshold: threshold}).validate(); err != nil {
		return Passages{}, err
	}
	spec := c.r.embedder.Spec()
	p := Passages{
		Total: c.total, Embedder: spec.Model, Threshold: spec.Threshold, Limit: limit, Warnings: c.warnings,
		Candidates: []float64{},
	}
	if limit == 0 {
		p.Limit = DefaultLimit
	}
	if threshold != nil {
		p.Threshold = *threshold
	}
	for _, f := range c.files {
		p.Files = append(p.Files, f.stats)
	}
	ranking, err := c.rank(ctx, query)
	if err != nil {
		return Passages{}, err
	}
	c.choose(ranking, &p)
	return p, nil
}
