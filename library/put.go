package library

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"inlay/fault"
	"inlay/parse"
)

// Arrival is a file that no folder brings.
type Arrival struct {
	File       parse.File // its name is the path inside the library
	Tags       []string
	Attributes Attributes
	Indexer    Indexer // makes its passages; nil: that of the keeper
}

// Ready is an [Arrival] that was read and made searchable.
type Ready struct {
	Entry Entry
	doc   Document
}

// Prepare reads a file and makes it searchable; [Keeper.Keep] puts it into a library.
func (k *Keeper) Prepare(ctx context.Context, a Arrival) (Ready, error) {
	inside := path.Clean(strings.TrimPrefix(filepath.ToSlash(a.File.Name), "/"))
	if !fs.ValidPath(inside) || inside == "." {
		return Ready{}, &fault.Error{Code: fault.Usage, Subject: "path", Reason: "is not a path inside a library", Next: "use names separated by /, without .."}
	}
	d, err := k.Parser.Parse(ctx, parse.File{Name: path.Base(inside), MediaType: a.File.MediaType, Data: a.File.Data}, nil)
	if err != nil {
		return Ready{}, err
	}
	with := *k
	if a.Indexer != nil {
		with.Indexer = a.Indexer
	}
	doc, err := with.document(ctx, inside, d)
	return Ready{doc: doc, Entry: Entry{
		Path: inside, FileID: d.FileID, Tags: a.Tags, Attributes: a.Attributes, Size: int64(len(a.File.Data)), Modified: time.Now().UTC(),
		Title: doc.Title, MediaType: d.MediaType, Text: len(d.Text), Passages: len(doc.Indexed.Chunks),
	}}, err
}

// Keep adds files to a library, or replaces those of the same path, in one change.
func (k *Keeper) Keep(ctx context.Context, owner, name string, files ...Ready) error {
	s, err := k.Index.Settings(ctx, owner, name)
	if err == nil {
		err = s.Check(name, k.Indexer.Fingerprint())
	}
	if err != nil {
		return err
	}
	batch, err := k.Index.Begin(ctx, owner, name)
	if err != nil {
		return err
	}
	defer batch.Abort()
	var change Change
	for _, f := range files {
		if err := batch.Put(ctx, f.doc); err != nil {
			return err
		}
		change.Set = append(change.Set, f.Entry)
	}
	return batch.Commit(ctx, change)
}

// Put adds or replaces one file that no folder brings, under a path inside the library.
func (k *Keeper) Put(ctx context.Context, owner, name string, f parse.File, tags []string) (Entry, error) {
	s, err := k.Index.Settings(ctx, owner, name)
	if err == nil {
		err = s.Check(name, k.Indexer.Fingerprint())
	}
	if err != nil {
		return Entry{}, err
	}
	one, err := k.Prepare(ctx, Arrival{File: f, Tags: tags})
	if err != nil {
		return Entry{}, err
	}
	return one.Entry, k.Keep(ctx, owner, name, one)
}

// Describe replaces the attributes of a file; fault.FileNotFound if the library
// does not have it.
func (k *Keeper) Describe(ctx context.Context, owner, name, inside string, a Attributes) error {
	entries, err := k.Index.Entries(ctx, owner, name, Filter{})
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Path != inside {
			continue
		}
		e.Attributes = a
		batch, err := k.Index.Begin(ctx, owner, name)
		if err != nil {
			return err
		}
		defer batch.Abort()
		return batch.Commit(ctx, Change{Set: []Entry{e}})
	}
	return &fault.Error{Code: fault.FileNotFound, Subject: inside, Reason: "is not in the library " + name}
}

// Delete removes files that no folder brings, by their paths inside the library.
func (k *Keeper) Delete(ctx context.Context, owner, name string, paths ...string) (int, error) {
	return k.RemovePaths(ctx, owner, name, paths)
}

// Discard removes paths that no folder brings, and their content from the disk. A
// path that is not there is no error.
func (k *Keeper) Discard(ctx context.Context, owner, name string, paths ...string) error {
	return k.delete(ctx, owner, name, paths)
}
