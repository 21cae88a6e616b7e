package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadme holds README to what it quotes: the compiled example.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)

	source, err := os.ReadFile("../../example_test.go")
	require.NoError(t, err)
	_, body, _ := strings.Cut(string(source), "func Example() {\n")
	body, _, _ = strings.Cut(body, "\t// Output:")
	body = strings.ReplaceAll(strings.TrimPrefix(body, "\t"), "\n\t", "\n")
	require.Contains(t, string(readme), strings.TrimRight(body, "\n\t"))
}

// TestConsole runs the command of every console block of README and docs/ in the
// project's folder and compares its output with the block; -update rewrites the
// blocks. A block that ends in a line of "..." shows the beginning. Those of
// docs/http.md start a server: TestHTTPDocument runs them.
func TestConsole(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	blocks := 0
	for _, page := range append(pages, "../../README.md") {
		if filepath.Base(page) != "http.md" {
			blocks += consolePage(t, page)
		}
	}
	require.Positive(t, blocks)
}

var console = regexp.MustCompile("(?ms)^```console\n\\$ (.*?)\n(.*?)^```$")

func consolePage(t *testing.T, page string) int {
	t.Helper()
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	text := string(data)
	blocks := console.FindAllStringSubmatch(text, -1)
	for _, b := range blocks {
		got := printed(t, b[1])
		want, cut := strings.CutSuffix(b[2], "...\n")
		if cut {
			got = firstLines(got, strings.Count(want, "\n"))
		}
		if *update {
			text = strings.Replace(text, b[1]+"\n"+want, b[1]+"\n"+got, 1)
			continue
		}
		require.Equal(t, masked(want), masked(got), "%s shows something else for %s (-update rewrites it)", page, b[1])
	}
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(text), 0o600))
	}
	return len(blocks)
}

// printed runs a command line in the project's folder.
func printed(t *testing.T, line string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = "../.."
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home)
	out, err := cmd.Output()
	require.NoError(t, err, line)
	return string(out)
}

func firstLines(s string, n int) string {
	lines := strings.SplitAfter(s, "\n")
	return strings.Join(lines[:min(n, len(lines))], "")
}

var (
	took    = regexp.MustCompile(`in \d+\.\d s$`)
	saved   = regexp.MustCompile(`saves \d+ tokens`)                    // the prompt names the folder and the shell
	columns = regexp.MustCompile(`(?m)^(builtin .* )\d+\.\d +\d+\.\d$`) // "index s  ms a question"
)

// masked is output without what differs between runs.
func masked(out string) string {
	out = saved.ReplaceAllString(out, "saves N tokens")
	out = columns.ReplaceAllString(strings.TrimRight(out, "\n"), "${1}T T")
	return took.ReplaceAllString(out, "in T s")
}
