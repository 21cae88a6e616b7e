package library

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"inlay/fault"
	"inlay/ignore"
)

// Watching says how a library is watched. Its zero value has defaults.
type Watching struct {
	Quiet   time.Duration        // how long nothing must happen before changes are read; 0: half a second
	Rescan  time.Duration        // how often all folders are looked at, whatever the system told; 0: 10 minutes
	Changes func(Outcome, error) // told after each time that something changed or failed; may be nil
	Ready   func(folders int)    // told once the folders are watched; may be nil
}

// Watch keeps a library up to date until ctx ends. The system tells of changes;
// what it misses, on network drives for example, is found by looking again from
// time to time. A run that fails is told of and tried again at the next change.
func (k *Keeper) Watch(ctx context.Context, owner, name string, w Watching) error {
	w.Quiet, w.Rescan = orElse(w.Quiet, 500*time.Millisecond), orElse(w.Rescan, 10*time.Minute)
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return &fault.Error{Code: fault.Internal, Subject: "watch", Reason: "the system cannot watch folders: " + err.Error(), Next: "use inlay library sync from time to time", Err: err}
	}
	defer func() { _ = events.Close() }()
	watched := k.follow(ctx, owner, name, events)
	if err := k.turn(ctx, owner, name, w); err != nil {
		return err
	}
	if w.Ready != nil {
		w.Ready(watched)
	}
	rescan := time.NewTicker(w.Rescan)
	defer rescan.Stop()
	quiet := time.NewTimer(w.Quiet)
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return canceled(ctx.Err())
		case e := <-events.Events:
			if !e.Has(fsnotify.Chmod) || e.Op != fsnotify.Chmod {
				quiet.Reset(w.Quiet)
			}
			continue
		case <-events.Errors: //nolint:errcheck // some events are lost: look at everything
			quiet.Reset(w.Quiet)
			continue
		case <-quiet.C:
		case <-rescan.C:
		}
		k.follow(ctx, owner, name, events)
		if err := k.turn(ctx, owner, name, w); err != nil {
			return err
		}
	}
}

func orElse(d, other time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return other
}

// turn is one run; an error is one that ends the watch.
func (k *Keeper) turn(ctx context.Context, owner, name string, w Watching) error {
	out, err := k.Sync(ctx, owner, name)
	if ctx.Err() != nil {
		return canceled(ctx.Err())
	}
	if w.Changes != nil && (err != nil || len(out.Changes) > 0) {
		w.Changes(out, err)
	}
	if fault.Is(err, fault.EmbedderMismatch) || fault.Is(err, fault.StoreDamaged) {
		return err
	}
	if _, gone := k.Index.Settings(ctx, owner, name); gone != nil {
		return gone
	}
	return nil
}

// follow has the system tell of changes in every folder of the library. Folders
// that cannot be watched are left to looking again.
func (k *Keeper) follow(ctx context.Context, owner, name string, events *fsnotify.Watcher) (folders int) {
	s, err := k.Index.Settings(ctx, owner, name)
	if err != nil {
		return 0
	}
	for _, f := range s.Folders {
		if f.File {
			if events.Add(filepath.Dir(f.Path)) == nil {
				folders++
			}
			continue
		}
		folders += k.followFolder(ctx, f.Path, events)
	}
	return folders
}

func (k *Keeper) followFolder(ctx context.Context, dir string, events *fsnotify.Watcher) (folders int) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0
	}
	defer func() { _ = root.Close() }()
	rules := ignore.New(root.FS(), nil)
	_ = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err != nil || !d.IsDir():
			return nil
		}
		if out, err := rules.Ignored(name, true); out || err != nil {
			return fs.SkipDir
		}
		if err := events.Add(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			folders++
		} else if errors.Is(err, fsnotify.ErrClosed) {
			return fs.SkipAll
		}
		return nil
	})
	return folders
}
