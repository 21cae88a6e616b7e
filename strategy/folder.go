package strategy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"inlay/fault"
	"inlay/strategy/source"
)

// Set is a number of loaded strategies, in the order of their providers and
// files, and what was found on the way.
type Set struct {
	Strategies  []*Strategy
	Diagnostics []Diagnostic
}

// Lookup finds a strategy by id, without regard to case.
func (s Set) Lookup(id string) (*Strategy, bool) {
	id = strings.ToLower(id)
	for _, one := range s.Strategies {
		if one.ID == id {
			return one, true
		}
	}
	return nil, false
}

// Join puts sets together. Of two strategies with one id the first stays; the
// other becomes a diagnostic.
func Join(sets ...Set) Set {
	var out Set
	first := map[string]*Strategy{}
	for _, set := range sets {
		out.Diagnostics = append(out.Diagnostics, set.Diagnostics...)
		for _, s := range set.Strategies {
			if other, taken := first[s.ID]; taken {
				p := source.Problems{File: s.File}
				p.Error(source.Place{Line: 1, Column: 1}, source.DuplicateID, "id", "The id %s is taken by %s.", s.ID, other.File)
				out.Diagnostics = append(out.Diagnostics, p.List...)
				continue
			}
			first[s.ID] = s
			out.Strategies = append(out.Strategies, s)
		}
	}
	return out
}

// Folder loads every strategy file under a folder and loads again what changed.
// It is safe for concurrent use.
type Folder struct {
	Loader Loader
	FS     fs.FS

	mu    sync.Mutex
	known map[string]loaded
}

// loaded is what is kept of a file.
type loaded struct {
	stamp    stamp // of the file
	from     stamp // of the file it derives from
	strategy *Strategy
	problems []Diagnostic
}

// stamp tells whether a file may have changed. Files changed shortly before
// they were read are read again, since a clock may be too coarse to tell.
type stamp struct {
	size int64
	time time.Time
	sure bool
}

// settle is how long after its last change a file's time can be trusted.
const settle = 2 * time.Second

// OpenFolder opens a directory; nothing outside of it is read, also not over
// links. A folder that is not there is fault.FileNotFound.
func OpenFolder(l Loader, dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		code, next := fault.FileUnreadable, "check its rights"
		if errors.Is(err, fs.ErrNotExist) {
			code, next = fault.FileNotFound, "create it or name another"
		}
		return nil, &fault.Error{Code: code, Subject: dir, Reason: "the folder of strategies cannot be opened", Next: next, Err: err}
	}
	return &Folder{Loader: l, FS: root.FS()}, nil
}

// Load loads what is new or changed and returns all of the folder. A broken
// file never hides the others; one that was good before keeps its last good
// version until it is whole again or gone. It fails when ctx ends.
func (f *Folder) Load(ctx context.Context) (Set, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all Set
	next := map[string]loaded{}
	err := fs.WalkDir(f.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			all.Diagnostics = append(all.Diagnostics, unreadable(name))
			return skip(d)
		}
		if d.IsDir() || !strings.HasSuffix(name, Extension) {
			return nil
		}
		next[name] = f.file(ctx, name)
		return nil
	})
	if err != nil {
		return Set{}, &fault.Error{Code: fault.Canceled, Subject: "strategies", Reason: "canceled while loading", Err: err}
	}
	f.known = next
	for _, name := range sortedKeys(next) {
		all.Diagnostics = append(all.Diagnostics, next[name].problems...)
		if s := next[name].strategy; s != nil {
			all.Strategies = append(all.Strategies, s)
		}
	}
	return Join(all), nil
}

func unreadable(name string) Diagnostic {
	return Diagnostic{Code: source.UnreadableFile, Severity: source.Error, Message: "This file or folder cannot be read.", File: name, Line: 1, Column: 1}
}

func skip(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// file returns what is known of a file, reading it where it may have changed.
func (f *Folder) file(ctx context.Context, name string) loaded {
	before, known := f.known[name]
	now := f.stamp(name)
	if known && before.stamp.same(now) && !f.sourceChanged(before) {
		return before
	}
	s, problems := f.Loader.Load(ctx, f.FS, name)
	out := loaded{stamp: now, strategy: s, problems: problems}
	if s != nil && s.From != "" {
		out.from = f.stamp(s.From)
	}
	if s == nil && known && before.strategy != nil {
		out.strategy, out.stamp = before.strategy, stamp{}
		p := source.Problems{File: name}
		p.Warn(source.Place{Line: 1, Column: 1}, source.PreviousVersionStands, "", "The file is broken; its last good version stays in use.")
		out.problems = append(slices.Clip(out.problems), p.List...)
	}
	return out
}

// sourceChanged reports whether a file must be read again for what it derives
// from; a broken one always, since its source may have been repaired.
func (f *Folder) sourceChanged(l loaded) bool {
	if l.strategy == nil {
		return true
	}
	return l.strategy.From != "" && !l.from.same(f.stamp(l.strategy.From))
}

func (f *Folder) stamp(name string) stamp {
	info, err := fs.Stat(f.FS, name)
	if err != nil {
		return stamp{}
	}
	return stamp{size: info.Size(), time: info.ModTime(), sure: time.Since(info.ModTime()) > settle}
}

func (s stamp) same(t stamp) bool { return s.sure && s.size == t.size && s.time.Equal(t.time) }

// Watch loads the folder at once and then as often as every says, and hands
// over each set that differs from the one before, until ctx ends. It returns
// the cause of the end.
func (f *Folder) Watch(ctx context.Context, every time.Duration, changed func(Set)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	var last *Set
	for {
		set, err := f.Load(ctx)
		if err != nil {
			return err
		}
		if last == nil || !set.same(*last) {
			changed(set)
		}
		last = &set
		select {
		case <-ctx.Done():
			return fmt.Errorf("watch strategies: %w", context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// same compares what two sets hold: a file that was read again is another
// strategy only if its content differs, which its pointer and text tell.
func (s Set) same(t Set) bool {
	return slices.Equal(s.Diagnostics, t.Diagnostics) && slices.EqualFunc(s.Strategies, t.Strategies, func(a, b *Strategy) bool {
		return a == b || a.digest == b.digest && a.File == b.File
	})
}

// LoadFile loads one strategy file from disk; a "from" stays within its folder.
func LoadFile(ctx context.Context, l Loader, file string) (*Strategy, []Diagnostic, error) {
	dir, name := path.Split(strings.ReplaceAll(file, `\`, "/"))
	folder, err := OpenFolder(l, path.Join(dir, "."))
	if err != nil {
		return nil, nil, err
	}
	if _, err := fs.Stat(folder.FS, name); err != nil {
		return nil, nil, &fault.Error{Code: fault.CodeOf(err), Subject: file, Reason: "the strategy cannot be read", Next: "check the path", Err: err}
	}
	s, problems := l.Load(ctx, folder.FS, name)
	return s, problems, nil
}
