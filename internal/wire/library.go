package wire

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"inlay/cache"
	"inlay/embed"
	"inlay/internal/state"
	"inlay/library"
	"inlay/library/disk"
	"inlay/parse"
	"inlay/retrieve"
)

// DataDir is where a person's libraries are kept: the folder that was named, else
// inlay in the user's data folder.
func DataDir(named string, getenv func(string) string) string {
	if named != "" {
		return named
	}
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "inlay")
	}
	home := getenv("HOME")
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	return filepath.Join(home, ".local", "share", "inlay")
}

// OpenLibraries are the libraries in a data folder. Close them after use.
func OpenLibraries(data string) *disk.Store {
	store := disk.Open(filepath.Join(data, "libraries"))
	store.Own = state.Local
	return store
}

// OpenKeeper brings libraries up to date with the search in force.
func OpenKeeper(ctx context.Context, s Search, m ModelSettings, data string, libraries library.Index, getenv func(string) string) (*library.Keeper, *retrieve.Retriever, embed.Embedder, error) {
	registry, err := OpenParsers(s.Limits, s.OCR, getenv)
	if err != nil {
		return nil, nil, nil, err
	}
	embedder, err := OpenEmbedder(ctx, s.Embedder, m, getenv)
	if err != nil {
		return nil, nil, nil, err
	}
	store, err := OpenStore(s.Store)
	if err != nil {
		return nil, nil, nil, err
	}
	second, err := OpenReranker(s.Reranker, m, getenv)
	if err != nil {
		return nil, nil, nil, err
	}
	retriever, err := NewRetriever(s, embedder, store, second)
	if err != nil {
		return nil, nil, nil, err
	}
	k := &library.Keeper{
		Index: libraries, Indexer: retriever, Limits: s.Limits, Avoid: []string{data},
		Parser: parse.Cached{Registry: registry, Store: nil, Limits: s.Limits},
	}
	return k, retriever, embedder, nil
}

// OpenChunked makes passages of another size, in tokens, with an embedder.
func OpenChunked(s Search, embedder embed.Embedder, store cache.Store) func(size, overlap int) (library.Indexer, error) {
	return func(size, overlap int) (library.Indexer, error) {
		s := s
		s.Chunk = fmt.Sprintf("%d/%d", size, overlap)
		return NewRetriever(s, embedder, store, nil)
	}
}

// ChunkSize is the chunking that a search has in force, in tokens.
func ChunkSize(s Search) (size, overlap int, err error) {
	splitter, err := OpenSplitter(s.Chunk)
	if splitter.Size == 0 {
		splitter.Size, splitter.Overlap = retrieve.DefaultSize, retrieve.DefaultOverlap
	}
	return splitter.Size, splitter.Overlap, err
}

// LibrarySettings are those of a new library.
func LibrarySettings(s Search, embedder embed.Embedder) library.Settings {
	return library.Settings{Embedder: cmp.Or(s.Embedder, embedder.Spec().Model), Chunk: s.Chunk}
}

// LikeLibrary is a search with the embedder and the chunking that a library was
// made with, where the search names none.
func LikeLibrary(s Search, of library.Settings) Search {
	s.Embedder, s.Chunk = cmp.Or(s.Embedder, of.Embedder), cmp.Or(s.Chunk, of.Chunk)
	return s
}
