// Package layers holds the test that keeps the floors of the module.
package layers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

const module = "inlay"

// floors lists every package of the module from the ground up.
// A package may import only packages on floors below its own.
var floors = [][]string{
	{"internal/layers", "internal/again", "internal/refdata", "internal/docstest", "internal/lazy", "fault", "internal/lexis", "internal/lexis/generate", "internal/charset", "internal/plural", "internal/mdtable", "internal/mediatype", "parse/internal/advice", "eval/metrics"},
	{"internal/durable", "internal/ignore", "internal/secrets", "internal/schema", "internal/tracing"},
	{"chat", "tokens", "embed", "internal/cache", "internal/state", "prompts", "internal/zipfile", "internal/olefile", "internal/xmlscan", "strategy/render", "strategy/source"},
	{"tokens/tokenstest", "parse", "llm", "strategy/condition", "internal/state/sqlite", "internal/state/statetest"},
	{"parse/outline"},
	{"llm/internal/transport", "llm/internal/embedding", "llm/ollama/internal/tinymodel"},
	{"llm/ollama/ollamatest"},
	{"parse/pdf", "parse/office", "parse/legacy", "parse/archive", "parse/picture", "parse/markup", "parse/plain", "parse/parsetest", "parse/worker", "retrieve", "strategy"},
	{"retrieve/stored"},
	{"llm/ollama", "llm/openai", "retrieve/chromem", "retrieve/flat", "retrieve/retrievetest", "injection", "strategy/strategytest", "intent", "route", "processor"},
	{"strategy/builtin", "eval", "processor/builtin", "processor/processortest"},
	{"eval/report", "internal/session"},
	{"internal/httpapi"},
	{"cmd/inlay"},
}

func TestFloors(t *testing.T) {
	floor := map[string]int{}
	for i, pkgs := range floors {
		for _, p := range pkgs {
			floor[p] = i
		}
	}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
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
			if to, known := floor[rel]; ok && known && to >= from {
				t.Errorf("%s (floor %d) imports %s (floor %d)", name, from, rel, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
