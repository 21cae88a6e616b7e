package retrieve

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
)

// BenchmarkFilingsIdeas prints what each idea for long reports gives: its value
// is chosen on one half of the companies and scored on the other, both ways
// round. Two sets: the questions of filings, and questions for the primary
// statements of its annual reports. A question's figure is the mean of whether a
// page of its evidence is cited at limits 3, 5 and 10.
func BenchmarkFilingsIdeas(b *testing.B) {
	root := refdata.Path(b, "retrieval", "filings")
	sets := [2][]filing{jsonLines[filing](b, filepath.Join(root, "questions.jsonl")), statementQuestions()}
	r := qualityRetriever(b, nil)
	corpora := map[string]*Corpus{}
	for _, q := range sets[0] {
		if corpora[q.Doc] == nil {
			c, err := r.Prepare(b.Context(), Request{Documents: []parse.Document{parsedPDF(b, filepath.Join(root, q.Doc))}})
			require.NoError(b, err)
			corpora[q.Doc] = c
		}
	}
	measure := func(changes string) (s filingScores) {
		r.set = settingFrom(b, defaultSetting(), changes)
		for k, set := range sets {
			for _, q := range set {
				s.add(b, k, q, corpora[q.Doc])
			}
		}
		return s
	}
	for b.Loop() {
		fmt.Println("| setting | filings @3 @5 @10 | silent | statements @3 @5 @10 | silent | halves |")
		if trials := os.Getenv("INLAY_SETTINGS"); trials != "" {
			for changes := range strings.SplitSeq(trials, ";") {
				s := measure(changes)
				s.print(changes)
			}
			continue
		}
		base := measure("")
		base.print("as it is")
		for _, d := range filingIdeas() {
			var runs []filingScores
			for _, v := range d.values {
				s := measure(strings.ReplaceAll(d.name, "?", fmt.Sprint(v)))
				s.print(strings.ReplaceAll(d.name, "?", fmt.Sprint(v)))
				runs = append(runs, s)
			}
			printChosen(d, runs)
		}
	}
}

// filingIdeas are settings with "?" for the value; the first is without the idea.
func filingIdeas() []idea {
	return []idea{
		{name: "titles=?", values: []float64{0, 1, 2, 4}},
		{name: "phrases=?", values: []float64{0, .5, 1, 2, 3}},
		{name: "evidence=?", values: []float64{0, .4, .8}},
		{name: "request=?", values: []float64{1, .5, .2, .1}},
		{name: "subject=?", values: []float64{0, .1, .2, .4}},
		{name: "perPage=?", values: []float64{0, 2, 1}},
	}
}

// filingScores are sums over the questions, by set and half of the companies.
type filingScores struct {
	n, silent [2][2]float64
	cited     [2][2][3]float64
}

func (s *filingScores) add(b *testing.B, set int, q filing, c *Corpus) {
	b.Helper()
	h := fnv.New32a()
	h.Write([]byte(strings.Split(q.Doc, "_")[0]))
	half := int(h.Sum32()>>3) & 1
	s.n[set][half]++
	for i, limit := range filingLimits() {
		p, err := c.Search(b.Context(), q.Question, limit, nil)
		require.NoError(b, err)
		s.cited[set][half][i] += onPage(citedPages(c, p), q.Pages)
		if i == 0 && len(p.Citations) == 0 {
			s.silent[set][half]++
		}
	}
}

// figure is the mean over both sets and all limits of one half.
func (s *filingScores) figure(half int) float64 {
	sum := 0.0
	for set := range s.n {
		for _, x := range s.cited[set][half] {
			sum += x / s.n[set][half] / 6
		}
	}
	return sum
}

func (s *filingScores) print(name string) {
	fmt.Printf("| %s |", name)
	for set := range s.n {
		n := s.n[set][0] + s.n[set][1]
		for i := range filingLimits() {
			fmt.Printf(" %.3f", (s.cited[set][0][i]+s.cited[set][1][i])/n)
		}
		fmt.Printf(" | %.3f |", (s.silent[set][0]+s.silent[set][1])/n)
	}
	fmt.Printf(" %.3f %.3f |\n", s.figure(0), s.figure(1))
}

// printChosen prints the value that each half chooses and what it gives the other.
func printChosen(d idea, runs []filingScores) {
	for half := range 2 {
		best := 0
		for i := range runs {
			if runs[i].figure(half) > runs[best].figure(half) {
				best = i
			}
		}
		fmt.Printf("|   chosen on half %d: %g | without it the other half has %.3f, with it %.3f |\n",
			half, d.values[best], runs[0].figure(1-half), runs[best].figure(1-half))
	}
}
