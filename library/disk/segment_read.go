package disk

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"inlay/embed"
	"inlay/fault"
	"inlay/parse"
	"inlay/retrieve"
)

// segment is an open segment. What is read of it at a question is read from the
// file; in memory is its directory alone. The file is closed when nobody refers to
// the segment any more, so that one that was merged away can be read to the end of
// a question. It is safe for concurrent use.
type segment struct {
	name   string
	file   source
	unzip  *zstd.Decoder
	dims   int
	chunks int
	docs   []docMeta
	vector []part // by document
	groups []group
	byKey  map[string]int   // of documents
	spoken map[string][]int // the documents of each language, ascending
	size   int64
}

// source is where a segment is read from: a file, or the bytes of a [Single].
type source interface {
	io.ReaderAt
	io.Closer
	Name() string
}

// largestPart bounds what a length in a damaged file can make us allocate.
const largestPart = 1 << 30

// openSegment reads the directory of a segment.
func openSegment(path string, unzip *zstd.Decoder) (*segment, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, damagedSegment(path, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(damagedSegment(path, err), f.Close())
	}
	s := &segment{name: filepath.Base(path), file: f, unzip: unzip, size: info.Size()}
	if err := s.readDirectory(); err != nil {
		return nil, errors.Join(damagedSegment(path, err), f.Close())
	}
	return s, nil
}

func damagedSegment(path string, err error) error {
	return &fault.Error{
		Code: fault.StoreDamaged, Subject: path, Reason: "a part of the library cannot be read: " + err.Error(),
		Next: "repair it with inlay library sync --repair, which reads its documents again", Err: err,
	}
}

func (s *segment) readDirectory() error {
	footer := make([]byte, footerSize)
	if s.size < int64(footerSize+len(magic)) {
		return errors.New("it is cut short")
	}
	if _, err := s.file.ReadAt(footer, s.size-int64(footerSize)); err != nil {
		return err
	}
	at, length := binary.LittleEndian.Uint64(footer), binary.LittleEndian.Uint64(footer[8:])
	sum, mark := footer[16:16+sha256.Size], footer[16+sha256.Size:]
	if string(mark) != magic || at > uint64(s.size) || length > uint64(s.size)-at || length > largestPart {
		return errors.New("its end is missing")
	}
	directory := make([]byte, length)
	if _, err := s.file.ReadAt(directory, int64(at)); err != nil {
		return err
	}
	if got := sha256.Sum256(directory); !bytes.Equal(got[:], sum) {
		return errDamaged
	}
	plain, err := s.unzip.DecodeAll(directory, nil)
	if err != nil {
		return errDamaged
	}
	return s.decode(&decoder{b: plain})
}

func (s *segment) decode(d *decoder) error {
	s.chunks, s.dims = d.number(), d.number()
	s.docs = make([]docMeta, d.count())
	s.vector = make([]part, len(s.docs))
	s.byKey = make(map[string]int, len(s.docs))
	s.spoken = map[string][]int{}
	first := 0
	languages := map[string]string{}
	for i := range s.docs {
		m := &s.docs[i]
		s.vector[i] = m.decode(d, languages)
		m.first = first
		first += len(m.lengths)
		s.byKey[m.key] = i
		s.spoken[m.language] = append(s.spoken[m.language], i)
	}
	if first != s.chunks {
		return errDamaged
	}
	s.groups = make([]group, d.count())
	for i := range s.groups {
		s.groups[i].first = d.text()
		s.groups[i].place = decodePart(d)
	}
	return d.err()
}

func decodePart(d *decoder) part {
	p := part{at: int64(d.number()), length: d.number()}
	if p.sum = d.fixed(); p.length > largestPart {
		d.fail()
	}
	return p
}

func (m *docMeta) decode(d *decoder, languages map[string]string) (vector part) {
	m.key, m.fileID, m.language = d.text(), d.text(), d.text()
	if known, ok := languages[m.language]; ok {
		m.language = known
	} else {
		languages[m.language] = m.language
	}
	m.text = d.number()
	m.record, m.table = decodePart(d), decodePart(d)
	m.blocks = make([]part, d.count())
	m.firsts = make([]int, len(m.blocks))
	for i := range m.blocks {
		m.blocks[i] = decodePart(d)
		m.firsts[i] = d.number()
	}
	m.lengths = make([]int, d.count())
	for k := range m.lengths {
		m.lengths[k] = d.number()
	}
	m.sum()
	return decodePart(d)
}

// read reads a part and compares its checksum.
func (s *segment) read(p part) ([]byte, error) {
	buffer := make([]byte, p.length)
	if _, err := s.file.ReadAt(buffer, p.at); err != nil {
		return nil, damagedSegment(s.file.Name(), err)
	}
	if checksum(buffer) != p.sum {
		return nil, damagedSegment(s.file.Name(), errDamaged)
	}
	return buffer, nil
}

// unpack reads a compressed part.
func (s *segment) unpack(p part) ([]byte, error) {
	packed, err := s.read(p)
	if err != nil {
		return nil, err
	}
	plain, err := s.unzip.DecodeAll(packed, nil)
	if err != nil {
		return nil, damagedSegment(s.file.Name(), err)
	}
	return plain, nil
}

// table is the passages of a document, without their texts and ids.
type table struct {
	chunks []retrieve.Chunk
	titles []string // by passage; nil if none has any
	pages  []int    // by passage, see retrieve.Indexed
}

func (s *segment) readTable(doc int) (table, error) {
	m := &s.docs[doc]
	plain, err := s.unpack(m.table)
	if err != nil {
		return table{}, err
	}
	d := &decoder{b: plain}
	chunks := make([]retrieve.Chunk, d.count())
	t := table{chunks: chunks, pages: make([]int, len(chunks))}
	above := make([][3]int, len(chunks)) // the numbers of heading, header and title
	at := 0
	for k := range chunks {
		back := d.number()
		start := at + d.number() - back
		end := start + d.number()
		chunks[k] = retrieve.Chunk{FileID: m.fileID, Start: start, End: end, Tokens: d.number()}
		above[k] = [3]int{d.number(), d.number(), d.number()}
		t.pages[k] = d.number() - 1
		if start < 0 || end < start || end > m.text {
			d.fail()
		}
		at = end
	}
	headings, headers, titles := readTexts(d), readTexts(d), readTexts(d)
	if len(titles) > 1 {
		t.titles = make([]string, len(chunks))
	}
	for k, n := range above {
		if n[0] >= len(headings) || n[1] >= len(headers) || n[2] >= len(titles) {
			d.fail()
			break
		}
		chunks[k].Heading, chunks[k].Header = headings[n[0]], headers[n[1]]
		if t.titles != nil {
			t.titles[k] = titles[n[2]]
		}
	}
	readRanges(d, chunks)
	if d.bad || len(chunks) != len(m.lengths) {
		return table{}, damagedSegment(s.file.Name(), errDamaged)
	}
	return t, nil
}

// readTexts reads texts that are numbered from 1; 0 is the empty one.
func readTexts(d *decoder) []string {
	texts := make([]string, 1+d.count())
	for i := range texts[1:] {
		texts[i+1] = d.text()
	}
	return texts
}

// open reads a whole document.
func (s *segment) open(doc int) (parse.Document, error) {
	plain, err := s.unpack(s.docs[doc].record)
	if err != nil {
		return parse.Document{}, err
	}
	var r record
	if err := json.Unmarshal(plain, &r); err != nil {
		return parse.Document{}, damagedSegment(s.file.Name(), err)
	}
	var text strings.Builder
	text.Grow(s.docs[doc].text)
	for _, b := range s.docs[doc].blocks {
		plain, err := s.unpack(b)
		if err != nil {
			return parse.Document{}, err
		}
		text.Write(plain)
	}
	r.Document.Text = text.String()
	if len(r.Document.Text) != s.docs[doc].text {
		return parse.Document{}, damagedSegment(s.file.Name(), errDamaged)
	}
	return r.Document, nil
}

// fill reads the texts of some passages of a document.
func (s *segment) fill(doc int, chunks []retrieve.Chunk, wanted []int) error {
	m := &s.docs[doc]
	read := -1
	var plain []byte
	var from int
	for _, k := range wanted {
		b := blockOf(m.firsts, k)
		if b != read {
			var err error
			if plain, err = s.unpack(m.blocks[b]); err != nil {
				return err
			}
			read, from = b, 0
			if b > 0 {
				from = chunks[m.firsts[b]].Start
			}
		}
		c := &chunks[k]
		if c.Start < from || c.End-from > len(plain) {
			return damagedSegment(s.file.Name(), errDamaged)
		}
		c.Text = textOf(plain, from, *c)
	}
	return nil
}

// blockOf is the last block that begins with passage k or before.
func blockOf(firsts []int, k int) int {
	b := 0
	for b+1 < len(firsts) && firsts[b+1] <= k {
		b++
	}
	return b
}

// readVectors returns the vectors of a document by passage, nil where there is none.
func (s *segment) readVectors(doc int) ([]embed.Vector, error) {
	p := s.vector[doc]
	if p.length == 0 {
		return nil, nil
	}
	raw, err := s.read(p)
	if err != nil {
		return nil, err
	}
	n := len(s.docs[doc].lengths)
	vectors := make([]embed.Vector, n)
	d := &decoder{b: raw}
	if len(raw) < n {
		return nil, damagedSegment(s.file.Name(), errDamaged)
	}
	present := raw[:n]
	d.b = raw[n:]
	for k := range vectors {
		if present[k] == 0 {
			continue
		}
		v := make(embed.Vector, s.dims)
		for i := range v {
			v[i] = math.Float32frombits(d.fixed())
		}
		vectors[k] = v
	}
	if err := d.err(); err != nil {
		return nil, damagedSegment(s.file.Name(), err)
	}
	return vectors, nil
}

// verify reads everything.
func (s *segment) verify() error {
	for i := range s.docs {
		if _, err := s.open(i); err != nil {
			return err
		}
		if _, err := s.readTable(i); err != nil {
			return err
		}
		if _, err := s.readVectors(i); err != nil {
			return err
		}
	}
	t := newTerms(s, "")
	for i := range s.groups {
		g, err := t.load(i)
		if err != nil {
			return err
		}
		clear(t.groups)
		for _, e := range g {
			if err := s.verifyPostings(e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *segment) verifyPostings(e entry) error {
	c, err := e.postings(s)
	if err != nil {
		return err
	}
	for c.chunk >= 0 {
		if c.chunk >= s.chunks {
			return damagedSegment(s.file.Name(), errDamaged)
		}
		c.next()
	}
	if c.bad {
		return damagedSegment(s.file.Name(), errDamaged)
	}
	return nil
}
