// Package strategytest is the suite that every preprocessor passes.
//
//	func TestConformance(t *testing.T) {
//		strategytest.Run(t, mine.Preprocessor{}, strategy.ExecutionContext{Input: "hi", Values: ...})
//	}
package strategytest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/strategy"
	"inlay/strategy/render"
)

// Run checks a preprocessor: what it says of itself, the variables it returns,
// that it leaves its context alone, gives the same twice and from many
// goroutines, stops when canceled and fails in order. x is a context in which
// it succeeds.
func Run(t *testing.T, p strategy.Preprocessor, x strategy.ExecutionContext) {
	t.Helper()
	t.Run("info", func(t *testing.T) { info(t, p) })
	t.Run("variables", func(t *testing.T) { variables(t, p, x) })
	t.Run("context is left alone", func(t *testing.T) { untouched(t, p, x) })
	t.Run("the same from many goroutines", func(t *testing.T) { together(t, p, x) })
	t.Run("canceled", func(t *testing.T) { canceled(t, p, x) })
	t.Run("nothing supplied", func(t *testing.T) { nothing(t, p) })
	t.Run("in an engine", func(t *testing.T) { engine(t, p, x) })
}

func info(t *testing.T, p strategy.Preprocessor) {
	t.Helper()
	i := p.Info()
	require.NoError(t, i.Validate())
	require.Equal(t, i, p.Info(), "what it says of itself does not change")
	require.True(t, strings.HasSuffix(i.Description, "."), "the description is a sentence")
	require.False(t, strings.HasSuffix(i.Permission, "."), "the permission is a phrase, shown in a list")
	require.LessOrEqual(t, i.Timeout, time.Hour, "no preprocessor may run for longer than an hour without progress")
}

func process(t *testing.T, p strategy.Preprocessor, x strategy.ExecutionContext) strategy.Result {
	t.Helper()
	r, err := p.Process(t.Context(), x)
	require.NoError(t, err)
	return r
}

// text writes a result's variables down, to compare them.
func text(t *testing.T, r strategy.Result) string {
	t.Helper()
	v, err := render.Normalize(r.Variables)
	require.NoError(t, err, "every value can be written as text")
	return render.Format(v)
}

func variables(t *testing.T, p strategy.Preprocessor, x strategy.ExecutionContext) {
	t.Helper()
	r := process(t, p, x)
	require.NotNil(t, r.Variables)
	require.NotEmpty(t, r.Variables, "give the suite a context in which there is something to say")
	require.Contains(t, []int{0, 1}, r.Version)
	require.Empty(t, r.Patches)
	for key := range r.Variables {
		require.Regexp(t, `^preprocess(\.[a-z0-9_]+)+$`, key)
	}
	for _, key := range p.Info().ContainInput {
		require.Contains(t, r.Variables, key, "it says that this variable contains the input")
	}
	for _, d := range r.Diagnostics {
		require.NotEmpty(t, d.Code)
		require.Contains(t, []string{"error", "warning", "info"}, d.Severity)
	}
}

func untouched(t *testing.T, p strategy.Preprocessor, x strategy.ExecutionContext) {
	t.Helper()
	before, err := render.Normalize(map[string]any{"values": x.Values, "settings": x.Settings, "messages": x.Messages})
	require.NoError(t, err)
	names := attached(x)
	process(t, p, x)
	after, err := render.Normalize(map[string]any{"values": x.Values, "settings": x.Settings, "messages": x.Messages})
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Equal(t, names, attached(x))
}

func attached(x strategy.ExecutionContext) []string {
	var names []string
	for _, a := range x.Attachments {
		names = append(names, a.FileID+" "+a.Name+" "+a.Path+" "+a.MediaType)
	}
	return names
}

func together(t *testing.T, p strategy.Preprocessor, x strategy.ExecutionContext) {
	t.Helper()
	want := text(t, process(t, p, x))
	results := make([]strategy.Result, 8)
	errs := make([]error, len(results))
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { results[i], errs[i] = p.Process(t.Context(), x) })
	}
	wg.Wait()
	for i, r := range results {
		require.NoError(t, errs[i])
		require.Equal(t, want, text(t, r))
	}
}

// patience is how long a preprocessor may take to notice that it is canceled.
const patience = 10 * time.Second

func canceled(t *testing.T, p strategy.Preprocessor, x strategy.ExecutionContext) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := p.Process(ctx, x)
		ended <- err
	}()
	select {
	case err := <-ended:
		require.Error(t, err)
		require.True(t, errors.Is(err, context.Canceled) || fault.Is(err, fault.Canceled), "canceled is said to be canceled: %v", err)
	case <-time.After(patience):
		t.Fatal("it goes on after it was canceled")
	}
}

func nothing(t *testing.T, p strategy.Preprocessor) {
	t.Helper()
	require.NotPanics(t, func() {
		r, err := p.Process(t.Context(), strategy.ExecutionContext{})
		if err == nil {
			require.NotNil(t, r.Variables)
		}
	})
}

func engine(t *testing.T, p strategy.Preprocessor, x strategy.ExecutionContext) {
	t.Helper()
	registry, err := strategy.NewRegistry(p)
	require.NoError(t, err)
	var body strings.Builder
	for key := range process(t, p, x).Variables {
		body.WriteString("{" + key + "}\n")
	}
	s := &strategy.Strategy{ID: "user.conformance", Name: "Conformance", Body: body.String(), Preprocessors: []string{p.Info().ID}}
	s.Options.Preprocessors = map[string]map[string]any{p.Info().ID: x.Settings}
	out, err := (&strategy.Engine{Registry: registry}).Execute(t.Context(), s, x)
	require.NoError(t, err)
	require.Empty(t, out.Missing)
	again, err := strategy.Replay(out)
	require.NoError(t, err)
	require.Equal(t, out.Prompt, again.Prompt)
}
