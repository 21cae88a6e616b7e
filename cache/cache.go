// Package cache keeps derived bytes (parses, chunks, embeddings) under keys
// made from the content they were derived from, in memory or on disk. What is
// found under a key is what deriving it again would give; losing an entry
// costs time, never correctness.
package cache

import "context"

// Store keeps bytes. Implementations are safe for concurrent use.
type Store interface {
	// Get returns the bytes last put under key. A missing or damaged entry is
	// ok == false and no error: the caller derives it again.
	Get(ctx context.Context, key Key) (data []byte, ok bool, err error)
	// Put keeps data under key, wholly or not at all.
	Put(ctx context.Context, key Key, data []byte) error
	// Forget removes all that was derived from one content for a namespace.
	Forget(ctx context.Context, namespace, of string) error
}

// Eraser is a store that can forget all that was derived for a namespace.
// [Dir] and [Memory] are.
type Eraser interface {
	Erase(ctx context.Context, namespace string) error
}

// Key names derived bytes by everything that they depend on.
type Key struct {
	Namespace string   // separates callers that must not learn of each other (RET-4)
	Of        string   // the content it was derived from, such as a file id; what [Store.Forget] goes by
	Kind      string   // "parse", "chunks", "vectors"
	Parts     []string // parser version, chunking, embedder fingerprint, ...
}
