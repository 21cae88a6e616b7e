package builtin_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"inlay/chat"
	"inlay/injection"
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
			golden(t, filepath.Join("testdata", strings.TrimPrefix(s.ID, "builtin.")+".txtar"), sections("", out))
		})
	}
}

// sections are an execution's prompt and system prompt, under the given name.
func sections(name string, out strategy.Execution) []txtar.File {
	list := []txtar.File{{Name: strings.TrimSpace(name + " prompt"), Data: []byte(out.Prompt + "\n")}}
	if out.SystemPrompt != nil {
		list = append(list, txtar.File{Name: strings.TrimSpace(name + " system"), Data: []byte(*out.SystemPrompt + "\n")})
	}
	return list
}

func golden(t *testing.T, file string, files []txtar.File) {
	t.Helper()
	got := txtar.Format(&txtar.Archive{Files: files})
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, got, 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// held stands in for files on a turn whose documents are all in the
// conversation already: their names, and nothing to inject.
type held struct{ files []injection.FileReport }

func (held) Info() strategy.Info { return injection.Preprocessor{}.Info() }

func (h held) Process(context.Context, strategy.ExecutionContext) (strategy.Result, error) {
	return strategy.Result{Variables: map[string]any{
		injection.Prefix + "overview": injection.Overview(h.files, nil), injection.Prefix + "context": "",
	}}, nil
}

// Our strategies over documents read well whatever became of the documents. The
// injected text itself is left out.
func TestGoldenSituations(t *testing.T) {
	over := func(input string, names ...string) strategy.ExecutionContext {
		return strategy.ExecutionContext{Input: input, Attachments: attach(names...), Model: model(t, 100_000)}
	}
	whole := registry(t)
	searched, err := strategy.NewRegistry(injection.Preprocessor{Injector: injector(t), Defaults: injection.Options{Mode: injection.ModeRetrieval}})
	require.NoError(t, err)
	before, err := strategy.NewRegistry(held{[]injection.FileReport{{Name: "lease.md", InContext: true}, {Name: "draft.md", InContext: true}}})
	require.NoError(t, err)
	situations := []struct {
		name     string
		registry *strategy.Registry
		x        strategy.ExecutionContext
	}{
		{"no document", whole, over("How high is the deposit?")},
		{"one document", whole, over("How high is the deposit?", "lease.md")},
		{"several documents", whole, over("How high is the deposit?", "lease.md", "draft.md")},
		{"one is unreadable", whole, over("How high is the deposit?", "lease.md", "gone.md")},
		{"passages", searched, over("How high is the deposit?", "lease.md")},
		{"in the conversation", before, over("How high is the deposit?", "lease.md", "draft.md")},
	}
	set := strategies(t, whole)
	for _, id := range []string{"ask-documents", "compare-documents", "extract-table", "review-code", "summarize-documents"} {
		s, ok := set.Lookup("builtin." + id)
		require.True(t, ok)
		var all []txtar.File
		for _, situation := range situations {
			out, err := (&strategy.Engine{Registry: situation.registry}).Execute(t.Context(), s, situation.x)
			require.NoError(t, err, "%s: %s", id, situation.name)
			require.Empty(t, out.Missing)
			if text, _ := out.Steps[0].Variables["preprocess.files.context"].(string); text != "" {
				out.Prompt = strategy.Text(strings.ReplaceAll(string(out.Prompt), text, "<context>"))
			}
			all = append(all, sections(situation.name, out)[0])
		}
		golden(t, filepath.Join("testdata", "situations", id+".txtar"), all)
	}
}

// Our strategies are offered when what they work on is there.
func TestMatching(t *testing.T) {
	set := strategies(t, nil)
	for name, tt := range map[string]struct {
		values map[string]any
		want   []string
	}{
		"nothing": {nil, nil},
		"one pdf": {map[string]any{"attachments.files": strategy.AttachmentValues(attach("lease.pdf"))}, []string{"ask-documents", "summarize-documents", "extract-table"}},
		"two": {
			map[string]any{"attachments.files": strategy.AttachmentValues(attach("lease.pdf", "counter.go"))},
			[]string{"ask-documents", "compare-documents", "summarize-documents", "review-code", "extract-table"},
		},
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
		require.Regexp(t, `- lease\.pdf \([2-9] passages below\)`, prompt)
		require.Contains(t, prompt, `begin [2] "lease.pdf"`)
		require.True(t, strings.HasSuffix(prompt, input+"\n"), prompt)
	}
}

// Passages of a long table come with its header row.
func TestTableHeadersInPrompts(t *testing.T) {
	var table strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&table, "%d,Customer %d,%d\n", 10000+i, i*7%400, i*13%50)
	}
	csv := "order_id,customer,quantity\n" + table.String()
	md := "# Orders\n\n| order_id | customer | quantity |\n|---|---|---|\n| " + strings.ReplaceAll(strings.ReplaceAll(strings.TrimSuffix(table.String(), "\n"), ",", " | "), "\n", " |\n| ") + " |\n"
	places := map[string]string{"orders.csv": ", rows ", "orders.md": ", lines "}
	for name, data := range map[string]string{"orders.csv": csv, "orders.md": md} {
		s, ok := strategies(t, registry(t)).Lookup("builtin.ask-documents")
		require.True(t, ok)
		out, err := (&strategy.Engine{Registry: registry(t)}).Execute(t.Context(), s, strategy.ExecutionContext{
			Input: "Who ordered 11234?", Model: model(t, 4000),
			Attachments: []strategy.Attachment{{Attachment: chat.Attachment{Name: name}, New: true, Open: func(context.Context) ([]byte, error) { return []byte(data), nil }}},
		})
		require.NoError(t, err)
		before, _, ok := strings.Cut(string(out.Prompt), "| 11234 | ")
		require.True(t, ok, "%s: the row is found", name)
		passage := before[strings.LastIndex(before, " begin ["):]
		require.Contains(t, passage, "| order_id | customer | quantity |", name)
		require.Contains(t, passage, strconv.Quote(name)+places[name])
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
