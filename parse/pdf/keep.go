package pdf

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Keep makes sure that CacheDir holds the compiled module, for processes that
// will find it there and may not write. The first call on a machine compiles,
// which takes some 2 s; later ones find a note that it was done. Without a
// CacheDir there is nothing to do.
func (p *PDFium) Keep() error {
	if p.CacheDir == "" {
		return nil
	}
	sweep(p.CacheDir)
	if p.Kept() {
		return nil
	}
	if err := os.MkdirAll(p.CacheDir, 0o700); err != nil {
		return fmt.Errorf("keep PDFium compiled: %w", err)
	}
	// Shows at once whether anything can be kept here. Nothing is there while
	// the module is compiled: a process that is killed then would leave it behind.
	if err := touch(p.CacheDir, ""); err != nil {
		return fmt.Errorf("keep PDFium compiled: %w", err)
	}
	if err := p.Prepare(); err != nil {
		return err
	}
	return touch(p.CacheDir, filepath.Join(p.CacheDir, p.compiled()))
}

// Kept reports whether CacheDir holds the compiled module.
func (p *PDFium) Kept() bool {
	if p.CacheDir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(p.CacheDir, p.compiled()))
	return err == nil
}

// touch makes an empty file of the given name, or none if the name is empty.
func touch(dir, name string) error {
	f, err := os.CreateTemp(dir, unfinished)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil || name == "" {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), name)
}

const (
	unfinished = "compiling-*"
	longAgo    = 10 * time.Minute // nothing is compiled for as long
)

// sweep removes what processes that were killed while they compiled left behind.
func sweep(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, unfinished)) // the pattern is well formed
	for _, name := range left {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > longAgo {
			_ = os.Remove(name) // another process may have been faster
		}
	}
}

// compiled is the name of the note: a module compiled by another version, for
// another machine or with other checks is another one.
func (p *PDFium) compiled() string {
	parts := []string{runtime.GOOS, runtime.GOARCH, fmt.Sprint(p.Unstoppable)}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if strings.HasSuffix(m.Path, "/go-pdfium") || strings.HasSuffix(m.Path, "/wazero") {
				parts = append(parts, m.Path, m.Version, m.Sum)
			}
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return "compiled-" + hex.EncodeToString(sum[:8])
}
