package main

// The cluster: three servers on one PostgreSQL database and one S3 bucket,
// behind a balancer that hands requests out in turn. `make cluster-test` runs
// it, beside the servers of scripts/postgres and scripts/s3.

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"inlay/internal/locked"
)

// cluster is what is running.
type cluster struct {
	*drill   // the balancer
	replicas []*drill
}

// newCluster starts replicas and the balancer. Without the servers that it needs
// the test is skipped.
func newCluster(t *testing.T, replicas int, args ...string) *cluster {
	t.Helper()
	database, bucket := os.Getenv("INLAY_POSTGRES_URL"), os.Getenv("INLAY_S3_URL")
	balancer, err := exec.LookPath("haproxy")
	if database == "" || bucket == "" || err != nil {
		t.Skip("no cluster: run make cluster-test")
	}
	where := []string{"--database", database}
	c := &cluster{drill: newDrill(t)}
	c.where = where
	for range replicas {
		r := newDrill(t, append(append(args, where...), "--blobs", bucket, "--drain", "5s")...)
		r.where = where
		r.env = []string{"AWS_ACCESS_KEY_ID=" + os.Getenv("AWS_ACCESS_KEY_ID"), "AWS_SECRET_ACCESS_KEY=" + os.Getenv("AWS_SECRET_ACCESS_KEY")}
		c.replicas = append(c.replicas, r)
	}
	var together sync.WaitGroup
	for _, r := range c.replicas {
		together.Go(func() { r.start() })
	}
	together.Wait()
	c.balance(balancer)
	return c
}

// balance starts the balancer: in turn, no stickiness, and only to replicas that
// are ready. It sends a request again only where no replica can have seen it.
func (c *cluster) balance(program string) {
	var b strings.Builder
	_, port, _ := net.SplitHostPort(c.addr)
	fmt.Fprintf(&b, `defaults
  mode http
  timeout connect 2s
  timeout client 90s
  timeout server 90s
  retries 3
  retry-on conn-failure
  option redispatch 1
frontend clients
  bind 127.0.0.1:%s
  default_backend replicas
backend replicas
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 500ms fall 2 rise 1
`, port)
	for i, r := range c.replicas {
		fmt.Fprintf(&b, "  server r%d %s\n", i, r.addr)
	}
	config := filepath.Join(c.t.TempDir(), "haproxy.cfg")
	require.NoError(c.t, os.WriteFile(config, []byte(b.String()), 0o600))
	cmd := exec.CommandContext(c.t.Context(), program, "-db", "-f", config)
	cmd.Stderr = &locked.Buffer{}
	require.NoError(c.t, cmd.Start())
	c.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	c.ready()
}

// ready waits until the balancer hands out requests.
func (c *cluster) ready() {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		got, err := c.json(http.MethodGet, "/readyz", "", nil)
		return err == nil && got.status == http.StatusOK
	}, waitFor, 50*time.Millisecond)
}

// control runs a command of scripts/postgres or scripts/s3.
func control(t *testing.T, script string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join("../../scripts", script), args...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestClusterClients: OpenAI's client, through the balancer.
func TestClusterClients(t *testing.T) {
	model := httptest.NewServer(clientModel{t})
	t.Cleanup(model.Close)
	c := newCluster(t, 3, "--upstream", "local=openai:"+model.URL+"/v1", "--context-length", "32768")
	works := goClient(t, "http://"+c.addr, clientFolder(t), false)
	require.NotEmpty(t, works)
	t.Log(works)
}

// TestClusterAnyReplica: what one replica was told, every other one knows.
func TestClusterAnyReplica(t *testing.T) {
	c := newCluster(t, 3)
	key, err := c.key("ann")
	require.NoError(t, err)
	a, b, third := c.replicas[0], c.replicas[1], c.replicas[2]

	id := a.must(a.upload(key, "sky.txt", []byte("The sky over the island is green at noon."))).id()
	third.read(key, id)
	for _, r := range c.replicas {
		got := r.must(r.json(http.MethodPost, "/v1/preprocess", key, map[string]any{
			"messages": []any{map[string]any{"role": "user", "text": "Which colour has the sky?"}}, "files": []any{map[string]any{"id": id}}, "context_length": 4096,
		}))
		require.Contains(t, string(got.body), "green at noon")
	}
	upload := a.must(a.json(http.MethodPost, "/v1/uploads", key, map[string]any{"bytes": 20, "filename": "parts.txt", "mime_type": "text/plain", "purpose": "user_data"})).id()
	var parts []string
	for i, r := range []*drill{b, third} {
		form, kind := formWith("data", "part", []byte(strings.Repeat(fmt.Sprint(i), 10)))
		parts = append(parts, r.must(r.ask(http.MethodPost, "/v1/uploads/"+upload+"/parts", key, kind, form)).id())
	}
	done := a.must(a.json(http.MethodPost, "/v1/uploads/"+upload+"/complete", key, map[string]any{"part_ids": parts}))
	var made struct{ File struct{ ID string } }
	require.NoError(t, json.Unmarshal(done.body, &made))
	require.Equal(t, "00000000001111111111", string(b.must(b.json(http.MethodGet, "/v1/files/"+made.File.ID+"/content", key, nil)).body))

	talk := a.must(a.json(http.MethodPost, "/v1/chats", key, map[string]any{"title": "t"})).id()
	for i, r := range c.replicas {
		r.must(r.json(http.MethodPost, "/v1/chats/"+talk+"/messages", key, map[string]any{"role": "assistant", "text": fmt.Sprintf("turn %d.", i)}))
	}
	said := string(a.must(a.json(http.MethodGet, "/v1/chats/"+talk, key, nil)).body)
	require.Less(t, strings.Index(said, "turn 0."), strings.Index(said, "turn 1."))
	require.Less(t, strings.Index(said, "turn 1."), strings.Index(said, "turn 2."))

	b.must(b.json(http.MethodDelete, "/v1/files/"+id, key, nil))
	require.Eventually(t, func() bool {
		got, err := a.json(http.MethodGet, "/v1/files/"+id+"/content", key, nil)
		return err == nil && got.status == http.StatusNotFound
	}, waitFor, 50*time.Millisecond)
}

// TestClusterRate: an owner may send as much to three replicas as to one.
func TestClusterRate(t *testing.T) {
	c := newCluster(t, 3, "--rate", "1")
	key, err := c.key("hasty")
	require.NoError(t, err)
	passed, refused := 0, 0
	begun := time.Now()
	for i := range 60 {
		got, err := c.replicas[i%3].json(http.MethodGet, "/v1/files?limit=1", key, nil)
		require.NoError(t, err)
		if got.status == http.StatusTooManyRequests {
			require.NotEmpty(t, got.header.Get("Retry-After"))
			refused++
			continue
		}
		require.Equal(t, http.StatusOK, got.status)
		passed++
	}
	require.Positive(t, refused)
	const burst = 2 // twice the rate
	require.LessOrEqual(t, passed, burst+1+int(time.Since(begun)/time.Second))
}

// TestClusterMigrate: what one machine kept is there with three, and goes on.
func TestClusterMigrate(t *testing.T) {
	if os.Getenv("INLAY_POSTGRES_URL") == "" || os.Getenv("INLAY_S3_URL") == "" {
		t.Skip("no cluster: run make cluster-test")
	}
	alone := newDrill(t)
	key, err := alone.key("ann")
	require.NoError(t, err)
	alone.start()
	id := alone.must(alone.upload(key, "sky.txt", []byte("The sky over the island is green at noon."))).id()
	alone.read(key, id)
	talk := alone.must(alone.json(http.MethodPost, "/v1/chats", key, map[string]any{"title": "t"})).id()
	alone.must(alone.json(http.MethodPost, "/v1/chats/"+talk+"/messages", key, map[string]any{"role": "assistant", "text": "said before"}))
	upload := alone.must(alone.json(http.MethodPost, "/v1/uploads", key, map[string]any{"bytes": 4, "filename": "parts.txt", "mime_type": "text/plain", "purpose": "user_data"})).id()
	form, kind := formWith("data", "part", []byte("part"))
	part := alone.must(alone.ask(http.MethodPost, "/v1/uploads/"+upload+"/parts", key, kind, form)).id()

	database := freshDatabase(t)
	before, query, _ := strings.Cut(os.Getenv("INLAY_S3_URL"), "?")
	bucket := before + "/migrated?" + query
	env := []string{"AWS_ACCESS_KEY_ID=" + os.Getenv("AWS_ACCESS_KEY_ID"), "AWS_SECRET_ACCESS_KEY=" + os.Getenv("AWS_SECRET_ACCESS_KEY")}
	migrate := func() (string, error) {
		cmd := command(t, "migrate", "--data", alone.data, "--database", database, "--blobs", bucket)
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	said, err := migrate()
	require.Error(t, err)
	require.Contains(t, said, "stop it first")
	alone.stop()
	said, err = migrate()
	require.NoError(t, err, said)
	require.Contains(t, said, "records: 1 key, 1 file, 1 chat")
	t.Log(said)
	said, err = migrate()
	require.Error(t, err)
	require.Contains(t, said, "has records already")

	r := newDrill(t, "--database", database, "--blobs", bucket)
	r.env = env
	r.start()
	require.Contains(t, string(r.must(r.json(http.MethodGet, "/v1/files/"+id+"/content", key, nil)).body), "green at noon")
	r.must(r.json(http.MethodPost, "/v1/chats/"+talk+"/messages", key, map[string]any{"role": "assistant", "text": "said after"}))
	r.must(r.json(http.MethodPost, "/v1/uploads/"+upload+"/complete", key, map[string]any{"part_ids": []string{part}}))
	next := r.must(r.upload(key, "next.txt", []byte("The next one."))).id()
	r.read(key, next)
	list := string(r.must(r.json(http.MethodGet, "/v1/files?order=asc", key, nil)).body)
	require.Less(t, strings.Index(list, id), strings.Index(list, next), "the order goes on")
}

// freshDatabase is the address of an empty database.
func freshDatabase(t *testing.T) string {
	t.Helper()
	server := os.Getenv("INLAY_POSTGRES_URL")
	conn, err := pgx.Connect(t.Context(), server)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	name := fmt.Sprintf("t_%d", rand.Int64())
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name)
	require.NoError(t, err)
	u, err := url.Parse(server)
	require.NoError(t, err)
	u.Path = "/" + name
	return u.String()
}

// TestClusterFaults: servers, database and store go away under load, one after
// another and two at once. Nothing that was acknowledged is lost or done twice,
// and work goes on.
func TestClusterFaults(t *testing.T) {
	clients, lasts := 4, 6*time.Second
	if *drilled {
		clients, lasts = 16, 12*time.Second
	}
	c := newCluster(t, 3)
	l := &ledger{files: map[string]keptFile{}, chats: map[string]keptChat{}, tries: map[string]string{}, deleted: map[string]string{}, doubted: map[string]bool{}}
	for i := range 3 {
		key, err := c.key(fmt.Sprintf("load %d", i))
		require.NoError(t, err)
		l.keys = append(l.keys, key)
	}
	rows := newTable(t, "fault", "acknowledged", "lost", "done twice", "longest silence", "all read after")
	revive := func(r *drill) { time.Sleep(2 * time.Second); r.start() }
	for _, f := range []struct {
		name string
		do   func()
	}{
		{"none", func() {}},
		{"kill -9 a replica", func() { c.replicas[0].kill(); revive(c.replicas[0]) }},
		{"SIGTERM a replica", func() { c.replicas[1].stop(); revive(c.replicas[1]) }},
		{"restart PostgreSQL", func() { control(t, "postgres", "restart", "fast") }},
		{"kill PostgreSQL, start it after 2 s", func() {
			control(t, "postgres", "stop", "immediate")
			time.Sleep(2 * time.Second)
			control(t, "postgres", "start")
		}},
		{"kill S3, start it after 2 s", func() { control(t, "s3", "stop"); time.Sleep(2 * time.Second); control(t, "s3", "start") }},
		{"kill -9 a replica and restart PostgreSQL", func() {
			c.replicas[2].kill()
			control(t, "postgres", "restart", "immediate")
			revive(c.replicas[2])
		}},
		{"kill -9 a replica and kill S3", func() {
			control(t, "s3", "stop")
			c.replicas[0].kill()
			time.Sleep(2 * time.Second)
			control(t, "s3", "start")
			revive(c.replicas[0])
		}},
	} {
		before := l.acknowledged()
		silence := c.under(l, clients, lasts, f.do)
		c.ready()
		read := c.settle(l)
		_, lost := l.verify(c.drill, true)
		twice := c.twice(l)
		rows.row(f.name, l.acknowledged()-before, len(lost), len(twice), silence, read)
		require.Empty(t, lost, f.name)
		require.Empty(t, twice, f.name)
		require.Less(t, silence, 30*time.Second, f.name)
	}
}

// acknowledged is how many things were.
func (l *ledger) acknowledged() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.acks
}

// under lets clients work for a time while something happens, and returns the
// longest time in which nothing was acknowledged.
func (c *cluster) under(l *ledger, clients int, lasts time.Duration, happens func()) (silence time.Duration) {
	l.fresh = nil
	stop := make(chan struct{})
	var work sync.WaitGroup
	for range clients {
		work.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					l.step(c.drill, 1+rand.IntN(19))
				}
			}
		})
	}
	happened := make(chan struct{})
	go func() {
		time.Sleep(time.Second)
		happens()
		close(happened)
	}()
	end := time.Now().Add(lasts)
	last, since, over := l.acknowledged(), time.Now(), false
	for !over || time.Now().Before(end) {
		time.Sleep(10 * time.Millisecond)
		if now := l.acknowledged(); now != last {
			last, since = now, time.Now()
		}
		silence = max(silence, time.Since(since))
		select {
		case <-happened:
			over = over || time.Since(since) < time.Second || time.Now().After(end.Add(waitFor))
		default:
		}
	}
	close(stop)
	work.Wait()
	c.client.CloseIdleConnections()
	return silence
}

// settle waits until every file was read and every evaluation is over.
func (c *cluster) settle(l *ledger) time.Duration {
	c.t.Helper()
	begun := time.Now()
	waits := func() (what string) {
		for id, f := range l.files {
			if got, err := c.json(http.MethodGet, "/v1/files/"+id, f.key, nil); err != nil || !strings.Contains(string(got.body), `"state":"ready"`) {
				return string(got.body)
			}
		}
		for id, key := range l.tries {
			if got, err := c.json(http.MethodGet, "/v1/evaluations/"+id, key, nil); err != nil || !strings.Contains(string(got.body), `"status":"done"`) {
				return string(got.body)
			}
		}
		return ""
	}
	what := waits()
	for ; what != "" && time.Since(begun) < waitFor; what = waits() {
		time.Sleep(100 * time.Millisecond)
	}
	require.Empty(c.t, what, "it never came to an end")
	return time.Since(begun)
}

// twice is what is there more than once: files by their names, turns by what
// they say.
func (c *cluster) twice(l *ledger) (twice []string) {
	c.t.Helper()
	for _, key := range l.keys {
		var list struct{ Data []struct{ Filename string } }
		require.NoError(c.t, json.Unmarshal(c.must(c.json(http.MethodGet, "/v1/files?limit=10000", key, nil)).body, &list))
		seen := map[string]bool{}
		for _, f := range list.Data {
			if strings.HasPrefix(f.Filename, "report") && seen[f.Filename] {
				twice = append(twice, f.Filename)
			}
			seen[f.Filename] = true
		}
	}
	for id, chat := range l.chats {
		body := string(c.must(c.json(http.MethodGet, "/v1/chats/"+id, chat.key, nil)).body)
		for _, text := range chat.texts {
			if strings.Count(body, text+`"`) != 1 {
				twice = append(twice, text)
			}
		}
	}
	return twice
}
