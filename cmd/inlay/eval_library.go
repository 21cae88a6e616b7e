package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"inlay/eval"
	"inlay/fault"
	"inlay/internal/wire"
	"inlay/library"
)

// set is what is asked, and of which documents.
func (c *evalCmd) set(ctx context.Context, a *app) (*eval.Set, error) {
	if c.Library == "" {
		return eval.Load(ctx, c.Data, c.Documents)
	}
	if c.Documents != "" {
		return nil, &fault.Error{Code: fault.Usage, Subject: "--documents", Reason: "is given with --library", Next: "give the one or the other"}
	}
	documents, err := c.shelved(ctx, a)
	if err != nil {
		return nil, err
	}
	return eval.LoadOver(ctx, c.Data, c.Library, documents)
}

// like takes the embedder and the chunking that the library was made with, where
// the command line has no others.
func (c *evalCmd) like(made library.Settings) {
	if made.Chunk != "" && slices.Equal(c.Chunk, []string{"default"}) {
		c.Chunk = []string{made.Chunk}
	}
	if made.Embedder != "" && slices.Equal(c.Embedder, []string{"builtin"}) {
		c.Embedder = []string{made.Embedder}
	}
}

// mostEvaluated is how many bytes of text of a library are evaluated: all of it
// is in memory for that.
const mostEvaluated = 256 << 20

// shelved are the documents of the library that the filter leaves, as it has them.
func (c *evalCmd) shelved(ctx context.Context, a *app) (list []eval.Source, err error) {
	filter, err := c.filter()
	if err != nil {
		return nil, err
	}
	store := wire.OpenLibraries(wire.DataDir(c.LibraryData, a.getenv))
	defer func() { err = errors.Join(err, store.Close()) }()
	made, err := store.Settings(ctx, "", c.Library)
	if err != nil {
		return nil, err
	}
	c.like(made)
	extent, err := store.Extent(ctx, "", c.Library, filter)
	switch {
	case err != nil:
		return nil, err
	case extent.Documents == 0:
		return nil, &fault.Error{Code: fault.FileNotFound, Subject: "library " + c.Library, Reason: "has no documents that the filter leaves", Next: "see inlay library show " + c.Library}
	case extent.Text > mostEvaluated:
		return nil, &fault.Error{
			Code: fault.LimitExceeded, Subject: "library " + c.Library, Reason: fmt.Sprintf("has %d MiB of text, and an evaluation holds %d", extent.Text>>20, mostEvaluated>>20),
			Next: "choose a part of it with --library-path or another filter",
		}
	}
	entries, err := store.Entries(ctx, "", c.Library, filter)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		d, err := store.Open(ctx, "", c.Library, e.Path)
		if err != nil {
			return nil, err
		}
		list = append(list, eval.Source{ID: e.Path, Document: &d})
	}
	return list, nil
}
