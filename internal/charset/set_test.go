package charset_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/charset"
)

var set = flag.String("set", "", "folder that scripts/charset-set has built")

// TestSet measures detection on texts that nothing here was tuned on. Right
// means: the same characters back.
func TestSet(t *testing.T) {
	if *set == "" {
		t.Skip("name the folder that scripts/charset-set has built: -set DIR")
	}
	f, err := os.Open(filepath.Join(*set, "manifest.jsonl"))
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	files, right := map[string]int{}, map[string]int{}
	all, allRight := 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s struct{ File, Language, Encoding string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &s))
		data, err := os.ReadFile(filepath.Join(*set, s.File))
		require.NoError(t, err)
		want, err := os.ReadFile(filepath.Join(*set, s.File+".utf8"))
		require.NoError(t, err)
		files[s.Encoding]++
		all++
		if got := charset.Decode(data, ""); got.Text == string(want) {
			right[s.Encoding]++
			allRight++
		} else {
			t.Logf("%s: taken for %s", s.File, got.Charset)
		}
	}
	for _, encoding := range slices.Sorted(maps.Keys(files)) {
		t.Logf("%-14s %d of %d", encoding, right[encoding], files[encoding])
	}
	t.Logf("all: %d of %d right: %.3f", allRight, all, float64(allRight)/float64(all))
}
