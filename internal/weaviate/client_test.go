package weaviate_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/weaviate"
)

func none(string) string { return "" }

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"weaviate://a:8080":                 "",
		"weaviate://a:8080,b:8080,c:8080":   "",
		"weaviate://a:8080,b:8080?tls=true": "",
		"http://a:8080":                     "must begin with weaviate://",
		"weaviate://":                       "is not HOST:PORT",
		"weaviate://a:8080,,b:8080":         "is not HOST:PORT",
		"weaviate://user@a:8080":            "is not HOST:PORT",
		"weaviate://a:8080/path":            "is not HOST:PORT",
		"weaviate://a:8080?tls=maybe":       "other than tls=true",
		"weaviate://a:8080?token=x":         "other than tls=true",
	} {
		_, err := weaviate.Open(address, none)
		if want == "" {
			require.NoError(t, err, address)
			continue
		}
		require.True(t, fault.Is(err, fault.Usage), address)
		require.ErrorContains(t, err, want, address)
	}
}

// nodes are servers that answer as they are told to: real ones fail when they like.
type nodes struct {
	t    *testing.T
	mu   sync.Mutex
	seen []string // requests: method, path, consistency
	sent []int    // objects of each batch
	how  func(n int, r *http.Request, objects []string) (status int, answer any)
}

func (s *nodes) open(count int) *weaviate.Client {
	s.t.Helper()
	var hosts []string
	for n := range count {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.answer(n, w, r) }))
		s.t.Cleanup(server.Close)
		hosts = append(hosts, strings.TrimPrefix(server.URL, "http://"))
	}
	c, err := weaviate.Open("weaviate://"+strings.Join(hosts, ","), func(name string) string { return map[string]string{weaviate.KeyVariable: "secret"}[name] })
	require.NoError(s.t, err)
	s.t.Cleanup(func() { require.NoError(s.t, c.Close()) })
	return c
}

func (s *nodes) answer(n int, w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var body struct{ Objects []struct{ ID string } }
	_ = json.NewDecoder(r.Body).Decode(&body)
	var ids []string
	for _, o := range body.Objects {
		ids = append(ids, o.ID)
	}
	s.seen = append(s.seen, r.Method+" "+r.URL.Path+" "+r.URL.Query().Get("consistency_level"))
	if len(ids) > 0 {
		s.sent = append(s.sent, len(ids))
	}
	if r.Header.Get("Authorization") != "Bearer secret" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	status, answer := s.how(n, r, ids)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

// kept answers a batch, of which some objects failed.
func kept(ids []string, failed func(i int) bool) []any {
	var out []any
	for i, id := range ids {
		result := map[string]any{"status": "SUCCESS"}
		if failed(i) {
			result = map[string]any{"status": "FAILED", "errors": map[string]any{"error": []any{map[string]any{"message": "no"}}}}
		}
		out = append(out, map[string]any{"id": id, "result": result})
	}
	return out
}

func objects(n int) (list []weaviate.Object) {
	for i := range n {
		list = append(list, weaviate.Object{Library: 1, Doc: 2, Chunk: i, Terms: []string{"en:word"}})
	}
	return list
}

// TestPartialFailures: what a batch did not keep is sent again, and nothing else.
func TestPartialFailures(t *testing.T) {
	s := &nodes{t: t}
	s.how = func(_ int, _ *http.Request, ids []string) (int, any) {
		first := len(s.sent) == 1
		return http.StatusOK, kept(ids, func(i int) bool { return first && i%2 == 0 })
	}
	require.NoError(t, s.open(1).Put(t.Context(), "C", "t", objects(10)))
	require.Equal(t, []int{10, 5}, s.sent)

	s = &nodes{t: t, how: func(_ int, _ *http.Request, ids []string) (int, any) {
		return http.StatusOK, kept(ids, func(i int) bool { return i == 0 })
	}}
	err := s.open(1).Put(t.Context(), "C", "t", objects(2))
	require.True(t, fault.Is(err, fault.StoreUnreachable), "%v", err)
	require.NotContains(t, err.Error(), "word")
}

// TestReplicaAway: a write that all replicas cannot confirm is made with a quorum.
func TestReplicaAway(t *testing.T) {
	s := &nodes{t: t}
	s.how = func(_ int, r *http.Request, ids []string) (int, any) {
		if r.URL.Query().Get("consistency_level") == "ALL" {
			return http.StatusInternalServerError, nil
		}
		return http.StatusOK, kept(ids, func(int) bool { return false })
	}
	c := s.open(1)
	require.NoError(t, c.Put(t.Context(), "C", "t", objects(1)))
	require.NoError(t, c.Put(t.Context(), "C", "t", objects(1)))
	require.Equal(t, []string{"POST /v1/batch/objects ALL", "POST /v1/batch/objects QUORUM", "POST /v1/batch/objects QUORUM"}, s.seen)
}

// TestNextNode: a node that fails is passed over; a refusal is the same anywhere.
func TestNextNode(t *testing.T) {
	s := &nodes{t: t, how: func(n int, _ *http.Request, _ []string) (int, any) {
		if n == 0 {
			return http.StatusServiceUnavailable, nil
		}
		return http.StatusOK, map[string]any{"data": map[string]any{"Aggregate": map[string]any{"n0": []any{map[string]any{"meta": map[string]any{"count": 7}}}}}}
	}}
	c := s.open(2)
	for range 4 {
		counts, err := c.Count(t.Context(), "C", "t", []weaviate.Where{{Library: 1}})
		require.NoError(t, err)
		require.Equal(t, []int{7}, counts)
	}
	s = &nodes{t: t, how: func(int, *http.Request, []string) (int, any) {
		return http.StatusUnprocessableEntity, map[string]any{"error": "marzipan"}
	}}
	_, err := s.open(2).Count(t.Context(), "C", "t", []weaviate.Where{{Library: 1}})
	require.True(t, fault.Is(err, fault.Internal), "%v", err)
	require.NotContains(t, err.Error(), "marzipan", "an answer may hold what was sent")
	require.Len(t, s.seen, 1)
}

// TestDeletesAreCounted: an answer that says that all is deleted is not enough.
func TestDeletesAreCounted(t *testing.T) {
	left := 3
	s := &nodes{t: t}
	s.how = func(_ int, r *http.Request, _ []string) (int, any) {
		if r.Method == http.MethodDelete {
			return http.StatusOK, map[string]any{"results": map[string]any{"matches": 0, "successful": 0, "failed": 0}}
		}
		return http.StatusOK, map[string]any{"data": map[string]any{"Aggregate": map[string]any{"n0": []any{map[string]any{"meta": map[string]any{"count": left}}}}}}
	}
	c := s.open(1)
	_, err := c.Delete(t.Context(), "C", "t", weaviate.Where{Library: 1})
	require.ErrorContains(t, err, "has 3 of the deleted passages still")
	left = 0
	_, err = c.Delete(t.Context(), "C", "t", weaviate.Where{Library: 1})
	require.NoError(t, err)
}

// TestQuestions: values are written so that they stay values.
func TestQuestions(t *testing.T) {
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Query string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		asked = body.Query
		_, _ = fmt.Fprint(w, `{"data":{"Get":{"hits":[{"_additional":{"id":"00000000-0000-0007-0000-000000000000"}}]}}}`)
	}))
	defer server.Close()
	c, err := weaviate.Open("weaviate://"+strings.TrimPrefix(server.URL, "http://"), none)
	require.NoError(t, err)
	docs, err := c.Nearest(t.Context(), "C", "t", weaviate.Query{Where: weaviate.Where{Library: 1, Docs: []int64{5, 6}}, Terms: []string{`en:a"}){x`, "en:b"}, Limit: 3})
	require.NoError(t, err)
	require.Equal(t, []int64{7}, docs)
	require.Equal(t, `{Get{hits:C(tenant:"t",limit:3,consistencyLevel:QUORUM,where:{operator:And,operands:[{operator:Equal,path:["library"],valueInt:1},`+
		`{operator:ContainsAny,path:["doc"],valueInt:[5,6]}]},bm25:{query:"en:a\"}){x en:b",properties:["terms"]}){_additional{id}}}}`, asked)
}
