package retrieve

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/embed"
	"inlay/eval/metrics"
	"inlay/parse"
	"inlay/tokens"
)

// The quality benchmark prints what search reaches on the reference sets with
// one setting for all. Environment: INLAY_RUNS is a folder for TREC run files,
// INLAY_CHUNK another chunking ("256/0"), INLAY_QUERIES a limit of queries a set,
// INLAY_SETTING changes to the setting of ranking ("letters=.3,window=.2"), INLAY_STATIC a folder with a static table to search with.

func qualityRetriever(b *testing.B, cuts Chunker) *Retriever {
	b.Helper()
	if cuts == nil {
		s := Splitter{}
		if text := os.Getenv("INLAY_CHUNK"); text != "" {
			var err error
			s, err = ParseSplitter(text)
			require.NoError(b, err)
		}
		var err error
		s.Measure, err = tokens.NewEncoding("cl100k_base")
		require.NoError(b, err)
		cuts = s
	}
	r := New(Options{Splitter: cuts, Embedder: qualityEmbedder(b)})
	r.set = settingFrom(b, r.set, os.Getenv("INLAY_SETTING"))
	return r
}

func qualityEmbedder(b *testing.B) embed.Embedder {
	b.Helper()
	dir := os.Getenv("INLAY_STATIC")
	if dir == "" {
		return embed.NewBuiltin()
	}
	e, err := embed.OpenStatic(dir)
	require.NoError(b, err)
	return e
}

func queryLimit() int {
	n := 0
	fmt.Sscan(os.Getenv("INLAY_QUERIES"), &n) //nolint:errcheck // absent means all
	return cmp.Or(n, math.MaxInt)
}

// BenchmarkQuality measures nDCG@10 and recall on each set.
func BenchmarkQuality(b *testing.B) {
	for _, name := range []string{"scifact", "xquad-en", "squad2-dev", "clapnq-dev", "covidqa-98", "codebase-qa", "cisi", "lisa"} {
		b.Run(name, func(b *testing.B) {
			s := loadQuality(b, name)
			corpus, err := qualityRetriever(b, s.cuts).Prepare(b.Context(), Request{Documents: s.docs})
			require.NoError(b, err)
			for b.Loop() {
				measureSet(b, s, corpus)
			}
		})
	}
}

func measureSet(b *testing.B, s *qualitySet, corpus *Corpus) {
	b.Helper()
	run := runFile(b, strings.ReplaceAll(s.name, "/", "-")+".run")
	defer run.Close() //nolint:errcheck // a benchmark's output
	var sums [2]struct{ n, ndcg float64 }
	var n, r5, r10, r20, r100 float64
	for _, q := range s.queries {
		rel := s.qrels[q.ID]
		if rel == nil || int(n) >= queryLimit() {
			continue
		}
		ranked, err := corpus.Rank(b.Context(), q.Text, 200)
		require.NoError(b, err)
		ids := distinctIDs(ranked, s.chunkID)
		for i, id := range ids {
			_, err := fmt.Fprintf(run, "%s Q0 %s %d %d inlay\n", q.ID, id, i+1, len(ids)-i)
			require.NoError(b, err)
		}
		n++
		half := &sums[len(q.Text)%2]
		half.n++
		found := judged(ids, rel)
		half.ndcg += found.NDCG(10)
		r5 += found.Recall(5)
		r10 += found.Recall(10)
		r20 += found.Recall(20)
		r100 += found.Recall(100)
	}
	b.ReportMetric((sums[0].ndcg+sums[1].ndcg)/n, "nDCG@10")
	b.ReportMetric(sums[0].ndcg/sums[0].n, "half0")
	b.ReportMetric(sums[1].ndcg/sums[1].n, "half1")
	b.ReportMetric(r5/n, "R@5")
	b.ReportMetric(r10/n, "R@10")
	b.ReportMetric(r20/n, "R@20")
	b.ReportMetric(r100/n, "R@100")
	b.ReportMetric(0, "ns/op")
}

func runFile(b *testing.B, name string) io.WriteCloser {
	b.Helper()
	dir := os.Getenv("INLAY_RUNS")
	if dir == "" {
		dir = b.TempDir()
	}
	require.NoError(b, os.MkdirAll(dir, 0o755))
	f, err := os.Create(filepath.Join(dir, name))
	require.NoError(b, err)
	return f
}

func distinctIDs(ranked []Ranked, id func(Chunk) string) []string {
	var ids []string
	seen := map[string]bool{}
	for _, r := range ranked {
		if d := id(r.Chunk); !seen[d] {
			seen[d] = true
			ids = append(ids, d)
		}
	}
	return ids[:min(100, len(ids))]
}

// judged is a ranking of ids by gains of 1.
func judged(ids []string, rel map[string]bool) metrics.Ranking {
	r := metrics.Ranking{Gains: make([]float64, len(ids)), Ideal: slices.Repeat([]float64{1}, len(rel))}
	for i, id := range ids {
		if rel[id] {
			r.Gains[i] = 1
		}
	}
	return r
}

// BenchmarkNone measures on none-set how well affinity tells questions that a
// document answers from others: the area under the ROC curve by kind, and
// balanced accuracy on the cross-document kinds at the default threshold.
func BenchmarkNone(b *testing.B) {
	cases, docs := loadNone(b)
	r := qualityRetriever(b, nil)
	corpora := map[string]*Corpus{}
	for name, d := range docs {
		c, err := r.Prepare(b.Context(), Request{Documents: []parse.Document{d}})
		require.NoError(b, err)
		corpora[name] = c
	}
	for b.Loop() {
		best := map[string][]float64{}
		for _, c := range cases {
			p, err := corpora[c.Doc].Search(b.Context(), c.Question, DefaultLimit, new(0.0))
			require.NoError(b, err)
			top := 0.0
			for _, cited := range p.Citations {
				top = max(top, cited.Affinity)
			}
			best[c.Kind] = append(best[c.Kind], top)
		}
		reportNone(b, best, r.Profile().Threshold)
	}
}

func reportNone(b *testing.B, best map[string][]float64, threshold float64) {
	b.Helper()
	long, article, paper, passage := best["answerable-long"], best["answerable-article"], best["answerable-paper"], best["answerable-passage"]
	all := slices.Concat(long, article, paper, passage)
	b.ReportMetric(metrics.AUROC(long, best["cross-document-long"]), "AUC-long")
	b.ReportMetric(metrics.AUROC(article, best["cross-document-article"]), "AUC-article")
	b.ReportMetric(metrics.AUROC(paper, best["near-domain-other-paper"]), "AUC-near")
	b.ReportMetric(metrics.AUROC(all, best["non-question"]), "AUC-nonq")
	b.ReportMetric(metrics.AUROC(passage, best["same-topic-unanswerable"]), "AUC-topic")
	b.ReportMetric(metrics.AUROC(article, best["adversarial-same-article"]), "AUC-adv")
	reportThreshold(b, slices.Concat(long, article), slices.Concat(best["cross-document-long"], best["cross-document-article"]), threshold)
	b.ReportMetric(metrics.Above(all, threshold), "answered")
	b.ReportMetric(0, "ns/op")
}

// reportThreshold reports how well a threshold parts affinities of answerable
// questions from those of others, and which would do it best.
func reportThreshold(b *testing.B, pos, neg []float64, threshold float64) {
	b.Helper()
	b.ReportMetric(metrics.BalancedAccuracy(pos, neg, threshold), "balanced")
	at, top := 0.0, 0.0
	for t := 0.0; t < 1; t += .01 {
		if x := metrics.BalancedAccuracy(pos, neg, t); x > top {
			at, top = t, x
		}
	}
	b.ReportMetric(top, "best-balanced")
	b.ReportMetric(at, "at")
	b.ReportMetric(metrics.AUROC(pos, neg), "AUC")
	b.ReportMetric(metrics.Above(pos, threshold), "spoke")
	b.ReportMetric(metrics.Above(neg, threshold), "in-vain")
}

// BenchmarkChunks measures chunking-eval: all documents in one index, the best
// five chunks, by characters of the excerpts that answer a question; and then
// what is left of the five by Options.Relative.
func BenchmarkChunks(b *testing.B) {
	s := loadQuality(b, "chunking-eval")
	for _, c := range []struct {
		name     string
		relative float64
	}{{"300/0", 0}, {"400/0", 0}, {"450/0", .5}, {"425/0", .6}, {"300/0", .7}, {"300/0", .75}} {
		b.Run(fmt.Sprintf("%s-relative-%g", c.name, c.relative), func(b *testing.B) {
			cuts, err := ParseSplitter(cmp.Or(os.Getenv("INLAY_CHUNK"), c.name))
			require.NoError(b, err)
			corpus, err := qualityRetriever(b, cuts).Prepare(b.Context(), Request{Documents: s.docs})
			require.NoError(b, err)
			for b.Loop() {
				measureChunks(b, s, corpus, c.relative)
			}
		})
	}
}

func measureChunks(b *testing.B, s *qualitySet, corpus *Corpus, relative float64) {
	b.Helper()
	name := s.name + "-" + strings.ReplaceAll(strings.TrimPrefix(b.Name(), "BenchmarkChunks/"), "/", "-")
	writeChunks(b, name, corpus)
	run := runFile(b, name+".run")
	defer run.Close() //nolint:errcheck // a benchmark's output
	var n, chunks, rec, prec, iou float64
	for _, q := range s.queries {
		ranked, err := corpus.Rank(b.Context(), q.Text, 5)
		require.NoError(b, err)
		ranked = slices.DeleteFunc(ranked, func(r Ranked) bool { return r.Score < relative*ranked[0].Score })
		for i, r := range ranked {
			_, err := fmt.Fprintf(run, "%s\t%s:%d:%d\t%d\n", q.ID, r.Chunk.FileID, r.Chunk.Start, r.Chunk.End, 5-i)
			require.NoError(b, err)
		}
		found, wanted, read := excerpts(q, ranked)
		n++
		chunks += float64(len(ranked))
		rec += found / wanted
		prec += found / read
		iou += found / (read + wanted - found)
	}
	b.ReportMetric(100*rec/n, "%recall")
	b.ReportMetric(100*prec/n, "%precision")
	b.ReportMetric(100*iou/n, "%IoU")
	b.ReportMetric(chunks/n, "chunks")
	b.ReportMetric(0, "ns/op")
}

// writeChunks writes all chunks of a corpus as tools/chunk_score.py --bytes of
// the reference data reads them.
func writeChunks(b *testing.B, name string, corpus *Corpus) {
	b.Helper()
	out := runFile(b, name+".chunks.jsonl")
	defer out.Close() //nolint:errcheck // a benchmark's output
	for _, f := range corpus.files {
		for _, c := range f.chunks {
			_, err := fmt.Fprintf(out, "{\"_id\": \"%s:%d:%d\", \"corpus_id\": %q, \"start\": %d, \"end\": %d}\n", c.FileID, c.Start, c.End, c.FileID, c.Start, c.End)
			require.NoError(b, err)
		}
	}
}

// excerpts returns the bytes of the excerpts found, of all excerpts, and of all chunks read.
func excerpts(q qualityQuery, ranked []Ranked) (found, wanted, read float64) {
	for _, r := range ranked {
		read += float64(r.Chunk.End - r.Chunk.Start)
	}
	for _, ref := range q.Metadata.References {
		wanted += float64(ref.End - ref.Start)
		covered := make([]bool, ref.End-ref.Start)
		for _, r := range ranked {
			if r.Chunk.FileID != q.Metadata.Corpus {
				continue
			}
			for i := max(ref.Start, r.Chunk.Start); i < min(ref.End, r.Chunk.End); i++ {
				covered[i-ref.Start] = true
			}
		}
		found += float64(strings.Count(fmt.Sprint(covered), "true"))
	}
	return found, wanted, max(read, 1)
}

// settingFrom changes a setting by "name=value,name=value", with the names of
// its fields: for trials by hand.
func settingFrom(tb testing.TB, s setting, changes string) setting {
	tb.Helper()
	for change := range strings.SplitSeq(changes, ",") {
		name, text, ok := strings.Cut(change, "=")
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		require.NoError(tb, err)
		field := reflect.ValueOf(&s).Elem().FieldByName(name)
		require.True(tb, field.IsValid(), "no such number in setting: %s", name)
		at := reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
		at.Set(reflect.ValueOf(v).Convert(field.Type()))
	}
	return s
}
