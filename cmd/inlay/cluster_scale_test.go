package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClusterScale: what requests cost each part, with one, two and three
// replicas on this one machine.
func TestClusterScale(t *testing.T) {
	whole(t)
	rows := newTable(t, "replicas", "work", "requests/s", "p50", "p99", "ms of inlay", "of PostgreSQL", "of S3", "of the balancer")
	text, err := os.ReadFile("../../testdata/handbook.md")
	require.NoError(t, err)
	for replicas := 1; replicas <= 3; replicas++ {
		c := newCluster(t, replicas)
		key, err := c.key(fmt.Sprint("scale ", replicas))
		require.NoError(t, err)
		file := c.must(c.upload(key, "handbook.md", text)).id()
		c.read(key, file)
		talk := c.must(c.json(http.MethodPost, "/v1/chats", key, map[string]any{"title": "t"})).id()
		for name, do := range map[string]func(r *rand.Rand) (said, error, bool){
			"question about a file": func(r *rand.Rand) (said, error, bool) {
				got, err := c.json(http.MethodPost, "/v1/preprocess", key, map[string]any{
					"messages":       []any{map[string]any{"role": "user", "text": fmt.Sprintf("How long is the notice period of number %d?", r.IntN(1000))}},
					"files":          []any{map[string]any{"id": file}},
					"context_length": 4096, "mode": "retrieval",
				})
				return got, err, true
			},
			"upload of 2 KB": func(r *rand.Rand) (said, error, bool) {
				got, err := c.upload(key, "note.md", fmt.Appendf(text[:2000:2000], "%d", r.Int()))
				return got, err, true
			},
			"read of a chat": func(*rand.Rand) (said, error, bool) {
				got, err := c.json(http.MethodGet, "/v1/chats/"+talk, key, nil)
				return got, err, true
			},
		} {
			before := processorTimes()
			begun := time.Now()
			o := c.work(16, 5*time.Second, do)
			took := time.Since(begun)
			after := processorTimes()
			n := float64(max(1, len(o.took)))
			each := func(program string) string {
				return fmt.Sprintf("%.2f", float64(after[program]-before[program])/float64(time.Millisecond)/n)
			}
			rows.row(replicas, name, int(n/took.Seconds()), o.share(.5), o.share(.99), each("inlay"), each("postgres"), each("versitygw"), each("haproxy"))
			require.Empty(t, o.odd)
		}
		for _, r := range c.replicas {
			r.stop()
		}
	}
}

// processorTimes is the time of the processor that the programs of a cluster took
// so far, by their names.
func processorTimes() map[string]time.Duration {
	times := map[string]time.Duration{}
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		stat, err := os.ReadFile(path)
		name, rest, ok := strings.Cut(string(stat), ") ")
		if err != nil || !ok {
			continue
		}
		_, name, _ = strings.Cut(name, "(")
		fields := strings.Fields(rest)
		var user, system int64
		_, _ = fmt.Sscan(fields[11], &user)
		_, _ = fmt.Sscan(fields[12], &system)
		times[name] += time.Duration(user+system) * 10 * time.Millisecond // of a clock of 100 Hz
	}
	return times
}

// TestClusterBackup: the records first, then the bytes, while servers work; what
// comes of it is whole.
func TestClusterBackup(t *testing.T) {
	c := newCluster(t, 1)
	key, err := c.key("backup")
	require.NoError(t, err)
	id := c.must(c.upload(key, "sky.txt", []byte("The sky over the island is green at noon."))).id()
	c.read(key, id)
	source, err := url.Parse(c.where[1])
	require.NoError(t, err)
	run := func(program string, args ...string) {
		out, err := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	dump, programs, buckets := filepath.Join(t.TempDir(), "records"), os.Getenv("INLAY_POSTGRES_BIN"), filepath.Join(os.Getenv("INLAY_S3_DATA"), "buckets")
	run(filepath.Join(programs, "pg_dump"), "--format=custom", "--file", dump, source.String())
	run("cp", "-a", filepath.Join(buckets, "inlay"), filepath.Join(buckets, "restored"))
	c.must(c.json(http.MethodDelete, "/v1/files/"+id, key, nil))

	target := freshDatabase(t)
	run(filepath.Join(programs, "pg_restore"), "--no-owner", "--dbname", target, dump)
	r := newDrill(t, "--database", target, "--blobs", strings.Replace(os.Getenv("INLAY_S3_URL"), "s3://inlay", "s3://restored", 1))
	r.env = c.replicas[0].env
	r.start()
	require.Contains(t, string(r.must(r.json(http.MethodGet, "/v1/files/"+id+"/content", key, nil)).body), "green at noon")
	next := r.must(r.upload(key, "next.txt", []byte("The next one."))).id()
	r.read(key, next)
}
