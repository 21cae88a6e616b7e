package pdf

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/parse"
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

// A module that is not compiled yet is interpreted, until it is.
func TestQuickReadsBeforeItIsCompiled(t *testing.T) {
	data, err := os.ReadFile("testdata/rtl-he.pdf")
	require.NoError(t, err)
	p := &PDFium{CacheDir: t.TempDir(), Unstoppable: true, Quick: true}
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	d, err := Parser{Second: p}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: data}, nil)
	require.NoError(t, err)
	require.Equal(t, SecondLibrary, d.Library)
	require.Len(t, p.idle, 1)
	require.True(t, p.idle[0].slow)
	require.False(t, p.Kept(), "nothing was compiled")
	require.NoError(t, os.WriteFile(filepath.Join(p.CacheDir, p.compiled()), nil, 0o600))
	require.True(t, p.Kept())
}
