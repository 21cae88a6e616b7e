package builtin_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"inlay/strategy"
	"inlay/strategy/builtin"
)

var update = flag.Bool("update", false, "rewrite golden files")

func strategies(t *testing.T, r *strategy.Registry) strategy.Set {
	t.Helper()
	set, err := builtin.Strategies(t.Context(), r)
	require.NoError(t, err)
	return set
}

// Each of our strategies gives this prompt over these files.
func TestGoldenPrompts(t *testing.T) {
	r := registry(t)
	set := strategies(t, r)
	selected := map[string]any{"attachments.selection.text": "Demurrage is owed when a ship lies {longer} than agreed.", "environment.locale": "de-DE"}
	cases := map[string]strategy.ExecutionContext{
		"builtin.ask-documents":       {Input: "How high is the deposit?", Attachments: attach("lease.md", "draft.md")},
		"builtin.compare-documents":   {Attachments: attach("lease.md", "draft.md")},
		"builtin.explain-selection":   {Input: "Keep it short.", Values: selected},
		"builtin.extract-table":       {Input: "item and price", Attachments: attach("prices.csv")},
		"builtin.review-code":         {Input: "Is it safe to share?", Attachments: attach("counter.go")},
		"builtin.summarize-documents": {Input: "In three sentences.", Attachments: attach("lease.md")},
		"builtin.translate-selection": {Input: "French", Values: selected},
	}
	require.Len(t, set.Strategies, len(cases), "every strategy has a golden prompt")
	for _, s := range set.Strategies {
		t.Run(s.ID, func(t *testing.T) {
			x, ok := cases[s.ID]
			require.True(t, ok)
			x.Model = model(t, 100_000)
			out, err := (&strategy.Engine{Registry: r}).Execute(t.Context(), s, x)
			require.NoError(t, err)
			require.Empty(t, out.Missing)
			require.Empty(t, out.Diagnostics)
			golden(t, filepath.Join("testdata", strings.TrimPrefix(s.ID, "builtin.")+".txtar"), out)
		})
	}
}

func golden(t *testing.T, file string, out strategy.Execution) {
	t.Helper()
	a := &txtar.Archive{Files: []txtar.File{{Name: "prompt", Data: []byte(out.Prompt + "\n")}}}
	if out.SystemPrompt != nil {
		a.Files = append(a.Files, txtar.File{Name: "system", Data: []byte(*out.SystemPrompt + "\n")})
	}
	got := txtar.Format(a)
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// Our strategies are offered when what they work on is there.
func TestMatching(t *testing.T) {
	set := strategies(t, nil)
	for name, tt := range map[string]struct {
		values map[string]any
		want   []string
	}{
		"nothing":   {nil, nil},
		"one pdf":   {map[string]any{"attachments.files": strategy.AttachmentValues(attach("lease.pdf"))}, []string{"ask-documents", "summarize-documents", "extract-table"}},
		"two":       {map[string]any{"attachments.files": strategy.AttachmentValues(attach("lease.pdf", "counter.go"))}, []string{"ask-documents", "compare-documents", "summarize-documents", "review-code", "extract-table"}},
		"selection": {map[string]any{"attachments.selection.text": "x"}, []string{"translate-selection", "explain-selection"}},
	} {
		got, err := (&strategy.Matcher{}).Match(t.Context(), set.Strategies, tt.values)
		require.NoError(t, err)
		var ids []string
		for _, c := range got.Candidates {
			ids = append(ids, strings.TrimPrefix(c.Strategy.ID, "builtin."))
		}
		require.Equal(t, tt.want, ids, name)
	}
}

// A summary at one click works in a window too small for the file, whatever
// the user adds: a selection stands for the whole.
func TestSummaryOfWhatDoesNotFit(t *testing.T) {
	r := registry(t)
	s, ok := strategies(t, r).Lookup("builtin.summarize-documents")
	require.True(t, ok)
	for _, input := range []string{"", "In three sentences."} {
		out, err := (&strategy.Engine{Registry: r}).Execute(t.Context(), s, strategy.ExecutionContext{Input: input, Model: model(t, 1500), Attachments: attach("lease.pdf")})
		require.NoError(t, err)
		prompt := string(out.Prompt)
		require.Contains(t, prompt, `The strategy was "retrieval"`)
		require.Contains(t, prompt, "Citation 2:")
		require.True(t, strings.HasSuffix(prompt, input+"\n"), prompt)
	}
}

func TestBrokenRegistryIsSaid(t *testing.T) {
	_, err := builtin.Strategies(t.Context(), &strategy.Registry{})
	require.ErrorContains(t, err, "strategy.unknown_preprocessor")
}

// The whole way: a strategy over a real PDF, at two window sizes, both
// decisions, stored and replayed.
func TestFilesInAStrategy(t *testing.T) {
	r := registry(t)
	s := &strategy.Strategy{
		ID: "user.e2e", Name: "E2E", Preprocessors: []string{"files"},
		Body: "[{preprocess.files.strategy}]\n{preprocess.files.context}\nCITATIONS\n{preprocess.files.citations}\nEND\n{Argument}",
	}
	for _, tt := range []struct {
		window int
		want   string
	}{{100_000, "inject-full-content"}, {1200, "retrieval"}} {
		out, err := (&strategy.Engine{Registry: r}).Execute(t.Context(), s, strategy.ExecutionContext{
			Input: "How high is the deposit?", Model: model(t, tt.window), Attachments: attach("lease.pdf"),
		})
		require.NoError(t, err)
		prompt := string(out.Prompt)
		require.True(t, strings.HasPrefix(prompt, "["+tt.want+"]\n"), prompt)
		require.True(t, strings.HasSuffix(prompt, "END\nHow high is the deposit?"), prompt)
		require.NotContains(t, prompt, "<UserRequestStart>")
		require.Contains(t, prompt, "A deposit of three months' rent is paid")
		citations := prompt[strings.Index(prompt, "CITATIONS\n"):strings.Index(prompt, "\nEND")]
		if tt.want == "retrieval" {
			require.Contains(t, citations, "file: lease.pdf")
			require.Contains(t, citations, "page: 1")
		} else {
			require.Equal(t, "CITATIONS\n", citations)
			require.Contains(t, prompt, "without the workbenches", "all of it")
		}
		var stored bytes.Buffer
		require.NoError(t, out.Write(&stored))
		read, err := strategy.ReadExecution(&stored)
		require.NoError(t, err)
		again, err := strategy.Replay(read)
		require.NoError(t, err)
		require.Equal(t, out.Prompt, again.Prompt)
	}
}
