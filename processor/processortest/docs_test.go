package processortest_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/processor"
	"inlay/processor/builtin"
)

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
	for _, block := range blocks(t, "writing-a-processor.md", "go") {
		require.Contains(t, string(example), block)
	}
}

// Every configuration of the documents loads, and every built-in is described.
func TestDocumentedConfigurationLoads(t *testing.T) {
	registry := builtin.Registry(builtin.Host{})
	registry.Messages = append(registry.Messages, Tickets())
	for _, file := range []string{"processors.md", "writing-a-processor.md"} {
		for _, block := range blocks(t, file, "yaml") {
			_, err := processor.Load(file, []byte(block), registry)
			require.NoError(t, err, block)
		}
	}
	text, err := os.ReadFile("../../docs/processors.md")
	require.NoError(t, err)
	chains, err := processor.Defaults(registry)
	require.NoError(t, err)
	for name := range strings.FieldsSeq(strings.Join(chains.Messages.Names(), " ") + " " + strings.Join(chains.Steps.After.Names(), " ") + " " + strings.Join(chains.Responses.Names(), " ")) {
		require.Contains(t, string(text), "`"+name+"`")
	}
}

// Every test that the table of acceptance names is there.
func TestTableNamesRealTests(t *testing.T) {
	text, err := os.ReadFile("../../docs/processors.md")
	require.NoError(t, err)
	var tests strings.Builder
	for _, file := range []string{"../chain_test.go", "../builtin/builtin_test.go", "../builtin/agent_test.go", "../builtin/responses_test.go", "../builtin/scan_fuzz_test.go", "example_test.go", "docs_test.go", "../../cmd/inlay/agent_test.go", "../agent_example_test.go"} {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		tests.Write(data)
	}
	names := regexp.MustCompile("`(Test\\w+|Fuzz\\w+|Benchmark\\w+|Example\\w*)`").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(names), 20)
	for _, m := range names {
		require.Contains(t, tests.String(), "func "+m[1]+"(", m[1])
	}
}
