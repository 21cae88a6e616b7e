package pdf

import (
	"bytes"
	"fmt"
)

// The cross-reference table of a PDF is the part that is broken most often and
// the part that hostile files abuse (cycles, absurd sizes, objects that contain
// themselves). It is not read at all: scan goes through the file from front to
// back and finds every object where it is; a later definition of the same
// object replaces an earlier one, as incremental updates want it.

// maxObjectID bounds object numbers, because the table that the object reader
// builds is as long as the largest one.
const maxObjectID = 1 << 20

// object is where an indirect object is.
type object struct {
	gen    int
	offset int // into the file, or into scan.unpacked where packed
	packed bool
}

// scan is what one pass over a file finds.
type scan struct {
	data     []byte
	objects  map[int]object
	last     int          // largest object number
	catalog  reference    // the last object of /Type /Catalog
	trailer  header       // the last trailer that names a root
	unpacked bytes.Buffer // objects taken out of object streams, as plain objects
	budget   int          // bytes that object streams may still expand to
	limit    int64        // and may expand to in all
	opaque   bool         // an object stream could not be read

	endstreams bool // whether another endstream can still be ahead
}

// reference is an indirect reference "id gen R".
type reference struct{ id, gen int }

func (r reference) String() string { return fmt.Sprintf("%d %d R", r.id, r.gen) }

// scanFile finds the objects of a file. budget bounds what its object streams
// expand to, in bytes.
func scanFile(data []byte, budget int) (*scan, error) {
	s := &scan{data: data, objects: map[int]object{}, budget: budget, limit: int64(budget), endstreams: true}
	s.trailers()
	for pos := 0; pos < len(data); {
		i := bytes.Index(data[pos:], []byte("obj"))
		if i < 0 {
			break
		}
		at := pos + i
		pos = at + len("obj")
		id, gen, start, ok := objectHead(data, at)
		if !ok || id > maxObjectID {
			continue
		}
		next, err := s.found(reference{id, gen}, start, pos)
		if err != nil {
			return nil, err
		}
		pos = next
	}
	return s, nil
}

// trailers keeps the last trailer dictionary that names a root.
func (s *scan) trailers() {
	for pos := 0; ; {
		i := bytes.Index(s.data[pos:], []byte("trailer"))
		if i < 0 {
			return
		}
		pos += i + len("trailer")
		h, after := readHeader(s.data, pos)
		pos = max(pos, after)
		s.adopt(h)
	}
}

// adopt takes h as the trailer if it names a root. What an earlier trailer said
// of encryption stays, unless this one says it again.
func (s *scan) adopt(h header) {
	if h.Root == (reference{}) {
		return
	}
	if h.Encrypt == "" {
		h.Encrypt = s.trailer.Encrypt
	}
	if h.ID == nil {
		h.ID = s.trailer.ID
	}
	s.trailer = h
}

// found records the object whose "id gen obj" ends at body and returns where
// to go on.
func (s *scan) found(ref reference, start, body int) (next int, err error) {
	s.objects[ref.id] = object{gen: ref.gen, offset: start}
	s.last = max(s.last, ref.id)
	h, after := readHeader(s.data, body)
	switch h.Type {
	case "Catalog":
		s.catalog = ref
	case "XRef":
		s.adopt(h)
	}
	if !h.stream {
		return max(body, after), nil
	}
	raw, next := s.streamBody(h, after)
	if h.Type == "ObjStm" {
		return next, s.unpack(h, raw)
	}
	return next, nil
}

// streamBody returns the raw data of the stream that begins at start, and where
// the scan goes on: after the length the header states if endstream is
// there, else after the next endstream.
func (s *scan) streamBody(h header, start int) (raw []byte, next int) {
	if stop := start + h.Length; h.Length > 0 && stop <= len(s.data) {
		tail := bytes.TrimLeft(s.data[stop:min(stop+16, len(s.data))], "\r\n \t")
		if bytes.HasPrefix(tail, []byte("endstream")) {
			return s.data[start:stop], stop
		}
	}
	if s.endstreams {
		if i := bytes.Index(s.data[start:], []byte("endstream")); i >= 0 {
			return s.data[start : start+i], start + i
		}
		s.endstreams = false
	}
	return s.data[start:], start
}

// objectHead reads "id gen " backwards from the keyword obj at position at.
func objectHead(data []byte, at int) (id, gen, start int, ok bool) {
	i := skipSpaceBack(data, at)
	gen, i, ok = numberBack(data, i)
	if !ok {
		return 0, 0, 0, false
	}
	j := skipSpaceBack(data, i)
	if j == i {
		return 0, 0, 0, false
	}
	id, start, ok = numberBack(data, j)
	return id, gen, start, ok && id > 0 && gen < 1<<16
}

// skipSpaceBack returns the position after the last byte before i that is no
// space; it looks back a few bytes only.
func skipSpaceBack(data []byte, i int) int {
	for n := 0; i > 0 && n < 8 && isSpace(data[i-1]); n++ {
		i--
	}
	return i
}

// numberBack reads the digits that end at i.
func numberBack(data []byte, i int) (n, start int, ok bool) {
	start = i
	for start > 0 && i-start < 9 && data[start-1] >= '0' && data[start-1] <= '9' {
		start--
	}
	for _, c := range data[start:i] {
		n = n*10 + int(c-'0')
	}
	return n, start, start < i
}
