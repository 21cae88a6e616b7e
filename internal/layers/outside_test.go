package layers

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/docstest"
)

// Another module uses parts of every kind, of its own and of ours. It is built and
// tested without network: its workspace has this module's dependencies.
func TestOutsideModule(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "test", "./...")
	cmd.Dir = "../../testdata/outside"
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// The code of the how-tos is that module's, its configuration the one of an example.
func TestHowTosCompile(t *testing.T) {
	const outside = "testdata/outside/"
	docstest.Quoted(t, "adding-an-index.md", outside+"nearest/nearest.go", outside+"nearest/nearest_test.go", outside+"outside.go")
	docstest.Quoted(t, "adding-an-embedder.md", outside+"wordhash/wordhash.go", outside+"wordhash/wordhash_test.go")
	docstest.Quoted(t, "writing-a-processor.md", outside+"tickets/tickets.go", outside+"tickets/tickets_test.go", outside+"tickets/example_test.go")
	example, err := os.ReadFile("../../testdata/outside/tickets/example_test.go")
	require.NoError(t, err)
	for _, block := range docstest.Blocks(t, "writing-a-processor.md", "yaml") {
		require.Contains(t, string(example), block)
	}
}
