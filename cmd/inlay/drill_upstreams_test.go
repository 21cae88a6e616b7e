package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// oddServer is a server of models whose behaviour is changed while it runs.
type oddServer struct {
	*httptest.Server
	mu      sync.Mutex
	models  string
	list    http.HandlerFunc // nil: lists models
	answer  http.HandlerFunc
	answers atomic.Int64
}

func newOddServer(t *testing.T, models ...string) *oddServer {
	t.Helper()
	var list []string
	for _, m := range models {
		list = append(list, fmt.Sprintf(`{"id": %q, "object": "model"}`, m))
	}
	o := &oddServer{models: `{"object": "list", "data": [` + strings.Join(list, ",") + `]}`}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		list, answer := o.list, o.answer
		o.mu.Unlock()
		switch {
		case r.URL.Path == "/v1/chat/completions":
			o.answers.Add(1)
			answer(w, r)
		case r.URL.Path == "/v1/models" && list != nil:
			list(w, r)
		case r.URL.Path == "/v1/models":
			_, _ = io.WriteString(w, o.models)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(func() { o.CloseClientConnections(); o.Close() })
	return o
}

func (o *oddServer) set(list, answer http.HandlerFunc) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list, o.answer = list, answer
}

// silence accepts and never answers.
func silence(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// stream answers with these bytes.
func stream(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text)
	}
}

// refusing answers with a status.
func refusing(status int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"error": {"message": "secret words of the server"}}`)
	}
}

const (
	oneChunk = `data: {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "word"}}]}` + "\n\n"
	lastOnes = `data: {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}` + "\n\ndata: [DONE]\n\n"
)

// chat asks a model.
func (d *drill) chat(model string) said {
	d.t.Helper()
	got, err := d.json(http.MethodPost, "/v1/chat/completions", "", map[string]any{
		"model": model, "stream": true, "messages": []any{map[string]any{"role": "user", "content": "talk"}}, "inlay": map[string]any{"context_length": 4096},
	})
	require.NoError(d.t, err)
	return got
}

// states are what /readyz says.
func (d *drill) states() (status int, states map[string]string) {
	d.t.Helper()
	got, err := d.json(http.MethodGet, "/readyz", "", nil)
	require.NoError(d.t, err)
	var v struct {
		Upstreams []struct{ Name, State string }
	}
	require.NoError(d.t, json.Unmarshal(got.body, &v), string(got.body))
	states = map[string]string{}
	for _, u := range v.Upstreams {
		states[u.Name] = u.State
	}
	return got.status, states
}

// TestDrillUpstreams: servers of models that hang, refuse, talk nonsense and come
// back. One of them holds up no other, and each answer says whose failure it is.
func TestDrillUpstreams(t *testing.T) {
	rows := newTable(t, "the server of models", "the client sees", "asked")
	good, odd := newOddServer(t, "fine"), newOddServer(t, "odd")
	good.set(nil, stream(oneChunk+lastOnes))
	odd.set(silence, silence)
	d := newDrill(t, "--upstream", "odd=openai:"+odd.URL+"/v1", "--upstream", "good=openai:"+good.URL+"/v1")
	d.start()
	require.Contains(t, string(d.must(d.json(http.MethodGet, "/v1/models", "", nil)).body), `"fine"`)
	require.Equal(t, http.StatusOK, d.chat("fine").status, "a bare name is found at the others")
	require.Equal(t, http.StatusOK, d.chat("good/fine").status)
	status, states := d.states()
	require.Equal(t, http.StatusOK, status, "ready while one works")
	require.Equal(t, "up", states["good"])
	require.Contains(t, []string{"failing", "down"}, states["odd"])
	rows.row("accepts and never answers", "the others' models, 200", "-")

	require.Eventually(t, func() bool { _, s := d.states(); return s["odd"] == "down" }, waitFor, 500*time.Millisecond)
	got := d.chat("odd/odd")
	require.Equal(t, http.StatusBadGateway, got.status, string(got.body))
	require.NotEmpty(t, got.header.Get("Retry-After"))
	require.Contains(t, string(got.body), `"upstream":"odd"`)
	require.Zero(t, odd.answers.Load(), "the circuit is open")
	rows.row("  and was asked three times", got.status, "no more")

	odd.set(nil, stream(oneChunk+lastOnes))
	require.Eventually(t, func() bool { return d.chat("odd/odd").status == http.StatusOK }, waitFor, 500*time.Millisecond)
	_, states = d.states()
	require.Equal(t, "up", states["odd"])
	rows.row("  and works again", http.StatusOK, "yes")

	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		status int
		asked  int64
		after  string
	}{
		{"429, Retry-After 7", refusing(429, "Retry-After", "7"), 429, 1, "7"},
		{"429, Retry-After 1, for ever", refusing(429, "Retry-After", "1"), 429, 3, "1"},
		{"400", refusing(400), 400, 1, ""},
		{"404", refusing(404), 404, 1, ""},
		{"413", refusing(413), 413, 1, ""},
		{"422", refusing(422), 422, 1, ""},
		{"401", refusing(401), 502, 1, ""},
		{"500", refusing(500), 502, 1, ""},
	} {
		odd.set(nil, c.answer)
		before := odd.answers.Load()
		got := d.chat("odd/odd")
		asked := odd.answers.Load() - before
		require.Equal(t, c.status, got.status, "%s: %s", c.name, got.body)
		require.Equal(t, c.asked, asked, c.name)
		require.Equal(t, c.after, got.header.Get("Retry-After"), c.name)
		require.NotContains(t, string(got.body), "secret words")
		rows.row(c.name, fmt.Sprint(got.status, " ", c.after), asked)
	}
	for name, text := range map[string]string{
		"garbage":                     "<html>hello</html>\n",
		"garbage after a word":        oneChunk + "data: <html>\n\n",
		"cut off after a word":        oneChunk,
		"an error after a word":       oneChunk + `data: {"error": {"message": "secret words of the server"}}` + "\n\n",
		"[DONE] without a reason":     oneChunk + "data: [DONE]\n\n",
		"another API's JSON in words": oneChunk + `data: {"choices": 7}` + "\n\n",
	} {
		odd.set(nil, stream(text))
		got := d.chat("odd/odd")
		var e struct {
			Error struct{ Message, Upstream string }
		}
		last := got.body
		if got.status == http.StatusOK {
			events := bytes.Split(bytes.TrimSpace(got.body), []byte("\n\n"))
			last = bytes.TrimPrefix(events[len(events)-1], []byte("data: "))
		}
		require.NoError(t, json.Unmarshal(last, &e), "%s: %s", name, got.body)
		require.Equal(t, "odd", e.Error.Upstream, "%s: %s", name, last)
		require.NotContains(t, string(got.body), "repeats itself")
		require.NotContains(t, string(got.body), "secret words")
		require.NotContains(t, string(got.body), "\ndata: [DONE]")
		rows.row(name, e.Error.Message, "-")
	}
	metrics := string(d.must(d.json(http.MethodGet, "/metrics", "", nil)).body)
	require.Contains(t, metrics, `inlay_upstream_retries_total{upstream="odd"} 2`)

	for _, o := range []*oddServer{good, odd} {
		o.set(refusing(500), refusing(500))
	}
	d.kill()
	d.cmd = nil
	require.NoError(t, d.begin())
	require.Eventually(t, func() bool { status, _ := d.states(); return status == http.StatusServiceUnavailable }, waitFor, 100*time.Millisecond, "none works")
	_, states = d.states()
	rows.row("500 from all", fmt.Sprint("/readyz 503 ", states), "-")
}
