package archive_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/archive"
	"inlay/parse/markup"
	"inlay/parse/parsetest"
	"inlay/parse/plain"
)

func sampleZip(tb testing.TB) []byte {
	tb.Helper()
	return parsetest.Zip(tb, "notes/a.md", "# Title\n\nText.", "t.csv", "x,y\n1,2\n", "photo.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "__MACOSX/._a.md", "junk", "notes/", "")
}

func registry(tb testing.TB, limits parse.Limits) *parse.Registry {
	tb.Helper()
	r, err := parse.NewRegistry(slices.Concat(plain.All(limits), markup.All(limits), []parse.Parser{archive.Zip(limits)})...)
	require.NoError(tb, err)
	return r
}

func TestZip(t *testing.T) {
	parsetest.Run(t, archive.Zip(parse.Limits{}), parsetest.Sample{
		Name: "a.zip", Data: sampleZip(t), Others: plain.All(parse.Limits{}),
		Contains: []string{"# notes/a.md", "# Title", "Text.", "# t.csv", "| 1 | 2 |"}, Sections: []parse.Kind{parse.Part, parse.Heading, parse.Table},
	})
	d, err := registry(t, parse.Limits{}).Parse(t.Context(), parse.File{Name: "a.zip", Data: sampleZip(t)}, nil)
	require.NoError(t, err)
	place := parse.NewMap(d).At(strings.Index(d.Text, "Text."), len(d.Text))
	require.Equal(t, "notes/a.md", place.Part)
	require.Len(t, d.Warnings, 1)
	require.Contains(t, d.Warnings[0].Message, "photo.png")
	require.NotContains(t, d.Text, "junk")
}

// TestZipLines: lines are those of the file in the archive, in an archive within it too.
func TestZipLines(t *testing.T) {
	inner := parsetest.Zip(t, "c.txt", "one\ntwo\nthree of c\n")
	data := parsetest.Zip(t, "a.txt", "one\ntwo of a\n", "b.zip", string(inner), "empty.txt", "")
	d, err := registry(t, parse.Limits{}).Parse(t.Context(), parse.File{Name: "a.zip", Data: data}, nil)
	require.NoError(t, err)
	for text, want := range map[string]parse.Place{"two of a": {Part: "a.txt", LineStart: 2}, "three of c": {Part: "c.txt", LineStart: 3}} {
		at := strings.Index(d.Text, text)
		place := parse.NewMap(d).At(at, at+len(text))
		require.Equal(t, want, parse.Place{Part: place.Part, LineStart: place.LineStart})
		require.Equal(t, place.LineStart, place.LineEnd)
	}
	require.Len(t, d.Warnings, 1)
	require.Contains(t, d.Warnings[0].Message, "empty.txt: the file is empty")
}

func TestZipLimits(t *testing.T) {
	nested := []byte("the innermost text")
	name := "a.txt"
	for range 30 {
		nested = parsetest.Zip(t, name, string(nested))
		name = "a.zip"
	}
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("%d.txt", i), "text")
	}
	for what, tt := range map[string]struct {
		data   []byte
		limits parse.Limits
		code   fault.Code
	}{
		"nested":        {nested, parse.Limits{}, fault.LimitExceeded},
		"many":          {parsetest.Zip(t, many...), parse.Limits{MailParts: 10}, fault.LimitExceeded},
		"text":          {parsetest.Zip(t, "a.txt", strings.Repeat("word ", 100)), parse.Limits{Text: 100}, fault.LimitExceeded},
		"expanded":      {parsetest.Zip(t, "a.txt", strings.Repeat("word ", 1000)), parse.Limits{ZipTotal: 1000}, fault.LimitExceeded},
		"only pictures": {parsetest.Zip(t, "photo.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), parse.Limits{}, fault.UnsupportedFormat},
		"nothing":       {parsetest.Zip(t, "dir/", ""), parse.Limits{}, fault.NoTextLayer},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := registry(t, tt.limits).Parse(t.Context(), parse.File{Name: "a.zip", Data: tt.data}, nil)
			require.Equal(t, tt.code, fault.CodeOf(err), "%v", err)
		})
	}
}
