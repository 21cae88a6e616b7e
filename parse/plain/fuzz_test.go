package plain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/plain"
)

// FuzzPlain reads any bytes as any form of text: none panics, and every section
// lies in the text.
func FuzzPlain(f *testing.F) {
	names := []string{"a.txt", "a.md", "a.go", "a.py", "a.csv", "a.tsv", "a.json", "a.jsonl", "a.yaml", "a.xml", "a.ipynb"}
	for i, seed := range []string{
		"one\n\ntwo", "# h\n\n- x\n", "package a\n\nfunc F() {}\n", "def f():\n  pass\n", "a;b\n\"x;\"\"y\";2\n", "a\tb\n1\t2\n",
		`{"a":[1,{"b":null}]}`, "{\"a\":1}\n{\"a\":2}\n", "a: 1\nb:\n  - c\n", "<a><b>x</b></a>", `{"cells":[{"cell_type":"code","source":["x"],"outputs":[{"text":"y"}]}],"nbformat":4}`,
	} {
		f.Add(uint8(i), []byte(seed))
	}
	r, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, form uint8, data []byte) {
		file := parse.File{Name: names[int(form)%len(names)], Data: data}
		if p, err := r.Lookup(file); err == nil { // without the registry, which catches panics
			_, _ = p.Parse(t.Context(), file, func(float64) {})
		}
		if _, err := r.Parse(t.Context(), file, nil); fault.Is(err, fault.Internal) {
			t.Fatal(err)
		}
	})
}
