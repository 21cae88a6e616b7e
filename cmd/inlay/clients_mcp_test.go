package main

// The official clients of the Model Context Protocol, from npm, against inlay mcp
// and /mcp.

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// agentLibrary makes a library "notes" of an owner in a data folder; root is
// another folder, which an agent may read of.
func agentLibrary(t *testing.T, data, owner string) (root string) {
	t.Helper()
	notes, root := filepath.Join(t.TempDir(), "notes"), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(notes, "whale.md"):  "# Whales\n\nThe blue whale is the largest animal.\n\nIt eats krill.\n",
		filepath.Join(notes, "fox.txt"):   "Foxes dig burrows in dry soil.\n",
		filepath.Join(root, "open.txt"):   "one\ntwo\nthree\n",
		filepath.Join(root, "secret.env"): "KEY=1\n",
		filepath.Join(root, ".gitignore"): "*.env\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(root, "link.txt")))
	args := []string{"library", "add", "--data", data, "--embedder", "builtin", "-q", "notes", notes}
	if owner != "" {
		args = append(args, "--owner", owner)
	}
	require.NoError(t, run(t.Context(), args, func(string) string { return "" }, strings.NewReader(""), io.Discard, io.Discard))
	return root
}

// node runs a program of a folder of scripts/clients, which has its modules.
func node(t *testing.T, modules string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(modules, "node_modules"), filepath.Join(dir, "node_modules")))
	script, err := os.ReadFile("../../scripts/clients/mcp/mcp.mjs")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mcp.mjs"), script, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), waitFor)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = dir
	var failed strings.Builder
	cmd.Stderr = &failed
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", out, failed.String())
	return string(out)
}

// TestAgents: the official client for TypeScript, and the inspector's command,
// over standard input and output and over HTTP.
func TestAgents(t *testing.T) {
	modules := installed(t, "mcp")
	inspector := filepath.Join(modules, "node_modules", "@modelcontextprotocol", "inspector", "cli", "build", "cli.js")
	features := []string{"connect", "tools, structured content", "resources", "prompt", "progress", "cancel", "bounds"}
	whale := func(t *testing.T, out string) {
		t.Helper()
		var answer struct {
			Structured struct{ Citations []struct{ File, Text string } } `json:"structuredContent"`
		}
		require.NoError(t, json.Unmarshal([]byte(out), &answer), out)
		require.Equal(t, "notes/whale.md", answer.Structured.Citations[0].File)
	}
	search := []string{"--method", "tools/call", "--tool-name", "search_documents", "--tool-arg", "query=largest animal"}

	t.Run("stdio", func(t *testing.T) {
		data := t.TempDir()
		root := agentLibrary(t, data, "")
		inlay := append([]string{command(t).Path}, "mcp", "--data", data, "--library", "notes", "--root", root, "--context-length", "4096")
		out := node(t, modules, append([]string{"mcp.mjs", "stdio"}, inlay...)...)
		t.Logf("%s", out)
		for _, f := range features {
			require.Contains(t, out, "ok "+f+"\n")
		}
		whale(t, node(t, modules, append(append([]string{inspector, "--cli"}, inlay...), search...)...))
	})
	t.Run("http", func(t *testing.T) {
		data := t.TempDir()
		var key strings.Builder
		require.NoError(t, run(t.Context(), []string{"keys", "make", "ann", "--data", data}, func(string) string { return "" }, strings.NewReader(""), &key, io.Discard))
		fields := strings.Fields(key.String())
		secret := ""
		for _, f := range fields {
			if strings.HasPrefix(f, "inlay_") {
				secret = f
			}
		}
		agentLibrary(t, data, "local") // of the first owner
		address := served(t, "--data", data, "--context-length", "4096") + "/mcp"
		out := node(t, modules, "mcp.mjs", "http", address, secret)
		t.Logf("%s", out)
		for _, f := range features {
			require.Contains(t, out, "ok "+f+"\n")
		}
		open := t.TempDir() // the inspector's command sends no headers
		agentLibrary(t, open, "")
		whale(t, node(t, modules, append([]string{inspector, "--cli", served(t, "--data", open, "--context-length", "4096") + "/mcp"}, search...)...))
	})
}
