package pdf

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	lib "github.com/ledongthuc/pdf"
)

// banner is the header that the object reader accepts, whatever the file says.
const banner = "%PDF-1.7\n%inlay\n"

// seam keeps the last word of the original apart from what follows it.
const seam = "\n"

// segments is several pieces of memory read as one file.
type segments [][]byte

// ReadAt implements [io.ReaderAt].
func (s segments) ReadAt(p []byte, off int64) (n int, err error) {
	for _, piece := range s {
		if off >= int64(len(piece)) {
			off -= int64(len(piece))
			continue
		}
		m := copy(p[n:], piece[off:])
		n, off = n+m, 0
		if n == len(p) {
			return n, nil
		}
	}
	return n, io.EOF
}

// size is the length of all pieces.
func (s segments) size() (n int64) {
	for _, piece := range s {
		n += int64(len(piece))
	}
	return n
}

// rebuilt lays the file out again around the untouched original bytes: a header,
// the original, what was packed in object streams as plain objects, and a
// cross-reference stream of our own that lists what the scan found. The object
// reader never sees a table, a size or a chain that the file's author wrote.
func (s *scan) rebuilt() (segments, error) {
	root := s.trailer.Root
	if _, ok := s.objects[root.id]; !ok {
		root = s.catalog
	}
	if root == (reference{}) {
		return nil, errNoCatalog
	}
	var extra strings.Builder
	s.encryption(&extra)
	id := s.last + 1
	packed := len(banner) + len(s.data) + len(seam)
	at := packed + s.unpacked.Len()
	s.objects[id] = object{offset: at - packed, packed: true}
	table := s.table(id, packed)
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d 0 obj\n<</Type/XRef/Size %d/W[1 5 2]/Root %s%s/Length %d>>\nstream\n", id, id+1, root, extra.String(), len(table))
	b.Write(table)
	// The reader wants 100 bytes after the table before it looks for startxref.
	fmt.Fprintf(&b, "\nendstream\nendobj\n%%%s\nstartxref\n%d\n%%%%EOF\n", strings.Repeat(" ", 100), at)
	return segments{[]byte(banner), s.data, []byte(seam), s.unpacked.Bytes(), b.Bytes()}, nil
}

// encryption writes the trailer entries that an encrypted file needs. A
// dictionary that is in the trailer moves into an object of its own, and
// the id is written again, so that nothing of theirs is copied into our trailer.
func (s *scan) encryption(extra *strings.Builder) {
	if s.trailer.Encrypt == "" {
		return
	}
	l := &lexer{src: []byte(s.trailer.Encrypt)}
	ref, ok := readReference(l, l.next())
	if !ok {
		ref = reference{id: s.last + 1}
		s.pack(ref.id, []byte(s.trailer.Encrypt))
	}
	fmt.Fprintf(extra, "/Encrypt %s/ID[<%s><>]", ref, hex.EncodeToString(s.trailer.ID))
}

// table renders the rows of the cross-reference stream for objects 0 to last.
func (s *scan) table(last, packed int) []byte {
	rows := make([]byte, 0, 8*(last+1))
	for id := range last + 1 {
		o, ok := s.objects[id]
		if !ok {
			rows = append(rows, 0, 0, 0, 0, 0, 0, 0, 0)
			continue
		}
		offset := o.offset + len(banner)
		if o.packed {
			offset = o.offset + packed
		}
		rows = append(rows, 1, byte(offset>>32))
		rows = binary.BigEndian.AppendUint32(rows, uint32(offset))
		rows = binary.BigEndian.AppendUint16(rows, uint16(o.gen))
	}
	return rows
}

// errPassword says that the empty password does not open the file.
var errPassword = errors.New("password required")

// openReader opens the rebuilt file, an encrypted one with the empty password.
func openReader(s segments, encrypted bool) (r *lib.Reader, err error) {
	err = guard(func() error {
		r, err = lib.NewReader(s, s.size())
		return err
	})
	switch {
	case errors.Is(err, lib.ErrInvalidPassword):
		return nil, errPassword
	case err != nil && encrypted:
		return nil, errEncryption
	case err != nil:
		return nil, errMalformed // the reader's own words may quote the document
	}
	return r, nil
}
