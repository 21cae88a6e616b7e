package llm_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/llm"
)

// script answers with fixed deltas and then fails, if it has an error.
type script struct {
	deltas []llm.Delta
	err    error
}

func (script) Name() string { return "script:test" }

func (s script) Generate(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for _, d := range s.deltas {
			if !yield(d, nil) {
				return
			}
		}
		if s.err != nil {
			yield(llm.Delta{}, s.err)
		}
	}
}

func TestCollectJoinsTheAnswer(t *testing.T) {
	g := script{deltas: []llm.Delta{{Thinking: "hm"}, {Text: "twenty "}, {Text: "days"}, {Done: "stop", Usage: llm.Usage{Prompt: 9, Completion: 2}}}}
	a, err := llm.Collect(t.Context(), g, llm.Request{})
	require.NoError(t, err)
	require.Equal(t, llm.Answer{Text: "twenty days", Done: "stop", Usage: llm.Usage{Prompt: 9, Completion: 2}}, a)
}

func TestCollectReturnsWhatCameBeforeAnError(t *testing.T) {
	broken := errors.New("connection lost")
	a, err := llm.Collect(t.Context(), script{deltas: []llm.Delta{{Text: "twenty"}}, err: broken}, llm.Request{})
	require.ErrorIs(t, err, broken)
	require.Equal(t, "twenty", a.Text)
}
