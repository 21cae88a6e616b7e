// Command modulepath gives the module another path: in go.mod files, imports,
// comments, documents, build files and the linter's configuration.
//
//	go run ./internal/modulepath example.com/team/inlay
package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/modulepath HOST/ORG/inlay")
		os.Exit(2)
	}
	if err := rewrite(".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "modulepath:", err)
		os.Exit(1)
	}
}

// rewriter changes one path to another.
type rewriter struct {
	from, to string
	prose    *regexp.Regexp // a package of the module where it is written in a text
}

// rewrite gives the module in the folder root the path to. Nothing is written
// unless every file can be.
func rewrite(root, to string) error {
	if err := module.CheckPath(to); err != nil {
		return fmt.Errorf("%w; a module path looks like example.com/team/inlay", err)
	}
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	r := rewriter{from: modfile.ModulePath(data), to: to}
	files, packages, err := scan(root)
	if err != nil {
		return err
	}
	r.prose = mentions(r.from, packages)
	changed := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		out, err := r.file(file, data)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if string(out) != string(data) {
			changed[file] = out
		}
	}
	for file, out := range changed {
		if err := os.WriteFile(file, out, 0o666); err != nil { // keeps the mode of a file that is there
			return err
		}
	}
	return nil
}

// scan lists the files that may name the module and the folders, relative to
// root, that hold a package or a module.
func scan(root string) (files, packages []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "node_modules"}, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular() || kind(name) == "":
			return nil
		}
		files = append(files, name)
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if k := kind(name); dir != "." && (k == ".go" || k == ".mod") {
			packages = append(packages, filepath.ToSlash(dir))
		}
		return err
	})
	return files, packages, err
}

// kind is how a file is rewritten; empty: not at all.
func kind(name string) string {
	base := filepath.Base(name)
	switch ext := filepath.Ext(base); {
	case base == ".golangci.yml":
		return base
	case ext == ".go", ext == ".mod", ext == ".md":
		return ext
	case ext == ".sh", ext == "", slices.Contains([]string{"scripts", "deploy", ".ci"}, filepath.Base(filepath.Dir(name))):
		return "text" // Makefile, Dockerfile, scripts
	}
	return ""
}

// mentions matches the path of a package of the module, which is not a part of a
// longer path: not cmd/inlay/main.go, nor /var/lib/inlay/cache.
func mentions(from string, packages []string) *regexp.Regexp {
	slices.Sort(packages)
	packages = slices.Compact(packages)
	slices.Reverse(packages) // a/b before a
	for i, p := range packages {
		packages[i] = regexp.QuoteMeta(p)
	}
	return regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(from) + `/(` + strings.Join(packages, "|") + `)\b`)
}

func (r rewriter) file(name string, data []byte) ([]byte, error) {
	switch kind(name) {
	case ".go":
		return r.source(name, data)
	case ".mod":
		return r.mod(name, data)
	case ".md":
		return []byte(r.quotedImports(r.text(string(data)))), nil
	case ".golangci.yml":
		return []byte(r.linter(r.text(string(data)))), nil
	}
	return []byte(r.text(string(data))), nil
}

// path returns what an import path becomes.
func (r rewriter) path(p string) string {
	if rest, ok := strings.CutPrefix(p, r.from); ok && (rest == "" || rest[0] == '/') {
		return r.to + rest
	}
	return p
}

func (r rewriter) text(s string) string { return r.prose.ReplaceAllString(s, "${1}"+r.to+"/${2}") }

// quotedImports changes the imports of the root package in the code of a document.
func (r rewriter) quotedImports(s string) string {
	line := regexp.MustCompile(`(?m)^(\s*(?:import )?(?:\w+ )?")` + regexp.QuoteMeta(r.from) + `"$`)
	return line.ReplaceAllString(s, "${1}"+r.to+`"`)
}

func (r rewriter) linter(s string) string {
	return strings.NewReplacer("module-path: "+r.from+"}", "module-path: "+r.to+"}",
		"local-prefixes: ["+r.from+"]", "local-prefixes: ["+r.to+"]").Replace(s)
}

func (r rewriter) mod(name string, data []byte) ([]byte, error) {
	f, err := modfile.Parse(name, data, nil)
	if err != nil {
		return nil, err
	}
	tokens := func(line *modfile.Line) {
		for i, t := range line.Token {
			line.Token[i] = r.path(t)
		}
	}
	for _, stmt := range f.Syntax.Stmt {
		switch stmt := stmt.(type) {
		case *modfile.Line:
			tokens(stmt)
		case *modfile.LineBlock:
			for _, line := range stmt.Line {
				tokens(line)
			}
		}
	}
	return modfile.Format(f.Syntax), nil
}

// source changes the imports and comments of a Go file.
func (r rewriter) source(name string, data []byte) ([]byte, error) {
	if !strings.Contains(string(data), r.from) {
		return data, nil
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, data, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	spans := map[ast.Node]string{} // new texts
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		spans[spec.Path] = strconv.Quote(r.path(p))
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			spans[c] = r.text(c.Text)
		}
	}
	return format.Source(splice(data, files, spans))
}

// splice replaces nodes of a file by texts.
func splice(data []byte, files *token.FileSet, spans map[ast.Node]string) []byte {
	nodes := make([]ast.Node, 0, len(spans))
	for node := range spans {
		nodes = append(nodes, node)
	}
	slices.SortFunc(nodes, func(a, b ast.Node) int { return int(b.Pos() - a.Pos()) })
	for _, node := range nodes { // from the end, so that offsets stay
		start, end := files.Position(node.Pos()).Offset, files.Position(node.End()).Offset
		data = slices.Concat(data[:start], []byte(spans[node]), data[end:])
	}
	return data
}
