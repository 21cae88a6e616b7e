package web_test

import (
	"compress/gzip"
	"crypto/sha256"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/web"
)

// get asks for a file of the page.
func get(t *testing.T, name, accept string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/assets/"+name, nil)
	r.Header.Set("Accept-Encoding", accept)
	w := httptest.NewRecorder()
	require.True(t, web.Serve(w, r, name), name)
	return w
}

func TestServe(t *testing.T) {
	page := get(t, "index.html", "")
	require.Equal(t, "text/html; charset=utf-8", page.Header().Get("Content-Type"))
	require.Equal(t, "no-cache", page.Header().Get("Cache-Control"))
	require.Empty(t, page.Header().Get("Content-Encoding"))
	policy := page.Header().Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'; script-src 'self';")
	require.NotContains(t, policy, "unsafe")

	names := regexp.MustCompile(`/assets/([^"]+)`).FindAllStringSubmatch(page.Body.String(), -1)
	require.Len(t, names, 2, "a script and a style")
	for _, name := range names {
		w := get(t, name[1], "br, gzip")
		require.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
		require.Contains(t, w.Header().Get("Cache-Control"), "immutable")
		z, err := gzip.NewReader(w.Body)
		require.NoError(t, err)
		packed, err := io.ReadAll(z)
		require.NoError(t, err)
		require.Equal(t, string(packed), get(t, name[1], "").Body.String(), "the same without compression")
	}
}

func TestServeNothingElse(t *testing.T) {
	for _, name := range []string{"../web.go", "../../web.go", "nothing.js", "wasm", "cmaps", "cmaps/none.bcmap", "index.html.gz", "/", ""} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		require.False(t, web.Serve(httptest.NewRecorder(), r, name), name)
	}
}

// TestWorkerPolicy: WebAssembly runs in the PDF worker, and nowhere else.
func TestWorkerPolicy(t *testing.T) {
	workers := 0
	for _, name := range built(t, "dist") {
		policy := get(t, name, "gzip").Header().Get("Content-Security-Policy")
		if strings.HasPrefix(name, "pdf-worker") {
			workers++
			require.Contains(t, policy, "wasm-unsafe-eval")
			continue
		}
		require.NotContains(t, policy, "unsafe", name)
	}
	require.Equal(t, 1, workers)
}

// TestSize: what a first visit loads, and all but the PDF worker and its codecs.
func TestSize(t *testing.T) {
	first, all, asked := 0, 0, 0
	for _, name := range built(t, "dist") {
		size := get(t, name, "gzip").Body.Len()
		if strings.HasPrefix(name, "cmaps/") || strings.HasPrefix(name, "fonts/") {
			asked += size
			continue
		}
		if strings.HasPrefix(name, "pdf-worker") || strings.HasPrefix(name, "wasm/") {
			continue
		}
		all += size
		if !strings.HasPrefix(name, "pdf-") {
			first += size
		}
	}
	t.Logf("compressed: %d bytes at first, %d bytes with PDFs but without their worker", first, all)
	t.Logf("compressed: %d bytes for fonts that documents do not embed, loaded one by one where a page needs them", asked)
	require.Less(t, all, 600_000)
	require.Less(t, asked, 1_200_000)
}

// built are the files of a build by name, without .gz.
func built(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, filepath.ToSlash(strings.TrimSuffix(name, ".gz")))
		return err
	}))
	return names
}

// TestBuilt: dist is what the sources give, where npm has put the tools in place.
func TestBuilt(t *testing.T) {
	if _, err := os.Stat("node_modules/esbuild"); err != nil {
		t.Skip("no npm packages: run make page-test")
	}
	out := filepath.Join(t.TempDir(), "dist")
	cmd := exec.CommandContext(t.Context(), "node", "build.mjs", out)
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, string(said))
	require.Equal(t, built(t, "dist"), built(t, out), "run make page")
	for _, name := range built(t, out) {
		require.Equal(t, unpacked(t, "dist", name), unpacked(t, out, name), "%s: run make page", name)
	}
}

// unpacked is the checksum of a file without its compression, which may differ between versions of npm's Node.
func unpacked(t *testing.T, dir, name string) [sha256.Size]byte {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name+".gz"))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(z)
	require.NoError(t, err)
	return sha256.Sum256(data)
}
