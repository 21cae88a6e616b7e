package ignore

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Why a path or a command is refused.
var (
	ErrOutside = errors.New("lies outside the workspace")
	ErrIgnored = errors.New("is kept out by an ignore file")
	ErrUnclear = errors.New("cannot be judged before it runs")
)

// mostLinks is how many links one path may go through, as in Linux.
const mostLinks = 40

// Check judges a path as it was written, slash-separated: [ErrOutside] if it is
// absolute or leads out of the folder by ".." or by a link, [ErrIgnored] if an
// ignore file excludes the path or the target of its links. Any other error means
// that a folder or an ignore file cannot be read; the path must not be used either.
// A path that does not exist is judged by its name. Nil rules judge the name
// only.
func (r *Rules) Check(name string) error {
	_, err := r.Resolve(name)
	return err
}

// Resolve is [Rules.Check] and also returns where the path leads when its links
// are followed.
func (r *Rules) Resolve(name string) (led string, err error) {
	clean := path.Clean(name)
	if strings.ContainsRune(name, 0) || !fs.ValidPath(clean) {
		return "", ErrOutside
	}
	if r == nil {
		return clean, nil
	}
	for _, written := range []string{name, clean} { // a/../b is b, unless a is a link
		if led, err = r.follow(written); err != nil {
			return "", err
		}
		for _, p := range []string{clean, led} {
			if err := r.checkClean(p, strings.HasSuffix(name, "/")); err != nil {
				return "", err
			}
		}
	}
	return led, nil
}

func (r *Rules) checkClean(name string, dir bool) error {
	if info, err := fs.Stat(r.root, name); err == nil {
		dir = info.IsDir()
	}
	out, err := r.Ignored(name, dir)
	if out {
		return ErrIgnored
	}
	return err
}

// follow walks a path as the system does, links included. Absolute links lead
// out, as for [os.Root].
func (r *Rules) follow(name string) (string, error) {
	var done []string
	left, links := strings.Split(name, "/"), 0
	for len(left) > 0 {
		part := left[0]
		left = left[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return "", ErrOutside
			}
			done = done[:len(done)-1]
			continue
		}
		done = append(done, part)
		target, err := r.link(strings.Join(done, "/"))
		if err != nil {
			return "", err
		}
		if target == "" {
			continue
		}
		if links++; links > mostLinks || path.IsAbs(target) {
			return "", ErrOutside
		}
		done, left = done[:len(done)-1], append(strings.Split(target, "/"), left...)
	}
	return path.Join(append([]string{"."}, done...)...), nil
}

// link is where a link leads to; empty if there is no link of this name.
func (r *Rules) link(name string) (string, error) {
	info, err := fs.Lstat(r.root, name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return "", nil //nolint:nilerr // what is not there leads nowhere
	}
	target, err := fs.ReadLink(r.root, name)
	if err != nil {
		return "", fmt.Errorf("ignore rules: %w", err)
	}
	return target, nil
}
