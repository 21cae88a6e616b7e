package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkDryRun is a dry-run decision over a document that was asked about
// before, through every layer of the service but the network: one that fits
// whole and one that does not.
func BenchmarkDryRun(b *testing.B) {
	s := start(b, setup{})
	secret := s.key("bench")
	for _, size := range []struct {
		name   string
		copies int
		dry    bool
	}{{"fits", 1, true}, {"exceeds", 50, true}, {"searched", 60, false}} {
		b.Run(size.name, func(b *testing.B) {
			id := s.upload(secret, "handbook.md", strings.Repeat(handbook(b), size.copies))
			body := fmt.Sprintf(`{"messages":[{"role":"user","text":"How long is the notice period?"}],"files":[{"id":%q}],"context_length":8192,"dry_run":%t}`, id, size.dry)
			handler := s.api.Handler()
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/v1/preprocess", strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+secret)
				handler.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					require.Fail(b, w.Body.String())
				}
				b.SetBytes(int64(w.Body.Len()))
				_, _ = io.Copy(io.Discard, w.Body)
			}
		})
	}
}

// TestAtHand: a document that is at hand in memory is asked about without its
// bytes, by its owner alone, and not after it was deleted.
func TestAtHand(t *testing.T) {
	dir := t.TempDir()
	s := start(t, setup{dir: dir})
	mine, other := s.key("mine"), s.key("other")
	id := s.upload(mine, "handbook.md", handbook(t))
	ask := func(secret string) answer {
		return s.do("POST", "/v1/preprocess", secret, map[string]any{
			"messages": []map[string]string{{"role": "user", "text": "How long is the notice period?"}},
			"files":    []map[string]string{{"id": id}}, "context_length": 8192, "dry_run": true,
		})
	}
	before := ask(mine)
	require.Equal(t, http.StatusOK, before.status, string(before.body))
	keys := s.kept()
	require.Len(t, keys, 1)
	require.NoError(t, s.store.bytes.Remove(t.Context(), keys[0]))
	require.Equal(t, string(before.body), string(ask(mine).body), "no byte of it is read")
	require.NoError(t, s.store.bytes.Put(t.Context(), keys[0], strings.NewReader(handbook(t)), int64(len(handbook(t)))))
	require.Equal(t, http.StatusNotFound, ask(other).status)

	same := s.upload(other, "handbook.md", handbook(t))
	require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/files/"+id, mine, nil).status)
	require.Equal(t, http.StatusNotFound, ask(mine).status, "at once")
	id = same
	require.Equal(t, http.StatusOK, ask(other).status, "the other's is another file")
	require.Equal(t, http.StatusNotFound, ask(mine).status)
}
