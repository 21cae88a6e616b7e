package eval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/eval"
	"inlay/parse"
	"inlay/parse/plain"
	"inlay/retrieve"
)

// harbour is a small set of our own: three documents and twelve questions.
func harbour(t *testing.T) eval.Options {
	t.Helper()
	set, err := eval.Load(t.Context(), "testdata/harbour", "")
	require.NoError(t, err)
	registry, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	return eval.Options{Set: set, Reader: registry, Chunkings: []retrieve.Splitter{{Size: 64}, {Size: 128}}, Aim: eval.Aim{Kind: eval.AimF1}}
}

func TestRun(t *testing.T) {
	rep, err := eval.Run(t.Context(), harbour(t))
	require.NoError(t, err)
	require.Equal(t, eval.Summary{Name: "harbour", Layout: eval.Folder, Documents: 3, Questions: 12, Answerable: 9, Unanswerable: 3, ByPassage: true}, rep.Set)
	require.Len(t, rep.Points, 2*4*101)
	best := rep.Recommended
	for _, p := range rep.Points {
		require.LessOrEqual(t, p.F1, best.F1)
		if p.Threshold == 1 {
			require.Equal(t, eval.Scores{Silent: 1, Cost: 0.75}, p.Scores, "nothing is cited: nine of twelve are missed")
		}
	}
	require.Greater(t, best.F1, 0.5)
	require.LessOrEqual(t, best.ThresholdRange[0], best.Threshold)
	require.Len(t, rep.Documents, 3)
	for _, f := range rep.Failures {
		require.NotEmpty(t, f.Reason)
	}
}
