// Package docstest holds the documents in docs/ to the code: what they quote is
// there, and the tests they name exist.
package docstest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the project's folder, from that of the package under test.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	require.NoError(tb, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		require.NotEqual(tb, dir, up, "no go.mod above the test")
		dir = up
	}
}

// Read is the text of a file in docs/.
func Read(tb testing.TB, file string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(root(tb), "docs", file))
	require.NoError(tb, err)
	return string(text)
}

// Blocks are the fenced blocks of a language in a file of docs/, at least one.
func Blocks(tb testing.TB, file, language string) (out []string) {
	tb.Helper()
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(Read(tb, file), -1) {
		out = append(out, m[1])
	}
	require.NotEmpty(tb, out)
	return out
}

// Quoted checks that each block of Go in a how-to occurs word for word in one of
// the source files, which compile and run. Their paths start at the project's
// folder.
func Quoted(tb testing.TB, file string, sources ...string) {
	tb.Helper()
	texts := make([]string, len(sources))
	for i, source := range sources {
		text, err := os.ReadFile(filepath.Join(root(tb), source))
		require.NoError(tb, err)
		texts[i] = string(text)
	}
	for _, block := range Blocks(tb, file, "go") {
		found := slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, block) })
		require.True(tb, found, "no source of %s has\n%s", file, block)
	}
}

// HasHeading reports whether a document has a heading of that anchor: in lower
// case, with hyphens for spaces and without punctuation.
func HasHeading(text, anchor string) bool {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		if strings.ReplaceAll(plain, " ", "-") == anchor {
			return true
		}
	}
	return false
}

var (
	named    = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)\\w+)`")
	declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
)

// NamesRealTests checks that every test, fuzz target and benchmark that a file
// of docs/ names in backticks exists in the project, and that it names at least
// as many as it should.
func NamesRealTests(tb testing.TB, file string, atLeast int) {
	tb.Helper()
	names := named.FindAllStringSubmatch(Read(tb, file), -1)
	require.GreaterOrEqual(tb, len(names), atLeast)
	have := map[string]bool{}
	require.NoError(tb, filepath.WalkDir(root(tb), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			have[m[1]] = true
		}
		return err
	}))
	for _, m := range names {
		require.True(tb, have[m[1]], "%s names %s, which is not there", file, m[1])
	}
}
