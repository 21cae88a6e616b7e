package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAgentLibrary: what is asked of an agent goes to the libraries that are named.
func TestAgentLibrary(t *testing.T) {
	var sent []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = append(sent, string(body))
		_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Krill [1].\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	data := t.TempDir()
	agentLibrary(t, data, "")
	ask := func(args ...string) (string, error) {
		var out, failed bytes.Buffer
		args = append([]string{
			"agent", "--model", "openai:m", "--base-url", s.URL + "/v1", "--context-length", "8192", "--workspace", t.TempDir(), "--embedder", "builtin",
			"--no-tools", "--data", data,
		}, args...)
		err := run(t.Context(), args, func(string) string { return "" }, strings.NewReader(""), &out, &failed)
		return out.String() + failed.String(), err
	}
	said, err := ask("--library", "notes", "What do whales eat?")
	require.NoError(t, err, said)
	require.Contains(t, said, "Krill [1].")
	require.Contains(t, sent[len(sent)-1], "It eats krill.")
	said, err = ask("--library", "notes", "--library-type", "txt", "What do whales eat?")
	require.NoError(t, err, said)
	require.NotContains(t, sent[len(sent)-1], "It eats krill.")
	said, err = ask("--library", "none", "What do whales eat?")
	require.ErrorContains(t, err, "library none: does not exist", said)
}
