package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// goName is how a Go value, a method or a pointer looks in a message.
var goName = regexp.MustCompile(`(?m)^(?:inlay|warning|not read|left out|note|stderr): .*(?:\b[A-Z][a-z]+\.[a-z][A-Za-z]+\b|\bmap\[[a-z]+\]|\*[a-z]+\.[A-Z]|&\{|%!|\b[A-Z][a-z]+(?:[A-Z][a-z]+){2,}\b).*$`)

// TestNoGoNames: what the scripts and the documents quote of errors, warnings and
// notes names nothing of the program's inside. Processors go by the names that a
// configuration file gives them, in errors about such a file alone.
func TestNoGoNames(t *testing.T) {
	configured := regexp.MustCompile(`\.yaml:\d+:\d+:|ProcessorModifier: reads files|_modifiers `)
	files, err := filepath.Glob("testdata/*/*.txtar")
	require.NoError(t, err)
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, path := range append(append(files, pages...), "../../README.md") {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		expected := regexp.MustCompile(`(?m)^(?:\[!root\] )?stderr '\^?(.*)'$`).ReplaceAll(data, []byte("stderr: $1"))
		for _, found := range goName.FindAllString(string(expected), -1) {
			if !configured.MatchString(found) {
				t.Errorf("%s: %s", path, found)
			}
		}
	}
	require.True(t, goName.MatchString("inlay: DirectoryContextModifier: The listing leaves 270 entries out"))
	require.True(t, goName.MatchString("inlay: Tuning.limit: must be 1"))
}
