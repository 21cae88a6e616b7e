package retrieve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
	"inlay/parse/pdf"
)

// filing is a question about one long report and the pages that answer it.
type filing struct {
	ID       string `json:"_id"`
	Question string `json:"question"`
	Doc      string `json:"doc"`
	Pages    []int  `json:"pages"`
}

// filingLimits are the limits that evidence is looked for within.
func filingLimits() []int { return []int{3, 5, 10} }

// BenchmarkFilings measures long reports with tables, end to end from the PDF:
// the share of the questions of which any evidence page is among the cited, at
// the default threshold and without one, and of those that get nothing. Beside
// it BM25 over windows of 1,200 characters of pdftotext's layout. Environment:
// INLAY_PARSED is a folder that parsed documents are kept in from run to run.
func BenchmarkFilings(b *testing.B) {
	root := refdata.Path(b, "retrieval", "filings")
	questions := jsonLines[filing](b, filepath.Join(root, "questions.jsonl"))
	r := qualityRetriever(b, nil)
	corpora := map[string]*Corpus{}
	windows := map[string]*windowIndex{}
	for _, q := range questions {
		if corpora[q.Doc] != nil {
			continue
		}
		path := filepath.Join(root, q.Doc)
		c, err := r.Prepare(b.Context(), Request{Documents: []parse.Document{parsedPDF(b, path)}})
		require.NoError(b, err)
		corpora[q.Doc], windows[q.Doc] = c, newWindowIndex(b, path)
	}
	for b.Loop() {
		measureFilings(b, questions, corpora, windows)
	}
}

func measureFilings(b *testing.B, questions []filing, corpora map[string]*Corpus, windows map[string]*windowIndex) {
	b.Helper()
	sums := map[string]float64{}
	for _, q := range questions {
		for _, limit := range filingLimits() {
			p, err := corpora[q.Doc].Search(b.Context(), q.Question, limit, nil)
			require.NoError(b, err)
			all, err := corpora[q.Doc].Search(b.Context(), q.Question, limit, new(0.0))
			require.NoError(b, err)
			if len(p.Citations) == 0 && limit == DefaultLimit {
				sums["silent"]++
			}
			sums[fmt.Sprintf("page@%d", limit)] += onPage(citedPages(corpora[q.Doc], p), q.Pages)
			sums[fmt.Sprintf("any-affinity@%d", limit)] += onPage(citedPages(corpora[q.Doc], all), q.Pages)
			sums[fmt.Sprintf("BM25@%d", limit)] += onPage(windows[q.Doc].pages(q.Question, limit), q.Pages)
		}
		if os.Getenv("INLAY_DETAILS") != "" {
			tellFiling(b, q, corpora[q.Doc], windows[q.Doc])
		}
	}
	for name, sum := range sums {
		b.ReportMetric(sum/float64(len(questions)), name)
	}
	b.ReportMetric(sums["silent"]/float64(len(questions)), "silent")
	b.ReportMetric(0, "ns/op")
}

// tellFiling prints what one question found.
func tellFiling(b *testing.B, q filing, c *Corpus, w *windowIndex) {
	b.Helper()
	ranked, err := c.Rank(b.Context(), q.Question, 200)
	require.NoError(b, err)
	at, top := 0, 0.0
	for i, x := range ranked {
		if i < DefaultLimit {
			top = max(top, x.Affinity)
		}
		if at == 0 && onPage(c.pagesOf(x.Chunk.FileID, x.Chunk.Start, x.Chunk.End), q.Pages) > 0 {
			at = i + 1
		}
	}
	fmt.Printf("rank %3d of %4d, BM25 %3d, top affinity %.3f %s %v %s\n", at, c.total, slices.Index(w.ranked(q.Question, q.Pages), true)+1, top, q.Doc, q.Pages, q.Question)
}

// parsedPDF reads a PDF as the command does, or takes it from the folder of
// documents read before.
func parsedPDF(tb testing.TB, path string) parse.Document {
	tb.Helper()
	data, err := os.ReadFile(path)
	require.NoError(tb, err)
	parser := pdf.Parser{}
	kept := ""
	if dir := os.Getenv("INLAY_PARSED"); dir != "" {
		require.NoError(tb, os.MkdirAll(dir, 0o755))
		kept = filepath.Join(dir, parse.FileID(data)+"-"+strings.ReplaceAll(parser.Info().Version, "/", "-")+".json")
		if data, err := os.ReadFile(kept); err == nil {
			var d parse.Document
			require.NoError(tb, json.Unmarshal(data, &d))
			return d
		}
	}
	registry, err := parse.NewRegistry(parser)
	require.NoError(tb, err)
	d, err := registry.Parse(tb.Context(), parse.File{Name: filepath.Base(path), Data: data}, nil)
	require.NoError(tb, err)
	if kept != "" {
		out, err := json.Marshal(d)
		require.NoError(tb, err)
		require.NoError(tb, os.WriteFile(kept, out, 0o600))
	}
	return d
}

// onPage is 1 if any page is among the wanted, else 0.
func onPage(pages, wanted []int) float64 {
	for _, p := range pages {
		if slices.Contains(wanted, p) {
			return 1
		}
	}
	return 0
}

// citedPages are the pages that the citations are on.
func citedPages(c *Corpus, p Passages) []int {
	var pages []int
	for _, x := range p.Citations {
		pages = append(pages, c.pagesOf(x.FileID, x.Start, x.End)...)
	}
	return pages
}

// pagesOf are the numbers of the pages that a range of a file touches.
func (c *Corpus) pagesOf(file string, start, end int) []int {
	var pages []int
	for _, s := range c.files[c.place[file]].doc.Sections {
		if s.Kind == parse.Page && s.Start < end && start < s.End {
			pages = append(pages, s.Number)
		}
	}
	return pages
}

// windowIndex is plain BM25 (k1 .9, b .4) over windows of a PDF's layout.
type windowIndex struct {
	page   []int            // by window
	counts []map[string]int // by window
	words  []int            // by window
	df     map[string]int
}

const windowCharacters = 1200

func newWindowIndex(tb testing.TB, path string) *windowIndex {
	tb.Helper()
	var out bytes.Buffer
	command := exec.CommandContext(tb.Context(), "pdftotext", "-layout", path, "-")
	command.Stdout = &out
	require.NoError(tb, command.Run(), "scripts/install-poppler puts pdftotext in place")
	w := &windowIndex{df: map[string]int{}}
	for i, page := range strings.Split(out.String(), "\f") {
		for text := []rune(page); len(text) > 0; text = text[min(windowCharacters, len(text)):] {
			w.add(i+1, string(text[:min(windowCharacters, len(text))]))
		}
	}
	return w
}

func (w *windowIndex) add(page int, text string) {
	counts, words := w.count(text)
	if words == 0 {
		return
	}
	w.page, w.counts, w.words = append(w.page, page), append(w.counts, counts), append(w.words, words)
	for t := range counts {
		w.df[t]++
	}
}

// count takes words as they are written, less Lucene's stop words, stemmed.
func (w *windowIndex) count(text string) (counts map[string]int, words int) {
	counts = map[string]int{}
	env := snowballstem.NewEnv("")
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != ','
	}) {
		word = strings.Trim(word, ".,")
		if word == "" || strings.Contains(luceneStops, " "+word+" ") {
			continue
		}
		env.SetCurrent(word)
		english.Stem(env)
		counts[env.Current()]++
		words++
	}
	return counts, words
}

const luceneStops = " a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with "

// order is the windows from the best to the worst.
func (w *windowIndex) order(query string) []int {
	asked, _ := w.count(query)
	total := 0
	for _, n := range w.words {
		total += n
	}
	mean := float64(total) / float64(len(w.words))
	scores := make([]float64, len(w.page))
	for t, times := range asked {
		weight := float64(times) * inverseFrequency(float64(w.df[t]), float64(len(w.page)))
		for i, counts := range w.counts {
			if x := float64(counts[t]); x > 0 {
				scores[i] += weight * x / (x + .9*(.6+.4*float64(w.words[i])/mean))
			}
		}
	}
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

func (w *windowIndex) pages(query string, limit int) []int {
	order := w.order(query)
	var pages []int
	for _, i := range order[:min(limit, len(order))] {
		pages = append(pages, w.page[i])
	}
	return pages
}

// ranked says of each window, best first, whether it is on a wanted page.
func (w *windowIndex) ranked(query string, wanted []int) []bool {
	var found []bool
	for _, i := range w.order(query) {
		found = append(found, slices.Contains(wanted, w.page[i]))
	}
	return found
}
