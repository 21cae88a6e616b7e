package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ledger is what the server acknowledged, and must still have.
type ledger struct {
	mu      sync.Mutex
	keys    []string
	files   map[string]keptFile
	chats   map[string]keptChat
	tries   map[string]string // evaluations: id to key
	deleted map[string]string // files: id to key
	doubted map[string]bool   // deletions without an answer
	fresh   []string          // files of this life of the server
	acks    int               // answers that said it was done
}

type keptFile struct {
	key string
	sum [sha256.Size]byte
}

type keptChat struct {
	key   string
	texts []string
}

// TestDrillKill kills the server at random moments while clients upload,
// delete, chat, evaluate and keys are made. Nothing that was acknowledged is
// lost, nothing that was deleted comes back.
func TestDrillKill(t *testing.T) {
	kills, clients := 3, 4
	if *drilled {
		kills, clients = 50, 8
	}
	d := newDrill(t)
	l := &ledger{files: map[string]keptFile{}, chats: map[string]keptChat{}, tries: map[string]string{}, deleted: map[string]string{}, doubted: map[string]bool{}}
	for i := range 3 {
		key, err := d.key(fmt.Sprintf("load %d", i))
		require.NoError(t, err)
		l.keys = append(l.keys, key)
	}
	rows := newTable(t, "kills", "files kept", "bytes equal", "deleted", "chats", "turns", "evaluations", "keys", "lost", "restart median", "restart most")
	var restarts []time.Duration
	restarts = append(restarts, d.start())
	for kill := 1; kill <= kills; kill++ {
		l.load(d, clients, time.Duration(30+rand.IntN(600))*time.Millisecond)
		restarts = append(restarts, d.start())
		full := kill%10 == 0 || kill == kills
		equal, lost := l.verify(d, full)
		require.Empty(t, lost, "after kill %d", kill)
		if full {
			slices.Sort(restarts)
			rows.row(kill, len(l.files), equal, len(l.deleted), len(l.chats), l.turns(), len(l.tries), len(l.keys), len(lost), restarts[len(restarts)/2], restarts[len(restarts)-1])
		}
	}
	require.NotEmpty(t, l.files)
}

// load lets clients work until the server is killed after a while.
func (l *ledger) load(d *drill, clients int, after time.Duration) {
	l.fresh = nil
	stop := make(chan struct{})
	var work sync.WaitGroup
	for range clients {
		work.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				l.step(d, rand.IntN(20))
			}
		})
	}
	time.Sleep(after)
	d.kill()
	close(stop)
	work.Wait()
	d.client.CloseIdleConnections()
}

// step does one thing and writes down what was acknowledged.
func (l *ledger) step(d *drill, dice int) {
	l.mu.Lock()
	key := l.keys[rand.IntN(len(l.keys))]
	l.mu.Unlock()
	switch {
	case dice == 0:
		if made, err := d.key(fmt.Sprintf("more %d", rand.Int())); err == nil {
			l.note(func() { l.keys = append(l.keys, made) })
		}
	case dice < 3:
		l.remove(d)
	case dice < 6:
		l.chat(d, key)
	case dice < 7:
		l.evaluate(d, key)
	default:
		l.upload(d, key)
	}
}

func (l *ledger) note(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

func (l *ledger) upload(d *drill, key string) {
	content := bytes.Repeat(fmt.Appendf(nil, "Line %d of a report about the harbour.\n", rand.Int()), 1+rand.IntN(3000))
	got, err := d.upload(key, fmt.Sprintf("report %d.txt", rand.Int()), content)
	if err == nil && got.status == http.StatusOK {
		l.note(func() {
			l.acks++
			l.files[got.id()] = keptFile{key, sha256.Sum256(content)}
			l.fresh = append(l.fresh, got.id())
		})
	}
}

// remove deletes one file of this life; without an answer it may be there or not.
func (l *ledger) remove(d *drill) {
	var id string
	var f keptFile
	l.note(func() {
		if len(l.fresh) > 0 {
			id, l.fresh = l.fresh[0], l.fresh[1:]
			f = l.files[id]
			delete(l.files, id)
		}
	})
	if id == "" {
		return
	}
	got, err := d.json(http.MethodDelete, "/v1/files/"+id, f.key, nil)
	l.note(func() {
		if err == nil && got.status == http.StatusOK {
			l.acks++
			l.deleted[id] = f.key
			return
		}
		l.doubted[id] = true
	})
}

func (l *ledger) chat(d *drill, key string) {
	got, err := d.json(http.MethodPost, "/v1/chats", key, map[string]any{"title": "drill"})
	if err != nil || got.status != http.StatusOK {
		return
	}
	id := got.id()
	l.note(func() { l.chats[id] = keptChat{key: key} })
	for range 1 + rand.IntN(3) {
		text := fmt.Sprintf("turn %d", rand.Int())
		got, err := d.json(http.MethodPost, "/v1/chats/"+id+"/messages", key, map[string]any{"role": "assistant", "text": text})
		if err != nil || got.status != http.StatusOK {
			return
		}
		l.note(func() { l.acks++; l.chats[id] = keptChat{key, append(slices.Clone(l.chats[id].texts), text)} })
	}
}

func (l *ledger) evaluate(d *drill, key string) {
	got, err := d.json(http.MethodPost, "/v1/evaluations", key, map[string]any{
		"files":     []any{map[string]any{"name": "sky.txt", "data": []byte("The sky over the island is green at noon.")}},
		"questions": []any{map[string]any{"question": "Which colour has the sky?", "expected": []any{map[string]any{"quote": "sky over the island is green"}}}},
	})
	if err == nil && got.status == http.StatusOK {
		l.note(func() { l.acks++; l.tries[got.id()] = key })
	}
}

// verify compares the server with the ledger: all of it, or what came last and
// some of the rest.
func (l *ledger) verify(d *drill, full bool) (equal int, lost []string) {
	some := func() bool { return full || rand.IntN(10) == 0 }
	ask := func(path, key string) said {
		got, err := d.json(http.MethodGet, path, key, nil)
		require.NoError(d.t, err)
		return got
	}
	for id, f := range l.files {
		if !slices.Contains(l.fresh, id) && !some() {
			continue
		}
		got := ask("/v1/files/"+id+"/content", f.key)
		if got.status != http.StatusOK || sha256.Sum256(got.body) != f.sum {
			lost = append(lost, id)
			continue
		}
		equal++
	}
	for id, key := range l.deleted {
		if some() && ask("/v1/files/"+id, key).status != http.StatusNotFound {
			lost = append(lost, "deleted "+id)
		}
	}
	for id, c := range l.chats {
		if !some() {
			continue
		}
		body := string(ask("/v1/chats/"+id, c.key).body)
		if !strings.Contains(body, id) || slices.ContainsFunc(c.texts, func(text string) bool { return !strings.Contains(body, text+`"`) }) {
			lost = append(lost, id)
		}
	}
	for id, key := range l.tries {
		if some() && ask("/v1/evaluations/"+id, key).status != http.StatusOK {
			lost = append(lost, id)
		}
	}
	for _, key := range l.keys {
		if some() && ask("/v1/files?limit=1", key).status != http.StatusOK {
			lost = append(lost, "key")
		}
	}
	return equal, lost
}

func (l *ledger) turns() (n int) {
	for _, c := range l.chats {
		n += len(c.texts)
	}
	return n
}
