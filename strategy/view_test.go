package strategy_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/strategy"
)

// A preprocessor sees the strategy that runs it, as a copy (STR-2).
func TestPreprocessorsSeeTheirStrategy(t *testing.T) {
	seen := 0
	reader := func(id string) part {
		return part{id: id, process: func(_ context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
			require.Equal(t, x.Strategy.ID, x.StrategyID)
			require.Equal(t, "Writes minutes.", x.Strategy.Description)
			require.Equal(t, []string{"one", "two"}, x.Strategy.Preprocessors)
			require.Equal(t, 3, x.Strategy.Options.Preprocessors["one"]["depth"])
			require.Equal(t, []any{"a", "b"}, x.Strategy.Metadata["tags"])
			seen++
			changed := x.Strategy
			changed.Preprocessors[0] = "changed"
			changed.Metadata["tags"].([]any)[0] = "changed"
			changed.Metadata["deep"].(map[string]any)["a"] = "changed"
			changed.Options.Preprocessors["one"]["depth"] = "changed"
			delete(changed.Options.Preprocessors, "two")
			return strategy.Result{Variables: map[string]any{}}, nil
		}}
	}
	s := using("x", "one", "two")
	s.Name, s.Description = "Minutes", "Writes minutes."
	s.Metadata = map[string]any{"tags": []any{"a", "b"}, "deep": map[string]any{"a": 1}}
	s.Options.PreprocessorTimeout = time.Minute
	s.Options.Preprocessors = map[string]map[string]any{"one": {"depth": 3}, "two": {}}
	_, err := engine(t, reader("one"), reader("two")).Execute(t.Context(), s, strategy.ExecutionContext{})
	require.NoError(t, err)
	require.Equal(t, 2, seen)
	require.Equal(t, []string{"one", "two"}, s.Preprocessors)
	require.Equal(t, map[string]any{"tags": []any{"a", "b"}, "deep": map[string]any{"a": 1}}, s.Metadata)
	require.Equal(t, map[string]map[string]any{"one": {"depth": 3}, "two": {}}, s.Options.Preprocessors)

	got := s.View()
	require.Equal(t, "user.test", got.ID)
	require.Equal(t, "Minutes", got.Name)
	require.Equal(t, "Writes minutes.", got.Description)
	require.Equal(t, time.Minute, got.Options.PreprocessorTimeout)
	require.Equal(t, s.Options.Preprocessors, got.Options.Preprocessors)
	require.Equal(t, s.Metadata, got.Metadata)
}

// What is listed of a preprocessor is the timeout that applies to it (STR-15).
func TestListedTimeouts(t *testing.T) {
	r, err := strategy.NewRegistry(part{id: "default"}, part{id: "own", timeout: time.Minute})
	require.NoError(t, err)
	all := r.All()
	require.Equal(t, 30*time.Second, all[0].Timeout)
	require.Equal(t, time.Minute, all[1].Timeout)
}
