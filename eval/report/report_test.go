package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/eval"
	"inlay/eval/report"
	"inlay/parse"
	"inlay/parse/plain"
	"inlay/retrieve"
)

var update = flag.Bool("update", false, "rewrite golden files")

func page(t *testing.T, rep *eval.Report) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, report.Write(&out, rep))
	return out.String()
}

// harbour evaluates the small set of eval's own tests.
func harbour(t *testing.T) *eval.Report {
	t.Helper()
	set, err := eval.Load(t.Context(), "../testdata/harbour", "")
	require.NoError(t, err)
	registry, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	rep, err := eval.Run(t.Context(), eval.Options{Set: set, Reader: registry, Chunkings: []retrieve.Splitter{{Size: 64}, {Size: 128}}})
	require.NoError(t, err)
	return rep
}

var (
	drawn  = regexp.MustCompile(`(?s)<svg viewBox="0 0 640.*?</svg>`)
	styled = regexp.MustCompile(`(?s)<style>.*?</style>`)
	timed  = regexp.MustCompile(`<td>[0-9.]+</td></tr>|Made in [0-9.]+ s`)
)

// The page without its drawings, style and times: what is on it and in which order.
func TestPage(t *testing.T) {
	html := page(t, harbour(t))
	require.Len(t, drawn.FindAllString(html, -1), 4)
	got := drawn.ReplaceAllString(styled.ReplaceAllString(html, "<style>"), "<svg>")
	got = timed.ReplaceAllStringFunc(got, func(s string) string {
		if strings.HasPrefix(s, "Made") {
			return "Made in N s"
		}
		return s
	})
	got = regexp.MustCompile(`<td>[0-9.]+</td></tr>\n`).ReplaceAllString(got, "<td>N</td></tr>\n")
	golden := filepath.Join("testdata", "page.html")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// What a browser could load or run, and what drawing must not leave behind.
func TestSelfContained(t *testing.T) {
	html := page(t, harbour(t))
	for _, never := range []string{"http:", "https:", "//", "<script", "<link", "<img", "@import", "url(", " src=", " href=", "FE01", "NaN", "Inf"} {
		require.NotContains(t, html, never)
	}
	require.Contains(t, html, `content="default-src 'none'; style-src 'unsafe-inline'`)
	for _, svg := range drawn.FindAllString(html, -1) {
		require.NoError(t, xml.Unmarshal([]byte(svg), new(struct{})))
		require.Contains(t, svg, `role="img"`)
	}
	defined := map[string]bool{}
	for _, m := range regexp.MustCompile(`(--[a-z]+):`).FindAllStringSubmatch(html, -1) {
		defined[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`var\((--[a-z]+)\)`).FindAllStringSubmatch(html, -1) {
		require.True(t, defined[m[1]], m[1])
	}
}

func TestHostileText(t *testing.T) {
	evil := `</bdi></style><script>alert(1)</script>"'><img src=x onerror=alert(1)>` + "\x00\u202e{{.Set}}"
	found := eval.Found{Document: evil, Excerpt: evil, Rank: 1}
	rep := harbour(t)
	rep.Set.Name = evil
	rep.Warnings = []string{evil}
	rep.Kinds = []eval.KindRow{{Kind: evil}}
	rep.Settings[0].Embedder, rep.Recommended.Embedder = evil, evil
	rep.Documents[0] = eval.DocumentRow{Document: evil, Error: evil}
	rep.Failures = []eval.Failure{{Question: evil, Text: evil, Kind: evil, Reason: eval.Reason(evil), Expected: []eval.Found{found}, Cited: []eval.Found{found}, Best: &found}}
	html := page(t, rep)
	for _, never := range []string{"<script", "<img", "onerror=alert(1)>", "\x00"} {
		require.NotContains(t, html, never)
	}
	require.GreaterOrEqual(t, strings.Count(html, "&lt;script&gt;"), 10)
	require.Equal(t, strings.Count(html, "<bdi>"), strings.Count(html, "</bdi>"))
}

// What little or much there may be of anything.
func TestSizes(t *testing.T) {
	html := page(t, &eval.Report{Schema: eval.Schema})
	require.NotContains(t, html, "<figure")

	rep := harbour(t)
	rep.Set.Unanswerable = 0
	rep.Documents = make([]eval.DocumentRow, 1000)
	rep.Failures = make([]eval.Failure, 400)
	rep.FailuresInAll = 5000
	html = page(t, rep)
	require.Contains(t, html, "800 documents with fewer are left out here")
	require.Contains(t, html, "4700 more questions failed and are not shown")
	require.Contains(t, html, "The set has no unanswerable questions")
}

func TestWriteError(t *testing.T) {
	require.ErrorIs(t, report.Write(broken{}, &eval.Report{}), errBroken)
}

var errBroken = errors.New("disk full")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
