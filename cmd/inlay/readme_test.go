package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// TestReadme holds README to what it quotes: the compiled example and the
// settings that ask has.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)

	source, err := os.ReadFile("../../injection/example_test.go")
	require.NoError(t, err)
	_, body, _ := strings.Cut(string(source), "func Example() {\n")
	body, _, _ = strings.Cut(body, "\t// Output:")
	body = strings.ReplaceAll(strings.TrimPrefix(body, "\t"), "\n\t", "\n")
	require.Contains(t, string(readme), strings.TrimRight(body, "\n\t"))

	var c cli
	parser, err := kong.New(&c, kong.Vars{"version": version})
	require.NoError(t, err)
	var rows []string
	for _, node := range parser.Model.Children {
		if node.Name != "ask" {
			continue
		}
		for _, f := range node.Flags {
			if key := f.Tag.Get("key"); key != "" {
				rows = append(rows, fmt.Sprintf("| `--%s` | `%s` | `%s` | %s |", f.Name, envName(f.Name), key, f.Default))
			}
		}
	}
	require.NotEmpty(t, rows)
	require.Contains(t, string(readme), strings.Join(rows, "\n"))
}
