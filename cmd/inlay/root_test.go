package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay"
	"inlay/injection"
)

// TestGoDoor: package inlay comes to what the command comes to, on the first turn
// and on those after it (TRN-1).
func TestGoDoor(t *testing.T) {
	const handbook = "../../testdata/handbook.md"
	for name, tt := range map[string]struct {
		flags   []string
		options inlay.Options
	}{
		"assumed window": {nil, inlay.Options{}},
		"retrieved":      {[]string{"--context-length", "1200", "--chunk", "100/0", "--limit", "2"}, inlay.Options{ContextLength: 1200, Chunk: "100/0", Injection: injection.Options{Limit: 2}}},
		"whole":          {[]string{"--context-length", "8192", "--model", "gpt-4o"}, inlay.Options{ContextLength: 8192, Model: "gpt-4o"}},
		"intent":         {[]string{"--intent", "builtin", "--mode", "retrieval"}, inlay.Options{Intent: "builtin", Injection: injection.Options{Mode: injection.ModeRetrieval}}},
	} {
		t.Run(name, func(t *testing.T) {
			history := filepath.Join(t.TempDir(), "past.json")
			in, err := inlay.Open(t.Context(), tt.options)
			require.NoError(t, err)
			chat := in.Chat()
			csv := "Which is the tallest?\n\n```csv\nname,height\n" + strings.Repeat("lamp,12\n", 60) + "```\n"
			for i, question := range []string{"How long is the notice period?", csv, "And in the trial period?"} {
				q, args := inlay.Question{Text: question}, append([]string{"ask", "-q", "--output", "json", "--history", history}, tt.flags...)
				if i == 0 {
					q.Paths, args = []string{handbook}, append(args, "-f", handbook)
				}
				var out, errs bytes.Buffer
				require.NoError(t, run(t.Context(), append(args, question), func(string) string { return "" }, strings.NewReader(""), &out, &errs), errs.String())
				answer, err := chat.Answer(t.Context(), q)
				require.NoError(t, err)
				data, err := json.Marshal(answer.Result)
				require.NoError(t, err)
				require.Equal(t, shownOf(t, out.Bytes()), shownOf(t, data))
			}
			require.NoError(t, in.Close())
		})
	}
}

// shownOf is what a user sees of a result: without where files are, which a history
// has as absolute paths.
func shownOf(t *testing.T, data []byte) map[string]any {
	t.Helper()
	all, out := map[string]any{}, map[string]any{}
	require.NoError(t, json.Unmarshal(data, &all))
	for _, name := range []string{"strategy", "reason_code", "reason", "decision", "prompt", "context", "used", "query", "threshold", "limit", "citations", "warnings", "failures"} {
		out[name] = all[name]
	}
	message, _ := all["message"].(map[string]any)
	out["text"], out["injected"] = message["text"], message["injected"]
	return out
}
