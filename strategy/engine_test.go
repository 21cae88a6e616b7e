package strategy_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/strategy"
)

func TestOrderAndOverride(t *testing.T) {
	e := engine(t,
		writes("one", map[string]any{"preprocess.a": "one", "preprocess.b": "one"}),
		writes("two", map[string]any{"preprocess.b": "two", "preprocess.c": "two"}),
	)
	for _, tt := range []struct{ order, want, loser string }{
		{"one two", "one,two,two", "one"},
		{"two one", "one,one,two", "two"},
	} {
		s := using("{preprocess.a},{preprocess.b},{preprocess.c}", strings.Fields(tt.order)...)
		out, err := e.Execute(t.Context(), s, strategy.ExecutionContext{})
		require.NoError(t, err)
		require.Equal(t, strategy.Done, out.Status)
		require.Equal(t, tt.want, string(out.Prompt))
		require.Len(t, out.Diagnostics, 1)
		d := out.Diagnostics[0]
		require.Equal(t, "preprocessor.duplicate_variable", d.Code)
		require.Equal(t, "preprocess.b", d.Path)
		require.NotEqual(t, tt.loser, d.Source)
	}
}

func TestUnknownPreprocessorRunsNothing(t *testing.T) {
	var runs atomic.Int64
	one := writes("one", map[string]any{})
	one.runs = &runs
	e := engine(t, one)
	out, err := e.Execute(t.Context(), using("x", "one", "gone"), strategy.ExecutionContext{})
	require.True(t, fault.Is(err, fault.PreprocessorNotFound))
	require.Contains(t, err.Error(), "preprocessor gone: strategy user.test names it")
	require.Zero(t, runs.Load())
	require.Empty(t, out.Prompt)
	require.Equal(t, strategy.Failed, out.Status)

	_, err = (&strategy.Engine{}).Execute(t.Context(), using("x", "one"), strategy.ExecutionContext{})
	require.True(t, fault.Is(err, fault.PreprocessorNotFound))
	_, err = e.Execute(t.Context(), nil, strategy.ExecutionContext{})
	require.True(t, fault.Is(err, fault.StrategyNotFound))
}

func TestFailuresFailClosed(t *testing.T) {
	loop := map[string]any{}
	loop["x"] = loop
	result := func(r strategy.Result) func() (strategy.Result, error) {
		return func() (strategy.Result, error) { return r, nil }
	}
	fails := func(err error) func() (strategy.Result, error) {
		return func() (strategy.Result, error) { return strategy.Result{}, err }
	}
	value := func(key string, v any) func() (strategy.Result, error) {
		return result(strategy.Result{Variables: map[string]any{key: v}})
	}
	for _, tt := range []struct {
		name    string
		process func() (strategy.Result, error)
		code    fault.Code
	}{
		{"panic", func() (strategy.Result, error) { panic("secret text") }, fault.PreprocessorException},
		{"runtime panic", func() (strategy.Result, error) { return strategy.Result{}, []error{}[len(loop)] }, fault.PreprocessorException},
		{"plain error", fails(errors.New("secret text")), fault.PreprocessorException},
		{"own error", fails(&fault.Error{Code: fault.Corrupt, Subject: "a.pdf", Reason: "broken"}), fault.PreprocessorException},
		{"context missing", fails(&fault.Error{Code: fault.PreprocessorContextMissing}), fault.PreprocessorContextMissing},
		{"permission", fails(&fault.Error{Code: fault.PreprocessorPermissionUnavailable}), fault.PreprocessorPermissionUnavailable},
		{"its own cancellation", fails(context.Canceled), fault.PreprocessorException},
		{"nil result", result(strategy.Result{}), fault.PreprocessorInvalidResult},
		{"version", result(strategy.Result{Version: 2, Variables: map[string]any{}}), fault.PreprocessorInvalidResult},
		{"patch", result(strategy.Result{Variables: map[string]any{}, Patches: map[string]any{"tools": nil}}), fault.PreprocessorInvalidResult},
		{"outside prefix", value("extra.a", 1), fault.PreprocessorInvalidResult},
		{"bare prefix", value("preprocess.", 1), fault.PreprocessorInvalidResult},
		{"prefix alone", value("preprocess", 1), fault.PreprocessorInvalidResult},
		{"pascal case", value("preprocess.SelectedText", 1), fault.PreprocessorInvalidResult},
		{"empty segment", value("preprocess.a..b", 1), fault.PreprocessorInvalidResult},
		{"hyphen", value("preprocess.a-b", 1), fault.PreprocessorInvalidResult},
		{"empty key", value("", 1), fault.PreprocessorInvalidResult},
		{"channel", value("preprocess.a", make(chan int)), fault.PreprocessorInvalidResult},
		{"nan", value("preprocess.a", math.NaN()), fault.PreprocessorInvalidResult},
		{"loop", value("preprocess.a", loop), fault.PreprocessorInvalidResult},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var after atomic.Int64
			last := writes("last", map[string]any{})
			last.runs = &after
			broken := part{id: "broken", process: func(context.Context, strategy.ExecutionContext) (strategy.Result, error) { return tt.process() }}
			e := engine(t, writes("first", map[string]any{"preprocess.ok": 1}), broken, last)
			out, err := e.Execute(t.Context(), using("{preprocess.ok}", "first", "broken", "last"), strategy.ExecutionContext{Input: "hi"})
			require.Equal(t, tt.code, fault.CodeOf(err))
			require.NotContains(t, err.Error(), "secret")
			require.Equal(t, strategy.Failed, out.Status)
			require.Empty(t, out.Prompt, "no prompt is made")
			require.Zero(t, after.Load(), "nothing runs after a failure")
			require.Len(t, out.Steps, 2, "what ran is kept")
			require.Equal(t, map[string]any{"preprocess.ok": int64(1)}, out.Steps[0].Variables)
			require.Equal(t, tt.code, out.Steps[1].Failure)
			_, err = strategy.Replay(out)
			require.True(t, fault.Is(err, fault.StoreDamaged), "there is nothing to replay")
		})
	}
}

func TestTimeouts(t *testing.T) {
	ignores := func(_ context.Context, _ strategy.ExecutionContext) (strategy.Result, error) {
		time.Sleep(10 * time.Hour)
		return strategy.Result{Variables: map[string]any{}}, nil
	}
	honours := func(ctx context.Context, _ strategy.ExecutionContext) (strategy.Result, error) {
		<-ctx.Done()
		return strategy.Result{}, ctx.Err()
	}
	for _, tt := range []struct {
		name          string
		own, override time.Duration
		process       func(context.Context, strategy.ExecutionContext) (strategy.Result, error)
		want          time.Duration
	}{
		{"default", 0, 0, honours, 30 * time.Second},
		{"own", time.Minute, 0, honours, time.Minute},
		{"override", time.Minute, 2 * time.Second, honours, 2 * time.Second},
		{"abandoned", time.Minute, 0, ignores, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := engine(t, part{id: "slow", timeout: tt.own, process: tt.process})
				s := using("x", "slow")
				s.Options.PreprocessorTimeout = tt.override
				start := time.Now()
				out, err := e.Execute(t.Context(), s, strategy.ExecutionContext{})
				require.Equal(t, fault.PreprocessorTimeout, fault.CodeOf(err))
				require.Equal(t, tt.want, time.Since(start))
				require.Equal(t, strategy.Failed, out.Status)
				require.Equal(t, tt.want, time.Duration(out.Steps[0].Duration))
				time.Sleep(20 * time.Hour) // until what was abandoned ends too
			})
		})
	}
}

func TestProgressStartsTheTimeAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []any
		late := make(chan struct{})
		steady := part{id: "steady", timeout: time.Minute, process: func(_ context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
			for i := range 10 {
				time.Sleep(50 * time.Second)
				x.Progress(i)
			}
			go func() {
				time.Sleep(time.Hour)
				x.Progress("too late")
				close(late)
			}()
			return strategy.Result{Variables: map[string]any{}}, nil
		}}
		out, err := engine(t, steady).Execute(t.Context(), using("x", "steady"), strategy.ExecutionContext{Progress: func(e any) { seen = append(seen, e) }})
		require.NoError(t, err)
		require.Equal(t, 500*time.Second, time.Duration(out.Steps[0].Duration))
		<-late
		require.Equal(t, []any{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, seen, "nothing is reported after the end")
	})
}

func TestCancellation(t *testing.T) {
	why := errors.New("the user closed the chat")
	for _, phase := range []string{"before", "first", "between", "second ignoring it", "deadline"} {
		t.Run(phase, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				if phase == "before" {
					cancel(why)
				}
				if phase == "deadline" {
					var stop func()
					ctx, stop = context.WithTimeout(ctx, time.Second)
					defer stop()
				}
				first := part{id: "first", process: func(ctx context.Context, _ strategy.ExecutionContext) (strategy.Result, error) {
					if phase == "first" {
						cancel(why)
						<-ctx.Done()
						return strategy.Result{}, ctx.Err()
					}
					if phase == "between" {
						cancel(why)
					}
					return strategy.Result{Variables: map[string]any{"preprocess.a": 1}}, nil
				}}
				second := part{id: "second", process: func(_ context.Context, _ strategy.ExecutionContext) (strategy.Result, error) {
					if phase == "second ignoring it" {
						cancel(why)
					}
					time.Sleep(time.Hour)
					return strategy.Result{Variables: map[string]any{}}, nil
				}}
				start := time.Now()
				out, err := engine(t, first, second).Execute(ctx, using("{preprocess.a}", "first", "second"), strategy.ExecutionContext{})
				require.Equal(t, fault.Canceled, fault.CodeOf(err))
				require.Equal(t, strategy.Canceled, out.Status)
				require.Empty(t, out.Prompt)
				require.LessOrEqual(t, time.Since(start), time.Second)
				for _, s := range out.Steps {
					require.Empty(t, s.Failure, "canceled is no failure code")
				}
				if phase != "deadline" {
					require.ErrorIs(t, err, why)
				}
				time.Sleep(2 * time.Hour) // until what was abandoned ends too
			})
		})
	}
}

func TestPrecedence(t *testing.T) {
	const key = "k"
	e := engine(t, writes("p", map[string]any{"preprocess.k": "preprocess", "preprocess.o": map[string]any{"deep": "descended", "list": []int{1, 2}}}))
	e.BuiltIns = map[string]any{
		"preprocess.k": "built-in", "extra.k": "built-in", "clipboard.k": "built-in", "attachments.k": "built-in", "assistant.k": "built-in",
		"environment.k": "built-in", "Argument": "built-in", "Old": "built-in", "only": "built-in",
	}
	e.Aliases = map[string]string{"Old": "preprocess.k", "Legacy": "preprocess.k", "Chain": "Legacy", "extra.k": "preprocess.k", "preprocess.k": "extra.k", "only": "preprocess.k"}
	values := map[string]any{
		"preprocess.k": "from the caller", "extra": map[string]any{"k": "nested", "n": map[string]any{"x": "nested"}}, "extra.k": "extra", "clipboard.k": "clipboard",
		"attachments.k": "attachments", "assistant": map[string]any{"k": "assistant"}, "environment.k": "environment", "other.k": "unreachable", "only": "values",
	}
	for path, want := range map[string]string{
		"preprocess.k": "preprocess", "extra.k": "extra", "extra.n.x": "nested", "clipboard.k": "clipboard", "attachments.k": "attachments", "assistant.k": "assistant",
		"environment.k": "environment", "Argument": "built-in", "Old": "built-in", "Legacy": "preprocess", "Chain": "", "only": "built-in", "other.k": "",
		"preprocess.o.deep": "descended", "preprocess.o.deep.er": "", "preprocess.o.list": "- 1\n- 2", key: "",
	} {
		out, err := e.Execute(t.Context(), using("{"+path+"}", "p"), strategy.ExecutionContext{Values: values})
		require.NoError(t, err, path)
		require.Equal(t, want, string(out.Prompt), path)
		require.Equal(t, want == "", slices.Contains(out.Missing, path), path)
	}
	e.BuiltIns = nil
	out, err := e.Execute(t.Context(), using("{Argument}{Old}", "p"), strategy.ExecutionContext{Input: "input "})
	require.NoError(t, err)
	require.Equal(t, "input preprocess", string(out.Prompt))
}

func TestBodyAndInput(t *testing.T) {
	p := writes("p", map[string]any{"preprocess.p.prompt": "P", "preprocess.p.other": "O"})
	p.contain = []string{"preprocess.p.prompt"}
	e := engine(t, p)
	for _, tt := range []struct{ name, body, input, want string }{
		{"body alone", "body\n", "", "body\n"},
		{"appended", "body\n", "in", "body\n\n<UserRequestStart>\nin"},
		{"argument", "ask: {Argument}", "in", "ask: in"},
		{"argument without input", "ask: {Argument}", "", "ask: "},
		{"variable that holds the input", "{preprocess.p.prompt}", "in", "P"},
		{"another variable", "{preprocess.p.other}", "in", "O\n<UserRequestStart>\nin"},
		{"no body", "", "in", "in"},
		{"white body", " \n", "in", "in"},
		{"nothing at all", "", "", ""},
		{"input is data", "{Argument}", "{Argument} {preprocess.p.prompt}", "{Argument} {preprocess.p.prompt}"},
		{"appended input is data", "b", "{preprocess.p.prompt}", "b\n<UserRequestStart>\n{preprocess.p.prompt}"},
		{"doubled braces", "{{Argument}}", "in", "{{Argument}}\n<UserRequestStart>\nin"},
		{"not UTF-8", "{Argument}|", "a\xffb", "a\xffb|"},
	} {
		out, err := e.Execute(t.Context(), using(tt.body, "p"), strategy.ExecutionContext{Input: tt.input})
		require.NoError(t, err, tt.name)
		require.Equal(t, tt.want, string(out.Prompt), tt.name)
		replayed(t, out)
	}
}

// replayed stores, reads and replays an execution: the same bytes each time.
func replayed(t *testing.T, out strategy.Execution) strategy.Execution {
	t.Helper()
	var stored bytes.Buffer
	require.NoError(t, out.Write(&stored))
	read, err := strategy.ReadExecution(bytes.NewReader(stored.Bytes()))
	require.NoError(t, err)
	again, err := strategy.Replay(read)
	require.NoError(t, err)
	require.Equal(t, out.Prompt, again.Prompt)
	require.Equal(t, out.SystemPrompt, again.SystemPrompt)
	var twice bytes.Buffer
	require.NoError(t, again.Write(&twice))
	require.Equal(t, stored.String(), twice.String())
	return again
}

func TestSystemPrompt(t *testing.T) {
	e := engine(t, writes("p", map[string]any{"preprocess.a": "A"}))
	s := using("", "p")
	out, err := e.Execute(t.Context(), s, strategy.ExecutionContext{Input: "in"})
	require.NoError(t, err)
	require.Nil(t, out.SystemPrompt)
	require.Equal(t, "strategy.unused_preprocessor", out.Diagnostics[0].Code)

	s.SystemPrompt = new("You read {preprocess.a}{preprocess.gone}.")
	out, err = e.Execute(t.Context(), s, strategy.ExecutionContext{Input: "in"})
	require.NoError(t, err)
	require.Equal(t, "in", string(out.Prompt))
	require.Equal(t, "You read A.", string(*out.SystemPrompt))
	require.Equal(t, []string{"preprocess.gone"}, out.Missing)
	replayed(t, out)

	s.Body, s.SystemPrompt = "fine", new("{a..b}")
	out, err = e.Execute(t.Context(), s, strategy.ExecutionContext{Input: "in"})
	require.True(t, fault.Is(err, fault.StrategyRenderFailed))
	require.Empty(t, out.Prompt, "never a partly rendered prompt")

	e.MaxBytes = 10
	s.SystemPrompt = nil
	s.Body = strings.Repeat("x", 11)
	_, err = e.Execute(t.Context(), s, strategy.ExecutionContext{})
	require.True(t, fault.Is(err, fault.StrategyRenderFailed))
	_, err = e.Execute(t.Context(), using("x"), strategy.ExecutionContext{Values: map[string]any{"extra.x": math.Inf(1)}})
	require.True(t, fault.Is(err, fault.StrategyRenderFailed))
}

func TestDiagnosticsMode(t *testing.T) {
	e := engine(t)
	e.KeepMissing = true
	out, err := e.Execute(t.Context(), using("a {extra.x} {Gone} b"), strategy.ExecutionContext{})
	require.NoError(t, err)
	require.Equal(t, "a {extra.x} {Gone} b", string(out.Prompt))
	require.Equal(t, []string{"Gone", "extra.x"}, out.Missing)
	require.Equal(t, "strategy.missing_variable", out.Diagnostics[1].Code)
	require.Equal(t, "extra.x", out.Diagnostics[1].Path)
	replayed(t, out)
}

func TestReplayRunsNothing(t *testing.T) {
	var runs atomic.Int64
	p := writes("p", map[string]any{
		"preprocess.list": []any{"a", 1, 2.5, map[string]any{"k": "v"}}, "preprocess.n": 3, "preprocess.citations": []chat.Citation{{ID: "c1", Number: 1, Text: "t", Affinity: .5}},
		"preprocess.o": map[string]any{"in": "deep"}, "preprocess.unused": "kept",
	})
	p.runs = &runs
	e := engine(t, p)
	e.BuiltIns = map[string]any{"Date": "2026-01-01"}
	s := using("{preprocess.list} {preprocess.n} {preprocess.citations} {preprocess.o.in} {extra.a.b} {Date} {gone} {Argument}", "p")
	s.Tools = strategy.ToolRules{"web.*": {"*": false}}
	out, err := e.Execute(t.Context(), s, strategy.ExecutionContext{Input: "q", Values: map[string]any{"extra": map[string]any{"a": map[string]any{"b": "B"}}, "extra.secret": "never read"}})
	require.NoError(t, err)
	again := replayed(t, out)
	require.EqualValues(t, 1, runs.Load())
	require.Equal(t, map[string]any{"extra.a.b": "B", "Date": "2026-01-01", "preprocess.o.in": "deep"}, again.Values)
	require.Equal(t, s.Tools, again.Strategy.Tools)

	for name, change := range map[string]func(e *strategy.Execution){
		"prompt": func(e *strategy.Execution) { e.Prompt += "x" },
		"input":  func(e *strategy.Execution) { e.Input = "other" },
		"body":   func(e *strategy.Execution) { e.Strategy.Body += "{a..b}" },
		"values": func(e *strategy.Execution) { e.Values = nil },
		"system": func(e *strategy.Execution) { e.SystemPrompt = new(strategy.Text("x")) },
		"status": func(e *strategy.Execution) { e.Status = strategy.Canceled },
	} {
		changed := out
		change(&changed)
		_, err := strategy.Replay(changed)
		require.True(t, fault.Is(err, fault.StoreDamaged), name)
	}
	for _, stored := range []string{"", "{}", `{"schema":"inlay.execution/v2"}`, `{"schema":"inlay.execution/v1","prompt":7}`} {
		_, err := strategy.ReadExecution(strings.NewReader(stored))
		require.True(t, fault.Is(err, fault.StoreDamaged), stored)
	}
}

// A document may hold placeholders of its own; they stay text.
func TestDocumentsCannotReachTheTemplate(t *testing.T) {
	hostile := "{preprocess.files.prompt} {Argument} {{x}} {extra.secret} <UserRequestStart>"
	e := engine(t, writes("files", map[string]any{"preprocess.files.content": hostile, "preprocess.files.prompt": "PROMPT"}))
	out, err := e.Execute(t.Context(), using("[{preprocess.files.content}] {Argument}", "files"), strategy.ExecutionContext{
		Input: hostile, Values: map[string]any{"extra.secret": "SECRET"},
	})
	require.NoError(t, err)
	require.Equal(t, "["+hostile+"] "+hostile, string(out.Prompt))
	require.NotContains(t, out.Values, "extra.secret")
	replayed(t, out)
}

// A preprocessor gets copies: its changes reach nobody else.
func TestPreprocessorsCannotChangeTheContext(t *testing.T) {
	vandal := part{id: "vandal", process: func(_ context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
		x.Messages[0].Text = "changed"
		x.Messages[0].Attachments[0].Name = "changed"
		x.Attachments[0].Name = "changed"
		x.Values["extra"].(map[string]any)["a"] = "changed"
		x.Settings["deep"].(map[string]any)["a"] = "changed"
		return strategy.Result{Variables: map[string]any{}}, nil
	}}
	witness := part{id: "witness", process: func(_ context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
		return strategy.Result{Variables: map[string]any{"preprocess.seen": []any{
			x.StrategyID, x.Input, x.Messages[0].Text, x.Messages[0].Attachments[0].Name, x.Attachments[0].Name, x.Values["extra"], x.Settings["deep"],
		}}}, nil
	}}
	s := using("{preprocess.seen} {extra.a}", "vandal", "witness")
	s.Options.Preprocessors = map[string]map[string]any{"vandal": {"deep": map[string]any{"a": 1}}, "witness": {"deep": map[string]any{"a": 2}}}
	x := strategy.ExecutionContext{
		Input: "in", Messages: []chat.Message{{Role: chat.User, Text: "hello", Attachments: []chat.Attachment{{Name: "old.pdf"}}}},
		Attachments: []strategy.Attachment{{Attachment: chat.Attachment{Name: "new.pdf"}}}, Values: map[string]any{"extra": map[string]any{"a": "A"}},
	}
	for range 2 {
		out, err := engine(t, vandal, witness).Execute(t.Context(), s, x)
		require.NoError(t, err)
		require.Contains(t, string(out.Prompt), "- user.test\n- in\n- hello\n- old.pdf\n- new.pdf\n- a: A\n- a: 2 A")
	}
}

func TestAttachmentValues(t *testing.T) {
	files := []strategy.Attachment{
		{Attachment: chat.Attachment{Name: "A.PDF", MediaType: "application/pdf", Path: "/tmp/A.PDF"}, Size: 7},
		{Attachment: chat.Attachment{Name: "up"}},
	}
	out, err := engine(t).Execute(t.Context(), using("{attachments.files}"), strategy.ExecutionContext{Attachments: files})
	require.NoError(t, err)
	require.Equal(t, "- extension: \".pdf\"\n  mimeType: application/pdf\n  name: A.PDF\n  path: /tmp/A.PDF\n  size: 7\n- name: up", string(out.Prompt))
	out, err = engine(t).Execute(t.Context(), using("{attachments.files}"), strategy.ExecutionContext{Attachments: files, Values: map[string]any{"attachments": map[string]any{"files": []any{"own"}}}})
	require.NoError(t, err)
	require.Equal(t, "- own", string(out.Prompt))
}

func TestLogsHoldNamesOnly(t *testing.T) {
	var log bytes.Buffer
	e := engine(t, writes("p", map[string]any{"preprocess.secret_key": "SECRET VALUE"}), part{id: "bad", process: func(context.Context, strategy.ExecutionContext) (strategy.Result, error) {
		return strategy.Result{}, errors.New("SECRET ERROR")
	}})
	e.Logger = slog.New(slog.NewTextHandler(&log, nil))
	_, err := e.Execute(t.Context(), using("{preprocess.secret_key}", "p", "bad"), strategy.ExecutionContext{Input: "SECRET INPUT"})
	require.Error(t, err)
	require.NotContains(t, log.String()+err.Error(), "SECRET")
	require.Contains(t, log.String(), "preprocess.secret_key")
	require.Contains(t, log.String(), "preprocessor.exception")
}

func TestHundredExecutionsAtOnce(t *testing.T) {
	e := engine(t, part{id: "echo", process: func(_ context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
		x.Values["extra.shared"] = "mine"
		return strategy.Result{Variables: map[string]any{"preprocess.echo": x.Input}}, nil
	}})
	s := using("{preprocess.echo} {extra.shared}", "echo")
	values := map[string]any{"extra.shared": "shared"}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			input := strings.Repeat("x", i+1)
			out, err := e.Execute(t.Context(), s, strategy.ExecutionContext{Input: input, Values: values})
			if err != nil || string(out.Prompt) != input+" shared\n<UserRequestStart>\n"+input {
				t.Errorf("execution %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}
