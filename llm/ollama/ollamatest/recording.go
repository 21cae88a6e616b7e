package ollamatest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// exchange is one request and what the server answered. Bodies are the lines
// of JSON that were sent, with what differs from run to run set to fixed values.
type exchange struct {
	Method   string            `json:"method"`
	Path     string            `json:"path"`
	Request  json.RawMessage   `json:"request,omitempty"`
	Status   int               `json:"status"`
	Type     string            `json:"type"`
	Response []json.RawMessage `json:"response,omitempty"`
}

func (x exchange) key() string { return x.Method + " " + x.Path + " " + string(x.Request) }

// Server returns the base URL of a server that answers as a real Ollama server
// with the tiny models does. Without a real server it replays the recording.
// With one it passes requests on and fails the test when an answer is not the
// recorded one; under INLAY_RECORD=1 it writes the recording instead.
func Server(tb testing.TB, recording string) string {
	tb.Helper()
	base := os.Getenv(URLVariable)
	if base == "" {
		return serve(tb, &replay{tb: tb, exchanges: load(tb, recording), next: map[string]int{}})
	}
	require.NoError(tb, Import(tb.Context(), base))
	p := &passOn{tb: tb, real: base}
	if os.Getenv(RecordVariable) != "" {
		tb.Cleanup(func() { save(tb, recording, p.made) })
	} else {
		tb.Cleanup(func() { compare(tb, load(tb, recording), p.made) })
	}
	return serve(tb, p)
}

func serve(tb testing.TB, h http.Handler) string {
	tb.Helper()
	s := httptest.NewServer(h)
	tb.Cleanup(s.Close)
	return s.URL
}

func load(tb testing.TB, path string) []exchange {
	tb.Helper()
	data, err := os.ReadFile(path) //nolint:gosec // a test names its own file
	require.NoError(tb, err, "record it: INLAY_RECORD=1 make integration")
	var out []exchange
	require.NoError(tb, json.Unmarshal(data, &out))
	for i := range out {
		out[i].Request = canonical(out[i].Request)
		for k, line := range out[i].Response {
			out[i].Response[k] = canonical(line)
		}
	}
	return out
}

func save(tb testing.TB, path string, made []exchange) {
	tb.Helper()
	if tb.Failed() {
		return
	}
	data, err := json.MarshalIndent(made, "", " ")
	require.NoError(tb, err)
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(tb, os.WriteFile(path, append(data, '\n'), 0o600))
}

// replay answers each request with the next recorded answer to the same one;
// the last is given again and again.
type replay struct {
	tb        testing.TB
	mu        sync.Mutex
	exchanges []exchange
	next      map[string]int
}

// ServeHTTP implements http.Handler.
func (s *replay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	asked := exchange{Method: r.Method, Path: r.URL.Path, Request: canonical(body)}
	x, ok := s.find(asked.key())
	if !ok {
		s.tb.Errorf("%s %s is not in the recording; record it: INLAY_RECORD=1 make integration", r.Method, r.URL.Path)
		http.Error(w, `{"error":"not recorded"}`, http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", x.Type)
	w.WriteHeader(x.Status)
	for _, line := range x.Response {
		_, _ = w.Write(append(bytes.Clone(line), '\n'))
		_ = http.NewResponseController(w).Flush()
	}
}

func (s *replay) find(key string) (exchange, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []exchange
	for _, x := range s.exchanges {
		if x.key() == key {
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		return exchange{}, false
	}
	i := min(s.next[key], len(all)-1)
	s.next[key]++
	return all[i], true
}

// passOn asks the real server and keeps what was said.
type passOn struct {
	tb   testing.TB
	real string
	mu   sync.Mutex
	made []exchange
	last string // the model that the test named last
}

// ServeHTTP implements http.Handler.
func (p *passOn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	req, err := http.NewRequestWithContext(r.Context(), r.Method, p.real+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		p.tb.Error(err)
		return
	}
	req.Header = r.Header.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return // the test left, or the server is gone: the client sees it too
	}
	answer, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return
	}
	x := exchange{Method: r.Method, Path: r.URL.Path, Request: canonical(body), Status: resp.StatusCode, Type: resp.Header.Get("Content-Type")}
	p.keep(x, answer)
	w.Header().Set("Content-Type", x.Type)
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(answer)
}

// keep adds an exchange to the recording. Lists of models keep Nomic and the one
// that the test named last: what else the server holds depends on other tests.
func (p *passOn) keep(x exchange, answer []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var asked struct{ Model string }
	_ = json.Unmarshal(x.Request, &asked)
	if asked.Model != "" && x.Status == http.StatusOK {
		p.last = asked.Model + ":latest"
	}
	var list struct {
		Models []map[string]any `json:"models"`
	}
	if x.Method == http.MethodGet && json.Unmarshal(answer, &list) == nil {
		list.Models = slices.DeleteFunc(list.Models, func(m map[string]any) bool {
			name, _ := m["model"].(string)
			return name != p.last && name != Nomic+":latest"
		})
		answer, _ = json.Marshal(list)
	}
	for line := range bytes.Lines(answer) {
		if line = canonical(line); len(line) > 0 {
			x.Response = append(x.Response, line)
		}
	}
	p.made = append(p.made, x)
}

// compare fails the test where the real server answered differently. Exchanges
// are compared by request, since some tests ask in parallel.
func compare(tb testing.TB, recorded, made []exchange) {
	tb.Helper()
	byKey := map[string][]exchange{}
	for _, x := range recorded {
		byKey[x.key()] = append(byKey[x.key()], x)
	}
	for _, x := range made {
		list := byKey[x.key()]
		if len(list) == 0 {
			tb.Errorf("%s %s: this request is not in the recording; record it: INLAY_RECORD=1 make integration", x.Method, x.Path)
			continue
		}
		if len(list) > 1 {
			byKey[x.key()] = list[1:]
		}
		if why := differs(list[0], x); why != "" {
			tb.Errorf("%s %s: the real server answers otherwise than recorded: %s", x.Method, x.Path, why)
		}
	}
}

func differs(a, b exchange) string {
	if a.Status != b.Status || a.Type != b.Type || len(a.Response) != len(b.Response) {
		return fmt.Sprintf("status %d %s, %d lines; recorded %d %s, %d lines", b.Status, b.Type, len(b.Response), a.Status, a.Type, len(a.Response))
	}
	for i := range a.Response {
		var x, y any
		_ = json.Unmarshal(a.Response[i], &x)
		_ = json.Unmarshal(b.Response[i], &y)
		x, y = settle(x, "$"), settle(y, "$")
		if a.Path == "/api/ps" {
			x, y = common(x, y), common(y, x)
		}
		if at := difference("", x, y); at != "" {
			return fmt.Sprintf("line %d at %s", i+1, at)
		}
	}
	return ""
}

// difference finds where two JSON values differ; numbers may differ in the last
// digits, as processors differ in arithmetic.
func difference(at string, a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		return differentFields(at, x, b)
	case []any:
		return differentItems(at, x, b)
	case float64:
		if y, ok := b.(float64); ok && math.Abs(x-y) <= 1e-3*math.Max(1, math.Abs(x)) {
			return ""
		}
	default:
		if reflect.DeepEqual(a, b) {
			return ""
		}
	}
	return at
}

func differentFields(at string, x map[string]any, b any) string {
	y, ok := b.(map[string]any)
	if !ok || len(x) != len(y) {
		return at + "{}"
	}
	for k := range x {
		if d := difference(at+"."+k, x[k], y[k]); d != "" {
			return d
		}
	}
	return ""
}

func differentItems(at string, x []any, b any) string {
	y, ok := b.([]any)
	if !ok || len(x) != len(y) {
		return at + "[]"
	}
	for i := range x {
		if d := difference(fmt.Sprintf("%s[%d]", at, i), x[i], y[i]); d != "" {
			return d
		}
	}
	return ""
}

// canonical spells JSON one way, with what differs from run to run set to
// fixed values. What is not JSON becomes a JSON string.
func canonical(data []byte) json.RawMessage {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		out, _ := json.Marshal(string(data))
		return out
	}
	out, _ := json.Marshal(settle(v, "$"))
	return out
}

func settle(v any, key string) any {
	switch {
	case strings.HasSuffix(key, "_at"):
		return "2026-01-01T00:00:00Z"
	case strings.HasSuffix(key, "_duration"), key == "size", key == "size_vram":
		return 1
	case key == "modelfile", key == "parent_model", key == "digest":
		return ""
	}
	switch x := v.(type) {
	case map[string]any:
		for k := range x {
			x[k] = settle(x[k], k)
		}
	case []any:
		for i := range x {
			x[i] = settle(x[i], "")
		}
		if key == "models" { // by their time, which differs
			slices.SortFunc(x, func(a, b any) int { return strings.Compare(nameOf(a), nameOf(b)) })
		}
	}
	return v
}

// common is a list of running models without those that another list lacks: what
// runs at a moment depends on which of two requests came first.
func common(list, other any) any {
	names := map[string]bool{}
	for _, m := range modelsOf(other) {
		names[nameOf(m)] = true
	}
	return slices.DeleteFunc(slices.Clone(modelsOf(list)), func(m any) bool { return !names[nameOf(m)] })
}

func modelsOf(v any) []any {
	fields, _ := v.(map[string]any)
	models, _ := fields["models"].([]any)
	return models
}

// nameOf is the name of a model in a list, empty for anything else.
func nameOf(v any) string {
	fields, _ := v.(map[string]any)
	name, _ := fields["model"].(string)
	return name
}
