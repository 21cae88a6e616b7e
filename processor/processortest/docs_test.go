package processortest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/docstest"
	"inlay/processor"
	"inlay/processor/builtin"
)

// Every configuration of the documents loads, and every built-in is described.
func TestDocumentedConfigurationLoads(t *testing.T) {
	registry := builtin.Registry(builtin.Host{})
	for _, block := range docstest.Blocks(t, "processors.md", "yaml") {
		_, err := processor.Load("processors.md", []byte(block), registry)
		require.NoError(t, err, block)
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
