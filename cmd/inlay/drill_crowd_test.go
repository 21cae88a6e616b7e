package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func jsonInto(data []byte, v any) error { return json.Unmarshal(data, v) }

// TestDrillSlow lets slow clients hold connections, in the head of a request
// and in its body, while a normal one works.
func TestDrillSlow(t *testing.T) {
	slow, asks := 40, 20
	if *drilled {
		slow, asks = 1000, 500
	}
	d := newDrill(t)
	ann, err := d.key("ann")
	require.NoError(t, err)
	bob, err := d.key("bob")
	require.NoError(t, err)
	d.start()
	rows := newTable(t, "moment", "connections", "requests of a normal client", "refused", "median", "p99", "memory")
	id := d.handbookIn(bob)
	measure := func(moment string, open int64) {
		var times []time.Duration
		bad := 0
		for range asks {
			begun := time.Now()
			got, err := d.json(http.MethodGet, "/v1/files/"+id, bob, nil)
			if err != nil || got.status != http.StatusOK {
				bad++
			}
			times = append(times, time.Since(begun))
		}
		require.Zero(t, bad, moment)
		slices.Sort(times)
		rows.row(moment, open, asks, bad, times[len(times)/2], times[len(times)*99/100], d.memory())
	}
	measure("before", 0)
	var crowd sync.WaitGroup
	var open, cut atomic.Int64
	leave := make(chan struct{})
	heads := []string{
		"GET /v1/files HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", // and so on, for ever
		"POST /v1/preprocess HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + ann + "\r\nContent-Length: 1000000\r\n\r\n",
		"POST /v1/preprocess HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\nContent-Length: 1000000\r\n\r\n",
		"POST /v1/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + ann +
			"\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n",
	}
	for i := range slow {
		crowd.Go(func() {
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", d.addr)
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			open.Add(1)
			defer open.Add(-1)
			go func() { _, _ = io.Copy(io.Discard, conn) }()
			_, err = io.WriteString(conn, heads[i%len(heads)])
			for err == nil {
				select {
				case <-leave:
					return
				case <-time.After(time.Second):
					_, err = conn.Write([]byte("x"))
				}
			}
			cut.Add(1)
		})
	}
	time.Sleep(2 * time.Second)
	measure("with slow clients", open.Load())
	if *drilled {
		require.Eventually(t, func() bool { return open.Load() == 0 }, waitFor, 100*time.Millisecond, "slow clients are cut off")
		measure(fmt.Sprintf("when %d were cut off", cut.Load()), open.Load())
	}
	close(leave)
	crowd.Wait()
}

// TestDrillUploads keeps many files: lists stay fast, memory stays flat.
func TestDrillUploads(t *testing.T) {
	whole(t)
	d := newDrill(t)
	d.start()
	rows := newTable(t, "files", "uploads/s", "first 100", "a page at the end", "all ids", "memory")
	var last string
	for _, upto := range []int{100, 1000, 5000, 10000} {
		var next atomic.Int64
		next.Store(int64(countOf(d)))
		from, begun := next.Load(), time.Now()
		var work sync.WaitGroup
		for range 8 {
			work.Go(func() {
				for n := next.Add(1); n <= int64(upto); n = next.Add(1) {
					d.must(d.upload("", "note.txt", fmt.Appendf(nil, "Note %d of many.", n)))
				}
			})
		}
		work.Wait()
		rate := float64(int64(upto)-from) / time.Since(begun).Seconds()
		page, first := d.page("?limit=100")
		_, end := d.page("?limit=100&order=asc&after=" + page[50])
		all, whole := d.page("?limit=10000")
		require.Len(t, all, upto)
		last = all[0]
		rows.row(upto, int(rate), first, end, whole, d.memory())
	}
	d.kill()
	rows.row("killed, ready again after", d.start(), "", "", "", d.memory())
	d.must(d.json(http.MethodGet, "/v1/files/"+last, "", nil))
}

// page lists files and tells how long that took.
func (d *drill) page(query string) (ids []string, took time.Duration) {
	d.t.Helper()
	begun := time.Now()
	got := d.must(d.json(http.MethodGet, "/v1/files"+query, "", nil))
	took = time.Since(begun)
	var list struct{ Data []struct{ ID string } }
	require.NoError(d.t, jsonInto(got.body, &list))
	for _, f := range list.Data {
		ids = append(ids, f.ID)
	}
	return ids, took
}

func countOf(d *drill) int {
	ids, _ := d.page("?limit=10000")
	return len(ids)
}

// TestDrillBodies sends bodies that are too large or no bodies at all to every
// route that takes one: each is refused in the form of its route.
func TestDrillBodies(t *testing.T) {
	d := newDrill(t, "--max-body", "100000", "--max-file", "100000")
	d.start()
	rows := newTable(t, "route", "no JSON", "deep", "wrong types", "too large", "too large, no length", "half a form", "file too large")
	file := d.handbookIn("")
	chat := d.must(d.json(http.MethodPost, "/v1/chats", "", map[string]any{})).id()
	for _, route := range d.posts() {
		path := strings.NewReplacer("/files/{id}", "/files/"+file, "/chats/{id}", "/chats/"+chat, "/strategies/{id}",
			"/strategies/summarize-documents", "/preprocessors/{id}", "/preprocessors/files", "{id}", "none").Replace(route)
		row := []any{route}
		for _, b := range []struct {
			kind string
			body io.Reader
		}{
			{"application/json", strings.NewReader(`{"messages": [`)},
			{"application/json", strings.NewReader(strings.Repeat(`[`, 50000))},
			{"application/json", strings.NewReader(`{"messages": 7, "files": "x", "role": [], "title": {}, "input": 1, "questions": 1}`)},
			{"application/json", bytes.NewReader(make([]byte, 200000))},
			{"application/json", io.MultiReader(bytes.NewReader(make([]byte, 200000)))},
			{"multipart/form-data; boundary=b", strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nhalf")},
			{"multipart/form-data; boundary=b", strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n" + strings.Repeat("x", 200000) + "\r\n--b--\r\n")},
		} {
			got, err := d.ask(http.MethodPost, path, "", b.kind, b.body)
			require.NoError(t, err, route)
			require.GreaterOrEqual(t, got.status, 400, "%s: %s", route, got.body)
			require.Less(t, got.status, 500, "%s: %s", route, got.body)
			kind := got.header.Get("Content-Type")
			require.Contains(t, []string{"application/json", "application/problem+json"}, kind, route)
			require.True(t, json.Valid(got.body), route)
			row = append(row, got.status)
		}
		rows.row(row...)
	}
}

// posts are the paths of the routes that take bodies, as the server describes them.
func (d *drill) posts() (paths []string) {
	d.t.Helper()
	var spec struct {
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(d.t, jsonInto(d.must(d.json(http.MethodGet, "/openapi.json", "", nil)).body, &spec))
	for path, methods := range spec.Paths {
		if post, ok := methods["post"]; ok && bytes.Contains(post, []byte("requestBody")) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}
