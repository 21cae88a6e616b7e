package parse_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/fault"
	"inlay/parse"
)

func TestLines(t *testing.T) {
	text := "one\ntwo\n\nfour\n"
	l := parse.NewLines(text)
	require.Equal(t, 4, l.Count())
	line := 1
	for i := range len(text) {
		require.Equal(t, line, l.LineAt(i), "offset %d", i)
		if text[i] == '\n' {
			line++
		}
	}
	require.Equal(t, 4, l.LineAt(len(text)))
	require.Equal(t, 1, l.LineAt(-5))
	require.Equal(t, 9, l.Start(4))
	first, last := l.Range(1, 8)
	require.Equal(t, []int{1, 2}, []int{first, last})
	require.Equal(t, 1, parse.NewLines("").Count())
}

func TestBuilderNestsSections(t *testing.T) {
	var b parse.Builder
	for n, title := range []string{"Intro", "More"} {
		b.Open(parse.Section{Kind: parse.Slide, Number: n + 1})
		b.Heading(1, title)
		b.Block(parse.Paragraph, "", "Text of "+title)
		b.Heading(2, "Deep")
		b.Block(parse.List, "", "- a\n- b\n")
		b.Close()
	}
	b.Open(parse.Section{Kind: parse.Slide, Number: 3})
	b.Close()
	d, err := b.Document()
	require.NoError(t, err)
	require.Equal(t, "# Intro\n\nText of Intro\n\n## Deep\n\n- a\n- b\n\n# More\n\nText of More\n\n## Deep\n\n- a\n- b", d.Text)
	m := parse.NewMap(d)
	at := strings.LastIndex(d.Text, "- a")
	require.Equal(t, parse.Place{Slide: 2, Heading: "Deep", HeadingPath: []string{"More", "Deep"}, LineStart: 16, LineEnd: 17}, m.At(at, at+7))
	require.Equal(t, parse.Empty, d.Sections[len(d.Sections)-1].Status)
}

func TestBuilderLimit(t *testing.T) {
	b := parse.Builder{Limit: 10}
	b.Block(parse.Paragraph, "", "12345")
	require.NoError(t, b.Err())
	b.Block(parse.Paragraph, "", "12345")
	require.True(t, fault.Is(b.Err(), fault.LimitExceeded))
	_, err := b.Document()
	require.Error(t, err)
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("12345"), 0o600))
	f, err := parse.ReadFile(t.Context(), file, parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, parse.File{Name: "a.txt", Path: file, Data: []byte("12345")}, f)

	fifo := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		done bool
		path string
		code fault.Code
	}{
		"missing":   {false, filepath.Join(dir, "no"), fault.FileNotFound},
		"folder":    {false, dir, fault.FileUnreadable},
		"pipe":      {false, fifo, fault.FileUnreadable},
		"device":    {false, "/dev/zero", fault.FileUnreadable},
		"too large": {false, file, fault.FileTooLarge},
		"canceled":  {true, file, fault.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if tt.done {
				ctx = canceled
			}
			_, err := parse.ReadFile(ctx, tt.path, parse.Limits{PlainText: 4})
			require.Equal(t, tt.code, fault.CodeOf(err), "%v", err)
		})
	}
}

func TestReadFrom(t *testing.T) {
	f, err := parse.ReadFrom(t.Context(), "-", strings.NewReader("abcd"), parse.Limits{PlainText: 4})
	require.NoError(t, err)
	require.Equal(t, "abcd", string(f.Data))
	_, err = parse.ReadFrom(t.Context(), "-", strings.NewReader("abcde"), parse.Limits{PlainText: 4})
	require.True(t, fault.Is(err, fault.FileTooLarge))
}

// shelf is a store in memory that counts.
type shelf struct {
	entries map[string][]byte
	puts    int
}

func shelfKey(k cache.Key) string {
	return strings.Join(append([]string{k.Namespace, k.Of, k.Kind}, k.Parts...), "\x00")
}

func (s *shelf) Get(_ context.Context, k cache.Key) ([]byte, bool, error) {
	data, ok := s.entries[shelfKey(k)]
	return data, ok, nil
}

func (s *shelf) Put(_ context.Context, k cache.Key, data []byte) error {
	s.puts++
	s.entries[shelfKey(k)] = data
	return nil
}

func (*shelf) Forget(context.Context, string, string) error { return nil }

func TestCached(t *testing.T) {
	store := &shelf{entries: map[string][]byte{}}
	c := parse.Cached{Registry: everything(t), Store: store, Namespace: "one"}
	file := parse.File{Name: "a.md", Path: "/x/a.md", Data: []byte("# Title\n\nText.")}
	first, err := c.Parse(t.Context(), file, nil)
	require.NoError(t, err)
	require.False(t, first.Cached)

	again, err := c.Parse(t.Context(), file, nil)
	require.NoError(t, err)
	require.True(t, again.Cached)
	again.Cached = false
	require.Equal(t, first, again)

	file.Name, file.Path = "b.md", ""
	renamed, err := c.Parse(t.Context(), file, nil)
	require.NoError(t, err)
	require.True(t, renamed.Cached)
	require.Equal(t, "b.md", renamed.Name)
	require.Empty(t, renamed.Path)
	require.Equal(t, 1, store.puts)

	for what, change := range map[string]func(c *parse.Cached, f *parse.File){
		"namespace": func(c *parse.Cached, _ *parse.File) { c.Namespace = "two" },
		"limits":    func(c *parse.Cached, _ *parse.File) { c.Limits.Span = 7 },
		"extension": func(_ *parse.Cached, f *parse.File) { f.Name = "a.txt" },
		"bytes":     func(_ *parse.Cached, f *parse.File) { f.Data = []byte("other") },
	} {
		t.Run(what, func(t *testing.T) {
			c, f := c, file
			change(&c, &f)
			d, err := c.Parse(t.Context(), f, nil)
			require.NoError(t, err)
			require.False(t, d.Cached)
		})
	}
	for k := range store.entries {
		store.entries[k] = []byte("damaged")
	}
	healed, err := c.Parse(t.Context(), parse.File{Name: "a.md", Path: "/x/a.md", Data: file.Data}, nil)
	require.NoError(t, err)
	require.Equal(t, first, healed)
}

func TestCachedKeepsMismatchOutOfTheStore(t *testing.T) {
	store := &shelf{entries: map[string][]byte{}}
	c := parse.Cached{Registry: everything(t), Store: store}
	file := parse.File{Name: "page.csv", Data: []byte("<html><body><p>x</p></body></html>")}
	for _, want := range []bool{false, true} {
		d, err := c.Parse(t.Context(), file, nil)
		require.NoError(t, err)
		require.Equal(t, want, d.Cached)
		require.Len(t, d.Warnings, 1)
	}
}

func TestLimits(t *testing.T) {
	require.Equal(t, parse.Limits{}.Fingerprint(), parse.Limits{}.WithDefaults().Fingerprint())
	require.NotEqual(t, parse.Limits{}.Fingerprint(), parse.Limits{Cells: 1}.Fingerprint())
	require.Equal(t, 7, parse.Limits{Span: 7}.WithDefaults().Span)
}
