package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/embed"
	"inlay/eval"
	"inlay/fault"
	"inlay/internal/refdata"
	"inlay/parse"
	"inlay/retrieve"
)

// untimed is a report as JSON without what is timed.
func untimed(t *testing.T, rep *eval.Report) string {
	t.Helper()
	r := *rep
	r.ElapsedMillis, r.ParseMillis, r.ParsedNow, r.EmbeddedNow, r.RankedNow = 0, 0, 0, 0, 0
	r.Settings = append([]eval.Setting{}, r.Settings...)
	for i := range r.Settings {
		r.Settings[i].IndexMillis, r.Settings[i].SearchMillis = 0, 0
	}
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	require.NoError(t, eval.WriteRun(&b, r.Run))
	return b.String()
}

// counting counts what is parsed and embedded.
type counting struct {
	eval.Reader
	embed.Embedder
	parsed, embedded atomic.Int64
}

func (c *counting) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	c.parsed.Add(1)
	return c.Reader.Parse(ctx, f, report)
}

func (c *counting) Embed(ctx context.Context, task embed.Task, texts []string) ([]embed.Vector, error) {
	if task == embed.Document {
		c.embedded.Add(int64(len(texts)))
	}
	return c.Embedder.Embed(ctx, task, texts)
}

// TestOnce: a sweep parses each document once and embeds each of its chunks
// once for each setting; with a store, the second run does neither, and any
// number of workers gives the same report.
func TestOnce(t *testing.T) {
	o := harbour(t)
	c := &counting{Reader: o.Reader, Embedder: embed.NewBuiltin()}
	o.Reader, o.Embedders, o.Parallel, o.Build = c, []embed.Embedder{c}, 1, "test"
	first, err := eval.Run(t.Context(), o)
	require.NoError(t, err)
	require.EqualValues(t, 3, c.parsed.Load())
	require.EqualValues(t, first.Settings[0].Chunks+first.Settings[1].Chunks, c.embedded.Load())

	o.Store, o.Parallel = &cache.Memory{}, 7
	o.Reader = c
	kept, err := eval.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, untimed(t, first), untimed(t, kept))
	before := c.embedded.Load()
	again, err := eval.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, untimed(t, first), untimed(t, again))
	require.Equal(t, before, c.embedded.Load())
	require.Zero(t, again.EmbeddedNow+again.RankedNow)
}

// TestAsAsked: what a point says of a question is what Search cites for it.
func TestAsAsked(t *testing.T) {
	o := harbour(t)
	o.Chunkings, o.Limits, o.Thresholds = []retrieve.Splitter{{Size: 64}}, []int{3}, []float64{0.3}
	rep, err := eval.Run(t.Context(), o)
	require.NoError(t, err)
	var docs []parse.Document
	for _, s := range o.Set.Documents {
		f, err := s.Open(t.Context())
		require.NoError(t, err)
		d, err := o.Reader.Parse(t.Context(), f, nil)
		require.NoError(t, err)
		docs = append(docs, d)
	}
	corpus, err := retrieve.New(retrieve.Options{Splitter: o.Chunkings[0]}).Prepare(t.Context(), retrieve.Request{Documents: docs})
	require.NoError(t, err)
	answered, wrongly := 0, 0
	for _, q := range o.Set.Questions {
		p, err := corpus.Search(t.Context(), q.Text, 3, new(0.3))
		require.NoError(t, err)
		if len(p.Citations) > 0 && len(q.Expected) > 0 {
			answered++
		} else if len(p.Citations) > 0 {
			wrongly++
		}
	}
	require.InDelta(t, 1-float64(answered)/9, rep.Points[0].Silent, 1e-12)
	require.InDelta(t, float64(wrongly)/3, rep.Points[0].False, 1e-12)
}

// TestCancel: progress is told, and an evaluation ends when its context does.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := harbour(t)
	var stages []string
	o.Report = func(p eval.Progress) {
		if stage := string(p.Stage) + " " + p.Setting; len(stages) == 0 || stages[len(stages)-1] != stage {
			stages = append(stages, stage)
		}
		require.GreaterOrEqual(t, p.Share, 0.)
		require.LessOrEqual(t, p.Share, 1.)
		if p.Stage == eval.Searching && p.Setting == "builtin 128/0" {
			cancel()
		}
	}
	_, err := eval.Run(ctx, o)
	require.True(t, fault.Is(err, fault.Canceled), "%v", err)
	require.Equal(t, []string{"parsing ", "indexing builtin 64/0", "searching builtin 64/0", "indexing builtin 128/0", "searching builtin 128/0"}, stages)
}

// TestAgreesWithScorer compares with the reference data's own scorer, to four
// decimals and more.
func TestAgreesWithScorer(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	dir := refdata.Path(t, "retrieval", "codebase-qa")
	set, err := eval.Load(t.Context(), dir, "")
	require.NoError(t, err)
	rep, err := eval.Run(t.Context(), eval.Options{Set: set, Resamples: 10})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "codebase.run")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, eval.WriteRun(f, rep.Run))
	require.NoError(t, f.Close())
	out, err := exec.CommandContext(t.Context(), python, refdata.Path(t, "tools", "score.py"), "--json", path, filepath.Join(dir, "qrels.tsv")).Output()
	require.NoError(t, err)
	var want map[string]float64
	require.NoError(t, json.Unmarshal(out, &want))
	got := rep.Settings[0].Ranking
	for name, x := range map[string]float64{
		"ndcg@10": got.NDCG10, "mrr@10": got.MRR10, "map": got.MAP, "recall@5": got.Recall5, "recall@10": got.Recall10,
		"recall@100": got.Recall100, "p@1": got.Precision1, "success@5": got.Success5,
	} {
		require.InDelta(t, want[name], x, 1e-9, name)
	}
	require.Equal(t, 248, strings.Count(string(mustRead(t, path)), " 1 100 inlay\n"))
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}
