package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver is a collector of spans.
type receiver struct {
	mu    sync.Mutex
	raw   strings.Builder
	spans []*tracepb.Span
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	data, err := io.ReadAll(req.Body)
	var batch collector.ExportTraceServiceRequest
	if err != nil || req.URL.Path != "/v1/traces" || proto.Unmarshal(data, &batch) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.raw.Write(data)
	for _, of := range batch.GetResourceSpans() {
		for _, scope := range of.GetScopeSpans() {
			r.spans = append(r.spans, scope.GetSpans()...)
		}
	}
}

// TestTraces: a request, its stages and the call to the upstream are spans of
// the client's trace; the upstream is told of it; nothing of what was said is.
func TestTraces(t *testing.T) {
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	spans := &receiver{}
	collects := httptest.NewServer(spans)
	defer collects.Close()
	var told []string
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			told = append(told, r.Header.Get("Traceparent"))
			_, _ = io.WriteString(w, `{"id": "x", "object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hidden answer"}}]}`)
			return
		}
		_, _ = io.WriteString(w, `{"object": "list", "data": [{"id": "gpt-4o", "object": "model"}]}`)
	}))
	defer upstream.Close()
	upstream.Config.SetKeepAlivesEnabled(false)
	collects.Config.SetKeepAlivesEnabled(false)
	address, stop := servedIn(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collects.URL, "INLAY_UPSTREAM_KEY_CLOUD": "hidden-key"}, "--upstream", "cloud=openai:"+upstream.URL+"/v1")
	for path, body := range map[string]string{
		"/v1/preprocess":       `{"messages": [{"role": "user", "text": "hidden question about ships"}], "context_length": 4096, "mode": "retrieval", "files": [{"name": "hidden.txt", "data": "aGlkZGVuIHNoaXBz"}]}`,
		"/v1/chat/completions": `{"model": "gpt-4o", "messages": [{"role": "user", "content": "hidden"}]}`,
		"/v1/strategies/match": `{"hidden": 1}`,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
		req.Header.Set("Authorization", "Bearer hidden-token")
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.Equal(t, strings.Contains(path, "match"), resp.StatusCode == http.StatusBadRequest)
		require.NoError(t, resp.Body.Close())
	}
	stop()

	spans.mu.Lock()
	defer spans.mu.Unlock()
	byID, names := map[string]*tracepb.Span{}, map[[2]string]bool{} // name and its parent's
	for _, s := range spans.spans {
		byID[string(s.GetSpanId())] = s
		require.Equal(t, trace, hex.EncodeToString(s.GetTraceId()), s.GetName())
	}
	for _, s := range spans.spans {
		names[[2]string{s.GetName(), byID[string(s.GetParentSpanId())].GetName()}] = true
	}
	for name, parent := range map[string]string{
		"POST /v1/preprocess": "", "parse": "POST /v1/preprocess", "count": "POST /v1/preprocess", "decide": "POST /v1/preprocess",
		"render": "POST /v1/preprocess", "search": "render", "POST /v1/chat/completions": "", "upstream cloud": "POST /v1/chat/completions", "POST /v1/strategies/match": "",
	} {
		require.True(t, names[[2]string{name, parent}], "%s is missing in %v", name, names)
	}
	require.Len(t, told, 1)
	require.Contains(t, told[0], trace)
	require.NotContains(t, spans.raw.String(), "hidden")
	require.Contains(t, spans.raw.String(), "usage", "the code of the failure")
}
