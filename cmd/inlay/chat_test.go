package main

import (
	"context"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/wire"
	"inlay/llm"
	"inlay/llm/ollama/ollamatest"
	"inlay/turn"
)

// TestChatScript runs testdata/chat against a real Ollama server or the
// recording of one.
func TestChatScript(t *testing.T) { withModel(t, "chat") }

// TestIntentScript lets a real model split messages: the plumbing, since a model
// of a few kilobytes splits nothing.
func TestIntentScript(t *testing.T) { withModel(t, "intent") }

func withModel(t *testing.T, name string) {
	t.Helper()
	root, err := os.Getwd()
	require.NoError(t, err)
	url := ollamatest.Server(t, "testdata/exchanges/"+name+".json")
	testscript.Run(t, testscript.Params{
		Files: []string{"testdata/chat/" + name + ".txtar"}, UpdateScripts: *update, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HANDBOOK", root+"/../../testdata/handbook.md")
			e.Setenv("OLLAMA", url)
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CACHE_HOME", os.DevNull) // no folder: nothing is compiled ahead
			return nil
		},
	})
}

// endless answers until its context ends, and tells when it has begun.
type endless struct {
	llm.Measurer
	begun chan struct{}
}

func (e endless) Generate(ctx context.Context, _ llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if !yield(llm.Delta{Text: "on and on"}, nil) {
			return
		}
		e.begun <- struct{}{}
		<-ctx.Done()
		yield(llm.Delta{}, ctx.Err())
	}
}

func testTalk(t *testing.T, model wire.Answerer) (*talk, *strings.Builder, *strings.Builder) {
	t.Helper()
	none := func(string) string { return "" }
	injector, err := wire.OpenInjector(t.Context(), wire.Search{Embedder: "builtin"}, wire.ModelSettings{}, none)
	require.NoError(t, err)
	var out, errs strings.Builder
	return &talk{app: &app{getenv: none, stdout: &out, stderr: &errs}, engine: &turn.Engine{Injector: injector}, model: model, past: &history{}, quiet: true}, &out, &errs
}

// TestCtrlCStopsTheAnswerAndNotTheChat interrupts an answer, asks again, and
// leaves with two interrupts between answers.
func TestCtrlCStopsTheAnswerAndNotTheChat(t *testing.T) {
	static, err := llm.NewStatic(llm.StaticOptions{Model: "gpt-4o"})
	require.NoError(t, err)
	model := endless{Measurer: static, begun: make(chan struct{})}
	talk, out, errs := testTalk(t, model)
	lines, interrupts, done := make(chan typedLine), make(chan os.Signal), make(chan error)
	go func() {
		done <- talk.loop(t.Context(), pipedLines{prompt: func() error { return nil }, lines: lines}, interrupts)
	}()
	for range 2 {
		lines <- typedLine{text: "Tell me more"}
		<-model.begun
		interrupts <- os.Interrupt
	}
	interrupts <- os.Interrupt
	interrupts <- os.Interrupt
	require.NoError(t, <-done)
	require.Equal(t, 2, strings.Count(out.String(), "on and on"))
	require.Equal(t, 2, strings.Count(errs.String(), "stopped"))
	require.Contains(t, errs.String(), "Ctrl-C again")
	require.Len(t, talk.past.Messages, 4, "what was said until then is kept")
}

func TestSourcesFlagWhatDoesNotExist(t *testing.T) {
	r := injection.Result{Decision: injection.Decision{Strategy: injection.Retrieval}, Citations: []chat.Citation{
		{Number: 1, Text: "a", File: "a.pdf", Page: 3}, {Number: 2, Text: "b", File: "b.md", LineStart: 4, LineEnd: 9},
	}}
	require.Equal(t, "Sources (* cited):\n    [1] a.pdf, page 3\n  * [2] b.md, lines 4-9\n  ! [7] is cited and does not exist\n",
		sourceList(r, []turn.Source{{Citation: r.Citations[0]}, {Citation: r.Citations[1], Cited: true}}, []int{7}))
	require.Empty(t, sourceList(injection.Result{}, nil, []int{1}))
}

func TestEmbedderNames(t *testing.T) {
	none := func(string) string { return "" }
	_, err := wire.OpenEmbedder(t.Context(), "nope", wire.ModelSettings{}, none)
	require.True(t, fault.Is(err, fault.Usage), "%v", err)
	require.Equal(t, "http://127.0.0.1:9", wire.OllamaURL("", func(string) string { return "127.0.0.1:9" }))
	require.Equal(t, "https://h/x", wire.OllamaURL("https://h/x", none))
}
