package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const path = "example.com/team/inlay"

func TestFile(t *testing.T) {
	r := rewriter{from: "inlay", to: path, prose: mentions("inlay", []string{"parse", "parse/plain", "tools"})}
	tests := map[string]struct{ name, in, want string }{
		"imports": {
			"a.go",
			"package a\n\nimport (\n\t\"inlay\"\n\tp \"inlay/parse\"\n\n\t\"inlays/parse\"\n)\n\n// see inlay/parse/plain and cmd/inlay/parse\nvar _ = \"inlay/parse\"\n",
			"package a\n\nimport (\n\t\"" + path + "\"\n\tp \"" + path + "/parse\"\n\n\t\"inlays/parse\"\n)\n\n// see " + path + "/parse/plain and cmd/inlay/parse\nvar _ = \"inlay/parse\"\n",
		},
		"modules": {
			"go.mod", "module inlay/tools // one\n\nrequire inlay v0.0.0\n\nreplace inlay => ../..\n",
			"module " + path + "/tools // one\n\nrequire " + path + " v0.0.0\n\nreplace " + path + " => ../..\n",
		},
		"documents": {
			"a.md", "`inlay/parse`, `inlay/inlay.yaml`, `inlay/parser`, bin/inlay, inlay ask\n\n\t\"inlay\"\n",
			"`" + path + "/parse`, `inlay/inlay.yaml`, `inlay/parser`, bin/inlay, inlay ask\n\n\t\"" + path + "\"\n",
		},
		"linker flags":  {"Dockerfile", `-ldflags="-X inlay/parse.version=1" -o /out/inlay`, `-ldflags="-X ` + path + `/parse.version=1" -o /out/inlay`},
		"linter":        {".golangci.yml", "gofumpt: {module-path: inlay}", "gofumpt: {module-path: " + path + "}"},
		"folders":       {"deploy/a.service", "/var/lib/inlay/parse", "/var/lib/inlay/parse"},
		"another name":  {"b.go", "package inlay\n", "package inlay\n"},
		"comment lines": {"c.go", "//go:generate go run inlay/tools\npackage c\n", "//go:generate go run " + path + "/tools\npackage c\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := r.file(tt.name, []byte(tt.in))
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
		})
	}
}

func TestBadPath(t *testing.T) {
	for _, to := range []string{"", "inlay", "example.com/a b/inlay", "https://example.com/inlay"} {
		require.ErrorContains(t, rewrite(t.TempDir(), to), "example.com/team/inlay", to)
	}
}

// A copy of the project under another path builds, passes its own rules and
// answers a question.
func TestProject(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the project a second time")
	}
	dir := t.TempDir()
	copyTracked(t, "../..", dir)
	require.NoError(t, rewrite(dir, path))
	run := func(name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	run("go", "build", "-o", "bin/", "./cmd/inlay")
	require.Equal(t, path+"/chat", strings.TrimSpace(run("go", "list", "./chat")))
	run("go", "vet", "./internal/layers", "./chat", "./retrieve/flat", "./processor/processortest")
	run("go", "test", "./internal/layers", "-run", "TestFloors|TestOutsideModule|TestHowTosCompile")
	run("bin/inlay", "ask", "-f", "testdata/handbook.md", "--context-length", "1024", "How long is the notice period?")
	require.Empty(t, run("gofmt", "-l", "chat", "cmd", "eval", "internal", "parse", "retrieve", "testdata/outside"))
}

func copyTracked(t *testing.T, from, to string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	cmd.Dir = from
	list, err := cmd.Output()
	if err != nil {
		t.Skip("this is no git checkout: ", err)
	}
	for name := range bytes.SplitSeq(bytes.Trim(list, "\x00"), []byte{0}) {
		source, target := filepath.Join(from, string(name)), filepath.Join(to, string(name))
		info, err := os.Stat(source)
		if err != nil {
			continue // deleted and not committed
		}
		data, err := os.ReadFile(source)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(target), 0o777))
		require.NoError(t, os.WriteFile(target, data, info.Mode()))
	}
}
