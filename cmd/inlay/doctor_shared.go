package main

// The checks of inlay doctor that look at what servers share.

import (
	"context"
	"fmt"
	"strings"
	"time"

	"inlay/fault"
	"inlay/internal/blobs"
	"inlay/internal/plural"
	"inlay/internal/state/postgres"
	"inlay/internal/weaviate"
)

// sharedTime is how long a part that servers share may take to answer.
const sharedTime = 15 * time.Second

// lookDatabase connects to the database, without changing its tables.
func lookDatabase(ctx context.Context, e *examination) []finding {
	if e.Database == "" {
		return left("no --database: the records are in the data folder")
	}
	ctx, cancel := context.WithTimeout(ctx, sharedTime)
	defer cancel()
	version, tables, err := postgres.Look(ctx, e.Database)
	switch {
	case err != nil:
		return ofError(err, "see that the database runs and can be reached from here")
	case tables == "":
		return fine("PostgreSQL %s, without tables yet; serve makes them", version)
	}
	return fine("PostgreSQL %s, tables of version %s", version, tables)
}

// lookBlobs writes to the store of bytes, reads it and removes it.
func lookBlobs(ctx context.Context, e *examination) []finding {
	if e.Blobs == "" {
		return left("no --blobs: the bytes of uploads are in the data folder")
	}
	ctx, cancel := context.WithTimeout(ctx, sharedTime)
	defer cancel()
	store, err := openBlobs(ctx, e.Blobs, "", e.app.getenv)
	if err == nil {
		err = tryBlobs(ctx, store)
	}
	if err != nil {
		return ofError(err, "see that the store runs, and what its key may do")
	}
	return fine("a blob was written, read and removed")
}

func tryBlobs(ctx context.Context, store blobs.Store) error {
	const key, text = "ping/doctor", "inlay doctor"
	if err := store.Put(ctx, key, strings.NewReader(text), int64(len(text))); err != nil {
		return err
	}
	data, err := blobs.Read(ctx, store, key)
	if err == nil && string(data) != text {
		err = &fault.Error{Code: fault.StoreDamaged, Subject: "--blobs", Reason: "returned other bytes than it was given"}
	}
	if err != nil {
		return err
	}
	return store.Remove(ctx, key)
}

// lookIndex asks the cluster for its nodes.
func lookIndex(ctx context.Context, e *examination) []finding {
	if e.Index == "" {
		if e.Database != "" {
			return left("no --index: servers with --database have no libraries and no vector stores")
		}
		return left("no --index: libraries are in the data folder")
	}
	ctx, cancel := context.WithTimeout(ctx, sharedTime)
	defer cancel()
	client, err := weaviate.Open(e.Index, e.app.getenv)
	if err != nil {
		return ofError(err, "")
	}
	defer func() { _ = client.Close() }()
	nodes, err := client.Nodes(ctx)
	if err != nil {
		return ofError(err, "see that the cluster runs and can be reached from here")
	}
	var sick []string
	version := ""
	for _, n := range nodes {
		if n.Status != "HEALTHY" {
			sick = append(sick, n.Name)
		}
		version = n.Version
	}
	switch {
	case len(nodes) < weaviate.Replicas:
		found := fmt.Sprintf("the cluster has %s, and passages are kept on %d", plural.Of(len(nodes), "node"), weaviate.Replicas)
		return bad(found, "add nodes before the first library is made")
	case len(sick) > 0:
		found := "nodes that are not healthy: " + strings.Join(sick, ", ")
		return []finding{{Verdict: worry, Found: found, Next: "start them; with two of three away nothing can be written"}}
	}
	return fine("Weaviate %s, %s, all healthy", version, plural.Of(len(nodes), "node"))
}
