package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
)

// question is asked of the handbook before and after a fault; it returns a hash
// of prompt and citations.
func (d *drill) question(file string) string {
	d.t.Helper()
	got := d.must(d.json(http.MethodPost, "/v1/preprocess", "", map[string]any{
		"messages": []any{map[string]any{"role": "user", "text": "How long is the notice period?"}}, "files": []any{map[string]any{"id": file}},
		"context_length": 4096, "mode": "retrieval", "retrieval_limit": 2,
	}))
	var result struct {
		Prompt    string
		Citations json.RawMessage
	}
	require.NoError(d.t, jsonInto(got.body, &result))
	require.Contains(d.t, result.Prompt, "four weeks to the end of a month")
	sum := sha256.Sum256([]byte(result.Prompt + string(result.Citations)))
	return hex.EncodeToString(sum[:])
}

// handbookIn uploads the handbook and waits until it is read.
func (d *drill) handbookIn(key string) string {
	d.t.Helper()
	data, err := os.ReadFile("../../testdata/handbook.md")
	require.NoError(d.t, err)
	id := d.must(d.upload(key, "handbook.md", data)).id()
	d.read(key, id)
	return id
}

// entries visits the files of the cache.
func (d *drill) entries(visit func(path string)) (n int) {
	d.t.Helper()
	require.NoError(d.t, filepath.WalkDir(filepath.Join(d.data, "cache"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && e.Name() != "VERSION" {
			n++
			visit(path)
		}
		return err
	}))
	return n
}

// TestDrillCache damages every entry of the cache: the answers stay the same.
func TestDrillCache(t *testing.T) {
	rows := newTable(t, "damage", "entries", "answer after it")
	d := newDrill(t)
	d.start()
	id := d.handbookIn("")
	want := d.question(id)
	for name, damage := range map[string]func(path string, data []byte) error{
		"a bit turned":  func(path string, data []byte) error { data[len(data)/2] ^= 1; return os.WriteFile(path, data, 0o600) },
		"cut in half":   func(path string, data []byte) error { return os.Truncate(path, int64(len(data)/2)) },
		"emptied":       func(path string, _ []byte) error { return os.Truncate(path, 0) },
		"other's bytes": func(path string, _ []byte) error { return os.WriteFile(path, []byte(strings.Repeat("x", 4096)), 0o600) },
		"removed":       func(path string, _ []byte) error { return os.Remove(path) },
	} {
		n := d.entries(func(path string) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, damage(path, data))
		})
		require.Positive(t, n)
		d.kill()
		d.start()
		require.Equal(t, want, d.question(id), name)
		rows.row(name, n, "the same")
	}
}

// TestDrillClock lets a server start on records and entries from a clock that
// was a year ahead, and a year behind. The clock itself is not turned: the
// machine is not ours. Limits and freshness are held by the monotonic clock.
func TestDrillClock(t *testing.T) {
	rows := newTable(t, "clock of the records", "list in order", "answer", "new upload", "newest first")
	d := newDrill(t)
	d.start()
	first := d.must(d.upload("", "first.txt", []byte("one"))).id()
	id := d.handbookIn("")
	want := d.question(id)
	for name, jump := range map[string]time.Duration{"a year ahead": 365 * 24 * time.Hour, "a year behind": -2 * 365 * 24 * time.Hour} {
		d.kill()
		d.turn(jump)
		d.start()
		require.Equal(t, want, d.question(id))
		var list struct{ Data []struct{ ID string } }
		late := d.must(d.upload("", "late.txt", []byte(name))).id()
		require.NoError(t, jsonInto(d.must(d.json(http.MethodGet, "/v1/files?order=asc", "", nil)).body, &list))
		require.Equal(t, []string{first, id}, []string{list.Data[0].ID, list.Data[1].ID})
		require.Equal(t, late, list.Data[len(list.Data)-1].ID)
		rows.row(name, "yes", "the same", "kept", "yes")
	}
}

// turn moves the times of all records and of all entries of the cache.
func (d *drill) turn(by time.Duration) {
	d.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(d.data, stateFile))
	require.NoError(d.t, err)
	_, err = db.ExecContext(d.t.Context(), "UPDATE files SET created = created + ?", int64(by.Seconds()))
	require.NoError(d.t, err)
	require.NoError(d.t, db.Close())
	d.entries(func(path string) {
		at := time.Now().Add(by)
		require.NoError(d.t, os.Chtimes(path, at, at))
	})
}

// TestDrillSecond: two servers, one folder.
func TestDrillSecond(t *testing.T) {
	rows := newTable(t, "second server", "exit", "says")
	d := newDrill(t)
	d.start()
	second := command(t, "serve", "--addr", "127.0.0.1:0", "--data", d.data)
	out, err := second.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 2, exit.ExitCode())
	require.Contains(t, string(out), "another server works in this data folder")
	d.must(d.json(http.MethodGet, "/v1/files", "", nil))
	rows.row("refused", exit.ExitCode(), strings.TrimSpace(string(out)))
}

// TestDrillDisk fills a small disk with uploads: those that do not fit are
// refused, those that were taken are there, deleting makes room again.
func TestDrillDisk(t *testing.T) {
	whole(t)
	d := newDrill(t)
	require.NoError(t, os.MkdirAll(d.data, 0o700))
	if err := syscall.Mount("tmpfs", d.data, "tmpfs", 0, "size=32m"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if d.cmd != nil {
			d.kill()
		}
		require.NoError(t, syscall.Unmount(d.data, 0))
	})
	rows := newTable(t, "moment", "files kept", "refused since", "bytes equal", "server")
	d.start()
	kept := map[string][]byte{}
	refused := map[int]int{}
	fill := func() {
		for range 60 {
			content := make([]byte, 700<<10)
			_, _ = rand.Read(content)
			got, err := d.upload("", "noise.bin", content)
			require.NoError(t, err)
			if got.status == http.StatusOK {
				kept[got.id()] = content
				continue
			}
			refused[got.status]++
			require.Contains(t, string(got.body), "no room left", got.status)
		}
	}
	check := func(moment string) {
		for id, content := range kept {
			got := d.must(d.json(http.MethodGet, "/v1/files/"+id+"/content", "", nil))
			require.True(t, bytes.Equal(content, got.body), id)
		}
		rows.row(moment, len(kept), refusals(refused), "all", "answers")
	}
	fill()
	require.NotEmpty(t, refused)
	require.NotEmpty(t, kept)
	check("full")
	status, body := d.disk()
	require.Equal(t, http.StatusServiceUnavailable, status, "readiness says so")
	require.Equal(t, "full", body)
	d.kill()
	begun := time.Now()
	require.NoError(t, d.begin())
	restart := time.Since(begun)
	check(fmt.Sprintf("killed and started while full (%v)", restart.Round(time.Millisecond)))
	n := 0
	for id := range kept {
		d.must(d.json(http.MethodDelete, "/v1/files/"+id, "", nil))
		delete(kept, id)
		if n++; n == 5 {
			break
		}
	}
	clear(refused)
	d.must(d.upload("", "small.txt", []byte("room again")))
	check("after 5 deletions")

	others := filepath.Join(d.data, "of-somebody-else")
	f, err := os.Create(others)
	require.NoError(t, err)
	_, err = io.Copy(f, rand.Reader)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, f.Close())
	clear(refused)
	for range 40 { // until the state's own file cannot grow
		got, err := d.json(http.MethodPost, "/v1/chats", "", map[string]any{"title": strings.Repeat("t", 200)})
		require.NoError(t, err)
		if got.status != http.StatusOK {
			require.Equal(t, http.StatusInsufficientStorage, got.status, string(got.body))
			refused[got.status]++
		}
	}
	check("not a byte left, by others")
	gone := 0
	for id := range kept {
		d.must(d.json(http.MethodDelete, "/v1/files/"+id, "", nil))
		delete(kept, id)
		if gone++; gone == 3 {
			break
		}
	}
	clear(refused)
	check("3 deletions without a byte left")
	more, err := os.OpenFile(others, os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	filled, err := io.Copy(more, rand.Reader)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, more.Close())
	require.Greater(t, filled, int64(3*700<<10-(1<<20)), "they made room, which others took")
	require.NoError(t, os.Remove(others))
	clear(refused)
	d.must(d.json(http.MethodPost, "/v1/chats", "", map[string]any{}))
	check("room again")
}

// disk is what /readyz says of the disk.
func (d *drill) disk() (status int, disk string) {
	d.t.Helper()
	got, err := d.json(http.MethodGet, "/readyz", "", nil)
	require.NoError(d.t, err)
	var v struct{ Disk string }
	require.NoError(d.t, json.Unmarshal(got.body, &v), string(got.body))
	return got.status, v.Disk
}

// refusals counts refusals by their status.
func refusals(list map[int]int) string {
	var out []string
	for status, n := range list {
		out = append(out, fmt.Sprintf("%d with %d", n, status))
	}
	return orNone(strings.Join(out, ", "))
}

// TestDrillUpstream kills a real Ollama server while it answers.
func TestDrillUpstream(t *testing.T) {
	whole(t)
	bin := os.Getenv(ollamatest.ProgramVariable)
	if bin == "" {
		t.Skip("no real Ollama server: run `make drill`")
	}
	rows := newTable(t, "moment", "the client sees")
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	upstream := "http://" + l.Addr().String()
	require.NoError(t, l.Close())
	home := t.TempDir()
	run := func() *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), bin, "serve")
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OLLAMA_HOST=" + upstream}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { return ollamatest.Import(t.Context(), upstream) == nil }, waitFor, 100*time.Millisecond)
		return cmd
	}
	stop := func(cmd *exec.Cmd) {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // with its runners
		_ = cmd.Wait()
	}
	server := run()
	d := newDrill(t, "--upstream", "local=ollama:"+upstream)
	d.start()
	body := `{"model": "` + ollamatest.Endless + `", "stream": true, "messages": [{"role": "user", "content": "talk"}]}`
	ctx, cancel := context.WithTimeout(t.Context(), waitFor)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+d.addr+"/v1/chat/completions", strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := d.client.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewReader(resp.Body)
	for range 10 {
		_, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	stop(server)
	rest, err := io.ReadAll(lines)
	require.NoError(t, err, "the stream ends, it is not torn")
	require.Contains(t, string(rest), `"error"`)
	require.NotContains(t, string(rest), "[DONE]")
	events := strings.Split(strings.TrimSpace(string(rest)), "\n\n")
	rows.row("killed while it streams", events[len(events)-1])
	got, err := d.ask(http.MethodPost, "/v1/chat/completions", "", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	require.Equal(t, http.StatusBadGateway, got.status)
	rows.row("asked while it is down", fmt.Sprintf("%d %s", got.status, bytes.TrimSpace(got.body)))
	defer stop(run())
	chat := strings.Replace(strings.Replace(body, ollamatest.Endless, ollamatest.Chat, 1), `"stream": true, `, "", 1)
	require.Eventually(t, func() bool {
		got, err = d.ask(http.MethodPost, "/v1/chat/completions", "", "application/json", strings.NewReader(chat))
		return err == nil && got.status == http.StatusOK
	}, waitFor, 200*time.Millisecond)
	rows.row("asked when it is up again", got.status)
}
