// Package layers holds the test that keeps the floors of the module.
package layers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
)

// floors lists every package of the module from the ground up.
// A package may import only packages on floors below its own.
var floors = [][]string{
	{
		"internal/layers", "internal/modulepath", "internal/again", "internal/refdata", "internal/docstest", "internal/lazy", "fault",
		"internal/lexis", "internal/charset", "internal/plural", "internal/mdtable", "internal/mediatype", "internal/web", "internal/wordlist", "internal/locked",
		"parse/internal/advice", "parse/internal/littleendian", "eval/metrics",
	},
	{"options", "internal/asks", "internal/lexis/generate", "parse/pdf/cid", "internal/queue", "internal/durable", "internal/oneline", "ignore", "internal/secrets", "internal/schema", "internal/tracing"},
	{"chat", "tokens", "embed", "cache", "internal/state", "internal/blobs", "prompts", "parse/zipfile", "internal/olefile", "internal/xmlscan", "strategy/render", "strategy/source"},
	{
		"tokens/tokenstest", "embed/embedtest", "parse", "llm/completion", "strategy/condition", "internal/keys", "internal/state/tables",
		"internal/state/statetest", "internal/blobs/blobstest", "internal/blobs/derived", "internal/weaviate",
	},
	{"internal/state/sqlite", "internal/state/postgres", "parse/outline", "internal/notes", "llm", "internal/download"},
	{"internal/inputs", "llm/responses", "llm/internal/transport", "llm/internal/embedding", "llm/ollama/internal/tinymodel"},
	{"llm/ollama/ollamatest", "llm/rerank"},
	{"parse/pdf", "parse/office", "parse/legacy", "parse/archive", "parse/picture", "parse/markup", "parse/plain", "parse/parsetest", "parse/worker", "retrieve", "strategy"},
	{"retrieve/stored", "library"},
	{
		"llm/ollama", "llm/openai", "retrieve/chromem", "retrieve/flat", "retrieve/retrievetest", "injection", "library/disk",
		"library/librarytest", "strategy/strategytest", "intent", "route", "processor",
	},
	{"strategy/builtin", "eval", "processor/builtin", "processor/processortest", "internal/libraries"},
	{"eval/report", "turn", "internal/wire"},
	{"internal/files", "internal/mcpserver", "internal/chats", "internal/upstream", "."},
	{"internal/jobs", "internal/stores"},
	{"internal/service"},
	{"internal/httpapi"},
	{"cmd/inlay", "scripts/zip"},
}

func TestFloors(t *testing.T) {
	floor := map[string]int{}
	for i, pkgs := range floors {
		for _, p := range pkgs {
			floor[p] = i
		}
	}
	root := os.DirFS("../..")
	gomod, err := fs.ReadFile(root, "go.mod")
	require.NoError(t, err)
	module := modfile.ModulePath(gomod)
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from, ok := floor[path.Dir(name)]
		if !ok {
			t.Errorf("%s is on no floor", path.Dir(name))
		}
		for _, spec := range f.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			rel, ok := strings.CutPrefix(imp, module+"/")
			if imp == module {
				rel, ok = ".", true
			}
			if to, known := floor[rel]; ok && known && to >= from {
				t.Errorf("%s (floor %d) imports %s (floor %d)", name, from, rel, to)
			}
		}
		return nil
	})
	require.NoError(t, err)
}

// The table of ARCHITECTURE.md lists the same packages on the same floors.
func TestArchitectureHasTheFloors(t *testing.T) {
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| (.*) \|$`).FindAllStringSubmatch(string(text), -1)
	require.Len(t, rows, len(floors))
	for i, row := range rows {
		require.Equal(t, strconv.Itoa(i), row[1])
		var listed []string
		for item := range strings.SplitSeq(row[2], " · ") {
			name, _, described := strings.Cut(item, ": ")
			require.True(t, described, "floor %d: %q says nothing", i, item)
			listed = append(listed, strings.Trim(name, "`"))
		}
		require.ElementsMatch(t, floors[i], listed, "floor %d", i)
	}
}
