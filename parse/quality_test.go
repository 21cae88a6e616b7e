package parse_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
)

// sample is a reference document with the text that it should give.
type sample struct {
	File   string   `json:"file"`
	Ext    string   `json:"ext"`
	Ground []string `json:"gt"`
}

// samples reads a set's manifest. Only documents with Markdown to compare count,
// and only those that share it with no other document.
func samples(tb testing.TB, set string) []sample {
	tb.Helper()
	f, err := os.Open(refdata.Path(tb, "documents", set, "manifest.jsonl"))
	require.NoError(tb, err)
	defer func() { _ = f.Close() }()
	var all []sample
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var s sample
		require.NoError(tb, json.Unmarshal(lines.Bytes(), &s))
		s.Ground = slices.DeleteFunc(s.Ground, func(g string) bool { return filepath.Ext(g) != ".md" })
		if len(s.Ground) > 0 && s.Ext != "pdf" {
			all = append(all, s)
		}
	}
	require.NoError(tb, lines.Err())
	sharers := map[string]int{}
	for _, s := range all {
		sharers[s.Ground[0]]++
	}
	return slices.DeleteFunc(all, func(s sample) bool { return sharers[s.Ground[0]] > 1 })
}

// floors is the least recall of words that a format may fall to.
func floors() map[string]float64 {
	return map[string]float64{"csv": .99, "docx": .99, "epub": .99, "html": .98, "md": .99, "odt": .98, "pptx": .99, "xlsx": .99}
}

// noise is what ground truth holds beside the document's own words; "Other
// chart" is there for charts of a kind that its writer does not know.
var noise = regexp.MustCompile(`<!--.*?-->|\]\([^)]*\)|\\|(?m:^Other chart$)`)

// words counts the words of a text: runs of letters and digits, lower-case.
func words(text string) map[string]int {
	text = noise.ReplaceAllString(html.UnescapeString(text), " ")
	count := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		count[w]++
	}
	return count
}

// overlap returns the share of want's words that got has too, and the other way round.
func overlap(want, got map[string]int) (recall, precision float64) {
	both, wanted, given := 0, 0, 0
	for w, n := range want {
		both += min(n, got[w])
		wanted += n
	}
	for _, n := range got {
		given += n
	}
	return float64(both) / float64(max(wanted, 1)), float64(both) / float64(max(given, 1))
}

// tally sums up what was measured of one format.
type tally struct {
	files, failed     int
	recall, precision float64
	bytes             int
	spent             time.Duration
}

// measure compares every reference document with its ground truth, by format.
// worst receives the documents below a recall of .97.
func measure(tb testing.TB, r *parse.Registry, set string, worst func(string)) map[string]*tally {
	tb.Helper()
	byExt := map[string]*tally{}
	for _, s := range samples(tb, set) {
		t := byExt[s.Ext]
		if t == nil {
			t = &tally{}
			byExt[s.Ext] = t
		}
		t.files++
		f, err := parse.ReadFile(tb.Context(), refdata.Path(tb, "documents", set, s.File), parse.Limits{})
		require.NoError(tb, err)
		ground, err := os.ReadFile(refdata.Path(tb, "documents", set, s.Ground[0]))
		require.NoError(tb, err)
		began := time.Now()
		d, err := r.Parse(tb.Context(), f, nil)
		t.spent += time.Since(began)
		t.bytes += len(f.Data)
		if err != nil {
			t.failed++
			worst(fmt.Sprintf("%s: %v", s.File, err))
			continue
		}
		recall, precision := overlap(words(string(ground)), words(d.Text))
		t.recall += recall
		t.precision += precision
		if recall < .97 {
			worst(fmt.Sprintf("%s: recall %.3f", s.File, recall))
		}
	}
	return byExt
}

// TestQuality prints recall and precision of words against ground truth, by
// format: go test ./parse -run TestQuality -v
func TestQuality(t *testing.T) {
	r := everything(t)
	found := measure(t, r, "docling", func(s string) { t.Log(s) })
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "format\tfiles\tfailed\trecall\tprecision\tMB/s\n")
	for _, ext := range slices.Sorted(maps.Keys(found)) {
		m := found[ext]
		read := float64(max(m.files-m.failed, 1))
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%.3f\t%.3f\t%.1f\n", ext, m.files, m.failed, m.recall/read, m.precision/read, float64(m.bytes)/1e6/m.spent.Seconds())
	}
	require.NoError(t, w.Flush())
	t.Log("\n" + b.String())
	for ext, floor := range floors() {
		m := found[ext]
		require.NotNil(t, m, ext)
		require.GreaterOrEqual(t, m.recall/float64(m.files), floor, ext)
	}
}
