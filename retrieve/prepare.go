package retrieve

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"inlay/cache"
	"inlay/embed"
	"inlay/fault"
	"inlay/parse"
)

// batch is how many chunks are embedded at a time; between batches the context
// is looked at and progress reported.
const batch = 32

// prepared is one document of a question, made searchable.
type prepared struct {
	*indexed

	doc   parse.Document // as it is attached now
	stats FileStats
	open  func() parse.Document // of a collection's: reads the whole document, once; else nil
}

// text is the document's.
func (f *prepared) text() string {
	if f.open != nil {
		return f.open().Text
	}
	return f.doc.Text
}

// attachedAs is an indexed document under the name that it is attached by.
func attachedAs(x *indexed, d parse.Document) *prepared {
	return &prepared{indexed: x, doc: d, stats: FileStats{FileID: d.FileID, File: d.Name, Chunks: len(x.chunks), Tokens: x.tokens}}
}

// reporter reports the stages of a document; report may be nil.
func reporter(d parse.Document, report func(Step)) func(Stage, float64, bool) {
	return func(stage Stage, done float64, cached bool) {
		if report != nil {
			report(Step{FileID: d.FileID, File: d.Name, Stage: stage, Done: done, Cached: cached})
		}
	}
}

// prepare finds a document's chunks and vectors in memory or in the cache, or
// makes and stores them. Nothing is stored when it is cancelled or fails.
func (r *Retriever) prepare(ctx context.Context, d parse.Document, req Request) (*prepared, error) {
	report := reporter(d, req.Report)
	report(Starting, 0, false)
	report(Loading, 0, false)
	key := r.key(d, req.Namespace)
	kept := keptKey{req.Namespace, key.Hash()}
	if x := r.keptFile(kept, d); x != nil {
		report(Loading, 1, true)
		f := attachedAs(x, d)
		f.stats.Cached = true
		report(Processed, 1, true)
		return f, ctx.Err()
	}
	x := &indexed{kept: kept, doc: d, locator: sync.OnceValue(func() *locator { return newLocator(d) })}
	cached := r.load(ctx, key, x)
	report(Loading, 1, cached)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !cached {
		report(Chunking, 0, false)
		x.chunks = r.splitter.Split(d)
		if !r.compacts(len(x.chunks)) {
			x.vectors = make([]embed.Vector, len(x.chunks))
		}
		report(Chunking, 1, false)
	}
	if r.compacts(len(x.chunks)) {
		return r.prepareLarge(ctx, x, d, report)
	}
	start := time.Now()
	made, err := r.embedMissing(ctx, x, func(done float64) { report(Embedding, done, false) })
	if err != nil {
		return nil, fmt.Errorf("embed %s: %w", d.Name, err)
	}
	took := time.Since(start)
	if !cached || made > 0 {
		r.save(ctx, key, x)
	}
	if err := x.complete(ctx, r); err != nil {
		return nil, err
	}
	r.keepFile(x)
	f := attachedAs(x, d)
	if f.stats.Cached = cached && made == 0; made > 0 {
		f.stats.EmbedMillis = float64(took.Microseconds()) / 1000
	}
	report(Processed, 1, f.stats.Cached)
	return f, ctx.Err()
}

// prepareLarge is the rest of prepare for a file that keeps compact vectors.
func (r *Retriever) prepareLarge(ctx context.Context, x *indexed, d parse.Document, report func(Stage, float64, bool)) (*prepared, error) {
	start := time.Now()
	x.vectors = nil
	if err := r.indexLarge(ctx, x, report); err != nil {
		return nil, fmt.Errorf("embed %s: %w", d.Name, err)
	}
	r.keepFile(x)
	f := attachedAs(x, d)
	f.stats.EmbedMillis = float64(time.Since(start).Microseconds()) / 1000
	report(Processed, 1, false)
	return f, ctx.Err()
}

// complete makes what questions look up besides chunks and vectors.
func (x *indexed) complete(ctx context.Context, r *Retriever) (err error) {
	if x.words, err = newLexicalFile(ctx, r.lex, x.doc, x.chunks); err != nil {
		return err
	}
	x.byID = make(map[string]int, len(x.chunks))
	for i, c := range x.chunks {
		x.byID[c.ID] = i
		x.tokens += c.Tokens
	}
	x.sketches = make([]atomic.Pointer[sketch], len(x.chunks))
	return nil
}

// key names a document's chunks and vectors by all they depend on (RET-4).
func (r *Retriever) key(d parse.Document, namespace string) cache.Key {
	return cache.Key{Namespace: namespace, Of: d.FileID, Kind: "vectors", Parts: []string{
		d.Parser, r.splitter.Fingerprint(), r.embedder.Spec().Fingerprint, entryVersion,
	}}
}

func (r *Retriever) load(ctx context.Context, key cache.Key, f *indexed) bool {
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
func (r *Retriever) save(ctx context.Context, key cache.Key, f *indexed) {
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
func (r *Retriever) embedMissing(ctx context.Context, f *indexed, progress func(float64)) (made int, err error) {
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
func (r *Retriever) embedChunks(ctx context.Context, f *indexed, part []int) error {
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
