package mcpserver_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"inlay/injection"
	"inlay/internal/mcpserver"
	"inlay/library"
	"inlay/library/disk"
	"inlay/llm"
	"inlay/parse"
	"inlay/parse/plain"
	"inlay/retrieve"
	"inlay/tokens"
	"inlay/turn"
)

// connect starts a server over a library "my notes" and a folder, and a client.
func connect(t *testing.T, write bool) *mcp.ClientSession {
	t.Helper()
	folder, root := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"sea/whale #1.md": "# Whales\n\nThe blue whale is the largest animal.\n\nIt eats krill.\n", "land.txt": "Foxes dig burrows in dry soil.\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "open.txt"), []byte("one\ntwo\nthree\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "secret.env"), []byte("KEY=1\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".gitignore"), []byte("*.env\n"), 0o600))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(root, "link.txt")))
	registry, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	retriever, store := retrieve.New(retrieve.Options{}), disk.Open(t.TempDir())
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	keeper := &library.Keeper{Index: store, Parser: registry, Indexer: retriever}
	require.NoError(t, keeper.AddFolders(t.Context(), "", "my notes", library.Settings{}, []string{folder}, nil))
	require.NoError(t, keeper.AddFolders(t.Context(), "", "hidden", library.Settings{}, nil, nil))
	_, err = keeper.Sync(t.Context(), "", "my notes")
	require.NoError(t, err)
	server, closing, err := mcpserver.New(t.Context(), mcpserver.Config{
		Version: "test", Keeper: keeper, Retriever: retriever, Allowed: []string{"my notes"}, Root: root, Write: write,
		Engine: &turn.Engine{Injector: &injection.Injector{Reader: registry, Retriever: retriever, Libraries: store}},
		Model: func(length int) (llm.Measurer, error) {
			encoding, err := tokens.NewEncoding("cl100k_base")
			if err != nil {
				return nil, err
			}
			return llm.NewStatic(llm.StaticOptions{Length: max(length, 600), Counter: encoding})
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, closing()) })
	here, there := mcp.NewInMemoryTransports()
	_, err = server.Connect(t.Context(), here, nil)
	require.NoError(t, err)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), there, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// call calls a tool and returns its structured answer, or its error's text.
func call(t *testing.T, c *mcp.ClientSession, name string, in any, out any) (failed string) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
	require.NoError(t, err)
	if r.IsError {
		return r.Content[0].(*mcp.TextContent).Text
	}
	raw, err := json.Marshal(r.StructuredContent)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, out))
	return ""
}

func TestTools(t *testing.T) {
	c := connect(t, false)
	var found mcpserver.SearchOut
	require.Empty(t, call(t, c, "search_documents", map[string]any{"query": "largest whale"}, &found))
	require.Len(t, found.Citations, 1)
	cited := found.Citations[0]
	require.Contains(t, cited.Text, "blue whale")
	require.Equal(t, "my notes", cited.Library)
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: cited.URI})
	require.NoError(t, err, cited.URI)
	require.Equal(t, cited.Text, read.Contents[0].Text[cited.Start:cited.End])
	require.Contains(t, call(t, c, "search_documents", map[string]any{"query": "x", "library": []string{"hidden"}}, nil), "not offered")
	require.Contains(t, call(t, c, "search_documents", map[string]any{"query": "x", "limit": 1000}, nil), "out of range")

	var listed mcpserver.ListOut
	require.Empty(t, call(t, c, "list_documents", map[string]any{"types": []string{"md"}}, &listed))
	require.Equal(t, 1, listed.Total)
	require.Equal(t, "Whales", listed.Documents[0].Title)
	require.Len(t, listed.Libraries, 1, "others are not offered")

	var lines mcpserver.ReadOut
	require.Empty(t, call(t, c, "read_document", map[string]any{"path": "open.txt", "from_line": 2, "to_line": 2}, &lines))
	require.Equal(t, mcpserver.ReadOut{Path: "open.txt", MediaType: "text/plain", From: 2, To: 2, Lines: 3, Text: "two\n"}, lines)
	for _, path := range []string{"secret.env", "link.txt", "../x", "/etc/passwd", "nothing", ".", ""} {
		require.NotEmpty(t, call(t, c, "read_document", map[string]any{"path": path}, nil), path)
	}

	var decided mcpserver.DecideOut
	require.Empty(t, call(t, c, "decide", map[string]any{"question": "what do whales eat"}, &decided))
	require.Equal(t, "inject-full-content", decided.Strategy)
	require.Empty(t, call(t, c, "decide", map[string]any{"question": "what do whales eat", "context_length": 700, "files": []string{"open.txt"}, "library": []string{"my notes"}}, &decided))
	var built mcpserver.BuildOut
	require.Empty(t, call(t, c, "build_context", map[string]any{"question": "what is the largest animal", "mode": "retrieval", "context_length": 4000}, &built))
	require.Contains(t, built.Prompt, "blue whale")
	require.Len(t, built.Citations, 1)
	p, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "ask_documents", Arguments: map[string]string{"question": "what do foxes dig", "library": "my notes"}})
	require.NoError(t, err)
	require.Contains(t, p.Messages[0].Content.(*mcp.TextContent).Text, "burrows")
}

func TestReadOnlyUnlessTold(t *testing.T) {
	names := func(c *mcp.ClientSession) (list []string) {
		for tool, err := range c.Tools(t.Context(), nil) {
			require.NoError(t, err)
			list = append(list, tool.Name)
		}
		return list
	}
	require.NotContains(t, names(connect(t, false)), "add_document")
	c := connect(t, true)
	require.Contains(t, names(c), "delete_document")
	var added mcpserver.AddOut
	require.Empty(t, call(t, c, "add_document", map[string]any{"library": "my notes", "path": "a/memo.md", "text": "The platypus lays eggs."}, &added))
	var found mcpserver.SearchOut
	require.Empty(t, call(t, c, "search_documents", map[string]any{"query": "platypus eggs"}, &found))
	require.Equal(t, added.Document.URI, found.Citations[0].URI)
	_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: added.Document.URI})
	require.NoError(t, err, "found by the template")
	require.NotEmpty(t, call(t, c, "add_document", map[string]any{"library": "my notes", "path": "../x.md", "text": "x"}, nil))
	require.NotEmpty(t, call(t, c, "add_document", map[string]any{"library": "hidden", "path": "x.md", "text": "x"}, nil))
	var deleted mcpserver.DeleteOut
	require.Empty(t, call(t, c, "delete_document", map[string]any{"library": "my notes", "path": "a/memo.md"}, &deleted))
	require.Equal(t, 1, deleted.Deleted)
	require.Empty(t, call(t, c, "search_documents", map[string]any{"query": "platypus eggs"}, &found))
	require.Empty(t, found.Citations)
}

func TestProgressAndCancel(t *testing.T) {
	c := connect(t, false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "build_context", Arguments: map[string]any{"question": "whales"}})
	require.ErrorIs(t, err, context.Canceled)
	var listed mcpserver.ListOut
	require.Empty(t, call(t, c, "list_documents", map[string]any{}, &listed), "the session goes on")
}
