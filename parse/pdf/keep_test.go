package pdf

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// PDFium is compiled ahead only where the result can be kept, and only once.
func TestKeepCompilesOnlyWhatItCanKeep(t *testing.T) {
	require.NoError(t, (&PDFium{}).Keep(), "no folder: nothing to do")

	p := &PDFium{CacheDir: filepath.Join(os.DevNull, "wasm")}
	require.Error(t, p.Keep())
	require.Empty(t, p.idle, "nothing was compiled for nothing")

	p = &PDFium{CacheDir: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(p.CacheDir, p.compiled()), nil, 0o600))
	left := filepath.Join(p.CacheDir, "compiling-1")
	require.NoError(t, os.WriteFile(left, nil, 0o600))
	require.NoError(t, os.Chtimes(left, time.Time{}, time.Now().Add(-time.Hour)))
	require.NoError(t, p.Keep())
	require.NoFileExists(t, left, "a process killed long ago left it")
	require.Empty(t, p.idle, "the note says that it is there")
	require.NotEqual(t, p.compiled(), (&PDFium{Unstoppable: true}).compiled())
}
