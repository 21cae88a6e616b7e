package retrieve

import (
	"crypto/sha256"
	"slices"
	"sync/atomic"

	"inlay/embed"
	"inlay/parse"
)

// keepBytes is how much memory a [Retriever] keeps between questions, as far as
// it can be told from the sizes of what is kept: half for files, half for what
// was made of several together, and an eighth more for parts of documents that
// selections are made of.
const keepBytes = 256 << 20

// keptKey names what is kept: the documents, in order, and all that made them
// searchable.
type keptKey struct {
	namespace string
	hash      [sha256.Size]byte
}

// indexed is a document made searchable: what questions about it share, under
// whatever name it is attached.
type indexed struct {
	kept     keptKey
	doc      parse.Document // as it was first attached
	chunks   []Chunk
	vectors  []embed.Vector  // by chunk; nil where the embedder refused the chunk
	missing  int             // vectors that are nil
	compact  *compactVectors // of a large file, in the place of vectors; nil: these are as they were made
	byID     map[string]int  // chunk id to its place in chunks
	words    *lexicalFile
	tokens   int                      // of all chunks
	locator  func() *locator          // made when first asked for
	sketches []atomic.Pointer[sketch] // by chunk, made when first asked for
	told     atomic.Pointer[told]     // nil until it was asked for
}

// keptFile returns the document as an earlier question made it searchable, nil
// if it is not remembered.
func (r *Retriever) keptFile(key keptKey, d parse.Document) *indexed {
	x, ok := r.files.Get(key)
	if !ok || !sameText(x.doc, d) {
		return nil
	}
	return x
}

// sameText guards against documents that are alike in all that a key names.
func sameText(a, b parse.Document) bool {
	return a.Text == b.Text && len(a.Sections) == len(b.Sections)
}

// keepFile remembers a file for later questions, unless a vector of it is
// missing: the next question tries again.
func (r *Retriever) keepFile(x *indexed) {
	if x.missing == 0 {
		r.files.Put(x.kept, x, x.weight(), keepBytes/2)
	}
}

// weight is about what a file takes in memory, in bytes.
func (x *indexed) weight() int64 {
	const chunk, section, term = 320, 152, 40
	n := len(x.doc.Text) + section*len(x.doc.Sections) + chunk*len(x.chunks) + 12*x.words.words + term*len(x.words.terms.Terms)
	for _, v := range x.vectors {
		n += 4 * len(v)
	}
	if x.compact != nil {
		for _, b := range x.compact.blocks {
			n += 2 * len(b)
		}
	}
	return int64(n)
}

// keptCorpus returns the documents as an earlier question searched them
// together, nil if that is not remembered.
func (r *Retriever) keptCorpus(key keptKey, docs []parse.Document) *Corpus {
	c, ok := r.corpora.Get(key)
	if !ok {
		return nil
	}
	for i, f := range c.files {
		if !sameText(f.doc, docs[i]) {
			return nil
		}
	}
	return c
}

// keepCorpus remembers documents that are searched together.
func (r *Retriever) keepCorpus(key keptKey, c *Corpus) {
	size := int64(0)
	for _, f := range c.files {
		if f.missing > 0 {
			return
		}
		size += f.weight() // the index holds vectors of its own
	}
	r.corpora.Put(key, c, size, keepBytes/2)
}

// keyOf names a list of documents.
func (r *Retriever) keyOf(docs []parse.Document, namespace string) keptKey {
	if len(docs) == 1 {
		return keptKey{namespace, r.key(docs[0], namespace).Hash()}
	}
	all := sha256.New()
	for _, d := range docs {
		hash := r.key(d, namespace).Hash()
		all.Write(hash[:])
	}
	return keptKey{namespace, [sha256.Size]byte(all.Sum(nil))}
}

// again is the corpus for another question about the same documents, under the
// names that they now have.
func (c *Corpus) again(docs []parse.Document, req Request) *Corpus {
	a := *c
	a.collections = req.Collections
	a.files = make([]*prepared, len(docs))
	for i, d := range docs {
		a.files[i] = attachedAs(c.files[i].indexed, d)
		a.files[i].stats.Cached = true
		report := reporter(d, req.Report)
		report(Starting, 0, false)
		report(Loading, 0, false)
		report(Loading, 1, true)
		report(Processed, 1, true)
	}
	return &a
}

// Forget drops what is in memory of the documents of that content.
func (r *Retriever) Forget(namespace, of string) {
	r.forget(namespace, func(d parse.Document) bool { return d.FileID == of })
}

// Erase drops everything of a namespace that is in memory.
func (r *Retriever) Erase(namespace string) {
	r.forget(namespace, func(parse.Document) bool { return true })
}

// forget is nothing for a nil Retriever.
func (r *Retriever) forget(namespace string, gone func(parse.Document) bool) {
	if r == nil {
		return
	}
	r.files.RemoveValues(func(key keptKey, x *indexed) bool { return key.namespace == namespace && gone(x.doc) })
	r.parts.RemoveValues(func(key keptKey, p *parts) bool { return key.namespace == namespace && gone(p.doc) })
	r.corpora.RemoveValues(func(key keptKey, c *Corpus) bool {
		return key.namespace == namespace && slices.ContainsFunc(c.files, func(f *prepared) bool { return gone(f.doc) })
	})
}
