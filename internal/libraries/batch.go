package libraries

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"inlay/fault"
	"inlay/internal/state"
	"inlay/internal/state/tables"
	"inlay/internal/weaviate"
	"inlay/library"
	"inlay/library/disk"
	"inlay/retrieve"
)

// How long a batch may change a library without saying that it goes on, how often
// it says so, and how long others wait for it.
const (
	leaseTime  = 20 * time.Second
	leaseRenew = 5 * time.Second
	leaseWait  = 30 * time.Second
	leaseAsk   = 50 * time.Millisecond
)

// batch is a change being made.
type batch struct {
	found

	s     *Store
	place place
	token string
	end   func() // gives the lease back

	mu      sync.Mutex
	put     []putDoc
	have    map[string]bool
	pending []weaviate.Object // that are sent with the next ones
}

// putDoc is a document that was put.
type putDoc struct {
	docRow

	doc                           int64
	key, fileID, title, mediaType string
	bytes                         int
	terms                         map[string]int64 // passages by term
}

// Begin implements [library.Writer].
func (s *Store) Begin(ctx context.Context, owner, name string) (library.Batch, error) {
	b, err := s.begin(ctx, at(owner, name))
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (s *Store) begin(ctx context.Context, p place) (*batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	one, err := s.find(ctx, p)
	if err != nil {
		return nil, err
	}
	b := &batch{found: one, s: s, place: p, token: state.NewID("batch_"), have: map[string]bool{}}
	for waited := time.Duration(0); ; waited += leaseAsk {
		n, err := s.Database.Write.Exec(ctx, `UPDATE libraries SET holder = $2, until = clock_timestamp() + $3::interval
			WHERE id = $1 AND (holder IS NULL OR until < clock_timestamp())`, b.id, b.token, leaseTime)
		if err != nil {
			return nil, s.explain("take a library", err)
		}
		if n == 1 {
			break
		}
		if waited > leaseWait {
			return nil, &fault.Error{Code: fault.Timeout, Subject: "library " + p.name, Reason: "is being changed by another process", Next: "try again when that has ended"}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(leaseAsk):
		}
	}
	b.renew(context.WithoutCancel(ctx))
	return b, nil
}

// renew keeps the lease until the end of the batch.
func (b *batch) renew(ctx context.Context) {
	renewing, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		every := time.NewTicker(leaseRenew)
		defer every.Stop()
		for {
			select {
			case <-renewing.Done():
				return
			case <-every.C:
				_, _ = b.s.Database.Write.Exec(renewing, "UPDATE libraries SET until = clock_timestamp() + $3::interval WHERE id = $1 AND holder = $2", b.id, b.token, leaseTime)
			}
		}
	})
	b.end = sync.OnceFunc(func() {
		cancel()
		done.Wait()
		ending, cancel := context.WithTimeout(ctx, leaseRenew)
		defer cancel()
		_, _ = b.s.Database.Write.Exec(ending, "UPDATE libraries SET holder = NULL, until = NULL WHERE id = $1 AND holder = $2", b.id, b.token) // else it ends by itself
	})
}

// still refuses a change by a batch that lost its lease.
func (b *batch) still(ctx context.Context, q tables.Queries) error {
	n, err := q.Exec(ctx, "UPDATE libraries SET generation = generation + 1 WHERE id = $1 AND holder = $2", b.id, b.token)
	if err == nil && n == 0 {
		err = &fault.Error{Code: fault.Conflict, Subject: "library " + b.place.name, Reason: "was changed by another process meanwhile", Next: "try again"}
	}
	return err
}

// Put implements [library.Batch]. It is safe for concurrent use.
func (b *batch) Put(ctx context.Context, d library.Document) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	key := keyOf(d.Document.FileID, d.Extension)
	b.mu.Lock()
	known := b.have[key]
	b.have[key] = true
	b.mu.Unlock()
	if known {
		return nil
	}
	one := putDoc{key: key, fileID: d.Document.FileID, title: clean(d.Title), mediaType: clean(d.Document.MediaType)}
	one.language, one.text, one.size = d.Indexed.Language, int64(len(d.Document.Text)), sizeOf(d.Indexed)
	one.doc = weaviate.NewNumber()
	if err := b.s.exec(ctx, `INSERT INTO library_garbage (doc, library, owner, class, text, counted, batch) VALUES ($1, $2, $3, $4, $5, false, $6)`,
		one.doc, b.id, b.place.owner, b.class, one.text, b.token); err != nil {
		return err
	}
	data, err := b.s.packer.Pack(d)
	if err != nil {
		return err
	}
	one.bytes = len(data)
	if err := b.s.Blobs.Put(ctx, blobOf(b.place.owner, one.doc), bytes.NewReader(data), int64(len(data))); err != nil {
		return err
	}
	var objects []weaviate.Object
	objects, one.terms = b.objects(one.doc, d.Indexed)
	b.mu.Lock()
	b.put = append(b.put, one)
	b.pending = append(b.pending, objects...)
	objects = nil
	if len(b.pending) >= weaviate.BatchSize {
		objects, b.pending = b.pending, nil
	}
	b.mu.Unlock()
	return b.send(ctx, objects)
}

// send has the index keep objects.
func (b *batch) send(ctx context.Context, objects []weaviate.Object) error {
	if len(objects) == 0 {
		return nil
	}
	if err := b.s.makeRoom(ctx, b.class, b.place.owner); err != nil {
		return err
	}
	return b.s.Index.Put(ctx, b.class, tenantOf(b.place.owner), objects)
}

// clean drops what a database refuses in a text.
func clean(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "") }

func sizeOf(x retrieve.Indexed) (size retrieve.Size) {
	size.Documents, size.Passages = 1, len(x.Body)
	for k, body := range x.Body {
		size.Words += len(body)
		if k > 0 {
			size.Beside += len(body)
		}
		if k+1 < len(x.Body) {
			size.Beside += len(body)
		}
	}
	return size
}

// longestTerm is of terms that are searched for, in bytes.
const longestTerm = 400

// token is how a term of a language is written in the index.
func token(language, term string) string { return language + ":" + term }

// searchable reports whether a term is one word for the index, and one row for
// the database.
func searchable(term string) bool {
	return len(term) <= longestTerm && len(strings.Fields(term)) == 1 && clean(term) == term
}

// objects are a document's passages as the index has them, and how many of them
// hold each term.
func (b *batch) objects(doc int64, x retrieve.Indexed) (list []weaviate.Object, counts map[string]int64) {
	counts = map[string]int64{}
	all := weaviate.Object{Library: b.id, Doc: doc, Chunk: -1}
	for k, terms := range disk.TermsOf(x, titleWeight) {
		o := weaviate.Object{Library: b.id, Doc: doc, Chunk: k}
		if x.Vectors != nil {
			o.Vector = x.Vectors[k]
		}
		seen := make(map[string]bool, len(terms))
		for _, t := range terms {
			if !searchable(t) {
				continue
			}
			o.Terms = append(o.Terms, token(x.Language, t))
			if !seen[t] {
				seen[t] = true
				counts[t]++
			}
		}
		list = append(list, o)
	}
	for t := range counts {
		all.Holding = append(all.Holding, token(x.Language, t))
	}
	slices.Sort(all.Holding)
	return append(list, all), counts
}

// titleWeight is how often a term of a passage's title counts, see [retrieve.Ranker.Fields].
const titleWeight = 4

// Commit implements [library.Batch].
func (b *batch) Commit(ctx context.Context, c library.Change) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.end()
	if err := b.send(ctx, b.pending); err != nil {
		return err
	}
	err := b.s.change(ctx, func(q tables.Queries) error {
		if err := b.still(ctx, q); err != nil {
			return err
		}
		for _, d := range b.put {
			if err := b.insert(ctx, q, d); err != nil {
				return err
			}
		}
		if err := b.count(ctx, q); err != nil {
			return err
		}
		if err := b.apply(ctx, q, c); err != nil {
			return err
		}
		return b.bury(ctx, q)
	})
	if err != nil {
		return err
	}
	err = b.s.sweep(context.WithoutCancel(ctx), "library = $1 AND batch IS NULL OR library = $1 AND batch <> $2", b.id, b.token)
	if c.Purge {
		return err
	}
	return nil // it is tried again
}

// insert names a document, in the place of another one of the same content.
func (b *batch) insert(ctx context.Context, q tables.Queries, d putDoc) error {
	n, err := q.Exec(ctx, "DELETE FROM library_garbage WHERE doc = $1", d.doc)
	if err == nil && n == 0 {
		err = &fault.Error{Code: fault.Conflict, Subject: "library " + b.place.name, Reason: "was changed by another process meanwhile", Next: "try again"}
	}
	if err != nil {
		return err
	}
	if _, err := q.Exec(ctx, "UPDATE library_documents SET key = key || ' replaced' WHERE library = $1 AND key = $2", b.id, d.key); err != nil {
		return err
	}
	if _, err = q.Exec(ctx, `INSERT INTO library_documents (doc, library, key, file_id, title, media_type, language, text, passages, words, beside, bytes)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`, d.doc, b.id, d.key, d.fileID, d.title, d.mediaType, d.language, d.text, d.size.Passages, d.size.Words, d.size.Beside, d.bytes); err != nil {
		return err
	}
	_, err = q.Exec(ctx, "UPDATE library_paths SET doc = $3 WHERE doc = (SELECT doc FROM library_documents WHERE library = $1 AND key = $2)", b.id, d.key+" replaced", d.doc)
	return err
}

// count adds the terms of what was put.
func (b *batch) count(ctx context.Context, q tables.Queries) error {
	t := tally{}
	for _, d := range b.put {
		t.add(d.language, d.terms, 1)
	}
	return t.write(ctx, q, b.id)
}

// apply makes the change of paths.
func (b *batch) apply(ctx context.Context, q tables.Queries, c library.Change) error {
	gone := slices.Clone(c.Delete)
	settled := slices.Clone(c.Delete)
	for _, f := range c.Failed {
		gone, settled = append(gone, f.Path), append(settled, f.Path)
	}
	for _, e := range c.Set {
		settled = append(settled, e.Path)
	}
	if _, err := q.Exec(ctx, "DELETE FROM library_failures WHERE library = $1 AND path = ANY($2)", b.id, settled); err != nil {
		return err
	}
	if _, err := q.Exec(ctx, "DELETE FROM library_paths WHERE library = $1 AND path = ANY($2)", b.id, gone); err != nil {
		return err
	}
	for _, e := range c.Set {
		if err := b.setPath(ctx, q, e); err != nil {
			return err
		}
	}
	for _, f := range c.Failed {
		if _, err := q.Exec(ctx, "INSERT INTO library_failures VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
			b.id, f.Path, f.Folder, f.Size, f.Modified.UnixNano(), string(f.Code), clean(f.Reason), clean(f.Next)); err != nil {
			return err
		}
	}
	return nil
}

// setPath gives a path the content that its entry names.
func (b *batch) setPath(ctx context.Context, q tables.Queries, e library.Entry) error {
	tags, err := json.Marshal(e.Tags)
	if err != nil {
		return err
	}
	attributes := []byte(nil)
	if len(e.Attributes) > 0 {
		if attributes, err = json.Marshal(e.Attributes); err != nil {
			return err
		}
	}
	n, err := q.Exec(ctx, `INSERT INTO library_paths (library, path, doc, folder, tags, size, modified, attributes)
		SELECT $1, $2, doc, $3, $4, $5, $6, $7 FROM library_documents WHERE library = $1 AND key = $8
		ON CONFLICT (library, path) DO UPDATE SET doc = excluded.doc, folder = excluded.folder, tags = excluded.tags, size = excluded.size,
			modified = excluded.modified, attributes = excluded.attributes`,
		b.id, e.Path, e.Folder, string(tags), e.Size, e.Modified.UnixNano(), string(attributes), keyOf(e.FileID, extensionOf(e.Path)))
	if err == nil && n == 0 {
		err = &fault.Error{Code: fault.Internal, Subject: e.Path, Reason: "its content was removed from the library meanwhile", Next: "sync again"}
	}
	return err
}

// bury takes documents out that no path has any more.
func (b *batch) bury(ctx context.Context, q tables.Queries) error {
	if _, err := q.Exec(ctx, `INSERT INTO library_garbage (doc, library, owner, class, text, counted)
		SELECT doc, library, $2, $3, text, true FROM library_documents d WHERE library = $1 AND NOT EXISTS (SELECT 1 FROM library_paths p WHERE p.doc = d.doc)`,
		b.id, b.place.owner, b.class); err != nil {
		return err
	}
	_, err := q.Exec(ctx, "DELETE FROM library_documents d WHERE library = $1 AND NOT EXISTS (SELECT 1 FROM library_paths p WHERE p.doc = d.doc)", b.id)
	return err
}

// Abort implements [library.Batch]. What was put is deleted by the next change, or
// soon after.
func (b *batch) Abort() { b.end() }
