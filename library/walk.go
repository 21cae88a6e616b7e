package library

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"inlay/fault"
	"inlay/ignore"
	"inlay/parse"
)

// found is a file of a folder.
type found struct {
	path     string // inside the library
	folder   Folder
	inside   string // inside the folder
	size     int64
	modified time.Time
	data     []byte // set for a moment, while it is read
}

// load reads the file. Links cannot lead out of its folder.
func (f found) load(ctx context.Context, limits parse.Limits) (parse.File, error) {
	if f.folder.File {
		return parse.ReadFile(ctx, f.folder.Path, limits)
	}
	root, err := os.OpenRoot(f.folder.Path)
	if err != nil {
		return parse.File{}, unreadable(f.path, err)
	}
	defer func() { _ = root.Close() }()
	file, err := root.Open(filepath.FromSlash(f.inside))
	if err != nil {
		return parse.File{}, unreadable(f.path, err)
	}
	defer func() { _ = file.Close() }()
	return parse.ReadFrom(ctx, path.Base(f.inside), file, limits)
}

func unreadable(name string, err error) error {
	e := &fault.Error{Code: fault.FileUnreadable, Subject: name, Reason: "it cannot be read", Next: "check the path and the disk", Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Code, e.Reason, e.Next = fault.FileNotFound, "it was removed meanwhile", "sync again"
	case errors.Is(err, fs.ErrPermission):
		e.Reason, e.Next = "no permission to read it", "change its permissions"
	}
	return e
}

// walk lists the files of folders. A folder that is not there is an error: a disk
// that is not mounted must not empty a library.
func (k *Keeper) walk(ctx context.Context, folders []Folder) ([]found, error) {
	var files []found
	taken := map[string]bool{}
	for _, folder := range folders {
		list, err := k.list(ctx, folder)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if !taken[f.path] {
				taken[f.path] = true
				files = append(files, f)
			}
		}
	}
	return files, nil
}

// list lists the files of one folder, in order.
func (k *Keeper) list(ctx context.Context, folder Folder) (files []found, err error) {
	info, err := os.Stat(folder.Path)
	if err != nil {
		return nil, &fault.Error{
			Code: fault.FileNotFound, Subject: folder.Path, Reason: "this folder of the library cannot be read", Err: err,
			Next: "mount or restore it, or take it out with inlay library remove NAME " + folder.Path,
		}
	}
	if folder.File {
		return []found{{path: folder.Label, folder: folder, size: info.Size(), modified: info.ModTime()}}, nil
	}
	root, err := os.OpenRoot(folder.Path)
	if err != nil {
		return nil, unreadable(folder.Path, err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	rules := ignore.New(root.FS(), nil)
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == ".":
			return unreadable(folder.Path, err)
		case err != nil:
			return nil //nolint:nilerr // a folder that cannot be listed has no files
		}
		out, err := rules.Ignored(name, d.IsDir())
		if out || err != nil || d.IsDir() && slices.Contains(k.Avoid, filepath.Join(folder.Path, filepath.FromSlash(name))) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			files = append(files, found{path: path.Join(folder.Label, name), folder: folder, inside: name, size: info.Size(), modified: info.ModTime()})
		}
		return nil
	})
	return files, err
}

// AddFolders makes a library, or adds folders and files to it; their contents
// come with the next [Keeper.Sync]. Labels are made of the last names of paths.
func (k *Keeper) AddFolders(ctx context.Context, owner, name string, s Settings, paths []string, tags []string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	old, err := k.Index.Settings(ctx, owner, name)
	switch {
	case err == nil:
		if err := old.Check(name, k.Indexer.Fingerprint()); err != nil {
			return err
		}
		s = old
	case !fault.Is(err, fault.FileNotFound):
		return err
	default:
		s.Fingerprint, s.Created = k.Indexer.Fingerprint(), time.Now().UTC().Truncate(time.Second)
	}
	for _, p := range paths {
		if s.Folders, err = withFolder(s.Folders, p, tags); err != nil {
			return err
		}
	}
	return k.Index.Configure(ctx, owner, name, s)
}

// withFolder adds a folder to a list, or gives it other tags.
func withFolder(folders []Folder, p string, tags []string) ([]Folder, error) {
	whole, err := filepath.Abs(p)
	if err != nil {
		return nil, unreadable(p, err)
	}
	if whole, err = filepath.EvalSymlinks(whole); err != nil {
		return nil, &fault.Error{Code: fault.FileNotFound, Subject: p, Reason: "there is no such file or folder", Next: "check the path", Err: err}
	}
	info, err := os.Stat(whole)
	if err != nil {
		return nil, unreadable(p, err)
	}
	labels := map[string]bool{}
	for i, f := range folders {
		if f.Path == whole {
			if tags != nil {
				folders[i].Tags = tags
			}
			return folders, nil
		}
		if !f.File && within(whole, f.Path) {
			return nil, &fault.Error{Code: fault.Usage, Subject: p, Reason: "lies in " + f.Path + ", which the library has already", Next: "sync it: inlay library sync"}
		}
		labels[f.Label] = true
	}
	return append(folders, Folder{Path: whole, Label: freeLabel(whole, labels), Tags: tags, File: !info.IsDir()}), nil
}

// within reports whether a path lies in a folder.
func within(p, folder string) bool {
	rel, err := filepath.Rel(folder, p)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// freeLabel is the last name of a path, with as many of those before it as make
// it differ from the labels taken.
func freeLabel(p string, taken map[string]bool) string {
	names := strings.Split(strings.Trim(filepath.ToSlash(p), "/"), "/")
	for n := 1; n <= len(names); n++ {
		if label := strings.Join(names[len(names)-n:], "/"); !taken[label] {
			return label
		}
	}
	return strings.Join(names, "/")
}

// RemovePaths takes paths out of a library: folders that it is kept up to date
// with, and files and folders inside it that nothing brings back. It returns how
// many paths are gone.
func (k *Keeper) RemovePaths(ctx context.Context, owner, name string, paths []string) (int, error) {
	s, err := k.Index.Settings(ctx, owner, name)
	if err != nil {
		return 0, err
	}
	entries, err := k.Index.Entries(ctx, owner, name, Filter{})
	if err != nil {
		return 0, err
	}
	var gone []string
	failed, err := k.Index.Failures(ctx, owner, name)
	if err != nil {
		return 0, err
	}
	var unread []string
	for _, p := range paths {
		list, folders := matching(entries, s.Folders, p)
		lost := failedBelow(failed, s.Folders, folders, p)
		unread = append(unread, lost...)
		if len(list)+len(lost) == 0 && len(folders) == len(s.Folders) {
			return 0, &fault.Error{Code: fault.FileNotFound, Subject: p, Reason: "is not in the library " + name, Next: "see inlay library show " + name}
		}
		for _, e := range list {
			if slices.ContainsFunc(folders, func(f Folder) bool { return f.Path == e.Folder }) {
				return 0, &fault.Error{
					Code: fault.Usage, Subject: p, Reason: "belongs to the folder " + e.Folder + ", and the next sync would bring it back",
					Next: "remove the file itself, or name it in the folder's .gitignore, and sync",
				}
			}
			gone = append(gone, e.Path)
		}
		s.Folders = folders
	}
	if err := k.Index.Configure(ctx, owner, name, s); err != nil {
		return 0, err
	}
	return len(gone), k.delete(ctx, owner, name, append(gone, unread...))
}

// failedBelow are the paths of unread files that p means: those of the folders that
// left does not have any more, and those at or below p inside the library.
func failedBelow(failed []Failure, folders, left []Folder, p string) (paths []string) {
	inside := strings.Trim(filepath.ToSlash(p), "/")
	for _, f := range failed {
		had := func(o Folder) bool { return o.Path == f.Folder }
		if slices.ContainsFunc(folders, had) && !slices.ContainsFunc(left, had) || f.Path == inside && f.Folder == "" {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// matching are the entries that a path means, and the folders that are left
// without it: the path of a folder, or one inside the library.
func matching(entries []Entry, folders []Folder, p string) (list []Entry, left []Folder) {
	whole, _ := filepath.Abs(p)
	if led, err := filepath.EvalSymlinks(whole); err == nil {
		whole = led
	}
	inside := strings.Trim(filepath.ToSlash(p), "/")
	removed := ""
	for _, f := range folders {
		if f.Path == whole || f.Label == inside {
			removed = f.Path
			continue
		}
		left = append(left, f)
	}
	for _, e := range entries {
		if removed != "" && e.Folder == removed || e.Path == inside || strings.HasPrefix(e.Path, inside+"/") {
			list = append(list, e)
		}
	}
	return list, left
}

// delete removes paths, and their content from the disk.
func (k *Keeper) delete(ctx context.Context, owner, name string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	batch, err := k.Index.Begin(ctx, owner, name)
	if err != nil {
		return err
	}
	defer batch.Abort()
	return batch.Commit(ctx, Change{Delete: paths, Purge: true})
}
