package processortest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/docstest"
	"inlay/processor"
	"inlay/processor/builtin"
)

// The how-to's code is this package's example, which compiles and runs.
func TestHowToCodeCompiles(t *testing.T) {
	docstest.Quoted(t, "writing-a-processor.md", "example_test.go")
}

// Every configuration of the documents loads, and every built-in is described.
func TestDocumentedConfigurationLoads(t *testing.T) {
	registry := builtin.Registry(builtin.Host{})
	registry.Messages = append(registry.Messages, Tickets())
	for _, file := range []string{"processors.md", "writing-a-processor.md"} {
		for _, block := range docstest.Blocks(t, file, "yaml") {
			_, err := processor.Load(file, []byte(block), registry)
			require.NoError(t, err, block)
		}
	}
	text := docstest.Read(t, "processors.md")
	chains, err := processor.Defaults(registry)
	require.NoError(t, err)
	for name := range strings.FieldsSeq(strings.Join(chains.Messages.Names(), " ") + " " + strings.Join(chains.Steps.After.Names(), " ") + " " + strings.Join(chains.Responses.Names(), " ")) {
		require.Contains(t, text, "`"+name+"`")
	}
}

// Every test that the tables of acceptance name is there.
func TestTablesNameRealTests(t *testing.T) {
	for file, atLeast := range map[string]int{"processors.md": 45, "route.md": 35, "intent.md": 19} {
		docstest.NamesRealTests(t, file, atLeast)
	}
}
