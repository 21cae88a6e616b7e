package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"go.uber.org/goleak"

	"inlay/internal/locked"

	"inlay/cache"
	"inlay/eval"
	"inlay/injection"
	"inlay/internal/httpapi"
	"inlay/internal/keys"
	"inlay/internal/service"
	"inlay/internal/state"
	"inlay/internal/stores"
	"inlay/internal/upstream"
	"inlay/library"
	"inlay/library/disk"
	"inlay/llm"
	"inlay/parse"
	"inlay/parse/markup"
	"inlay/parse/pdf"
	"inlay/parse/plain"
	"inlay/processor"
	"inlay/retrieve"
	"inlay/route"
	"inlay/strategy"
	"inlay/strategy/builtin"
	"inlay/tokens"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// encoding is loaded once for all servers.
var encoding = sync.OnceValues(func() (tokens.Counter, error) { return (&tokens.Library{}).Encoding("o200k_base") })

// server is the whole service behind a real listener.
type server struct {
	*httptest.Server
	t     testing.TB
	dir   string
	api   *httpapi.API
	store store
	logs  *locked.Buffer
	stop  func()
}

// setup shapes a server.
type setup struct {
	dir       string // empty: a new one
	keys      bool   // callers need keys
	quota     state.Quota
	limits    httpapi.Limits
	upstreams upstream.Servers
	origins   []string
	hosts     []string
	chains    func(string, llm.Generator) (*processor.Chains, error)
	router    *route.Router
	mode      route.Mode
	mcpWrite  bool
	maxText   int             // most that an evaluation may search
	hold      <-chan struct{} // evaluations read their files when it is closed
}

func start(tb testing.TB, o setup) *server {
	tb.Helper()
	if o.dir == "" {
		o.dir = tb.TempDir()
	}
	store := openStores(tb, o.dir)
	kept, err := cache.OpenDir(filepath.Join(o.dir, "cache"), cache.Options{})
	require.NoError(tb, err)
	registry, err := parse.NewRegistry(slices.Concat(plain.All(parse.Limits{}), markup.All(parse.Limits{}), []parse.Parser{pdf.Parser{}})...)
	require.NoError(tb, err)
	retriever := retrieve.New(retrieve.Options{Cache: kept})
	logs := &locked.Buffer{}
	log := slog.New(slog.NewJSONHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	metrics, recent := httpapi.NewMetrics(), &parse.Recent{}
	libraries := disk.Open(filepath.Join(o.dir, "libraries"))
	libraries.Own = state.Local
	service, err := service.Open(tb.Context(), service.Config{
		Data: o.dir, State: store.forService(), Blobs: store.bytes, Cache: kept, Quota: o.quota, Upstreams: o.upstreams, Logger: log, Observe: metrics,
		Libraries: stores.Config{
			Index: libraries, Retriever: retriever, Usual: stores.Chunking{Size: retrieve.DefaultSize, Overlap: retrieve.DefaultOverlap},
			Chunked: func(size, overlap int) (library.Indexer, error) {
				return retrieve.New(retrieve.Options{Splitter: retrieve.Splitter{Size: size, Overlap: overlap}}), nil
			},
		},
		Chains: o.chains, Router: o.router, Mode: o.mode,
		Injector: func(owner string) *injection.Injector {
			return &injection.Injector{Libraries: libraries, Reader: parse.Cached{Registry: registry, Store: kept, Namespace: owner, Recent: recent}, Retriever: retriever, Logger: log}
		},
		Evaluator: func(owner string) eval.Options {
			return eval.Options{Reader: held{parse.Cached{Registry: registry, Store: kept, Namespace: owner}, o.hold}, Store: kept, Build: "test", Resamples: 50, MaxText: o.maxText}
		},
		Measure: func(model string, length int) (llm.Measurer, error) {
			counter, err := encoding()
			if err != nil {
				return nil, err
			}
			return llm.NewStatic(llm.StaticOptions{Model: model, Length: length, Counter: counter})
		},
		Strategies: func(ctx context.Context, r *strategy.Registry) (strategy.Set, error) {
			return builtin.Strategies(ctx, r)
		},
	})
	require.NoError(tb, err)
	api, err := httpapi.New(httpapi.Config{
		Service: service, Gate: &keys.Gate{Keys: store, Require: o.keys}, Limits: o.limits, Origins: o.origins, Hosts: o.hosts, Logger: log, Metrics: metrics, Version: "test", MCPWrite: o.mcpWrite,
	})
	require.NoError(tb, err)
	s := &server{Server: httptest.NewServer(api.Handler()), t: tb, dir: o.dir, api: api, store: store, logs: logs}
	s.stop = sync.OnceFunc(func() {
		s.Close()
		require.NoError(tb, service.Close())
		require.NoError(tb, store.close())
	})
	tb.Cleanup(s.stop)
	return s
}

// held is a reader that waits.
type held struct {
	parse.Cached
	until <-chan struct{}
}

func (h held) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if h.until != nil {
		select {
		case <-h.until:
		case <-ctx.Done():
			return parse.Document{}, ctx.Err()
		}
	}
	return h.Cached.Parse(ctx, f, report)
}

// key makes a key and returns its secret.
func (s *server) key(name string) string {
	s.t.Helper()
	_, secret, err := keys.Make(s.t.Context(), s.store, keys.Wish{Name: name})
	require.NoError(s.t, err)
	return secret
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) into(tb testing.TB, v any) {
	tb.Helper()
	require.NoError(tb, json.Unmarshal(a.body, v), string(a.body))
}

// do sends a request; body is bytes, a form, or something to write as JSON.
func (s *server) do(method, path, secret string, body any, headers ...string) answer {
	s.t.Helper()
	var r io.Reader
	var sent []byte
	kind := "application/json"
	switch b := body.(type) {
	case nil:
	case form:
		r, kind = b.body, b.kind
	case []byte:
		r = bytes.NewReader(b)
	default:
		data, err := json.Marshal(b)
		require.NoError(s.t, err)
		r, sent = bytes.NewReader(data), data
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, r)
	require.NoError(s.t, err)
	req.Header.Set("Content-Type", kind)
	if secret != "" {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.Client().Do(req)
	require.NoError(s.t, err)
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	got := answer{resp.StatusCode, resp.Header, data}
	spec.check(s, method, path, sent, got)
	return got
}

// form is a multipart body.
type form struct {
	body io.Reader
	kind string
}

// formOf builds a form; names that begin with @ are files: "@file:name.txt".
func formOf(tb testing.TB, fields ...string) form {
	tb.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i+1 < len(fields); i += 2 {
		field, isFile := strings.CutPrefix(fields[i], "@")
		if !isFile {
			require.NoError(tb, w.WriteField(field, fields[i+1]))
			continue
		}
		field, name, _ := strings.Cut(field, ":")
		part, err := w.CreateFormFile(field, name)
		require.NoError(tb, err)
		_, err = io.WriteString(part, fields[i+1])
		require.NoError(tb, err)
	}
	require.NoError(tb, w.Close())
	return form{&b, w.FormDataContentType()}
}

// upload sends a file and waits until it was read.
func (s *server) upload(secret, name, content string) string {
	s.t.Helper()
	var f struct{ ID string }
	got := s.do("POST", "/v1/files", secret, formOf(s.t, "purpose", "user_data", "@file:"+name, content))
	require.Equal(s.t, http.StatusOK, got.status, string(got.body))
	got.into(s.t, &f)
	require.Eventually(s.t, func() bool {
		var now struct{ Status string }
		s.do("GET", "/v1/files/"+f.ID, secret, nil).into(s.t, &now)
		return now.Status != "uploaded"
	}, waitFor, 5*time.Millisecond)
	return f.ID
}

func handbook(tb testing.TB) string {
	tb.Helper()
	data, err := os.ReadFile("../../testdata/handbook.md")
	require.NoError(tb, err)
	return string(data)
}
