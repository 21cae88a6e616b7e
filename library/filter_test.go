package library_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/library"
	"inlay/options"
)

func TestFilter(t *testing.T) {
	day := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	e := library.Entry{Path: "notes/guides/setup.md", Title: "Setting up", Tags: []string{"work", "new"}, MediaType: "text/markdown; charset=utf-8", Modified: day}
	for _, tt := range []struct {
		name string
		f    library.Filter
		want bool
	}{
		{"empty", library.Filter{}, true},
		{"name", library.Filter{Paths: []string{"*.md"}}, true},
		{"folder", library.Filter{Paths: []string{"guides/*"}}, true},
		{"anchored", library.Filter{Paths: []string{"/guides/*"}}, false},
		{"anchored at the first", library.Filter{Paths: []string{"/notes/**"}}, true},
		{"star stays in a name", library.Filter{Paths: []string{"/notes/*"}}, false},
		{"one of two", library.Filter{Paths: []string{"x", "**/set?p.[a-m]d"}}, true},
		{"negated class", library.Filter{Paths: []string{"setup.[!m]d"}}, false},
		{"extension", library.Filter{Types: []string{"pdf", "MD"}}, true},
		{"media type", library.Filter{Types: []string{"text/markdown"}}, true},
		{"family", library.Filter{Types: []string{"image/*"}}, false},
		{"all tags", library.Filter{Tags: []string{"new", "work"}}, true},
		{"missing tag", library.Filter{Tags: []string{"work", "old"}}, false},
		{"title", library.Filter{Title: "SETTING"}, true},
		{"from", library.Filter{After: day}, true},
		{"until", library.Filter{Until: day}, false},
	} {
		keep, err := tt.f.Matcher()
		require.NoError(t, err, tt.name)
		require.Equal(t, tt.want, keep(e), tt.name)
	}
	for _, bad := range []string{"a[", "[]", "x[b-a]"} {
		_, err := library.Filter{Paths: []string{bad}}.Matcher()
		require.True(t, fault.Is(err, fault.Usage), bad)
	}
}

func TestFilterOf(t *testing.T) {
	f, err := library.FilterOf(options.Values{"library_path": []string{"*.md"}, "library_after": "2026-03-31", "library_until": "2026-04-01T10:00:00Z", "library_tag": []string{"a"}})
	require.NoError(t, err)
	require.Equal(t, library.Filter{
		Paths: []string{"*.md"}, Tags: []string{"a"},
		After: time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 4, 1, 10, 0, 0, 0, time.UTC),
	}, f)
	_, err = library.FilterOf(options.Values{"library_after": "yesterday"})
	require.ErrorContains(t, err, "library_after")
}
