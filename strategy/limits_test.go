package strategy_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"inlay/strategy"
	"inlay/strategy/source"
)

var update = flag.Bool("update", false, "rewrite golden files")

// The stored form is read for as long as its schema is: this file is what
// earlier versions wrote.
func TestStoredForm(t *testing.T) {
	p := writes("p", map[string]any{"preprocess.list": []any{"a", 1.5, true}, "preprocess.o": map[string]any{"k": "v <&>"}})
	p.contain = []string{"preprocess.prompt"}
	e := engine(t, p, writes("q", map[string]any{"preprocess.list": "later"}))
	s := using("{preprocess.list} {preprocess.o} {extra.x.y} {gone} {Argument}", "p", "q")
	s.SystemPrompt = new("System {preprocess.o.k}")
	s.Tools = strategy.ToolRules{"builtin.web": {"*": true}}
	out, err := e.Execute(t.Context(), s, strategy.ExecutionContext{Input: "in \xff", Values: map[string]any{"extra.x": map[string]any{"y": 7}}})
	require.NoError(t, err)
	for i := range out.Steps {
		out.Steps[i].Duration = 0
	}
	var b bytes.Buffer
	require.NoError(t, out.Write(&b))
	const golden = "testdata/execution.json"
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o700))
		require.NoError(t, os.WriteFile(golden, b.Bytes(), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
	read, err := strategy.ReadExecution(bytes.NewReader(want))
	require.NoError(t, err)
	again, err := strategy.Replay(read)
	require.NoError(t, err)
	require.Equal(t, out.Prompt, again.Prompt)
	require.Equal(t, "later k: v <&> 7  in \xff", string(again.Prompt))
}

func TestTenMegabyteBody(t *testing.T) {
	part := "A line with {preprocess.a} and {\"json\": 1} and {{not}} one {gone}.\n"
	body := strings.Repeat(part, 10<<20/len(part))
	fsys := fstest.MapFS{"big.strategy.md": file("---\nname: Big\n---\n" + body)}
	s, problems := strategy.Loader{Provider: "user"}.Load(t.Context(), fsys, "big.strategy.md")
	require.Empty(t, problems)
	require.Equal(t, body, s.Body)
	s.Preprocessors = []string{"p"}
	out, err := engine(t, writes("p", map[string]any{"preprocess.a": "value"})).Execute(t.Context(), s, strategy.ExecutionContext{Input: "x"})
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("A line with value and {\"json\": 1} and {{not}} one .\n", 10<<20/len(part))+"\n<UserRequestStart>\nx", string(out.Prompt))
	require.Equal(t, []string{"gone"}, out.Missing)
}

func TestTooLargeFile(t *testing.T) {
	fsys := fstest.MapFS{"big.strategy.md": {Data: make([]byte, source.MaxFile+1)}}
	_, problems := strategy.Loader{}.Load(t.Context(), fsys, "big.strategy.md")
	require.Equal(t, "strategy.unreadable_file", problems[0].Code)
}

// Whatever a file holds, loading ends in a strategy or in diagnostics with
// their places, and a strategy that loads can be matched and run.
func FuzzLoad(f *testing.F) {
	f.Add(full, "x")
	f.Add(base, "{a}")
	f.Add("---\nfrom: b.md\nname: N\n---\n", "body")
	f.Add("---\nfrom: {source: b.md, kind: skill}\n---\n", "---\nname: S\n---\nx")
	f.Add("---\nname: N\nwhen: {visual.exists: {query: '//A'}}\noptions: {regexTimeout: 1s}\n---\n{Argument}", "")
	f.Fuzz(func(t *testing.T, text, other string) {
		fsys := fstest.MapFS{"a.strategy.md": file(text), "b.md": file(other)}
		s, problems := strategy.Loader{Provider: "user"}.Load(t.Context(), fsys, "a.strategy.md")
		for _, d := range problems {
			require.NotEmpty(t, d.File)
			require.Positive(t, d.Line)
			require.Positive(t, d.Column)
			require.NotEmpty(t, d.Message)
		}
		if s == nil {
			require.NotEmpty(t, problems)
			return
		}
		require.NotEmpty(t, s.ID)
		require.NotEmpty(t, s.Name)
		strategy.Permissions(s, nil)
		_, err := (&strategy.Matcher{}).Match(t.Context(), []*strategy.Strategy{s}, map[string]any{"attachments.selection.text": other})
		require.NoError(t, err)
		s.Preprocessors = nil
		out, err := (&strategy.Engine{}).Execute(t.Context(), s, strategy.ExecutionContext{Input: other})
		require.NoError(t, err)
		_, err = strategy.Replay(out)
		require.NoError(t, err)
	})
}
