package cache

import (
	"bytes"
	"testing"
)

// Whatever is in a file, decode gives back only data that was encoded
// under the same name.
func FuzzDecode(f *testing.F) {
	name := Key{Kind: "fuzz"}.Hash()
	f.Add([]byte{})
	f.Add([]byte(magic))
	f.Add(header(name, nil))
	f.Add(append(header(name, []byte("data")), "data"...))
	f.Add(append(header(name, []byte("data")), "dat"...))
	f.Fuzz(func(t *testing.T, file []byte) {
		data, ok := decode(name, file)
		if ok && !bytes.Equal(file, append(header(name, data), data...)) {
			t.Fatal("took a damaged entry for whole")
		}
	})
}
