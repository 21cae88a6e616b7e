package files

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/injection"
	"inlay/internal/state"
	"inlay/internal/state/sqlite"
	"inlay/parse"
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
