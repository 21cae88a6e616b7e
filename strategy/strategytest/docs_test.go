package strategytest_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"inlay/strategy"
	"inlay/strategy/render"
)

// blocks are the fenced blocks of a language in a how-to.
func blocks(t *testing.T, file, language string) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + file)
	require.NoError(t, err)
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	require.NotEmpty(t, out)
	return out
}

// The how-to's code is this package's example, which compiles and runs.
func TestHowToCodeCompiles(t *testing.T) {
	example, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	for _, block := range blocks(t, "adding-a-preprocessor.md", "go") {
		require.Contains(t, string(example), block)
	}
}

// The how-to's strategies load without a complaint.
func TestHowToStrategiesLoad(t *testing.T) {
	fsys := fstest.MapFS{"SKILL.md": {Data: []byte("---\nname: Skill\ndescription: A skill.\n---\nBe kind.\n")}}
	for i, block := range blocks(t, "writing-a-strategy.md", "markdown") {
		name := strings.Repeat("x", i+1) + strategy.Extension
		fsys[name] = &fstest.MapFile{Data: []byte(block)}
		s, problems := strategy.Loader{Provider: "user"}.Load(t.Context(), fsys, name)
		require.Empty(t, problems)
		require.NotEmpty(t, s.Body)
	}
	for _, block := range blocks(t, "writing-a-strategy.md", "json") {
		_, err := render.DecodeJSON([]byte(block))
		require.NoError(t, err)
	}
}
