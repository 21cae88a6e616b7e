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
)

// Keep makes sure that CacheDir holds the compiled module, for processes that
// will find it there and may not write. The first call on a machine compiles,
// which takes some 2 s; later ones find a note that it was done. Without a
// CacheDir there is nothing to do.
func (p *PDFium) Keep() error {
	if p.CacheDir == "" {
		return nil
	}
	note := filepath.Join(p.CacheDir, p.compiled())
	if _, err := os.Stat(note); err == nil {
		return nil
	}
	if err := os.MkdirAll(p.CacheDir, 0o700); err != nil {
		return fmt.Errorf("keep PDFium compiled: %w", err)
	}
	f, err := os.CreateTemp(p.CacheDir, "compiling-*") // shows at once whether anything can be kept here
	if err != nil {
		return fmt.Errorf("keep PDFium compiled: %w", err)
	}
	if err := errors.Join(f.Close(), p.Prepare()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), note)
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
