package inputs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/ignore"
	"inlay/internal/plural"
	"inlay/parse"
)

// Why a file of a folder is left out, as notes say it.
const (
	isHidden   = "hidden"
	isIgnored  = "kept out by an ignore file"
	isExcluded = "kept out by --include or --exclude"
	isLink     = "not a regular file"
	isBroken   = "not readable"
)

// folder reads a folder and the folders below it, sorted by path. Nothing outside
// of it is read: links are not followed. With globs only what they match is read.
func (r *Reader) folder(ctx context.Context, dir string, globs ignore.Globs) ([]parse.File, []string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, &fault.Error{Code: fault.CodeOf(err), Subject: dir, Reason: "the folder cannot be opened: " + cause(err), Next: "check the path and its permissions", Err: err}
	}
	defer func() { _ = root.Close() }()
	w := &walk{reader: r, dir: dir, globs: globs, left: map[string][]string{}}
	w.rules, w.prefix = rules(dir)
	if err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return &fault.Error{Code: fault.Canceled, Subject: dir, Reason: "canceled", Err: ctx.Err()}
		}
		return w.visit(name, entry, err)
	}); err != nil {
		return nil, nil, err
	}
	files, err := w.read(ctx, root)
	if err != nil {
		return nil, nil, err
	}
	if len(files) == 0 {
		return nil, nil, &fault.Error{Code: fault.FileNotFound, Subject: dir, Reason: "the folder has no file to read" + w.summary(": ", nil), Next: "name files in it"}
	}
	if said := w.summary("", []string{isHidden, isIgnored, isExcluded}); said != "" {
		return files, []string{dir + ": left out: " + said}, nil
	}
	return files, nil, nil
}

// walk is a folder being read.
type walk struct {
	reader *Reader
	dir    string
	globs  ignore.Globs
	rules  *ignore.Rules
	prefix string              // of the folder in that of the rules
	names  []string            // to be read
	left   map[string][]string // names left out, by reason
}

// rules are the ignore files that hold in a folder: those of its repository, unless
// they keep out the folder itself, which the user named.
func rules(dir string) (r *ignore.Rules, prefix string) {
	own := ignore.New(os.DirFS(dir), nil)
	abs, err := filepath.Abs(dir)
	if err != nil {
		return own, "."
	}
	for top := abs; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			rel, err := filepath.Rel(top, abs)
			all := ignore.New(os.DirFS(top), nil)
			out, bad := all.Ignored(filepath.ToSlash(rel), true)
			if err != nil || bad != nil || out {
				return own, "."
			}
			return all, filepath.ToSlash(rel)
		}
		if top == filepath.Dir(top) {
			return own, "."
		}
	}
}

// visit takes a file, goes into a folder, or leaves it out.
func (w *walk) visit(name string, entry fs.DirEntry, err error) error {
	if name == "." && err == nil {
		return nil
	}
	reason := w.refusal(name, entry, err)
	switch {
	case reason == "" && entry.IsDir():
		return nil
	case reason == "":
		size := int64(0)
		if info, err := entry.Info(); err == nil { // else opening it says so
			size = info.Size()
		}
		w.names = append(w.names, name)
		return w.reader.bound(w.dir, size)
	}
	w.left[reason] = append(w.left[reason], name)
	if entry != nil && entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// refusal is why something in the folder is not looked at.
func (w *walk) refusal(name string, entry fs.DirEntry, err error) string {
	if err != nil || entry == nil {
		return isBroken
	}
	dir := entry.IsDir()
	ignored, unclear := w.rules.Ignored(path.Join(w.prefix, name), dir)
	switch r := w.reader; {
	case hidden(path.Base(name)):
		return isHidden
	case ignored || unclear != nil:
		return isIgnored
	case r.Exclude.Match(name, dir):
		return isExcluded
	case dir:
		return ""
	case !entry.Type().IsRegular():
		return isLink
	case len(r.Include) > 0 && !r.Include.Match(name, false), len(w.globs) > 0 && !w.globs.Match(name, false):
		return isExcluded
	}
	return ""
}

// read reads the files that were taken; one that cannot be read is left out.
func (w *walk) read(ctx context.Context, root *os.Root) (files []parse.File, err error) {
	for _, name := range w.names {
		f, reason := w.open(ctx, root, name)
		if ctx.Err() != nil {
			return nil, &fault.Error{Code: fault.Canceled, Subject: w.dir, Reason: "canceled", Err: ctx.Err()}
		}
		if reason != "" {
			w.left[reason] = append(w.left[reason], name)
			continue
		}
		files = append(files, f)
	}
	return files, nil
}

func (w *walk) open(ctx context.Context, root *os.Root, name string) (f parse.File, refusal string) {
	file, err := root.Open(name)
	if err != nil {
		return f, isBroken
	}
	defer func() { _ = file.Close() }()
	f, err = parse.ReadFrom(ctx, path.Base(name), file, w.reader.Limits)
	switch {
	case fault.Is(err, fault.FileTooLarge):
		return f, "too large"
	case err != nil:
		return f, isBroken
	}
	f.Path = filepath.Join(w.dir, filepath.FromSlash(name))
	if w.reader.Accept != nil {
		refusal = w.reader.Accept(f)
	}
	return f, refusal
}

// mostNamed is how many files a note names for each reason.
const mostNamed = 3

// summary lists what was left out, by reason and but for some reasons; empty:
// nothing was.
func (w *walk) summary(before string, but []string) string {
	var parts []string
	for reason, names := range w.left {
		if slices.Contains(but, reason) {
			continue
		}
		slices.Sort(names)
		shown := strings.Join(names[:min(len(names), mostNamed)], ", ")
		if more := len(names) - mostNamed; more > 0 {
			shown += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s)", plural.Of(len(names), "entry"), reason, shown))
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	return before + strings.Join(parts, "; ")
}

// cause is why the operating system opens no folder.
func cause(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is not there"
	case errors.Is(err, fs.ErrPermission):
		return "no permission to read it"
	}
	return "it cannot be read"
}
