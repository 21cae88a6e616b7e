package libraries_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/blobs"
	"inlay/internal/libraries"
	"inlay/internal/weaviate"
	"inlay/library"
	"inlay/library/disk"
	"inlay/parse"
	"inlay/retrieve"
)

// notes are documents with a word of their own each.
func notes(n int) (docs []parse.Document) {
	for i := range n {
		text := fmt.Sprintf("# Note %d\n\nThe harbour master wrote qz%dx into the book. The tide of day %d was diagnosed by %d captains.\n\nDiagnosis of the tides is a science of harbours.", i, i, i*7, i%5)
		docs = append(docs, parse.Document{FileID: fmt.Sprintf("file_%d", i), Name: fmt.Sprintf("notes/%03d.md", i), Parser: "test/1", Text: text})
	}
	return docs
}

// put adds documents in one change.
func put(t *testing.T, index library.Index, r *retrieve.Retriever, docs []parse.Document, tags func(i int) []string) {
	t.Helper()
	batch, err := index.Begin(t.Context(), "", "set")
	require.NoError(t, err)
	defer batch.Abort()
	require.NoError(t, batch.Commit(t.Context(), stage(t, batch, r, docs, tags)))
}

// stage puts documents, and returns the change that names them.
func stage(t *testing.T, batch library.Batch, r *retrieve.Retriever, docs []parse.Document, tags func(i int) []string) (c library.Change) {
	t.Helper()
	for i, d := range docs {
		x, err := r.Index(t.Context(), d)
		require.NoError(t, err)
		require.NoError(t, batch.Put(t.Context(), library.Document{Document: d, Extension: ".md", Indexed: x}))
		c.Set = append(c.Set, library.Entry{Path: d.Name, FileID: d.FileID, Tags: tags(i), Modified: time.Now()})
	}
	return c
}

func untagged(int) []string { return nil }

func configure(t *testing.T, index library.Index, r *retrieve.Retriever) {
	t.Helper()
	require.NoError(t, index.Configure(t.Context(), "", "set", library.Settings{Fingerprint: r.Fingerprint(), Created: time.Now()}))
}

func find(t *testing.T, index library.Index, r *retrieve.Retriever, query string, f library.Filter) retrieve.Passages {
	t.Helper()
	zero := 0.0
	found, err := r.Retrieve(t.Context(), retrieve.Request{Query: query, Limit: 20, Threshold: &zero, Collections: []retrieve.Collection{library.Collection{Index: index, Library: "set", Filter: f}}})
	require.NoError(t, err)
	return found
}

// TestFilters: what a filter leaves has the order and the affinities that it has
// on one machine, also where Weaviate counts it.
func TestFilters(t *testing.T) {
	p := newParts(t)
	p.config.Direct = -1
	shared, own, r := p.open(t), disk.Open(t.TempDir()), retrieve.New(retrieve.Options{})
	defer func() { require.NoError(t, own.Close()) }()
	tags := func(i int) []string { return []string{fmt.Sprintf("t%d", i%3)} }
	for _, index := range []library.Index{shared, own} {
		configure(t, index, r)
		put(t, index, r, notes(90), tags)
	}
	for _, f := range []library.Filter{{}, {Tags: []string{"t1"}}, {Paths: []string{"00*.md", "05*.md"}}, {Tags: []string{"none"}}} {
		for _, query := range []string{"diagnosis of the harbour", "who wrote qz31x", "the tide of day 70", "zebra"} {
			want, got := find(t, own, r, query, f), find(t, shared, r, query, f)
			require.Equal(t, want.Citations, got.Citations, "%v %s", f, query)
			require.Equal(t, want.Total, got.Total)
		}
	}
}

// left counts what is anywhere: rows, blobs, passages.
func (p parts) left(t *testing.T, word string) (documents, terms, stored, passages int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), p.address)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	var library int64
	var class string
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT id, class FROM libraries WHERE name = 'set'").Scan(&library, &class))
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM library_documents) + (SELECT count(*) FROM library_garbage), (SELECT count(*) FROM library_terms WHERE term LIKE '%' || $1 || '%')", word).Scan(&documents, &terms))
	for _, err := range p.config.Blobs.List(t.Context(), "libraries/") {
		require.NoError(t, err)
		stored++
	}
	_, address := servers(t)
	index, err := weaviate.Open(address, os.Getenv)
	require.NoError(t, err)
	counts, err := index.Count(t.Context(), class, libraries.TenantOf("local"), []weaviate.Where{{Library: library}})
	require.NoError(t, err)
	return documents, terms, stored, counts[0]
}

// TestNothingIsLeft: what was deleted, replaced, or put and never committed is in
// no table, no blob and no object of the index any more.
func TestNothingIsLeft(t *testing.T) {
	p := newParts(t)
	s, r := p.open(t), retrieve.New(retrieve.Options{})
	configure(t, s, r)
	put(t, s, r, notes(3), untagged)
	documents, terms, stored, passages := p.left(t, "qz0x")
	require.Equal(t, []int{3, 1, 3}, []int{documents, terms, stored})
	require.Greater(t, passages, 3)

	abandoned, err := s.Begin(t.Context(), "", "set")
	require.NoError(t, err)
	lost := notes(5)[3:]
	stage(t, abandoned, r, lost, untagged)
	abandoned.Abort() // as if its process had died
	require.Empty(t, find(t, s, r, "who wrote qz4x", library.Filter{Paths: []string{"004.md"}}).Citations)

	batch, err := s.Begin(t.Context(), "", "set")
	require.NoError(t, err)
	require.NoError(t, batch.Commit(t.Context(), library.Change{Delete: []string{"notes/000.md"}, Purge: true}))
	documents, terms, stored, _ = p.left(t, "qz0x")
	require.Equal(t, []int{2, 0, 2}, []int{documents, terms, stored})
	_, terms, _, _ = p.left(t, "qz4x")
	require.Zero(t, terms)
	require.NoError(t, s.Verify(t.Context(), "", "set"))

	batch, err = s.Begin(t.Context(), "", "set")
	require.NoError(t, err)
	require.NoError(t, batch.Commit(t.Context(), library.Change{Delete: []string{"notes/001.md", "notes/002.md"}, Purge: true}))
	documents, terms, stored, passages = p.left(t, "")
	require.Equal(t, []int{0, 0, 0, 0}, []int{documents, terms, stored, passages})
}

// TestTwoServers: a change of one server is there for the other at once, and two
// never change a library at the same time.
func TestTwoServers(t *testing.T) {
	p := newParts(t)
	a, b, r := p.open(t), p.open(t), retrieve.New(retrieve.Options{})
	configure(t, a, r)
	put(t, b, r, notes(40), untagged)
	require.Equal(t, "notes/031.md", find(t, a, r, "who wrote qz31x", library.Filter{}).Citations[0].File)

	first, err := a.Begin(t.Context(), "", "set")
	require.NoError(t, err)
	begun := make(chan library.Batch)
	go func() {
		second, err := b.Begin(t.Context(), "", "set")
		if err != nil {
			close(begun)
			return
		}
		begun <- second
	}()
	require.NoError(t, first.Commit(t.Context(), library.Change{Delete: []string{"notes/031.md"}, Purge: true}))
	second, ok := <-begun
	require.True(t, ok)
	second.Abort()
	_, err = b.Open(t.Context(), "", "set", "notes/031.md")
	require.True(t, fault.Is(err, fault.FileNotFound), "%v", err)
	for _, c := range find(t, b, r, "who wrote qz31x", library.Filter{}).Citations {
		require.NotEqual(t, "notes/031.md", c.File)
	}
}

// node stops or starts a node of scripts/weaviate.
func node(t *testing.T, command, n string) {
	t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join("../../scripts", "weaviate"), command, n).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestNodeAway: with one of three nodes away libraries are read, changed and
// emptied; when it is back, nothing that was deleted is found, and everything else is.
func TestNodeAway(t *testing.T) {
	if os.Getenv("INLAY_WEAVIATE_DATA") == "" {
		t.Skip("no nodes of scripts/weaviate to stop")
	}
	p := newParts(t)
	p.config.Direct = -1
	s, r := p.open(t), retrieve.New(retrieve.Options{})
	configure(t, s, r)
	put(t, s, r, notes(30), untagged)
	node(t, "stop", "1")
	back := false
	defer func() {
		if !back {
			node(t, "start", "1")
		}
	}()
	put(t, s, r, notes(60)[30:], untagged)
	require.Equal(t, "notes/045.md", find(t, s, r, "who wrote qz45x", library.Filter{}).Citations[0].File)
	batch, err := s.Begin(t.Context(), "", "set")
	require.NoError(t, err)
	require.NoError(t, batch.Commit(t.Context(), library.Change{Delete: []string{"notes/007.md"}, Purge: true}))
	require.NoError(t, s.Verify(t.Context(), "", "set"))
	node(t, "start", "1")
	back = true
	for i := range 12 {
		for _, c := range find(t, s, r, "who wrote qz7x", library.Filter{}).Citations {
			require.NotEqual(t, "notes/007.md", c.File)
		}
		require.True(t, strings.HasPrefix(find(t, s, r, fmt.Sprintf("the tide of day %d", 7*i), library.Filter{}).Citations[0].File, "notes/"))
	}
	for i := 30; i < 60; i++ { // what was put while the node was away
		require.Equal(t, fmt.Sprintf("notes/%03d.md", i), find(t, s, r, fmt.Sprintf("who wrote qz%dx", i), library.Filter{}).Citations[0].File)
	}
}

// TestPing: libraries can be used when the index and its parts answer.
func TestPing(t *testing.T) {
	p := newParts(t)
	require.NoError(t, p.open(t).Ping(t.Context()))
	require.NoError(t, blobs.Ping(t.Context(), p.config.Blobs))
}
