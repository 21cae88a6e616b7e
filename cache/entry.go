package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// An entry on disk is
//
//	magic       8 bytes  "INLAYC1\n"
//	name       32 bytes  SHA-256 of the key
//	length      8 bytes  of the data, big endian
//	checksum   32 bytes  SHA-256 of what follows
//	data
//
// so that a file that was cut, damaged or moved under another name is known
// without trusting anything else.
const (
	magic      = "INLAYC1\n"
	headerSize = len(magic) + sha256.Size + 8 + sha256.Size
)

// Hash is the full-length hash of everything in the key. Each string is preceded
// by its length, so that no two keys share an encoding.
func (k Key) Hash() [sha256.Size]byte {
	return hash(append([]string{k.Namespace, k.Of, k.Kind}, k.Parts...)...)
}

func hash(parts ...string) [sha256.Size]byte {
	b := make([]byte, 0, 128)
	for _, s := range parts {
		b = binary.BigEndian.AppendUint64(b, uint64(len(s)))
		b = append(b, s...)
	}
	return sha256.Sum256(b)
}

// group is what the names of all entries begin with that were derived from one
// content for a namespace, in 32 letters of lower-case hexadecimal and a dash.
func group(namespace, of string) string {
	n := hash(namespace, of)
	return hex.EncodeToString(n[:16]) + "-"
}

// space names a namespace, in 16 letters and a dash.
func space(namespace string) string {
	n := hash("namespace", namespace)
	return hex.EncodeToString(n[:8]) + "-"
}

// inSpace reports whether a name is that of an entry of the namespace called space.
func inSpace(name, space string) bool {
	const at = 2*16 + 1 // after the group
	return len(name) > at && strings.HasPrefix(name[at:], space)
}

// name is the entry's: its group, its namespace, then its hash in 64 letters.
func (k Key) name() string {
	n := k.Hash()
	return group(k.Namespace, k.Of) + space(k.Namespace) + hex.EncodeToString(n[:])
}

// header is what precedes the data of the entry called name.
func header(name [sha256.Size]byte, data []byte) []byte {
	sum := sha256.Sum256(data)
	b := make([]byte, 0, headerSize)
	b = append(b, magic...)
	b = append(b, name[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(data)))
	return append(b, sum[:]...)
}

// decode returns the data of an entry file, or ok == false when it is not a
// whole, undamaged entry called name.
func decode(name [sha256.Size]byte, file []byte) (data []byte, ok bool) {
	if len(file) < headerSize {
		return nil, false
	}
	data = file[headerSize:]
	return data, bytes.Equal(file[:headerSize], header(name, data))
}
