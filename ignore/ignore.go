// Package ignore reads ignore files (.gitignore, .rooignore) and says which
// paths of a folder they exclude. No part of inlay proposes, lists or attaches
// an excluded path (RTE-10).
package ignore

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// Defaults returns the names of the ignore files that apply by default.
func Defaults() []string { return []string{".gitignore", ".rooignore"} }

// Rules are the ignore files of a folder and of every folder below it, read
// when a path first needs them, and again when they have changed. They are safe for concurrent use.
type Rules struct {
	root  fs.FS
	names []string

	mu   sync.Mutex
	read map[string]file // by folder and name of the file
}

// New returns the rules of the files called names (nil: [Defaults]) in root and
// below. Files are read when a path first needs them.
func New(root fs.FS, names []string) *Rules {
	if names == nil {
		names = Defaults()
	}
	return &Rules{root: root, names: names, read: map[string]file{}}
}

// errOutside is a path outside the folder.
var errOutside = errors.New("the path does not lie in the folder")

// Ignored reports whether one of the files excludes the path (slash-separated,
// relative to the folder) or a folder above it. As with git, nothing below an
// ignored folder can be included again. ".git" is always excluded. A path outside
// the folder and an ignore file that cannot be read are errors: what cannot be
// judged must not pass.
func (r *Rules) Ignored(name string, dir bool) (bool, error) {
	if !fs.ValidPath(name) {
		return false, fmt.Errorf("ignore rules: %w", errOutside)
	}
	if name == "." {
		return false, nil
	}
	parts := strings.Split(name, "/")
	for n := 1; n <= len(parts); n++ {
		isDir := dir || n < len(parts)
		if parts[n-1] == ".git" {
			return true, nil
		}
		for _, file := range r.names {
			out, err := r.judge(file, parts[:n], isDir)
			if out || err != nil {
				return out, err
			}
		}
	}
	return false, nil
}

// judge asks the files of one name, the deepest folder's first: the last
// pattern that matches decides.
func (r *Rules) judge(file string, parts []string, dir bool) (bool, error) {
	for depth := range slices.Backward(parts) {
		patterns, err := r.patterns(file, parts[:depth])
		if err != nil {
			return false, err
		}
		for _, p := range slices.Backward(patterns) {
			switch p.Match(parts, dir) {
			case gitignore.Exclude:
				return true, nil
			case gitignore.Include:
				return false, nil
			case gitignore.NoMatch:
			}
		}
	}
	return false, nil
}

// file is an ignore file as it was read.
type file struct {
	patterns []gitignore.Pattern
	changed  time.Time
	size     int64
	looked   time.Time // when it was last seen to be unchanged
}

// fresh is how long an ignore file is trusted not to have changed.
const fresh = time.Second

// patterns reads one ignore file, and again when it has changed.
func (r *Rules) patterns(name string, folder []string) ([]gitignore.Pattern, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name = path.Join(path.Join(folder...), name)
	known, ok := r.read[name]
	if ok && time.Since(known.looked) < fresh {
		return known.patterns, nil
	}
	now := file{looked: time.Now()}
	info, err := fs.Stat(r.root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.read[name] = now
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("ignore rules: %w", err)
	case !info.Mode().IsRegular(): // a pipe would never end
		return nil, fmt.Errorf("ignore rules: %s is not a regular file", name)
	}
	now.changed, now.size, now.patterns = info.ModTime(), info.Size(), known.patterns
	if !ok || !known.changed.Equal(now.changed) || known.size != now.size {
		data, err := fs.ReadFile(r.root, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("ignore rules: %w", err)
		}
		now.patterns = parse(string(data), folder)
	}
	r.read[name] = now
	return now.patterns, nil
}

// parse reads the lines of an ignore file. A line with ** next to other
// characters means the same with one *, which is git's rule.
func parse(text string, folder []string) []gitignore.Pattern {
	var out []gitignore.Pattern
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		parts := strings.Split(line, "/")
		for i, p := range parts {
			for p != "**" && p != "!**" && strings.Contains(p, "**") {
				p = strings.ReplaceAll(p, "**", "*")
			}
			parts[i] = p
		}
		out = append(out, gitignore.ParsePattern(strings.Join(parts, "/"), folder))
	}
	return out
}
