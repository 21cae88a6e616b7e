package inlay

import (
	"context"

	"inlay/fault"
	"inlay/internal/wire"
	"inlay/library"
	"inlay/library/disk"
)

// AddLibrary makes a library in Options.Libraries, or adds files and folders to
// it, and reads what is new. Questions search it where
// Options.Injection.Libraries names it. A file that cannot be read is in the
// outcome's Failed.
func (in *Inlay) AddLibrary(ctx context.Context, name string, paths ...string) (library.Outcome, error) {
	k, err := in.keeper()
	if err != nil {
		return library.Outcome{}, err
	}
	if err := k.AddFolders(ctx, "", name, in.made, paths, nil); err != nil {
		return library.Outcome{}, inGo(err)
	}
	return in.sync(ctx, k, name)
}

// SyncLibrary brings a library up to date with its folders. When ctx ends, what
// was read by then is kept, and the next call continues from there.
func (in *Inlay) SyncLibrary(ctx context.Context, name string) (library.Outcome, error) {
	k, err := in.keeper()
	if err != nil {
		return library.Outcome{}, err
	}
	return in.sync(ctx, k, name)
}

func (in *Inlay) sync(ctx context.Context, k *library.Keeper, name string) (library.Outcome, error) {
	out, err := k.Sync(ctx, "", name)
	return out, inGo(err)
}

// keeper reads files into the libraries as questions are searched.
func (in *Inlay) keeper() (*library.Keeper, error) {
	index, _ := in.engine.Injector.Libraries.(library.Index)
	indexer, _ := in.engine.Injector.Retriever.(library.Indexer)
	if index == nil || indexer == nil {
		return nil, &fault.Error{Code: fault.Usage, Subject: "Options.Libraries", Reason: "names no folder", Next: "name one to keep libraries in"}
	}
	return &library.Keeper{Index: index, Indexer: indexer, Parser: in.registry, Limits: in.options.Limits, Avoid: []string{in.options.Libraries}}, nil
}

// openLibraries opens the folder of libraries, if one is named.
func (in *Inlay) openLibraries() *disk.Store {
	if in.options.Libraries == "" {
		return nil
	}
	store := wire.OpenLibraries(in.options.Libraries)
	in.engine.Injector.Libraries = store
	return store
}
