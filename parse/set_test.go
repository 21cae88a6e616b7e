package parse_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
)

var set = flag.String("set", "", "folder that scripts/office-set has built")

// TestSet measures what is read of documents that other programs wrote from
// known text: RTF, and text from right to left in five formats.
func TestSet(t *testing.T) {
	if *set == "" {
		t.Skip("name the folder that scripts/office-set has built: -set DIR")
	}
	f, err := os.Open(filepath.Join(*set, "manifest.jsonl"))
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	r := everything(t)
	found := map[string]*tally{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s struct{ File, Truth, Kind string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &s))
		truth, err := os.ReadFile(filepath.Join(*set, s.Truth))
		require.NoError(t, err)
		m := found[s.Kind]
		if m == nil {
			m = &tally{}
			found[s.Kind] = m
		}
		m.files++
		file, err := parse.ReadFile(t.Context(), filepath.Join(*set, s.File), parse.Limits{})
		require.NoError(t, err)
		d, err := r.Parse(t.Context(), file, nil)
		if err != nil {
			m.failed++
			t.Log(err)
			continue
		}
		recall, precision := overlap(words(string(truth)), words(d.Text))
		m.recall += recall
		m.precision += precision
		if recall < .99 {
			t.Logf("%s: recall %.3f, missing %s", s.File, recall, missing(words(string(truth)), words(d.Text)))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		m := found[kind]
		read := float64(max(m.files-m.failed, 1))
		t.Logf("%-22s %3d files, %d failed, recall %.4f, precision %.3f", kind, m.files, m.failed, m.recall/read, m.precision/read)
	}
}

// missing lists words that were not found, at most ten.
func missing(want, got map[string]int) string {
	var out []string
	for _, w := range slices.Sorted(maps.Keys(want)) {
		if n := want[w] - got[w]; n > 0 && len(out) < 10 {
			out = append(out, fmt.Sprintf("%s x%d", w, n))
		}
	}
	return fmt.Sprint(out)
}
