package main

// The fault drill: server processes under faults that are real. `make drill`
// runs all of it and prints its tables; the tests that run always are short.

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/internal/locked"
)

var drilled = flag.Bool("drill", false, "run the whole fault drill and print its tables")

// waitFor is how long a test waits for what must come. Only a fault reaches it,
// however slow the machine is.
const waitFor = 5 * time.Minute

// whole leaves a test to `make drill`.
func whole(t *testing.T) {
	t.Helper()
	if !*drilled {
		t.Skip("a part of `make drill`")
	}
}

// drill is a data folder and the server process that works in it.
type drill struct {
	t          *testing.T
	data, addr string
	args       []string
	where      []string // the flags that name the state
	env        []string // of the server, besides what every command has
	cmd        *exec.Cmd
	log        *locked.Buffer
	client     *http.Client
}

// newDrill makes a folder and chooses an address; start starts a server. Short
// runs, those under the race detector, leave servers of their own out: a race in
// one would be seen by nobody, and the tests of internal/httpapi call the same code.
func newDrill(t *testing.T, args ...string) *drill {
	t.Helper()
	if testing.Short() {
		t.Skip("a server of its own: not in short runs")
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	d := &drill{t: t, data: filepath.Join(t.TempDir(), "data"), addr: l.Addr().String(), args: append([]string{"--rate", "0"}, args...)}
	require.NoError(t, l.Close())
	d.where = []string{"--data", d.data}
	d.client = &http.Client{Timeout: waitFor, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	t.Cleanup(func() {
		d.client.CloseIdleConnections()
		if d.cmd != nil {
			d.kill()
		}
	})
	return d
}

// start starts the server and returns how long it was until it was ready.
func (d *drill) start() time.Duration {
	d.t.Helper()
	begun := time.Now()
	require.NoError(d.t, d.begin())
	for time.Since(begun) < waitFor {
		if got, err := d.json(http.MethodGet, "/readyz", "", nil); err == nil && got.status == http.StatusOK {
			return time.Since(begun)
		}
		time.Sleep(time.Millisecond)
	}
	require.Fail(d.t, "the server did not become ready", d.log.String())
	return 0
}

// begin starts the server, and waits until it answers at all.
func (d *drill) begin() error {
	d.cmd = command(d.t, append([]string{"serve", "--addr", d.addr, "--data", d.data}, d.args...)...)
	d.cmd.Env = append(d.cmd.Env, d.env...)
	d.log = &locked.Buffer{}
	d.cmd.Stderr = d.log
	if err := d.cmd.Start(); err != nil {
		return err
	}
	var err error
	for end := time.Now().Add(waitFor); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err = d.json(http.MethodGet, "/healthz", "", nil); err == nil {
			break
		}
	}
	return err
}

// kill is kill -9.
func (d *drill) kill() {
	_ = d.cmd.Process.Kill()
	_ = d.cmd.Wait()
	d.cmd = nil
}

// key makes a key with the command.
func (d *drill) key(name string) (string, error) {
	var secret, said bytes.Buffer
	cmd := command(d.t, append([]string{"keys", "make", name}, d.where...)...)
	cmd.Stdout, cmd.Stderr = &secret, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, said.String())
	}
	return strings.TrimSpace(secret.String()), nil
}

// said is an answer.
type said struct {
	status int
	header http.Header
	body   []byte
}

// id is the field id of an answer.
func (s said) id() string {
	var v struct{ ID string }
	_ = json.Unmarshal(s.body, &v)
	return v.ID
}

// ask sends a request with a body of a kind.
func (d *drill) ask(method, path, key, kind string, body io.Reader) (said, error) {
	req, err := http.NewRequestWithContext(d.t.Context(), method, "http://"+d.addr+path, body)
	if err != nil {
		return said{}, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return said{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	return said{resp.StatusCode, resp.Header, data}, err
}

// json sends a body of JSON; body nil sends none.
func (d *drill) json(method, path, key string, body any) (said, error) {
	if body == nil {
		return d.ask(method, path, key, "", nil)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return said{}, err
	}
	return d.ask(method, path, key, "application/json", bytes.NewReader(data))
}

// upload uploads a file.
func (d *drill) upload(key, name string, content []byte) (said, error) {
	form, kind := formWith("file", name, content)
	return d.ask(http.MethodPost, "/v1/files", key, kind, form)
}

// formWith is a form with one file.
func formWith(field, name string, content []byte) (form io.Reader, kind string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, _ := w.CreateFormFile(field, name) // a buffer takes everything
	_, _ = part.Write(content)
	_ = w.Close()
	return &b, w.FormDataContentType()
}

// must is an answer that has to be 200.
func (d *drill) must(s said, err error) said {
	d.t.Helper()
	require.NoError(d.t, err)
	require.Equal(d.t, http.StatusOK, s.status, string(s.body))
	return s
}

// read waits until an upload was read.
func (d *drill) read(key, id string) {
	d.t.Helper()
	require.Eventually(d.t, func() bool {
		got, err := d.json(http.MethodGet, "/v1/files/"+id, key, nil)
		return err == nil && bytes.Contains(got.body, []byte(`"state":"ready"`))
	}, waitFor, 10*time.Millisecond)
}

// memory is what the server holds in memory, in MiB.
func (d *drill) memory() string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
	if err != nil {
		return "?"
	}
	var kib int
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	_, _ = fmt.Sscan(rest, &kib)
	return fmt.Sprintf("%d MiB", kib>>10)
}

// drillTable is printed when the test ends.
type drillTable struct {
	mu sync.Mutex
	b  bytes.Buffer
	w  *tabwriter.Writer
}

func newTable(t *testing.T, head ...any) *drillTable {
	t.Helper()
	tab := &drillTable{}
	tab.w = tabwriter.NewWriter(&tab.b, 0, 0, 2, ' ', 0)
	tab.row(head...)
	t.Cleanup(func() {
		_ = tab.w.Flush()
		load, _ := os.ReadFile("/proc/loadavg")
		t.Logf("%s, load %s\n%s", t.Name(), bytes.TrimSpace(load), tab.b.String())
	})
	return tab
}

func (tab *drillTable) row(cells ...any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	for _, c := range cells {
		if d, ok := c.(time.Duration); ok {
			c = d.Round(100 * time.Microsecond)
		}
		_, _ = fmt.Fprintf(tab.w, "%v\t", c)
	}
	_, _ = fmt.Fprintln(tab.w)
}
