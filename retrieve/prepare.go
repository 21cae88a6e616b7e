package retrieve

import (
	"context"
	"fmt"
	"sync"
	"time"

	"inlay/cache"
	"inlay/embed"
	"inlay/fault"
	"inlay/parse"
)

// batch is how many chunks are embedded at a time; between batches the context
// is looked at and progress reported.
const batch = 32

// prepared is one document with its chunks and their vectors.
type prepared struct {
	doc     parse.Document
	key     cache.Key
	chunks  []Chunk
	vectors []embed.Vector // by chunk; nil where the embedder refused the chunk
	missing int            // vectors that are nil
	byID    map[string]int // chunk id to its place in chunks
	words   *lexicalFile
	stats   FileStats
	locator func() *locator       // made when first asked for
	open    func() parse.Document // of a collection's: reads the whole document, once; else nil
}

// text is the document's.
func (f *prepared) text() string {
	if f.open != nil {
		return f.open().Text
	}
	return f.doc.Text
}

// prepare finds a document's chunks and vectors in the cache, or makes and
// stores them. Nothing is stored when it is cancelled or fails.
func (r *Retriever) prepare(ctx context.Context, d parse.Document, req Request) (*prepared, error) {
	report := func(stage Stage, done float64, cached bool) {
		if req.Report != nil {
			req.Report(Step{FileID: d.FileID, File: d.Name, Stage: stage, Done: done, Cached: cached})
		}
	}
	report(Starting, 0, false)
	key := r.key(d, req.Namespace)
	f := &prepared{doc: d, key: key, locator: sync.OnceValue(func() *locator { return newLocator(d) })}
	report(Loading, 0, false)
	cached := r.load(ctx, key, f)
	report(Loading, 1, cached)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !cached {
		report(Chunking, 0, false)
		f.chunks = r.splitter.Split(d)
		f.vectors = make([]embed.Vector, len(f.chunks))
		report(Chunking, 1, false)
	}
	start := time.Now()
	made, err := r.embedMissing(ctx, f, func(done float64) { report(Embedding, done, false) })
	if err != nil {
		return nil, fmt.Errorf("embed %s: %w", d.Name, err)
	}
	f.stats = FileStats{FileID: d.FileID, File: d.Name, Chunks: len(f.chunks), Cached: cached && made == 0}
	for _, c := range f.chunks {
		f.stats.Tokens += c.Tokens
	}
	if made > 0 {
		f.stats.EmbedMillis = float64(time.Since(start).Microseconds()) / 1000
	}
	if !f.stats.Cached {
		r.save(ctx, key, f)
	}
	if f.words, err = r.analysed(ctx, f); err != nil {
		return nil, err
	}
	f.byID = make(map[string]int, len(f.chunks))
	for i, c := range f.chunks {
		f.byID[c.ID] = i
	}
	report(Processed, 1, f.stats.Cached)
	return f, ctx.Err()
}

// analysed returns a file's words, of an earlier question if they are remembered.
func (r *Retriever) analysed(ctx context.Context, f *prepared) (*lexicalFile, error) {
	if words := r.words.get(f.key); words != nil && len(words.body) == len(f.chunks) {
		return words, nil
	}
	words, err := newLexicalFile(ctx, r.lex, f.doc, f.chunks)
	if err == nil {
		r.words.put(f.key, words)
	}
	return words, err
}

// key names a document's chunks and vectors by all they depend on (RET-4).
func (r *Retriever) key(d parse.Document, namespace string) cache.Key {
	return cache.Key{Namespace: namespace, Of: d.FileID, Kind: "vectors", Parts: []string{
		d.Parser, r.splitter.Fingerprint(), r.embedder.Spec().Fingerprint, entryVersion,
	}}
}

func (r *Retriever) load(ctx context.Context, key cache.Key, f *prepared) bool {
	data, ok, err := r.cache.Get(ctx, key)
	if err != nil {
		r.log.WarnContext(ctx, "search cache not readable", "file", f.doc.Name, "err", err)
	}
	if err != nil || !ok {
		return false
	}
	chunks, vectors, err := decodeEntry(data, f.doc, r.embedder.Spec())
	if err != nil {
		r.log.WarnContext(ctx, "cached passages are rebuilt", "file", f.doc.Name, "err", err)
		return false
	}
	f.chunks, f.vectors = chunks, vectors
	return true
}

// save stores a file's chunks and vectors. A cache that fails costs only the saving.
func (r *Retriever) save(ctx context.Context, key cache.Key, f *prepared) {
	data, err := encodeEntry(f.chunks, f.vectors, r.embedder.Spec())
	if err == nil {
		err = r.cache.Put(ctx, key, data)
	}
	if err != nil {
		r.log.WarnContext(ctx, "passages not cached", "file", f.doc.Name, "err", err)
	}
}

// embedMissing embeds the chunks that have no vector yet and returns how many
// it made. A chunk that the embedder refuses is left without; only when it
// refuses every one is that an error.
func (r *Retriever) embedMissing(ctx context.Context, f *prepared, progress func(float64)) (made int, err error) {
	var todo []int
	for i, v := range f.vectors {
		if v == nil {
			todo = append(todo, i)
		}
	}
	if len(todo) == 0 {
		return 0, nil
	}
	progress(0)
	var refused error
	for at := 0; at < len(todo); at += batch {
		if err := ctx.Err(); err != nil {
			return made, err
		}
		part := todo[at:min(at+batch, len(todo))]
		err := r.embedChunks(ctx, f, part)
		if err != nil && fatal(ctx, err) {
			return made, err
		}
		if err != nil {
			refused = err
		}
		progress(float64(at+len(part)) / float64(len(todo)))
	}
	for _, v := range f.vectors {
		if v == nil {
			f.missing++
		}
	}
	if f.missing == len(f.vectors) {
		return 0, refused
	}
	return len(todo) - f.missing, nil
}

// fatal tells failures of the embedder from refusals of a text.
func fatal(ctx context.Context, err error) bool {
	switch fault.CodeOf(err) {
	case fault.BackendUnreachable, fault.Unauthorized, fault.ModelNotFound, fault.RateLimited, fault.Timeout, fault.Canceled, fault.EmbedderMismatch:
		return true
	default:
		return ctx.Err() != nil
	}
}

// embedChunks embeds the named chunks. When the embedder refuses them together
// it tries each half, down to single chunks (RET-7), and returns the last refusal.
func (r *Retriever) embedChunks(ctx context.Context, f *prepared, part []int) error {
	texts := make([]string, len(part))
	for i, k := range part {
		texts[i] = embeddedText(f.chunks[k])
	}
	vectors, err := r.embedTexts(ctx, texts)
	switch {
	case err == nil:
		for i, k := range part {
			f.vectors[k] = vectors[i]
		}
		return nil
	case fatal(ctx, err):
		return err
	case len(part) > 1:
		first := r.embedChunks(ctx, f, part[:len(part)/2])
		if first != nil && fatal(ctx, first) {
			return first
		}
		if second := r.embedChunks(ctx, f, part[len(part)/2:]); second != nil {
			return second
		}
		return first
	}
	v, err := r.embedHalves(ctx, texts[0], err)
	if err != nil {
		return fmt.Errorf("passage %d: %w", part[0]+1, err)
	}
	f.vectors[part[0]] = v
	return nil
}

// embeddedText is what stands for a chunk in the vectors: its headings and its
// table's header before its text.
func embeddedText(c Chunk) string {
	text := c.Text
	if c.Header != "" {
		text = c.Header + "\n" + text
	}
	if c.Heading != "" {
		text = c.Heading + "\n" + text
	}
	return text
}
