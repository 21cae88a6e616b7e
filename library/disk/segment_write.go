package disk

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"

	"inlay/internal/durable"
	"inlay/library"
	"inlay/parse"
	"inlay/retrieve"
)

// A segment is a file that never changes: the texts of documents in compressed
// blocks, the postings of their terms, and a directory of both at its end.
//
//	magic | blocks and records of documents | long postings | groups of terms | vectors | directory | footer
//
// A block holds consecutive passages of one document. A record has the rest of
// the document: its passages' places, its sections. A group is a number of terms
// in order with their postings or where these are. Each part has its CRC-32C
// where it is pointed at, the directory its SHA-256 in the footer.
const (
	magic      = "inlay segment 1\n"
	footerSize = 8 + 8 + sha256.Size + len(magic)
	blockBytes = 32 << 10 // of text in a block, about
	groupTerms = 32       // of a group
	inlined    = 64       // bytes of postings that are in the group
)

// part is a place in a segment.
type part struct {
	at     int64
	length int
	sum    uint32
}

// docMeta is what the directory says of a document.
type docMeta struct {
	key      string // of its content and extension
	fileID   string
	language string
	record   part
	table    part // of its passages
	blocks   []part
	firsts   []int // the first passage of each block
	lengths  []int // by passage: its terms
	words    int   // of all passages
	beside   int   // see retrieve.Size
	text     int   // bytes
	first    int   // the number of its first passage in the segment
}

// record is what is known of a document besides its passages, compressed JSON.
type record struct {
	Document parse.Document `json:"document"` // without text
	Title    string         `json:"title,omitempty"`
}

// segmentWriter makes a segment. Passages of a term are gathered in memory,
// everything else goes to the file at once.
type segmentWriter struct {
	file    *durable.Pending
	out     *bufio.Writer
	at      int64
	err     error
	zip     *zstd.Encoder
	docs    []docMeta
	lists   map[string]map[string]*list // by language and term
	dims    int
	vectors []part // by document; length 0: none
	chunks  int
	text    int64
}

// list is the postings of one term so far.
type list struct {
	data      []byte
	last      int // number of the last passage + 1
	passages  int
	documents int
}

func newSegmentWriter(root string) (*segmentWriter, error) {
	f, err := durable.Create(root)
	if err != nil {
		return nil, err
	}
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		f.Discard()
		return nil, err
	}
	w := newWriterTo(bufio.NewWriterSize(f, 1<<20), zip)
	w.file = f
	return w, nil
}

// newWriterTo makes a segment of what out gets.
func newWriterTo(out *bufio.Writer, zip *zstd.Encoder) *segmentWriter {
	w := &segmentWriter{out: out, zip: zip, lists: map[string]map[string]*list{}}
	w.write([]byte(magic))
	return w
}

// write appends bytes and returns where they are; a failure is kept in w.err.
func (w *segmentWriter) write(b []byte) part {
	p := part{at: w.at, length: len(b), sum: checksum(b)}
	if w.err == nil {
		_, w.err = w.out.Write(b)
	}
	w.at += int64(len(b))
	return p
}

// stored is a document whose costly parts are made, ready to be appended.
type stored struct {
	meta   docMeta
	blocks [][]byte
	record []byte
	table  []byte
	terms  []termCounts
	vector []byte
	dims   int
}

// termCounts are the occurrences of one term in a document.
type termCounts struct {
	term     string
	postings []posting
}

// posting is a passage that has a term.
type posting struct{ chunk, body, above, title int32 }

// prepare does what can be done for a document without its segment; it may run
// beside others.
func prepare(d library.Document, zip *zstd.Encoder) (*stored, error) {
	x := d.Indexed
	s := &stored{meta: docMeta{key: documentKey(d.Document.FileID, d.Extension), fileID: d.Document.FileID, language: x.Language, text: len(d.Document.Text)}}
	s.cutBlocks(d.Document.Text, x.Chunks, zip)
	s.makeTable(x, zip)
	if err := s.makeRecord(d, zip); err != nil {
		return nil, err
	}
	s.meta.lengths = make([]int, len(x.Body))
	for k, body := range x.Body {
		s.meta.lengths[k] = len(body)
	}
	s.meta.sum()
	s.count(x)
	s.takeVectors(x)
	return s, nil
}

// sum adds up the lengths.
func (m *docMeta) sum() {
	m.words, m.beside = 0, 0
	for k, n := range m.lengths {
		m.words += n
		if k > 0 {
			m.beside += n
		}
		if k+1 < len(m.lengths) {
			m.beside += n
		}
	}
}

// cutBlocks compresses the text in pieces that begin where a passage does; the
// first begins with the text and the last ends with it.
func (s *stored) cutBlocks(text string, chunks []retrieve.Chunk, zip *zstd.Encoder) {
	start, first := 0, 0
	for k := 1; k <= len(chunks); k++ {
		end := len(text)
		if k < len(chunks) {
			end = chunks[k].Start
			if end-start < blockBytes || chunks[k-1].End > end {
				continue // passages that overlap stay together
			}
		}
		s.addBlock(text[start:end], first, zip)
		start, first = end, k
	}
	if len(chunks) == 0 {
		s.addBlock(text, 0, zip)
	}
}

func (s *stored) addBlock(text string, first int, zip *zstd.Encoder) {
	s.blocks = append(s.blocks, zip.EncodeAll([]byte(text), nil))
	s.meta.firsts = append(s.meta.firsts, first)
}

// makeRecord encodes what is known of the document besides its text.
func (s *stored) makeRecord(d library.Document, zip *zstd.Encoder) error {
	r := record{Document: d.Document, Title: d.Title}
	r.Document.Text, r.Document.Name, r.Document.Path, r.Document.WordBoxes = "", "", "", nil
	head, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the record of %s: %w", d.Document.Name, err)
	}
	s.record = zip.EncodeAll(head, nil)
	return nil
}

// makeTable encodes the places of the passages, their headings, headers and titles.
func (s *stored) makeTable(x retrieve.Indexed, zip *zstd.Encoder) {
	chunks := x.Chunks
	headings, headers, titles := numbering{}, numbering{}, numbering{}
	var c coder
	c.number(len(chunks))
	at := 0
	for k, p := range chunks {
		back := 0
		if p.Start < at {
			back = at - p.Start // passages may overlap
		}
		c.number(back)
		c.number(p.Start + back - at)
		c.number(p.End - p.Start)
		c.number(p.Tokens)
		c.number(headings.of(p.Heading))
		c.number(headers.of(p.Header))
		title := ""
		if x.Titles != nil {
			title = x.Titles[k]
		}
		c.number(titles.of(title))
		c.number(x.Pages[k] + 1)
		at = p.End
	}
	for _, texts := range [][]string{headings.texts, headers.texts, titles.texts} {
		c.number(len(texts))
		for _, t := range texts {
			c.text(t)
		}
	}
	putRanges(&c, chunks)
	s.table = zip.EncodeAll(c.b, nil)
}

// numbering numbers texts from 1; the empty one is 0.
type numbering struct {
	texts []string
	known map[string]int
}

func (n *numbering) of(text string) int {
	if text == "" {
		return 0
	}
	if n.known == nil {
		n.known = map[string]int{}
	}
	if n.known[text] == 0 {
		n.texts = append(n.texts, text)
		n.known[text] = len(n.texts)
	}
	return n.known[text]
}

// takeVectors encodes the vectors: a byte for each passage, 1 where there is one,
// then their numbers.
func (s *stored) takeVectors(x retrieve.Indexed) {
	if x.Vectors == nil {
		return
	}
	var c coder
	for _, v := range x.Vectors {
		c.b = append(c.b, byte(min(len(v), 1)))
		s.dims = max(s.dims, len(v))
	}
	for _, v := range x.Vectors {
		for _, n := range v {
			c.float(n)
		}
	}
	s.vector = c.b
}

// add appends a document.
func (w *segmentWriter) add(s *stored) error {
	m := s.meta
	for _, b := range s.blocks {
		m.blocks = append(m.blocks, w.write(b))
	}
	m.record, m.table = w.write(s.record), w.write(s.table)
	m.first = w.chunks
	vector := part{}
	if s.vector != nil {
		vector = w.write(s.vector)
		w.dims = max(w.dims, s.dims)
	}
	w.vectors = append(w.vectors, vector)
	for _, t := range s.terms {
		l := w.list(m.language, t.term)
		l.documents++
		for _, p := range t.postings {
			l.add(m.first+int(p.chunk), int(p.body), int(p.above), int(p.title))
		}
	}
	w.docs = append(w.docs, m)
	w.chunks += len(m.lengths)
	w.text += int64(m.text)
	return w.err
}

// list is the postings of a term, made when it is new.
func (w *segmentWriter) list(language, term string) *list {
	lists := w.lists[language]
	if lists == nil {
		lists = map[string]*list{}
		w.lists[language] = lists
	}
	l := lists[term]
	if l == nil {
		l = &list{}
		lists[term] = l
	}
	return l
}

// add appends a posting: the distance to the passage before, doubled, plus one
// where the term is there just once in the text; else all three numbers follow.
func (l *list) add(chunk, body, above, title int) {
	gap := uint64(chunk-l.last) << 1
	if body == 1 && above == 0 && title == 0 {
		l.data = binary.AppendUvarint(l.data, gap|1)
	} else {
		l.data = binary.AppendUvarint(l.data, gap)
		l.data = binary.AppendUvarint(l.data, uint64(body))
		l.data = binary.AppendUvarint(l.data, uint64(above))
		l.data = binary.AppendUvarint(l.data, uint64(title))
	}
	l.last = chunk + 1
	l.passages++
}

// finish ends the segment, forces all to disk and gives the segment its name.
func (w *segmentWriter) finish(path string) error {
	if err := w.end(); err != nil {
		return err
	}
	return w.file.Commit(path)
}

// end writes terms, directory and footer.
func (w *segmentWriter) end() error {
	groups := w.writeTerms()
	var c coder
	c.number(w.chunks)
	c.number(w.dims)
	c.number(len(w.docs))
	for i, m := range w.docs {
		m.encode(&c, w.vectors[i])
	}
	c.number(len(groups))
	for _, g := range groups {
		c.text(g.first)
		g.place.encode(&c)
	}
	directory := w.zip.EncodeAll(c.b, nil)
	at := w.at
	w.write(directory)
	sum := sha256.Sum256(directory)
	footer := binary.LittleEndian.AppendUint64(nil, uint64(at))
	footer = binary.LittleEndian.AppendUint64(footer, uint64(len(directory)))
	footer = append(append(footer, sum[:]...), magic...)
	w.write(footer)
	if w.err != nil {
		return w.err
	}
	return w.out.Flush()
}

func (w *segmentWriter) discard() { w.file.Discard() }

// group is a place of terms in order, and the first of them.
type group struct {
	first string
	place part
}

// writeTerms writes long postings, then all terms in groups.
func (w *segmentWriter) writeTerms() []group {
	all := map[string]*list{}
	var keys []string
	for language, lists := range w.lists {
		for term, l := range lists {
			key := language + "\x00" + term
			keys, all[key] = append(keys, key), l
		}
	}
	slices.Sort(keys)
	long := make(map[string]part)
	for _, k := range keys {
		if l := all[k]; len(l.data) > inlined {
			long[k] = w.write(l.data)
		}
	}
	var groups []group
	for members := range slices.Chunk(keys, groupTerms) {
		var c coder
		before := ""
		for _, k := range members {
			same := commonPrefix(before, k)
			c.number(same)
			c.text(k[same:])
			c.number(all[k].passages)
			c.number(all[k].documents)
			if p, ok := long[k]; ok {
				c.number(0)
				p.encode(&c)
			} else {
				c.bytes(all[k].data)
			}
			before = k
		}
		groups = append(groups, group{members[0], w.write(c.b)})
	}
	return groups
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (p part) encode(c *coder) {
	c.number(int(p.at))
	c.number(p.length)
	c.fixed(p.sum)
}

func (m *docMeta) encode(c *coder, vector part) {
	c.text(m.key)
	c.text(m.fileID)
	c.text(m.language)
	c.number(m.text)
	m.record.encode(c)
	m.table.encode(c)
	c.number(len(m.blocks))
	for i, b := range m.blocks {
		b.encode(c)
		c.number(m.firsts[i])
	}
	c.number(len(m.lengths))
	for _, n := range m.lengths {
		c.number(n)
	}
	vector.encode(c)
}
