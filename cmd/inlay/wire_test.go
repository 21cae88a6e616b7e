package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/injection"
	"inlay/llm"
)

// TestAssumedWindow: where nothing says how long the window is, 4096 is assumed
// and said, with and without a model.
func TestAssumedWindow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("The notice period is four weeks."), 0o600))
	for name, args := range map[string][]string{
		"no model":         nil,
		"unknown":          {"--model", "openai:mystery"},
		"local":            {"--model", "vllm:some"},
		"a generic server": {"--model", "openai:mystery", "--base-url", scriptedModel(t)},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			ask := append([]string{"ask", "--output", "json", "-q", "-f", file, "How long is it?"}, args...)
			require.NoError(t, run(t.Context(), ask, func(string) string { return "" }, strings.NewReader(""), &out, &errs), errs.String())
			var r struct {
				Decision struct {
					Window struct{ Length struct{ N int } }
				}
				Warnings []injection.Warning
			}
			require.NoError(t, json.Unmarshal(out.Bytes(), &r))
			require.Equal(t, 4096, r.Decision.Window.Length.N)
			require.Equal(t, "window_assumed", r.Warnings[0].Code)
			require.Contains(t, r.Warnings[0].Message, "4096 tokens are assumed")
		})
	}
}

// TestServeFallback: --context-length of serve is the window of models whose own
// is unknown; without it 4096 is assumed.
func TestServeFallback(t *testing.T) {
	a := &app{getenv: func(string) string { return "" }}
	for _, tt := range []struct {
		given, want int
		by          string
	}{{given: 0, want: 4096, by: llm.Assumed}, {given: 20_000, want: 20_000, by: "configuration"}} {
		c := &serveCmd{}
		c.ContextLength = tt.given
		c.Upstream = []string{"here=openai:" + scriptedModel(t)}
		upstreams, err := c.upstreams(a, nil, slog.New(slog.DiscardHandler), func(string) {})
		require.NoError(t, err)
		m, err := upstreams[0].Open("mystery", 0)
		require.NoError(t, err)
		length, err := m.Length(t.Context())
		require.NoError(t, err)
		require.Equal(t, tt.want, length.N)
		require.Equal(t, tt.by, length.By)

		for _, model := range []string{"", "vllm:some"} {
			known, err := c.measure(a.getenv)(model, 0)
			require.NoError(t, err)
			length, err = known.Length(t.Context())
			require.NoError(t, err)
			require.Equal(t, tt.want, length.N)
		}
		known, err := c.measure(a.getenv)("openai:gpt-4o", 0)
		require.NoError(t, err)
		length, err = known.Length(t.Context())
		require.NoError(t, err)
		require.Equal(t, 128_000, length.N, "what is known is not overruled")
	}
}
