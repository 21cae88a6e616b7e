package libraries_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/eval/metrics"
	"inlay/internal/refdata"
	"inlay/library"
	"inlay/library/disk"
	"inlay/parse"
	"inlay/retrieve"
)

// What approximate search may lose.
const (
	leastRecall = .99
	mostLost    = .003 // of nDCG@10
)

// BenchmarkCandidates compares the candidates of the index with those of the
// exact search on one machine, over the same documents: recall@100, the nDCG@10
// of both, and how long both take. INLAY_BEYOND lists how many passages are
// fetched for each one wanted; the first is held to what is promised.
func BenchmarkCandidates(b *testing.B) {
	for _, set := range []string{"scifact", "squad2-dev", "lisa"} {
		for _, e := range []embed.Embedder{nil, compared{embed.NewBuiltin()}} {
			name := "words"
			if e != nil {
				name = "words and vectors"
			}
			b.Run(set+"/"+name, func(b *testing.B) { compareSearches(b, set, e) })
		}
	}
}

// compared is the built-in embedder whose vectors are searched for and compared,
// as those of an embedder of meaning are.
type compared struct{ *embed.Builtin }

// Spec implements [embed.Embedder].
func (c compared) Spec() embed.Spec {
	s := c.Builtin.Spec()
	s.Lexical, s.Fingerprint = false, s.Fingerprint+" compared"
	return s
}

func compareSearches(b *testing.B, set string, e embed.Embedder) {
	b.Helper()
	p := newParts(b)
	r := retrieve.New(retrieve.Options{Embedder: e})
	docs, queries, relevant := readSet(b, set)
	exact := disk.Open(b.TempDir())
	defer func() { require.NoError(b, exact.Close()) }()
	p.config.Direct = -1
	shared := p.open(b)
	fill(b, exact, r, docs)
	begun := time.Now()
	passages := fill(b, shared, r, docs)
	b.Logf("%d documents, %d passages, %d questions; the index took %v", len(docs), passages, len(queries), time.Since(begun).Round(time.Millisecond))
	beyond := strings.Fields(cmp.Or(os.Getenv("INLAY_BEYOND"), "4"))
	for b.Loop() {
		for i, factor := range beyond {
			shared.Beyond, _ = strconv.Atoi(factor)
			both := &comparison{b: b, exact: exact, shared: shared}
			want, wantTook := both.quality(r, exact, queries, relevant)
			got, gotTook := both.quality(r, both, queries, relevant)
			recall := float64(both.found) / float64(both.wanted)
			b.Logf("%s passages for each: recall@100 %.4f, nDCG@10 %.4f (exact %.4f), a question %v (exact %v), %.0f documents ranked", factor, recall, got, want, gotTook, wantTook, float64(both.docs)/float64(len(queries)))
			if i == 0 {
				b.ReportMetric(recall, "recall@100")
				b.ReportMetric(got-want, "nDCG@10-lost")
				require.GreaterOrEqual(b, recall, leastRecall)
				require.InDelta(b, want, got, mostLost)
			}
		}
	}
}

// comparison searches in the index, and compares with what the exact search has.
type comparison struct {
	b             *testing.B
	exact, shared library.Searcher
	wanted, found int
	docs          int
}

// Extent implements [library.Searcher].
func (c *comparison) Extent(ctx context.Context, owner, name string, f library.Filter) (library.Extent, error) {
	return c.shared.Extent(ctx, owner, name, f)
}

// Candidates implements [library.Searcher].
func (c *comparison) Candidates(ctx context.Context, owner, name string, q retrieve.Question, f library.Filter) (retrieve.Candidates, error) {
	hundred := q
	hundred.Limit = 100
	want, err := c.exact.Candidates(ctx, owner, name, hundred, f)
	require.NoError(c.b, err)
	got, err := c.shared.Candidates(ctx, owner, name, q, f)
	require.NoError(c.b, err)
	require.Equal(c.b, want.Size, got.Size)
	require.Equal(c.b, want.Terms, got.Terms, "the statistics are those of the whole library")
	have := map[string]bool{}
	for _, d := range got.Documents {
		for _, k := range d.Hits {
			have[fmt.Sprint(d.Document.FileID, " ", k)] = true
		}
	}
	c.docs += len(got.Documents)
	for _, d := range want.Documents {
		for _, k := range d.Hits {
			c.wanted++
			if have[fmt.Sprint(d.Document.FileID, " ", k)] {
				c.found++
			}
		}
	}
	return got, nil
}

// quality is the mean nDCG@10 over documents, and the median time of a question.
func (c *comparison) quality(r *retrieve.Retriever, in library.Searcher, queries []line, relevant map[string]map[string]bool) (float64, time.Duration) {
	sum, zero := 0.0, 0.0
	var took []time.Duration
	for _, q := range queries {
		begun := time.Now()
		found, err := r.Retrieve(c.b.Context(), retrieve.Request{Query: q.Text, Limit: 50, Threshold: &zero, Collections: []retrieve.Collection{library.Collection{Index: in, Library: "set"}}})
		require.NoError(c.b, err)
		took = append(took, time.Since(begun))
		var ranking metrics.Ranking
		for range relevant[q.ID] {
			ranking.Ideal = append(ranking.Ideal, 1)
		}
		seen := map[string]bool{}
		for _, one := range found.Citations {
			if seen[one.File] {
				continue
			}
			seen[one.File] = true
			gain := 0.0
			if relevant[q.ID][one.File] {
				gain = 1
			}
			ranking.Gains = append(ranking.Gains, gain)
		}
		sum += ranking.NDCG(10)
	}
	slices.Sort(took)
	return sum / float64(len(queries)), took[len(took)/2].Round(10 * time.Microsecond)
}

// fill puts documents into the library "set".
func fill(tb testing.TB, index library.Index, r *retrieve.Retriever, docs []parse.Document) (passages int) {
	tb.Helper()
	require.NoError(tb, index.Configure(tb.Context(), "", "set", library.Settings{Fingerprint: r.Fingerprint(), Created: time.Now()}))
	for some := range slices.Chunk(docs, 256) {
		batch, err := index.Begin(tb.Context(), "", "set")
		require.NoError(tb, err)
		var change library.Change
		for _, d := range some {
			x, err := r.Index(tb.Context(), d)
			require.NoError(tb, err)
			require.NoError(tb, batch.Put(tb.Context(), library.Document{Document: d, Indexed: x}))
			change.Set = append(change.Set, library.Entry{Path: d.Name, FileID: d.FileID, Text: len(d.Text), Passages: len(x.Chunks), Modified: time.Now()})
			passages += len(x.Chunks)
		}
		require.NoError(tb, batch.Commit(tb.Context(), change))
		batch.Abort()
	}
	return passages
}

// line is a document or a question of a set.
type line struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

func readLines(tb testing.TB, path string) (all []line) {
	tb.Helper()
	f, err := os.Open(path)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, f.Close()) }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var one line
		require.NoError(tb, json.Unmarshal(lines.Bytes(), &one))
		all = append(all, one)
	}
	require.NoError(tb, lines.Err())
	return all
}

// readSet reads a reference set, and as many of its questions as INLAY_QUERIES says.
func readSet(tb testing.TB, name string) (docs []parse.Document, queries []line, relevant map[string]map[string]bool) {
	tb.Helper()
	dir := refdata.Path(tb, "retrieval", name)
	for _, l := range readLines(tb, filepath.Join(dir, "corpus.jsonl")) {
		text := l.Text
		if l.Title != "" && !strings.HasPrefix(text, l.Title) {
			text = l.Title + "\n\n" + text
		}
		d := parse.Document{FileID: l.ID, Name: l.ID, Parser: "set/1", Text: text}
		if l.Title != "" {
			d.Sections = []parse.Section{{Kind: parse.Heading, Label: l.Title, Level: 1, End: len(text)}}
		}
		docs = append(docs, d)
	}
	relevant = map[string]map[string]bool{}
	judged, err := os.ReadFile(filepath.Join(dir, "qrels.tsv"))
	require.NoError(tb, err)
	for row := range strings.Lines(string(judged)) {
		if f := strings.Fields(row); len(f) == 3 && f[2] != "0" && f[2] != "score" {
			if relevant[f[0]] == nil {
				relevant[f[0]] = map[string]bool{}
			}
			relevant[f[0]][f[1]] = true
		}
	}
	for _, q := range readLines(tb, filepath.Join(dir, "queries.jsonl")) {
		if relevant[q.ID] != nil {
			queries = append(queries, q)
		}
	}
	if n, err := strconv.Atoi(cmp.Or(os.Getenv("INLAY_QUERIES"), "100")); err == nil {
		queries = queries[:min(n, len(queries))]
	}
	return docs, queries, relevant
}
