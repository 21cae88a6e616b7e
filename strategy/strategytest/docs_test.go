package strategytest_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"inlay/internal/docstest"
	"inlay/strategy"
	"inlay/strategy/render"
)

// The how-to's code is this package's example, which compiles and runs.
func TestHowToCodeCompiles(t *testing.T) {
	docstest.Quoted(t, "adding-a-preprocessor.md", "strategy/strategytest/example_test.go")
}

// The how-to's strategies load without a complaint.
func TestHowToStrategiesLoad(t *testing.T) {
	fsys := fstest.MapFS{"SKILL.md": {Data: []byte("---\nname: Skill\ndescription: A skill.\n---\nBe kind.\n")}}
	for i, block := range docstest.Blocks(t, "writing-a-strategy.md", "markdown") {
		name := strings.Repeat("x", i+1) + strategy.Extension
		fsys[name] = &fstest.MapFile{Data: []byte(block)}
		s, problems := strategy.Loader{Provider: "user"}.Load(t.Context(), fsys, name)
		require.Empty(t, problems)
		require.NotEmpty(t, s.Body)
	}
	for _, block := range docstest.Blocks(t, "writing-a-strategy.md", "json") {
		_, err := render.DecodeJSON([]byte(block))
		require.NoError(t, err)
	}
}
