package injection_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/injection"
)

// Debug has every passage that was retrieved, cited or not, and the text of
// files only where that was asked for by name (INJ-18).
func TestDebug(t *testing.T) {
	files := []injection.File{file("a.txt", "facts of a\n\nother words entirely"), file("b.txt", "facts of b")}
	ask := func(o injection.Options) injection.Result {
		o.Mode = injection.ModeRetrieval
		return inject(t, injection.Request{Text: "facts", Files: files, Model: model{length: 10_000}, Options: o})
	}
	require.Nil(t, ask(injection.Options{}).Debug)

	res := ask(injection.Options{Debug: true})
	d := res.Debug
	require.Equal(t, res.Decision, d.Decision)
	require.NotEmpty(t, res.Citations)
	require.Equal(t, res.Citations, d.Passages[:len(res.Citations)])
	require.Len(t, d.Files, 2)
	for i, f := range d.Files {
		require.Equal(t, res.Files[i].FileID, f.FileID)
		require.Equal(t, files[i].Name, f.Name)
		require.Empty(t, f.Content)
	}
	d = ask(injection.Options{Debug: true, DebugContent: true}).Debug
	require.Contains(t, d.Files[0].Content, "facts of a")
}
