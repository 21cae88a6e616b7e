package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReadApart: a large upload is read by another process; the server finds
// the parse in the cache, and the reason where there is none.
func TestReadApart(t *testing.T) {
	address := served(t)
	id := uploadTo(t, address, "words.txt", strings.Repeat("The notice period is one month. ", 40_000))
	require.Contains(t, settled(t, address, id), `"status":"processed"`)
	question := fmt.Sprintf(`{"messages":[{"role":"user","text":"How long is it?"}],"files":[{"id":%q}],"context_length":8192,"dry_run":true}`, id)
	answer := send(t, address+"/v1/preprocess", "application/json", strings.NewReader(question))
	require.Contains(t, answer, `"strategy":"retrieval"`)
	require.Contains(t, answer, `"characters":1280000`)
	metrics := fetch(t, address+"/metrics")
	require.Contains(t, metrics, `inlay_cache_lookups_total{kind="parse",result="hit"} 1`)
	require.NotContains(t, metrics, `inlay_cache_lookups_total{kind="parse",result="miss"}`, "the server read nothing itself")

	broken := uploadTo(t, address, "broken.pdf", "%PDF-1.7\n"+strings.Repeat("no page\n", 1<<18))
	said := settled(t, address, broken)
	require.Contains(t, said, `"status":"error"`)
	require.Contains(t, said, `"code":"corrupt"`)
}

func fetch(tb testing.TB, url string) string {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, url, nil)
	require.NoError(tb, err)
	return sent(tb, req)
}

func send(tb testing.TB, url, kind string, body io.Reader) string {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, url, body)
	require.NoError(tb, err)
	req.Header.Set("Content-Type", kind)
	return sent(tb, req)
}

func sent(tb testing.TB, req *http.Request) string {
	tb.Helper()
	resp, err := http.DefaultClient.Do(req)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, resp.Body.Close()) }()
	data, err := io.ReadAll(resp.Body)
	require.NoError(tb, err)
	require.Equal(tb, http.StatusOK, resp.StatusCode, string(data))
	return string(data)
}

func uploadTo(tb testing.TB, address, name, content string) (id string) {
	tb.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", name)
	require.NoError(tb, err)
	_, err = io.WriteString(part, content)
	require.NoError(tb, err)
	require.NoError(tb, w.Close())
	_, rest, ok := strings.Cut(send(tb, address+"/v1/files", w.FormDataContentType(), &b), `"id":"`)
	require.True(tb, ok)
	id, _, _ = strings.Cut(rest, `"`)
	return id
}

// settled is what is said of a file once it was read.
func settled(tb testing.TB, address, id string) (said string) {
	tb.Helper()
	require.Eventually(tb, func() bool {
		said = fetch(tb, address+"/v1/files/"+id)
		return !strings.Contains(said, `"status":"uploaded"`)
	}, waitFor, 20*time.Millisecond)
	return said
}
