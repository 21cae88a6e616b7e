package strategy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/strategy"
)

func fails(id string, err error) part {
	return part{id: id, process: func(context.Context, strategy.ExecutionContext) (strategy.Result, error) {
		return strategy.Result{Diagnostics: []strategy.Diagnostic{{Code: "own.note", Severity: "info", Message: "Half of it was read."}}}, err
	}}
}

// Each failure has the code of STR-12, says what to do, and keeps what led to it.
func TestFailureCodes(t *testing.T) {
	corrupt := &fault.Error{Code: fault.Corrupt, Subject: "a.pdf", Reason: "its end is missing", Next: "download it again"}
	window := &fault.Error{Code: fault.WindowUnknown, Subject: "model x", Reason: "its context window is unknown", Next: "set context_length"}
	denied := &fs.PathError{Op: "open", Path: "/home/me/a.pdf", Err: fs.ErrPermission}
	for name, tt := range map[string]struct {
		err         error
		code, cause fault.Code
		text        string
	}{
		"bad file":       {fmt.Errorf("inject files: %w", corrupt), fault.PreprocessorException, fault.Corrupt, "preprocessor p: a.pdf: its end is missing (download it again)"},
		"unknown window": {fmt.Errorf("inject files: %w", window), fault.PreprocessorContextMissing, fault.WindowUnknown, "preprocessor p: model x: its context window is unknown (set context_length)"},
		"denied": {
			fmt.Errorf("inject files: %w", denied), fault.PreprocessorPermissionUnavailable, fault.FileUnreadable,
			"preprocessor p: a.pdf may not be read (allow it to be read, or leave it out)",
		},
		"denied in a fault": {
			&fault.Error{Code: fault.FileUnreadable, Subject: "a.pdf", Reason: "it cannot be read", Err: fmt.Errorf("open: %w", denied)},
			fault.PreprocessorPermissionUnavailable, fault.FileUnreadable, "preprocessor p: a.pdf: it cannot be read (allow it to be read, or leave it out)",
		},
		"kept":  {&fault.Error{Code: fault.PreprocessorContextMissing, Subject: "preprocessor p", Reason: "no tab"}, fault.PreprocessorContextMissing, "", "preprocessor p: no tab"},
		"other": {errors.New("secret"), fault.PreprocessorException, "", "preprocessor p: it failed with a *errors.errorString"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := engine(t, writes("first", map[string]any{"preprocess.a": 1}), fails("p", tt.err)).Execute(t.Context(), using("x", "first", "p"), strategy.ExecutionContext{})
			require.Equal(t, tt.code, fault.CodeOf(err))
			require.EqualError(t, err, tt.text)
			require.ErrorIs(t, err, tt.err)
			require.Len(t, out.Steps, 2)
			require.Empty(t, out.Diagnostics, "the step has it")
			require.Equal(t, []strategy.Diagnostic{
				{Code: "own.note", Severity: "info", Message: "Half of it was read.", Source: "p"},
				{Code: string(tt.code), Severity: "error", Message: tt.text, Source: "p", Cause: string(tt.cause)},
			}, out.Steps[1].Diagnostics)
		})
	}
}

// The error of an execution brings its steps and diagnostics along, wherever it
// is wrapped on the way to the user.
func TestFailedExecutionIsReachable(t *testing.T) {
	e := engine(t, writes("p", map[string]any{"preprocess.a": "A"}), fails("bad", errors.New("x")))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		cancel bool
		s      *strategy.Strategy
		status string
		steps  int
		code   fault.Code
	}{
		"no strategy": {false, nil, strategy.Failed, 0, fault.StrategyNotFound},
		"not found":   {false, using("x", "p", "gone"), strategy.Failed, 0, fault.PreprocessorNotFound},
		"failed":      {false, using("x", "p", "bad"), strategy.Failed, 2, fault.PreprocessorException},
		"rendering":   {false, using("{a..b}", "p"), strategy.Failed, 1, fault.StrategyRenderFailed},
		"canceled":    {true, using("x", "p"), strategy.Canceled, 1, fault.Canceled},
	} {
		ctx := t.Context()
		if tt.cancel {
			ctx = canceled
		}
		out, err := e.Execute(ctx, tt.s, strategy.ExecutionContext{Input: "in"})
		err = fmt.Errorf("turn: %w", err)
		require.Equal(t, tt.code, fault.CodeOf(err), name)
		failed, ok := errors.AsType[*strategy.ExecutionError](err)
		require.True(t, ok, name)
		require.Equal(t, out, failed.Execution, name)
		require.Equal(t, tt.status, failed.Execution.Status, name)
		require.Len(t, failed.Execution.Steps, tt.steps, name)

		var codes []string
		for _, d := range out.Diagnostics {
			codes = append(codes, d.Code)
		}
		for _, s := range out.Steps {
			for _, d := range s.Diagnostics {
				codes = append(codes, d.Code)
			}
		}
		if tt.status == strategy.Failed {
			require.Contains(t, codes, string(tt.code), name)
		} else {
			require.Empty(t, codes, "canceled is no failure")
		}
		text, err := json.Marshal(failed.Execution)
		require.NoError(t, err)
		require.Contains(t, string(text), `"steps":[`)
		require.Contains(t, string(text), `"diagnostics":[`)
	}
}

// A dry run has its variables and no prompt, and says that it was one.
func TestDryRun(t *testing.T) {
	var runs atomic.Int64
	p := part{id: "p", runs: &runs, process: func(_ context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
		require.True(t, x.DryRun)
		return strategy.Result{Variables: map[string]any{"preprocess.files.strategy": "retrieval"}}, nil
	}}
	e := engine(t, p)
	e.DryRun = true
	s := using("{preprocess.files.strategy} {preprocess.files.gone} {Argument}", "p")
	s.SystemPrompt = new("Be brief.")
	out, err := e.Execute(t.Context(), s, strategy.ExecutionContext{Input: "in"})
	require.NoError(t, err)
	require.Equal(t, strategy.DryRun, out.Status)
	require.Empty(t, out.Prompt)
	require.Nil(t, out.SystemPrompt)
	require.Empty(t, out.Missing)
	require.Empty(t, out.Values)
	require.Equal(t, map[string]any{"preprocess.files.strategy": "retrieval"}, out.Steps[0].Variables)
	require.EqualValues(t, 1, runs.Load())
	_, err = strategy.Replay(out)
	require.True(t, fault.Is(err, fault.StoreDamaged))
	require.ErrorContains(t, err, "dry run")

	s.Body = "{a..b}"
	out, err = e.Execute(t.Context(), s, strategy.ExecutionContext{})
	require.True(t, fault.Is(err, fault.StrategyRenderFailed), "what a run would refuse, a dry run refuses")
	require.Equal(t, strategy.Failed, out.Status)
}
