// Package littleendian reads numbers out of bytes of strangers: beyond their
// end everything is zero.
package littleendian

import (
	"encoding/binary"
	"math"
)

// Uint16 reads two bytes at an offset; 0 where they are not there.
func Uint16(data []byte, at int) int {
	if at < 0 || at > len(data)-2 {
		return 0
	}
	return int(binary.LittleEndian.Uint16(data[at:]))
}

// Uint32 reads four bytes.
func Uint32(data []byte, at int) uint32 {
	if at < 0 || at > len(data)-4 {
		return 0
	}
	return binary.LittleEndian.Uint32(data[at:])
}

// Float64 reads eight bytes.
func Float64(data []byte, at int) float64 {
	if at < 0 || at > len(data)-8 {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(data[at:]))
}
