package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/wire"
	"inlay/llm"
	"inlay/llm/ollama/ollamatest"
	"inlay/turn"
)

// gate is before a real server: it passes requests on and knows when the
// last chat request came and when its answer began.
type gate struct {
	url string

	mu    sync.Mutex
	chats int
	asked []byte // body of the last chat request
	came  time.Time
	began time.Time
}

func newGate(tb testing.TB) *gate {
	tb.Helper()
	server, err := url.Parse(ollamatest.Real(tb))
	require.NoError(tb, err)
	g := &gate{}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(server) }}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/chat" && r.URL.Path != "/v1/chat/completions" {
			proxy.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		g.pass(body)
		proxy.ServeHTTP(&firstByte{ResponseWriter: w, gate: g}, r)
	}))
	tb.Cleanup(s.Close)
	g.url = s.URL
	return g
}

// pass notes that a chat request has come.
func (g *gate) pass(body []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.chats++
	g.asked = body
	g.came, g.began = time.Now(), time.Time{}
}

func (g *gate) last() (chats int, came, began time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.chats, g.came, g.began
}

// request is the body of the last chat request.
func (g *gate) request() []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked
}

type firstByte struct {
	http.ResponseWriter

	gate *gate
}

// Write implements io.Writer.
func (f *firstByte) Write(p []byte) (int, error) {
	f.gate.mu.Lock()
	if f.gate.began.IsZero() {
		f.gate.began = time.Now()
	}
	f.gate.mu.Unlock()
	return f.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController flush.
func (f *firstByte) Unwrap() http.ResponseWriter { return f.ResponseWriter }

// TestPromptThatFillsTheWindow lays ever longer files into prompts for a real
// server: one that takes the window to its last token is accepted with
// truncate:false and counted there as here; with one token more inlay refuses,
// and the server is not even asked.
func TestPromptThatFillsTheWindow(t *testing.T) {
	const window = 512
	g := newGate(t)
	m := wire.ModelSettings{Model: "ollama:" + ollamatest.Chat, BaseURL: g.url, ContextLength: window}
	model, err := wire.OpenAnswerer(m, os.Getenv)
	require.NoError(t, err)
	injector, err := wire.OpenInjector(t.Context(), wire.Search{Embedder: "builtin"}, m, os.Getenv)
	require.NoError(t, err)
	lay := func(words int) (injection.Result, error) {
		text := "Rules." + strings.Repeat(" the", words)
		return injector.Inject(t.Context(), injection.Request{
			Text: "How many days?", Model: model, Options: injection.Options{Mode: injection.ModeFull},
			Files: []injection.File{{Name: "rules.txt", Data: []byte(text)}},
		})
	}
	count := func(res injection.Result) int {
		n, err := model.CountMessages(t.Context(), []chat.Message{res.Message})
		require.NoError(t, err)
		return n.N
	}
	res, err := lay(1)
	require.NoError(t, err)
	words := 1 + window - count(res)
	res, err = lay(words)
	require.NoError(t, err)
	require.Equal(t, window, count(res), "one word, one token")
	a, err := llm.Collect(t.Context(), model, llm.Request{Messages: []chat.Message{res.Message}, MaxTokens: 1})
	require.NoError(t, err, "accepted at 100 %%")
	require.Equal(t, window, a.Usage.Prompt)

	before, _, _ := g.last()
	// The marks around a file come from its text, so a word more may make them
	// a few tokens shorter.
	for range 16 {
		words++
		if res, err = lay(words); err != nil {
			break
		}
		require.LessOrEqual(t, count(res), window)
	}
	require.True(t, fault.Is(err, fault.DoesNotFit), "%v", err)
	require.ErrorContains(t, err, "tokens more than the window of 512")
	after, _, _ := g.last()
	require.Equal(t, before, after, "refused by us: the server was not asked")
}

// BenchmarkChatOverhead prints what a chat adds before the model's first byte,
// on a document that is in the store: in a chat under way, and of a whole
// process that answers one question. The model's own time to its first byte,
// in the same run, is beside.
func BenchmarkChatOverhead(b *testing.B) {
	g := newGate(b)
	document, err := os.ReadFile("../../testdata/handbook.md")
	require.NoError(b, err)
	m := wire.ModelSettings{Model: "ollama:" + ollamatest.Chat, BaseURL: g.url, ContextLength: 1024}
	report := func(b *testing.B, turn func() time.Time) {
		b.Helper()
		turn() // fills the store and loads the model
		var ours, theirs time.Duration
		n := 0
		for b.Loop() {
			start := turn()
			_, came, began := g.last()
			ours += came.Sub(start)
			theirs += began.Sub(came)
			n++
		}
		b.ReportMetric(ours.Seconds()*1000/float64(n), "ms-overhead")
		b.ReportMetric(theirs.Seconds()*1000/float64(n), "ms-model's-first-byte")
	}
	b.Run("turn", func(b *testing.B) {
		injector, err := wire.OpenInjector(b.Context(), wire.Search{Embedder: "builtin"}, m, os.Getenv)
		require.NoError(b, err)
		model, err := wire.OpenAnswerer(m, os.Getenv)
		require.NoError(b, err)
		var out strings.Builder
		report(b, func() time.Time {
			t := &talk{app: &app{getenv: os.Getenv, stdout: &out, stderr: &out}, engine: &turn.Engine{Injector: injector}, model: model, past: &history{}, quiet: true}
			t.files = []injection.File{{Name: "handbook.md", Data: document}}
			start := time.Now()
			require.NoError(b, t.turn(b.Context(), "How long is the notice period?"))
			return start
		})
	})
	b.Run("process", func(b *testing.B) {
		store := b.TempDir()
		path := b.TempDir() + "/handbook.md"
		require.NoError(b, os.WriteFile(path, document, 0o600))
		report(b, func() time.Time {
			cmd := command(b, "chat", "-q", "--store", store, "--model", m.Model, "--base-url", m.BaseURL, "--context-length", "1024", "-f", path, "How long is the notice period?")
			start := time.Now()
			out, err := cmd.CombinedOutput()
			require.NoError(b, err, "%s", out)
			return start
		})
	})
}
