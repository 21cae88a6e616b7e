package files

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/injection"
	"inlay/internal/state"
	"inlay/internal/state/sqlite"
	"inlay/parse"
	"inlay/parse/pdf"
	"inlay/parse/picture"
)

// TestNamesOfFiles never lead anywhere.
func TestNamesOfFiles(t *testing.T) {
	for name, want := range map[string]string{"a.txt": "a.txt", "../../etc/passwd": "passwd", `C:\x\b.pdf`: "b.pdf", "": "", "..": "", "a\x00b": "", "\xff": "", strings.Repeat("x", 300): ""} {
		got, err := cleanName(name)
		require.Equal(t, want, got)
		require.Equal(t, want == "", err != nil, name)
	}
}

// slow is a reader that reads what go lets through.
type slow struct {
	injection.Reader
	began chan string
	next  chan struct{}
}

func (s slow) Parse(ctx context.Context, f parse.File, _ parse.Progress) (parse.Document, error) {
	s.began <- f.Name
	select {
	case <-s.next:
	case <-ctx.Done():
	}
	return parse.Document{}, ctx.Err()
}

// TestReadingTakesTurns: the file of one owner does not wait for all that another
// uploaded before.
func TestReadingTakesTurns(t *testing.T) {
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "state.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	reader := slow{began: make(chan string), next: make(chan struct{})}
	s, err := Open(t.Context(), Config{
		Data: dir, State: store, Cache: &cache.Memory{}, Parallel: 1, Logger: slog.New(slog.DiscardHandler),
		Reader: func(string) injection.Reader { return reader },
	})
	require.NoError(t, err)
	defer s.Stop()
	var order []string
	send := func(owner, name string) {
		in, err := s.Receive(t.Context(), name, strings.NewReader(name), 100)
		require.NoError(t, err)
		_, err = s.Accept(t.Context(), owner, "user_data", in)
		require.NoError(t, err)
	}
	send(state.Local, "slow 0.txt")
	order = append(order, <-reader.began)
	for n := range 4 {
		send(state.Local, fmt.Sprintf("slow %d.txt", n+1))
	}
	send("owner_b", "small.txt")
	for range 5 {
		reader.next <- struct{}{}
		order = append(order, <-reader.began)
	}
	require.Equal(t, []string{"slow 0.txt", "small.txt", "slow 1.txt", "slow 2.txt", "slow 3.txt", "slow 4.txt"}, order)
}

// TestImagesWithText: an image of which text is read is a document, and can still
// be shown; one without text is a picture as ever.
func TestImagesWithText(t *testing.T) {
	if _, err := exec.LookPath("tesseract"); err != nil {
		t.Skip("tesseract is not installed: scripts/install-tesseract")
	}
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "state.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	reader, err := parse.NewRegistry(picture.New(parse.Limits{}, pdf.Tesseract{}, pdf.OCRLibrary))
	require.NoError(t, err)
	done := make(chan struct{}, 2)
	s, err := Open(t.Context(), Config{
		Data: dir, State: store, Cache: &cache.Memory{}, Parallel: 1, Logger: slog.New(slog.DiscardHandler),
		Reader: func(string) injection.Reader { return reader }, Read: func(context.Context, state.File) { done <- struct{}{} },
	})
	require.NoError(t, err)
	defer s.Stop()
	var refs []Ref
	for _, name := range []string{"words.png", "blank.png"} {
		data, err := os.ReadFile(filepath.Join("../../parse/picture/testdata", name))
		require.NoError(t, err)
		in, err := s.Receive(t.Context(), name, bytes.NewReader(data), 1<<20)
		require.NoError(t, err)
		f, err := s.Accept(t.Context(), state.Local, "user_data", in)
		require.NoError(t, err)
		<-done
		kind, shown, err := s.Image(t.Context(), state.Local, f.ID)
		require.NoError(t, err)
		require.Equal(t, "image/png", kind)
		require.Equal(t, data, shown)
		refs = append(refs, Ref{ID: f.ID}, Ref{Name: name, Data: data})
	}
	attached, err := s.Attach(t.Context(), state.Local, refs)
	require.NoError(t, err)
	require.Len(t, attached.Files, 3, "inline, an image is looked at in its turn")
	require.Len(t, attached.Images, 1)
	require.Equal(t, "blank.png", attached.Images[0].Name)
}
