package disk

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"

	"inlay/internal/durable"
)

// castagnoli is the polynomial that processors compute.
//
//nolint:gochecknoglobals // a table that never changes
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// errDamaged is what a segment that does not match its checksums comes to.
var errDamaged = errors.New("its bytes do not match their checksum")

// coder writes numbers and texts one after the other.
type coder struct{ b []byte }

func (c *coder) number(n int)     { c.b = binary.AppendUvarint(c.b, uint64(n)) }
func (c *coder) fixed(n uint32)   { c.b = binary.LittleEndian.AppendUint32(c.b, n) }
func (c *coder) text(s string)    { c.number(len(s)); c.b = append(c.b, s...) }
func (c *coder) float(f float32)  { c.fixed(math.Float32bits(f)) }
func (c *coder) bytes(raw []byte) { c.number(len(raw)); c.b = append(c.b, raw...) }

// decoder reads what a coder wrote. What does not fit sets bad, and everything
// after it is zero.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) number() int {
	n, size := binary.Uvarint(d.b)
	if size <= 0 || n > math.MaxInt64 {
		d.fail()
		return 0
	}
	d.b = d.b[size:]
	return int(n)
}

// count reads a number of things that take at least one byte each.
func (d *decoder) count() int {
	n := d.number()
	if n > len(d.b) {
		d.fail()
		return 0
	}
	return n
}

func (d *decoder) fixed() uint32 {
	if len(d.b) < 4 {
		d.fail()
		return 0
	}
	n := binary.LittleEndian.Uint32(d.b)
	d.b = d.b[4:]
	return n
}

func (d *decoder) bytes() []byte {
	n := d.count()
	raw := d.b[:n:n]
	d.b = d.b[n:]
	return raw
}

func (d *decoder) text() string { return string(d.bytes()) }

func (d *decoder) fail() { d.b, d.bad = nil, true }

// err is errDamaged if something did not fit.
func (d *decoder) err() error {
	if d.bad {
		return errDamaged
	}
	return nil
}

// explain is durable.Explain for what may be no error.
func explain(path string, err error) error {
	if err == nil {
		return nil
	}
	return durable.Explain(path, err)
}
