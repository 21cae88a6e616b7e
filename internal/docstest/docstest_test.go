package docstest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/docstest"
)

// documents are all of the project's, by path from its folder.
func documents(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	add := func(name string) {
		text, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		out[name] = string(text)
	}
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		add(name)
	}
	root := os.DirFS("../..")
	require.NoError(t, fs.WalkDir(root, "docs", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".md" {
			add(name)
		}
		return err
	}))
	return out
}

var link = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// Every link to a file of the project, and to a heading in one, leads somewhere.
func TestLinks(t *testing.T) {
	for name, text := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			require.True(t, leads(name, m[1]), "%s links to %s, which is not there", name, m[1])
		}
	}
}

// leads reports whether a link in the document called name has a target.
// Addresses of other hosts are not followed.
func leads(name, target string) bool {
	file, anchor, _ := strings.Cut(target, "#")
	path := filepath.Join("../..", filepath.Dir(name), file)
	switch {
	case strings.Contains(target, "://"):
		return true
	case file == "":
		path = filepath.Join("../..", name)
	}
	if anchor == "" {
		_, err := os.Stat(path)
		return err == nil
	}
	text, err := os.ReadFile(path)
	return err == nil && docstest.HasHeading(string(text), anchor)
}

// A decision is a heading and at most five lines, on a page that the list of
// topics names. Nothing refers to one by number.
func TestDecisions(t *testing.T) {
	all := documents(t)
	const folder = "docs/decisions/"
	for name, text := range all {
		require.NotRegexp(t, `\b[Dd]ecisions? [0-9]+`, text, name)
		if !strings.HasPrefix(name, folder) || name == folder+"README.md" {
			continue
		}
		require.Contains(t, all[folder+"README.md"], "("+strings.TrimPrefix(name, folder)+")")
		decisions := strings.Split(text, "\n## ")[1:]
		require.NotEmpty(t, decisions, name)
		for _, d := range decisions {
			title, body, _ := strings.Cut(d, "\n")
			lines := strings.Count(strings.TrimSpace(body), "\n") + 1
			require.True(t, strings.TrimSpace(body) != "" && lines <= 5, "%s: %q has %d lines", name, title, lines)
		}
	}
}
