package disk

import (
	"bufio"
	"bytes"
	"context"

	"github.com/klauspost/compress/zstd"

	"inlay/library"
	"inlay/parse"
	"inlay/retrieve"
)

// Single is a document in the form that libraries have on disk, by itself: what
// an index on several machines keeps of each document. It is safe for concurrent use.
type Single struct{ s *segment }

// Packer makes the bytes of single documents. The zero value is ready; it is safe
// for concurrent use.
type Packer struct{ zips zips }

// Pack returns the bytes that [Unpack] reads.
func (p *Packer) Pack(d library.Document) ([]byte, error) {
	zip, err := p.zips.take()
	if err != nil {
		return nil, err
	}
	defer p.zips.put(zip)
	made, err := prepare(d, zip)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := newWriterTo(bufio.NewWriter(&out), zip)
	if err := w.add(made); err != nil {
		return nil, err
	}
	err = w.end()
	return out.Bytes(), err
}

// Unpacker reads the bytes of single documents. Make one with [NewUnpacker].
type Unpacker struct{ unzip *zstd.Decoder }

// NewUnpacker makes an unpacker for any number of documents at once.
func NewUnpacker() (*Unpacker, error) {
	unzip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(largestPart))
	if err != nil {
		return nil, err
	}
	return &Unpacker{unzip}, nil
}

// inMemory are the bytes of a segment.
type inMemory struct {
	*bytes.Reader

	name string
}

// Name implements source.
func (m inMemory) Name() string { return m.name }

// Close implements source.
func (inMemory) Close() error { return nil }

// Unpack opens what [Packer.Pack] made; name is for errors. Bytes that do not
// match their checksums are fault.StoreDamaged, here or where they are read.
func (u *Unpacker) Unpack(name string, data []byte) (*Single, error) {
	s := &segment{name: name, file: inMemory{bytes.NewReader(data), name}, unzip: u.unzip, size: int64(len(data))}
	err := s.readDirectory()
	if err == nil && len(s.docs) != 1 {
		err = errDamaged
	}
	if err != nil {
		return nil, damagedSegment(name, err)
	}
	return &Single{s}, nil
}

// Bytes is about how much memory the document takes.
func (d *Single) Bytes() int64 { return d.s.size + int64(8*d.s.chunks) }

// Open reads the whole document.
func (d *Single) Open() (parse.Document, error) { return d.s.open(0) }

// Verify reads everything and compares it with its checksums.
func (d *Single) Verify() error { return d.s.verify() }

// Language is the one that the words were stemmed in.
func (d *Single) Language() string { return d.s.docs[0].language }

// Size is the document's part of [retrieve.Size].
func (d *Single) Size() retrieve.Size {
	m := &d.s.docs[0]
	return retrieve.Size{Documents: 1, Passages: len(m.lengths), Words: m.words, Beside: m.beside}
}

// Terms are the document's terms, each with the number of passages that hold it.
func (d *Single) Terms() (map[string]int, error) {
	t := newTerms(d.s, d.Language())
	found := map[string]int{}
	for e := range t.from(t.prefix) {
		found[e.key[len(t.prefix):]] = e.passages
	}
	return found, t.err
}

// Placed is a document at a path.
type Placed struct {
	Single *Single
	Entry  library.Entry
}

// Rank ranks all passages of some documents of a library, in this order, as
// candidates of the whole of it, whose size is given and, by language, how many
// hold each term of the question; nil: these documents are the whole.
func Rank(ctx context.Context, q retrieve.Question, docs []Placed, size retrieve.Size, found map[string][]retrieve.Frequency) (retrieve.Candidates, error) {
	v := &view{}
	for i, d := range docs {
		v.segments = append(v.segments, &held{segment: d.Single.s, id: int64(i), paths: [][]int{{i}}})
		v.paths = append(v.paths, placed{Entry: d.Entry, segment: i})
	}
	every, err := library.Filter{}.Matcher()
	if err != nil {
		return retrieve.Candidates{}, err
	}
	a := v.choose(every)
	x := &search{q: q, v: v, a: a, rankers: map[string]*retrieve.Ranker{}, found: map[string][]retrieve.Frequency{}}
	if found == nil {
		return x.run(ctx)
	}
	a.size = size
	return x.runOf(ctx, found)
}

// runOf is run where it is known already how many hold the terms.
func (x *search) runOf(ctx context.Context, found map[string][]retrieve.Frequency) (retrieve.Candidates, error) {
	x.split()
	for language, f := range found {
		if x.rankers[language] == nil {
			x.rankers[language] = x.q.Ranker(language)
		}
		x.found[language] = f
	}
	err := x.each(ctx, func(_ context.Context, p *piece) error {
		for language := range p.spoken {
			if err := x.look(p, language); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return retrieve.Candidates{}, err
	}
	return x.weighed(ctx)
}

// TermsOf are the terms of each passage of a document, in order, those of its
// title repeated as often as they count, for an index of words elsewhere.
func TermsOf(x retrieve.Indexed, titles int) [][]string {
	out := make([][]string, len(x.Body))
	for k := range x.Body {
		add := func(ids []uint32) {
			for _, id := range ids {
				out[k] = append(out[k], x.Terms[id])
			}
		}
		add(x.Body[k])
		add(x.Above[k])
		for range titles {
			if x.Title != nil {
				add(x.Title[k])
			}
		}
	}
	return out
}
