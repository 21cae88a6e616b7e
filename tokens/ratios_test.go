package tokens

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// samplesFile holds one JSON string a line: the texts to measure ratios on again.
var samplesFile = flag.String("samples", "", "texts to measure the ratios of vocabularies on; wants -npm and -update")

// sample is a text of 1.5 to 4 KB that was counted by many vocabularies.
type sample struct {
	Kind   string         `json:"kind"` // as KindOf told when the sample was taken
	Counts map[string]int `json:"counts"`
}

func samples(t *testing.T) []sample {
	t.Helper()
	var s []sample
	readJSON(t, "testdata/ratios.json", &s)
	return s
}

func takeSamples(t *testing.T) {
	t.Helper()
	data, err := os.ReadFile(*samplesFile)
	require.NoError(t, err)
	var texts []string
	for line := range bytes.Lines(data) {
		var text string
		require.NoError(t, json.Unmarshal(line, &text))
		texts = append(texts, text)
	}
	var all []sample
	for i, counts := range askNpm[int](t, "ratios.mjs", texts) {
		all = append(all, sample{KindOf(texts[i]).String(), counts})
	}
	writeLines(t, "testdata/ratios.json", all)
}

// measure returns the median ratio of a vocabulary to cl100k_base and the
// highest.
func measure(all []sample, k Kind, vocabulary string) (median, highest float64, n int) {
	var r []float64
	for _, s := range all {
		if s.Kind == k.String() {
			r = append(r, float64(s.Counts[vocabulary])/float64(s.Counts["cl100k_base"]))
		}
	}
	slices.Sort(r)
	return r[len(r)/2], r[len(r)-1], len(r)
}

// The ratios in the code are those of the samples, rounded up to hundredths.
func TestRatiosAreMeasured(t *testing.T) {
	if *samplesFile != "" {
		takeSamples(t)
	}
	all := samples(t)
	up := func(x float64) float64 { return math.Ceil(100*x-1e-9) / 100 }
	for k := range kinds {
		widest := 0.0
		for _, f := range []Family{Llama3, Qwen, Gemma, DeepSeek, Llama2, "claude2"} {
			median, highest, n := measure(all, k, string(f))
			require.GreaterOrEqual(t, n, 50, "samples of %s", k)
			widest = max(widest, highest)
			want := ratio{factor: up(median)}
			want.margin = max(leastMargin, up(highest/want.factor-1))
			if r, ok := ratios(f); ok {
				require.InDelta(t, want.factor, r[k].factor, 1e-9, "%s %s: %s", f, k, fmt.Sprint(want))
				require.InDelta(t, want.margin, r[k].margin, 1e-9, "%s %s: %s", f, k, fmt.Sprint(want))
			}
		}
		r, _ := ratios(Unknown)
		require.Equal(t, ratio{1, up(widest - 1)}, r[k], "unknown %s", k)
	}
}

// No sample of any vocabulary is taken for an absurd report.
func TestSamplesArePlausible(t *testing.T) {
	for _, s := range samples(t) {
		for k := range kinds {
			if k.String() != s.Kind {
				continue
			}
			base := s.Counts["cl100k_base"]
			for name, n := range s.Counts {
				require.GreaterOrEqual(t, float64(n), fewest(k)*float64(base), "%s of %s", s.Kind, name)
			}
		}
	}
}
