// Package refdata finds the evaluation sets and real documents that are
// beside the project, for tests and benchmarks. They are not part of it: a test
// that needs them skips where they are absent.
package refdata

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Variable overrides where the reference data is looked for.
const Variable = "INLAY_REFERENCE_DATA"

// Dir returns the folder of reference data: $INLAY_REFERENCE_DATA, else
// ../shared/data beside the project's root. ok is false when it is not there.
func Dir() (dir string, ok bool) {
	dir = os.Getenv(Variable)
	if dir == "" {
		_, self, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(self), "..", "..", "..", "shared", "data")
	}
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir()
}

// Path returns the path of something in the reference data and skips the test
// when it is not there.
func Path(tb testing.TB, elem ...string) string {
	tb.Helper()
	dir, ok := Dir()
	if !ok {
		tb.Skipf("reference data not found: set %s to its folder", Variable)
	}
	p := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(p); err != nil {
		tb.Skipf("reference data has no %s: set %s to a full copy", filepath.Join(elem...), Variable)
	}
	return p
}
