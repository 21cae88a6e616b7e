package main

// Web pages in a real browser against the service: what a page may reach is
// decided by headers that only a browser sends truthfully.

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// attempts is a script that calls the service at BASE in every way that a page
// can, and reports the outcomes by name: a status, "opaque", or "blocked".
const attempts = `<!doctype html><script>
const base = BASE, out = {};
const headers = {"X-Api-Key": "x", "Authorization": "Bearer x", "X-Forwarded-Host": "localhost", "Forwarded": "host=localhost"};
const form = () => { const f = new FormData(); f.append("purpose", "user_data"); f.append("file", new File(["stolen"], "evil.txt")); return f; };
const tries = {
  "read": [{}],
  "read with headers": [{headers}],
  "read without CORS": [{mode: "no-cors"}],
  "upload": [{method: "POST", body: form()}],
  "upload with headers": [{method: "POST", body: form(), headers}],
  "upload without CORS": [{method: "POST", body: form(), mode: "no-cors"}],
  "JSON as text": [{method: "POST", body: "{}", mode: "no-cors"}, "/v1/chats"],
};
(async () => {
  await fetch("/flip").catch(() => {});
  for (const [name, [how, path]] of Object.entries(tries)) {
    try {
      const r = await fetch(base + (path || "/v1/files"), how);
      out[name] = r.type === "opaque" ? "opaque" : String(r.status);
    } catch { out[name] = "blocked"; }
  }
  await fetch(COLLECTOR, {method: "POST", mode: "no-cors", body: JSON.stringify(out)});
})();
</script>`

// tryPage opens a page at url in Chromium, where every name below .example is this computer,
// and returns what the page's attempts came to.
func tryPage(t *testing.T, url string, report <-chan string) map[string]string {
	t.Helper()
	bin, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no Chromium: run scripts/install-chromium")
	}
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), bin, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--user-data-dir="+home, "--host-resolver-rules=MAP *.example 127.0.0.1", url)
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it alone, with its children
		_ = cmd.Wait()
	}()
	select {
	case text := <-report:
		var out map[string]string
		require.NoError(t, json.Unmarshal([]byte(text), &out), text)
		return out
	case <-time.After(waitFor):
		require.Fail(t, "the page did not report")
		return nil
	}
}

// reports takes what a page reports.
func reports(t *testing.T) (url string, report <-chan string) {
	t.Helper()
	got := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil && r.Method == http.MethodPost {
			got <- string(body)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

// rebinding is a server that gives its page and, once the page asks for /flip, is
// another server to whoever connects: what a name server does that changes its answer.
func rebinding(t *testing.T, page, to string) (port string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var flipped atomic.Bool
	pages := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if flipped.Load() {
			panic(http.ErrAbortHandler) // a connection of before: the browser opens another
		}
		w.Header().Set("Connection", "close")
		if r.URL.Path == "/flip" {
			flipped.Store(true)
		}
		_, _ = io.WriteString(w, page)
	})}
	inner := &passed{conns: make(chan net.Conn), closed: make(chan struct{}), addr: l.Addr()}
	go func() { _ = pages.Serve(inner) }()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if flipped.Load() {
				go relay(conn, to)
				continue
			}
			select {
			case inner.conns <- conn:
			case <-inner.closed:
			}
		}
	}()
	t.Cleanup(func() { _ = l.Close(); _ = pages.Close() })
	_, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// passed is a listener of connections that another one accepted.
type passed struct {
	conns  chan net.Conn
	closed chan struct{}
	addr   net.Addr
}

func (p *passed) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *passed) Close() error   { close(p.closed); return nil }
func (p *passed) Addr() net.Addr { return p.addr }

// relay carries the bytes of a connection to another server and back.
func relay(conn net.Conn, to string) {
	other, err := net.Dial("tcp", to) //nolint:noctx // it ends with its peers
	if err != nil {
		_ = conn.Close()
		return
	}
	go func() { _, _ = io.Copy(other, conn); _ = other.Close() }()
	_, _ = io.Copy(conn, other)
	_ = conn.Close()
}

// TestBrowserRebound: a page whose name was bound to this computer gets nothing,
// whatever it sends, until the advice of the refusal is followed.
func TestBrowserRebound(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"refused":                  {nil, "403"},
		"--cors is another matter": {[]string{"--cors", "http://other.example"}, "403"},
		"allowed by the advice":    {[]string{"--allow-host", "evil.example"}, "200"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDrill(t, c.args...)
			d.start()
			collect, report := reports(t)
			page := strings.NewReplacer("BASE", `""`, "COLLECTOR", fmt.Sprintf("%q", collect)).Replace(attempts)
			port := rebinding(t, page, d.addr)
			for try, got := range tryPage(t, "http://evil.example:"+port+"/", report) {
				require.Equal(t, c.want, got, try)
			}
			if c.want == "403" {
				require.Contains(t, d.log.String(), `"code":"forbidden"`)
				require.Empty(t, d.fileNames())
			}
		})
	}
}

// TestBrowserOrigins: a page of another origin neither reads nor leaves anything
// at a local server, until the advice of the refusal is followed.
func TestBrowserOrigins(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		t.Run(fmt.Sprintf("allowed %v", allowed), func(t *testing.T) {
			collect, report := reports(t)
			var page atomic.Value
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page.Load().(string)) }))
			t.Cleanup(s.Close)
			origin := strings.Replace(s.URL, "127.0.0.1", "page.example", 1)
			var args []string
			if allowed {
				args = []string{"--cors", origin}
			}
			d := newDrill(t, args...)
			d.start()
			page.Store(strings.NewReplacer("BASE", fmt.Sprintf("%q", "http://"+d.addr), "COLLECTOR", fmt.Sprintf("%q", collect)).Replace(attempts))
			got := tryPage(t, origin+"/", report)
			if allowed {
				require.Equal(t, "200", got["read"])
				require.Equal(t, "200", got["upload"])
				return
			}
			for try, outcome := range got {
				require.Contains(t, []string{"blocked", "opaque"}, outcome, try)
			}
			require.NotContains(t, d.log.String(), `"route":"/v1/`, "every request was refused before its route")
			require.Empty(t, d.fileNames())
		})
	}
}

// fileNames are the uploads of a server without keys.
func (d *drill) fileNames() (names []string) {
	d.t.Helper()
	var list struct{ Data []struct{ Filename string } }
	require.NoError(d.t, json.Unmarshal(d.must(d.json(http.MethodGet, "/v1/files", "", nil)).body, &list))
	for _, f := range list.Data {
		names = append(names, f.Filename)
	}
	return names
}
