package strategy_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/strategy"
)

// part is a preprocessor made of a function.
type part struct {
	id      string
	timeout time.Duration
	contain []string
	runs    *atomic.Int64
	process func(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error)
}

func (p part) Info() strategy.Info {
	return strategy.Info{
		ID: p.id, DisplayName: "Part " + p.id, Description: "Takes part in a test.", Permission: "Reads what the test gives",
		Timeout: p.timeout, ContainInput: p.contain,
	}
}

func (p part) Process(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
	if p.runs != nil {
		p.runs.Add(1)
	}
	return p.process(ctx, x)
}

// writes is a preprocessor that returns fixed variables.
func writes(id string, variables map[string]any) part {
	return part{id: id, process: func(context.Context, strategy.ExecutionContext) (strategy.Result, error) {
		return strategy.Result{Variables: variables}, nil
	}}
}

func engine(t *testing.T, parts ...strategy.Preprocessor) *strategy.Engine {
	t.Helper()
	r, err := strategy.NewRegistry(parts...)
	require.NoError(t, err)
	return &strategy.Engine{Registry: r}
}

func using(body string, ids ...string) *strategy.Strategy {
	return &strategy.Strategy{ID: "user.test", Name: "Test", Enabled: true, Body: body, Preprocessors: ids}
}
