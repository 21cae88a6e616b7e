package download

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
)

func TestRefused(t *testing.T) {
	for _, address := range []string{
		"127.0.0.1:80", "127.8.9.1:80", "10.0.0.1:80", "172.16.0.1:443", "192.168.1.1:80", "169.254.169.254:80", "0.0.0.0:80", "100.64.0.1:80",
		"224.0.0.1:80", "255.255.255.255:80", "192.0.2.7:80", "198.18.0.1:80", "[::1]:80", "[::]:80", "[fe80::1%lo]:80", "[fc00::1]:80", "[fd12::1]:80",
		"[::ffff:127.0.0.1]:80", "[::ffff:10.0.0.1]:80", "[::127.0.0.1]:80", "[64:ff9b::a00:1]:80", "[2002:7f00:1::]:80", "[ff02::1]:80", "localhost:80", "nonsense",
	} {
		require.True(t, refused(address), address)
	}
	for _, address := range []string{"93.184.215.14:443", "1.1.1.1:80", "[2606:4700:4700::1111]:443", "172.32.0.1:80", "[::ffff:1.1.1.1]:80"} {
		require.False(t, refused(address), address)
	}
}

func TestIsAddress(t *testing.T) {
	for _, name := range []string{"http://a", "https://a/b", "HTTPS://a"} {
		require.True(t, IsAddress(name), name)
	}
	for _, name := range []string{"ftp://a", "file:///etc/passwd", "https:/a", "a.pdf", "see https://a", "://a"} {
		require.False(t, IsAddress(name), name)
	}
}

// site is a server of documents on the loopback address.
func site(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/guide", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" {
			w.WriteHeader(http.StatusBadRequest)
		}
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		_, _ = fmt.Fprint(w, "# Guide\n\nTides rise.\n")
	})
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<!doctype html><p>Tides</p>") })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
		http.Redirect(w, r, "/guide", http.StatusFound)
	})
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("/scheme", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "file:///etc/passwd")
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2<<20)) })
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(make([]byte, 8<<20))
		_ = z.Close()
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(b.Bytes())
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, "begin")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = fmt.Fprint(w, "short")
	})
	mux.HandleFunc("/denied", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestGet(t *testing.T) {
	base := site(t)
	o := Options{Private: true, Bytes: 1 << 20}
	f, err := Get(t.Context(), base+"/guide#leave", o)
	require.NoError(t, err)
	require.Equal(t, "guide.md", f.Name)
	require.Equal(t, "text/markdown", f.MediaType)
	require.Equal(t, base+"/guide", f.Path)
	require.Equal(t, "# Guide\n\nTides rise.\n", string(f.Data))

	f, err = Get(t.Context(), strings.Replace(base, "://", "://user:secret@", 1)+"/moved", o)
	require.NoError(t, err)
	require.Equal(t, "guide.md", f.Name)
	require.Equal(t, base+"/moved", f.Path, "no password is kept")

	f, err = Get(t.Context(), base, o)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1.html", f.Name)
}

func TestGetRefuses(t *testing.T) {
	base := site(t)
	for _, c := range []struct {
		path, says string
		code       fault.Code
	}{
		{"/nowhere", "no such document (status 404", fault.FileNotFound},
		{"/denied", "status 403", fault.FileUnreadable},
		{"/round", "redirects more than 5 times", fault.FileUnreadable},
		{"/scheme", "not a web address", fault.FileUnreadable},
		{"/large", "larger than 1 MiB", fault.FileTooLarge},
		{"/bomb", "larger than 1 MiB", fault.FileTooLarge},
		{"/cut", "broke off", fault.FileUnreadable},
	} {
		_, err := Get(t.Context(), base+c.path, Options{Private: true, Bytes: 1 << 20})
		require.ErrorContains(t, err, c.says)
		require.ErrorContains(t, err, base+c.path)
		require.Equal(t, c.code, fault.CodeOf(err))
	}
	for _, address := range []string{"https://", "http://[::1", "http://a b/"} {
		_, err := Get(t.Context(), address, Options{})
		require.ErrorContains(t, err, "not a valid web address", address)
	}
	_, err := Get(t.Context(), base+"/slow", Options{Private: true, Timeout: 50 * time.Millisecond})
	require.True(t, fault.Is(err, fault.Timeout), "%v", err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Get(ctx, base+"/slow", Options{Private: true})
	require.True(t, fault.Is(err, fault.Canceled), "%v", err)
}

// TestPrivate: the address that a connection goes to decides, not the name in
// the address: a name that resolves to loopback is refused, and so is a redirect.
func TestPrivate(t *testing.T) {
	base := site(t)
	port := base[strings.LastIndexByte(base, ':'):]
	for _, address := range []string{base + "/guide", "http://localhost" + port + "/guide", "http://[::ffff:127.0.0.1]" + port + "/guide", "http://127.1" + port, "http://0x7f.1" + port} {
		_, err := Get(t.Context(), address, Options{})
		require.Error(t, err)
		if strings.Contains(address, "127.0.0.1") || strings.Contains(address, "localhost") {
			require.ErrorContains(t, err, "private, loopback or link-local")
			require.ErrorContains(t, err, "--allow-private")
		}
	}
	// A public server that redirects to a private one: dialed by the same client.
	client := Options{}.withDefaults().client()
	from := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://example.com/", nil)
	to := httptest.NewRequestWithContext(t.Context(), http.MethodGet, base+"/guide", nil)
	require.NoError(t, client.CheckRedirect(to, []*http.Request{from}))
	to.RequestURI = ""
	resp, err := client.Do(to)
	if resp != nil {
		_ = resp.Body.Close()
	}
	require.ErrorIs(t, err, errPrivate)
	secure := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.com/", nil)
	require.ErrorContains(t, client.CheckRedirect(to, []*http.Request{secure}), "from https to http")
}
