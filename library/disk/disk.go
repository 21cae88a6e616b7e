// Package disk keeps libraries in a folder of one machine.
//
// A library is a folder of its own: catalogue.db, an SQLite file that says which
// documents are alive under which paths, and segments, files that never change
// and hold the documents, the postings of their terms and their vectors. A change
// writes a segment, then says in one transaction that it counts: a process that
// is killed leaves at most a segment that nobody knows, which the next change
// removes. Searching reads postings and passages from the segments; in memory is
// what describes them, some bytes for each passage.
package disk

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"inlay/fault"
	"inlay/library"
	"inlay/parse"
)

// Store keeps libraries below a folder. Open one with [Open]; close it after use.
type Store struct {
	// Own is another name of the owner "": of who calls a service without keys.
	// Set it before use.
	Own  string
	root string

	mu   sync.Mutex
	open map[string]*shelf // by folder
}

var _ library.Index = (*Store)(nil)

// Open uses the folder root, which is made when a library is.
func Open(root string) *Store { return &Store{root: root, open: map[string]*shelf{}} }

// Close closes what is open.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for dir, one := range s.open {
		errs = append(errs, one.close())
		delete(s.open, dir)
	}
	return errors.Join(errs...)
}

// ownerDir is the folder of an owner's libraries: of a person alone on a
// computer, and of others by their names in hexadecimal.
func (s *Store) ownerDir(owner string) string {
	if owner == "" || owner == s.Own {
		return filepath.Join(s.root, "own")
	}
	return filepath.Join(s.root, "of-"+hex.EncodeToString([]byte(owner)))
}

func (s *Store) dir(owner, name string) (string, error) {
	if err := library.CheckName(name); err != nil {
		return "", err
	}
	return filepath.Join(s.ownerDir(owner), name), nil
}

// shelf opens a library once for the process.
func (s *Store) shelf(ctx context.Context, owner, name string) (*shelf, error) {
	dir, err := s.dir(owner, name)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, statErr := os.Stat(filepath.Join(dir, catalogueName))
	if one := s.open[dir]; one != nil {
		if statErr == nil {
			return one, nil
		}
		delete(s.open, dir) // another process dropped it
		_ = one.close()
	}
	if errors.Is(statErr, fs.ErrNotExist) {
		return nil, library.Unknown(name)
	}
	return s.openShelf(ctx, dir, false)
}

func (s *Store) openShelf(ctx context.Context, dir string, create bool) (*shelf, error) {
	one, err := newShelf(ctx, dir, create)
	if err != nil {
		return nil, err
	}
	s.open[dir] = one
	return one, nil
}

// Libraries implements [library.Directory].
func (s *Store) Libraries(ctx context.Context, owner string) ([]string, error) {
	entries, err := os.ReadDir(s.ownerDir(owner))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(s.ownerDir(owner), err)
	}
	var names []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(s.ownerDir(owner), e.Name(), catalogueName)); err != nil || library.CheckName(e.Name()) != nil {
			continue
		}
		if _, err := s.Settings(ctx, owner, e.Name()); !fault.Is(err, fault.FileNotFound) { // a damaged one is listed
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, ctx.Err()
}

// Configure implements [library.Directory].
func (s *Store) Configure(ctx context.Context, owner, name string, set library.Settings) error {
	dir, err := s.dir(owner, name)
	if err != nil {
		return err
	}
	one, err := s.shelf(ctx, owner, name)
	if fault.Is(err, fault.FileNotFound) {
		if err := os.MkdirAll(filepath.Join(dir, segmentsName), 0o700); err != nil {
			return explain(dir, err)
		}
		s.mu.Lock()
		one, err = s.openShelf(ctx, dir, true)
		s.mu.Unlock()
	}
	if err != nil {
		return err
	}
	return one.explain(one.catalogue.configure(ctx, set))
}

// Settings implements [library.Directory].
func (s *Store) Settings(ctx context.Context, owner, name string) (library.Settings, error) {
	one, err := s.shelf(ctx, owner, name)
	if err != nil {
		return library.Settings{}, err
	}
	set, err := one.catalogue.settings(ctx)
	if err == nil && set.Created.IsZero() && set.Fingerprint == "" {
		return set, library.Unknown(name) // its process ended before it was made
	}
	return set, one.explain(err)
}

// Drop implements [library.Directory].
func (s *Store) Drop(ctx context.Context, owner, name string) error {
	one, err := s.shelf(ctx, owner, name)
	if err != nil {
		return err
	}
	release, err := one.exclusively(ctx)
	if err != nil {
		return err
	}
	defer release()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, one.dir)
	err = one.close()
	if e := os.Remove(filepath.Join(one.dir, catalogueName)); e != nil { // first: without it there is no library
		return errors.Join(err, explain(one.dir, e))
	}
	return errors.Join(err, os.RemoveAll(one.dir))
}

// Begin implements [library.Writer].
func (s *Store) Begin(ctx context.Context, owner, name string) (library.Batch, error) {
	one, err := s.shelf(ctx, owner, name)
	if err != nil {
		return nil, err
	}
	return one.begin(ctx)
}

// Entries implements [library.Reader].
func (s *Store) Entries(ctx context.Context, owner, name string, f library.Filter) ([]library.Entry, error) {
	keep, err := f.Matcher()
	if err != nil {
		return nil, err
	}
	view, err := s.view(ctx, owner, name)
	if err != nil {
		return nil, err
	}
	var list []library.Entry
	for _, p := range view.paths {
		if keep(p.Entry) {
			list = append(list, p.Entry)
		}
	}
	return list, nil
}

// view is the library as it is now.
func (s *Store) view(ctx context.Context, owner, name string) (*view, error) {
	one, err := s.shelf(ctx, owner, name)
	if err != nil {
		return nil, err
	}
	return one.look(ctx)
}

// Open implements [library.Reader].
func (s *Store) Open(ctx context.Context, owner, name, path string) (parse.Document, error) {
	view, err := s.view(ctx, owner, name)
	if err != nil {
		return parse.Document{}, err
	}
	i, ok := slices.BinarySearchFunc(view.paths, path, func(p placed, path string) int { return compare(p.Path, path) })
	if !ok {
		return parse.Document{}, &fault.Error{Code: fault.FileNotFound, Subject: path, Reason: "is not in the library " + name, Next: "see inlay library show " + name}
	}
	return view.document(view.paths[i])
}

// Failures implements [library.Reader].
func (s *Store) Failures(ctx context.Context, owner, name string) ([]library.Failure, error) {
	one, err := s.shelf(ctx, owner, name)
	if err != nil {
		return nil, err
	}
	list, err := one.catalogue.failures(ctx)
	return list, one.explain(err)
}

// Counts implements [library.Inspector].
func (s *Store) Counts(ctx context.Context, owner, name string) (library.Counts, error) {
	one, err := s.shelf(ctx, owner, name)
	if err != nil {
		return library.Counts{}, err
	}
	return one.counts(ctx)
}

// Verify implements [library.Inspector].
func (s *Store) Verify(ctx context.Context, owner, name string) error {
	view, err := s.view(ctx, owner, name)
	if err != nil {
		return err
	}
	for _, held := range view.segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := held.verify(); err != nil {
			return err
		}
	}
	return nil
}
