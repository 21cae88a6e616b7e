package main

// Vector stores in the cluster: what any server was given, every one finds.

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// inStore is a file of a vector store, with a word that no other has.
type inStore struct{ key, store, word string }

// happening is what happens to a cluster under load.
type happening struct {
	name string
	do   func()
}

// openStores makes a vector store for each key, where there is an index.
func (l *ledger) openStores(c *cluster) {
	if os.Getenv("INLAY_WEAVIATE_URL") == "" {
		return
	}
	l.stores, l.shelved = map[string]string{}, map[string]inStore{}
	for _, key := range l.keys {
		l.stores[key] = c.must(c.json(http.MethodPost, "/v1/vector_stores", key, map[string]any{"name": "reports"})).id()
	}
}

// shelve uploads a file and puts it into a vector store.
func (l *ledger) shelve(d *drill) {
	var one inStore
	l.note(func() {
		for one.key, one.store = range l.stores {
			break
		}
	})
	one.word = fmt.Sprintf("qz%dx", rand.Int64())
	got, err := d.upload(one.key, "note "+one.word+".txt", fmt.Appendf(nil, "The harbour master wrote %s into the book of the day.", one.word))
	if err != nil || got.status != http.StatusOK {
		return
	}
	id := got.id()
	got, err = d.json(http.MethodPost, "/v1/vector_stores/"+one.store+"/files", one.key, map[string]any{"file_id": id})
	if err == nil && got.status == http.StatusOK {
		l.note(func() { l.acks++; l.shelved[id] = one })
	}
}

// unread is a file of a vector store that is not searchable yet.
func (c *cluster) unread(l *ledger) string {
	for id, f := range l.shelved {
		if got, err := c.json(http.MethodGet, "/v1/vector_stores/"+f.store+"/files/"+id, f.key, nil); err != nil || !strings.Contains(string(got.body), `"status":"completed"`) {
			return string(got.body)
		}
	}
	return ""
}

// searchAll looks for every file of the vector stores by its word.
func (c *cluster) searchAll(l *ledger) (lost, twice []string) {
	c.t.Helper()
	for id, f := range l.shelved {
		hits := c.hits(c.drill, f.key, f.store, f.word)
		if hits[id] == 0 {
			lost = append(lost, id+" is not found")
		}
		if hits[id] > 1 {
			twice = append(twice, id)
		}
	}
	return lost, twice
}

// hits are how many passages of each file a search returns.
func (c *cluster) hits(d *drill, key, store, query string) map[string]int {
	c.t.Helper()
	var found struct {
		Data []struct {
			File string `json:"file_id"`
		}
	}
	body := c.must(d.json(http.MethodPost, "/v1/vector_stores/"+store+"/search", key, map[string]any{"query": query, "max_num_results": 20})).body
	require.NoError(c.t, json.Unmarshal(body, &found))
	hits := map[string]int{}
	for _, one := range found.Data {
		hits[one.File]++
	}
	return hits
}

// nodeFaults are those of Weaviate's nodes.
func (c *cluster) nodeFaults(revive func(*drill)) []happening {
	if os.Getenv("INLAY_WEAVIATE_URL") == "" {
		return nil
	}
	return []happening{
		{"kill -9 a Weaviate node, start it after 3 s", func() {
			control(c.t, "weaviate", "stop", "2")
			time.Sleep(3 * time.Second)
			control(c.t, "weaviate", "start", "2")
		}},
		{"kill -9 a Weaviate node and a replica", func() {
			control(c.t, "weaviate", "stop", "1")
			c.replicas[1].kill()
			revive(c.replicas[1])
			control(c.t, "weaviate", "start", "1")
		}},
	}
}

// TestClusterStores: a vector store made through one server is filled, searched,
// changed and deleted through the others.
func TestClusterStores(t *testing.T) {
	if os.Getenv("INLAY_WEAVIATE_URL") == "" {
		t.Skip("no index: run make cluster-test")
	}
	c := newCluster(t, 3)
	key, err := c.key("ann")
	require.NoError(t, err)
	a, b, third := c.replicas[0], c.replicas[1], c.replicas[2]
	sky := b.must(b.upload(key, "sky.txt", []byte("The sky over the island is green at noon."))).id()
	store := a.must(a.json(http.MethodPost, "/v1/vector_stores", key, map[string]any{"name": "weather", "file_ids": []any{sky}})).id()
	var notes []any
	for i := range 60 { // more than are ranked without the index
		notes = append(notes, third.must(third.upload(key, fmt.Sprintf("note%d.txt", i), fmt.Appendf(nil, "Note %d is about the tide of day %d.", i, i*7))).id())
	}
	third.must(third.json(http.MethodPost, "/v1/vector_stores/"+store+"/file_batches", key, map[string]any{"file_ids": notes}))
	require.Eventually(t, func() bool {
		got, err := b.json(http.MethodGet, "/v1/vector_stores/"+store, key, nil)
		return err == nil && strings.Contains(string(got.body), `"completed":61`)
	}, time.Minute, 100*time.Millisecond)
	for _, r := range c.replicas {
		require.Equal(t, map[string]int{sky: 1}, c.hits(r, key, store, "green sky over the island"))
		got := r.must(r.json(http.MethodPost, "/v1/preprocess", key, map[string]any{
			"messages": []any{map[string]any{"role": "user", "text": "Which colour has the sky?"}}, "library": []any{store}, "context_length": 4096, "mode": "retrieval",
		}))
		require.Contains(t, string(got.body), "green at noon")
	}
	b.must(b.json(http.MethodDelete, "/v1/vector_stores/"+store+"/files/"+sky, key, nil))
	require.Empty(t, c.hits(third, key, store, "green sky over the island")[sky])
	other, err := c.key("bob")
	require.NoError(t, err)
	got, err := a.json(http.MethodPost, "/v1/vector_stores/"+store+"/search", other, map[string]any{"query": "tide"})
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, got.status)
	third.must(third.json(http.MethodDelete, "/v1/vector_stores/"+store, key, nil))
	got, err = a.json(http.MethodPost, "/v1/vector_stores/"+store+"/search", key, map[string]any{"query": "tide"})
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, got.status)
}
