package builtin

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"inlay/fault"
	"inlay/ignore"
)

// Workspace is a folder that may be read, and nothing outside of it: neither
// ".." nor a link leads out (SEC-2). What its ignore files keep out is not there.
type Workspace struct {
	dir   string
	root  *os.Root
	rules *ignore.Rules
}

// OpenWorkspace opens the folder dir. Ignore files are those called names; nil:
// .gitignore and .rooignore. Close it when it is not needed any more.
func OpenWorkspace(dir string, names []string) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	return &Workspace{dir: abs, root: root, rules: ignore.New(root.FS(), names)}, nil
}

// Close lets go of the folder.
func (w *Workspace) Close() error { return w.root.Close() }

// Dir is the folder's absolute path.
func (w *Workspace) Dir() string { return w.dir }

// Rules are those of its ignore files.
func (w *Workspace) Rules() *ignore.Rules { return w.rules }

func unreadable(name string, err error) error {
	code := fault.CodeOf(err)
	reason := "it cannot be read"
	if code == fault.FileNotFound {
		reason = "it does not exist"
	} else {
		code = fault.FileUnreadable
	}
	return &fault.Error{Code: code, Subject: name, Reason: reason, Next: "check the path and who may read it", Err: err}
}

// outside and ignored are the two ways in which a path is refused.
func outside(name string) error {
	return &fault.Error{Code: fault.FileUnreadable, Subject: name, Reason: "it lies outside of the workspace", Next: "name a file of the workspace"}
}

func ignored(name string) error {
	return &fault.Error{Code: fault.FileUnreadable, Subject: name, Reason: "an ignore file keeps it out", Next: "name another file, or change the ignore file"}
}

// Resolve turns a path as it was written into one relative to the workspace,
// slash-separated and clean, and says what is there. A path that leads out, by
// ".." or by a link, that an ignore file keeps out, or that is not there
// (fault.FileNotFound) is an error.
func (w *Workspace) Resolve(name string) (rel string, info fs.FileInfo, err error) {
	rel = filepath.FromSlash(name)
	if filepath.IsAbs(rel) {
		if rel, err = filepath.Rel(w.dir, rel); err != nil {
			return "", nil, outside(name)
		}
	}
	rel = filepath.Clean(rel)
	if !filepath.IsLocal(rel) || strings.ContainsRune(name, 0) {
		return "", nil, outside(name)
	}
	info, err = w.root.Stat(rel)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return "", nil, unreadable(name, err)
	}
	if err != nil {
		return "", nil, outside(name) // os.Root says so in an error that has no sentinel
	}
	rel = filepath.ToSlash(rel)
	if err := w.rules.Check(rel); err != nil {
		return "", nil, judged(name, err)
	}
	return rel, info, nil
}

// judged is what the rules' refusal of a path comes to.
func judged(name string, err error) error {
	switch {
	case errors.Is(err, ignore.ErrOutside):
		return outside(name)
	case errors.Is(err, ignore.ErrIgnored):
		return ignored(name)
	}
	return unreadable(name, err)
}

// Read returns the bytes of a file, at most limit of them: a larger one is
// fault.FileTooLarge.
func (w *Workspace) Read(name string, limit int64) ([]byte, error) {
	rel, info, err := w.Resolve(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, irregular(name)
	}
	f, err := open(w.root, rel)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if err := w.still(f, name, rel); err != nil {
		return nil, err
	}
	return readAll(f, rel, limit)
}

// still makes sure that the file that was opened is the one that the rules let
// through, and no link was turned to another in between.
func (w *Workspace) still(f *os.File, name, rel string) error {
	opened, err := f.Stat()
	if err != nil {
		return unreadable(name, err)
	}
	led, err := w.rules.Resolve(rel)
	if err != nil {
		return judged(name, err)
	}
	info, err := w.root.Lstat(filepath.FromSlash(led))
	if err != nil || !os.SameFile(opened, info) {
		return &fault.Error{Code: fault.FileUnreadable, Subject: name, Reason: "it was changed while it was read", Next: "try again", Err: err}
	}
	return nil
}

func irregular(name string) error {
	return &fault.Error{Code: fault.FileUnreadable, Subject: name, Reason: "it is not a regular file", Next: "name a file"}
}

// open opens a regular file, and does not wait for what is a pipe by now.
func open(root *os.Root, rel string) (*os.File, error) {
	f, err := root.OpenFile(filepath.FromSlash(rel), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, unreadable(rel, err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, irregular(rel)
	}
	return f, nil
}

func readRoot(root *os.Root, rel string, limit int64) ([]byte, error) {
	f, err := open(root, rel)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return readAll(f, rel, limit)
}

func readAll(f *os.File, rel string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, unreadable(rel, err)
	}
	if int64(len(data)) > limit {
		return nil, &fault.Error{Code: fault.FileTooLarge, Subject: rel, Reason: "it is larger than may be read here", Next: "name a smaller one"}
	}
	return data, nil
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// Walk visits what is in the folder rel and below, in the order of names, up to
// depth levels down (0: all), without what ignore files keep out and without
// following links. It ends when visit returns false.
func (w *Workspace) Walk(rel string, depth int, visit func(name string, d fs.DirEntry) bool) error {
	err := fs.WalkDir(w.root.FS(), rel, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == rel {
			return nil
		}
		err = w.rules.Check(name)
		out := errors.Is(err, ignore.ErrIgnored) || errors.Is(err, ignore.ErrOutside)
		if err != nil && !out {
			return err
		}
		deep := depth > 0 && strings.Count(strings.TrimPrefix(name, rel+"/"), "/") >= depth
		switch {
		case (out || deep) && d.IsDir():
			return fs.SkipDir
		case out || deep || !d.IsDir() && !d.Type().IsRegular():
			return nil
		case !visit(name, d):
			return errEnough
		}
		return nil
	})
	if err == nil || errors.Is(err, errEnough) {
		return nil
	}
	return unreadable(path.Clean(rel), err)
}

// Branch is the git branch that is checked out, read from .git/HEAD; empty where
// there is none that can be read inside the workspace.
func (w *Workspace) Branch() string {
	head, err := readRoot(w.root, ".git/HEAD", 4096)
	if err != nil {
		pointer, err := readRoot(w.root, ".git", 4096)
		dir, ok := strings.CutPrefix(strings.TrimSpace(string(pointer)), "gitdir: ")
		if err != nil || !ok || !filepath.IsLocal(dir) {
			return ""
		}
		if head, err = readRoot(w.root, path.Join(filepath.ToSlash(dir), "HEAD"), 4096); err != nil {
			return ""
		}
	}
	text := strings.TrimSpace(string(head))
	if ref, ok := strings.CutPrefix(text, "ref: refs/heads/"); ok {
		return ref
	}
	if len(text) >= 12 {
		return "detached at " + text[:12]
	}
	return ""
}
