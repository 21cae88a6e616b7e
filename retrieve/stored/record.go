package stored

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"

	"inlay/embed"
	"inlay/retrieve"
)

// A record in the log is
//
//	mark       8 bytes  "\nINLAYR\n"
//	length     8 bytes  of the body, big endian
//	checksum  32 bytes  SHA-256 of what follows
//	body
//
// and a body is one letter and what follows from it: H, the head of the log as
// JSON; D, the deleted file ids as JSON; A, the added chunks: how long their
// JSON is (8 bytes), the JSON, and their vectors as float32, little endian.
const (
	mark     = "\nINLAYR\n"
	preamble = len(mark) + 8 + sha256.Size
)

// version is the form of the log. A log of a higher one is refused by name.
const version = 1

// record is one entry of the log: a head, an Add or a Delete.
type record struct {
	Head    *head
	Chunks  []retrieve.Chunk
	Vectors []embed.Vector
	Deleted []string
}

// head begins every log.
type head struct {
	Version     int    `json:"version"`
	Fingerprint string `json:"fingerprint"`
}

// place is what the log keeps of a chunk: its text lives elsewhere.
type place struct {
	ID    string `json:"id"`
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// added describes the chunks of an A body.
type added struct {
	Dimensions int     `json:"dimensions"`
	Chunks     []place `json:"chunks"`
}

// encode returns the record's bytes in the log, preamble and all.
func (r *record) encode() ([]byte, error) {
	body, err := r.body()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	b := make([]byte, 0, preamble+len(body))
	b = append(b, mark...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(body)))
	b = append(b, sum[:]...)
	return append(b, body...), nil
}

func (r *record) body() ([]byte, error) {
	switch {
	case r.Head != nil:
		return encodeJSON('H', r.Head)
	case len(r.Deleted) > 0:
		return encodeJSON('D', r.Deleted)
	}
	a := added{Dimensions: len(r.Vectors[0])}
	for _, c := range r.Chunks {
		a.Chunks = append(a.Chunks, place{c.ID, c.FileID, c.Start, c.End})
	}
	text, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, 9+len(text)+4*a.Dimensions*len(r.Chunks))
	b = binary.BigEndian.AppendUint64(append(b, 'A'), uint64(len(text)))
	b = append(b, text...)
	for _, v := range r.Vectors {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	return b, nil
}

func encodeJSON(letter byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	return append([]byte{letter}, text...), err
}

// errDamaged says that bytes are no record: cut, changed or never one.
var errDamaged = errors.New("damaged record")

// parsePreamble returns the length of the body after a preamble.
func parsePreamble(b []byte) (length uint64, sum []byte, err error) {
	if len(b) < preamble || !bytes.HasPrefix(b, []byte(mark)) {
		return 0, nil, errDamaged
	}
	return binary.BigEndian.Uint64(b[len(mark):]), b[len(mark)+8 : preamble], nil
}

// decodeBody reads a body with the checksum of its preamble.
func decodeBody(body, sum []byte) (*record, error) {
	if got := sha256.Sum256(body); len(body) == 0 || !bytes.Equal(got[:], sum) {
		return nil, errDamaged
	}
	r := &record{}
	var err error
	switch body[0] {
	case 'H':
		r.Head = &head{}
		err = json.Unmarshal(body[1:], r.Head)
	case 'D':
		err = json.Unmarshal(body[1:], &r.Deleted)
	case 'A':
		err = r.decodeAdded(body[1:])
	default:
		err = errDamaged
	}
	if err != nil {
		return nil, errors.Join(errDamaged, err)
	}
	return r, nil
}

func (r *record) decodeAdded(b []byte) error {
	if len(b) < 8 || binary.BigEndian.Uint64(b) > uint64(len(b)-8) {
		return errDamaged
	}
	n := binary.BigEndian.Uint64(b)
	var a added
	if err := json.Unmarshal(b[8:8+n], &a); err != nil {
		return err
	}
	floats := b[8+n:]
	if a.Dimensions <= 0 || len(a.Chunks) == 0 || len(floats)%4 != 0 ||
		len(floats)/4%a.Dimensions != 0 || len(floats)/4/a.Dimensions != len(a.Chunks) {
		return errDamaged
	}
	all := make([]float32, len(floats)/4)
	for i := range all {
		all[i] = math.Float32frombits(binary.LittleEndian.Uint32(floats[4*i:]))
	}
	for i, c := range a.Chunks {
		r.Chunks = append(r.Chunks, retrieve.Chunk{ID: c.ID, FileID: c.File, Start: c.Start, End: c.End})
		r.Vectors = append(r.Vectors, all[i*a.Dimensions:(i+1)*a.Dimensions:(i+1)*a.Dimensions])
	}
	return nil
}
