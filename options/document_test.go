package options_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/options"
)

var update = flag.Bool("update", false, "rewrite docs/settings.md from the table")

// sections of the document: the rows of a section are those before the key that
// begins the next one.
var sections = []struct{ title, first string }{
	{"Model", "model"},
	{"Reading files", "parse_limits"},
	{"Search", "embedder"},
	{"What is done with files", "mode"},
	{"Libraries", "library"},
	{"Routing", "enable_prompt_preprocessor"},
	{"Service", "chat_processors"},
}

const begin, end = "<!-- table: written by go test ./options -update -->\n", "<!-- end of table -->\n"

// TestDocument: docs/settings.md has every row of the table, as it is.
func TestDocument(t *testing.T) {
	const path = "../docs/settings.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	_, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := head + begin + document() + end + tail
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "run go test ./options -update")
	for _, name := range []string{"OPENAI_API_KEY", "OLLAMA_HOST", "INLAY_UPSTREAM_KEY_NAME", "INLAY_CONFIG", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		require.Contains(t, want, "| `"+name+"` |")
	}
}

func document() string {
	var b strings.Builder
	next := 0
	for _, o := range options.All() {
		if next < len(sections) && o.Key == sections[next].first {
			fmt.Fprintf(&b, "\n## %s\n\n| key | flag | environment | value | default | given to | |\n| --- | --- | --- | --- | --- | --- | --- |\n", sections[next].title)
			next++
		}
		var doors []string
		for _, d := range options.Doors() {
			if o.At(d) {
				doors = append(doors, d.Name())
			}
		}
		flag, env := "", ""
		if o.Flag != "" {
			flag, env = "--"+o.Flag, o.Env()
		}
		value := o.WantsText()
		if o.Placeholder != "" && (o.Kind == options.Text || o.Kind == options.List) {
			value = code(o.Placeholder)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", o.Key, code(flag), code(env), value, defaults(o), strings.Join(doors, ", "), strings.ReplaceAll(o.Help, "|", `\|`))
	}
	return b.String() + "\n"
}

// defaults is the default, and those of single commands.
func defaults(o options.Option) string {
	out := code(o.Default)
	for _, command := range slices.Sorted(maps.Keys(o.CommandDefault)) {
		out += fmt.Sprintf("; in `%s` %s", command, code(o.CommandDefault[command]))
	}
	return out
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
