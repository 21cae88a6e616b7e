package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/keys"
	"inlay/internal/state"
	"inlay/library"
	"inlay/parse"
	"inlay/parse/plain"
	"inlay/retrieve"
)

// rpc sends a message to /mcp and returns the answer, which is the last event.
func (s *server) rpc(secret, method string, params any, into any) (failed string) {
	s.t.Helper()
	got := s.do("POST", "/mcp", secret, map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
		"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2025-06-18")
	require.Equal(s.t, http.StatusOK, got.status, string(got.body))
	var answer struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	lines := strings.Split(strings.TrimSpace(string(got.body)), "\n")
	require.NoError(s.t, json.Unmarshal([]byte(strings.TrimPrefix(lines[len(lines)-1], "data: ")), &answer), string(got.body))
	if answer.Error != nil {
		return answer.Error.Message
	}
	require.NoError(s.t, json.Unmarshal(answer.Result, into), string(answer.Result))
	return ""
}

type mcpTools struct{ Tools []struct{ Name string } }

func (l mcpTools) has(name string) bool {
	for _, one := range l.Tools {
		if one.Name == name {
			return true
		}
	}
	return false
}

type mcpAnswer struct {
	IsError    bool
	Content    []struct{ Text string }
	Structured struct {
		Citations []struct{ Library, File, Text string }
		Libraries []struct{ Name, Title string }
		Total     int
	} `json:"structuredContent"`
}

// shelve makes a library with one file for an owner.
func (s *server) shelve(owner, name, text string) {
	s.t.Helper()
	store := openLibraries(s.t, s.dir, s.store)
	defer func() { require.NoError(s.t, store.(io.Closer).Close()) }()
	registry, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(s.t, err)
	k := &library.Keeper{Index: store, Parser: registry, Indexer: retrieve.New(retrieve.Options{})}
	require.NoError(s.t, k.AddFolders(s.t.Context(), owner, name, library.Settings{}, nil, nil))
	_, err = k.Put(s.t.Context(), owner, name, parse.File{Name: "memo.txt", Data: []byte(text)}, nil)
	require.NoError(s.t, err)
}

// TestMCP: an agent has the libraries of its key, and changes them only where
// the server and the key allow it.
func TestMCP(t *testing.T) {
	s := start(t, setup{keys: true, mcpWrite: true})
	ann, bob := s.key("ann"), s.key("bob")
	list, err := s.store.ListKeys(t.Context(), "")
	require.NoError(t, err)
	s.shelve(list[0].Owner, "memos", "The vault opens with marzipan.")
	v := s.newStore(ann, map[string]any{"name": "uploads", "file_ids": []any{s.upload(ann, "note.txt", "The kettle is blue.")}})
	_, reader, err := keys.Make(t.Context(), s.store, keys.Wish{Name: "reader", OwnerName: "ann", Scope: state.Read})
	require.NoError(t, err)

	var hello struct{ ServerInfo struct{ Name string } }
	require.Empty(t, s.rpc(ann, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}}, &hello))
	require.Equal(t, "inlay", hello.ServerInfo.Name)
	var tools mcpTools
	require.Empty(t, s.rpc(ann, "tools/list", nil, &tools))
	require.True(t, tools.has("search_documents") && tools.has("add_document"))
	var fewer mcpTools
	require.Empty(t, s.rpc(reader, "tools/list", nil, &fewer))
	require.False(t, fewer.has("add_document") || fewer.has("delete_document"), "a key that reads")

	use := func(secret, tool string, arguments map[string]any) (a mcpAnswer) {
		t.Helper()
		require.Empty(t, s.rpc(secret, "tools/call", map[string]any{"name": tool, "arguments": arguments}, &a))
		return a
	}
	found := use(reader, "search_documents", map[string]any{"query": "what opens the vault"})
	require.Equal(t, "memos", found.Structured.Citations[0].Library)
	require.Contains(t, found.Structured.Citations[0].Text, "marzipan")
	require.Empty(t, use(bob, "search_documents", map[string]any{"query": "what opens the vault"}).Structured.Citations)
	require.True(t, use(bob, "search_documents", map[string]any{"query": "vault", "library": []any{"memos"}}).IsError)
	named := use(ann, "list_documents", map[string]any{}).Structured
	require.Equal(t, 2, named.Total)
	require.Contains(t, named.Libraries, struct{ Name, Title string }{v.ID, "uploads"})
	require.Equal(t, "note.txt", use(ann, "search_documents", map[string]any{"query": "blue kettle"}).Structured.Citations[0].File)

	require.False(t, use(ann, "add_document", map[string]any{"library": "memos", "path": "b.txt", "text": "The gate is green."}).IsError)
	require.Len(t, use(ann, "search_documents", map[string]any{"query": "green gate"}).Structured.Citations, 1)
	require.Contains(t, use(ann, "add_document", map[string]any{"library": v.ID, "path": "b.txt", "text": "x"}).Content[0].Text, "vector store")
	var resources struct{ Resources []struct{ URI string } }
	require.Empty(t, s.rpc(ann, "resources/list", nil, &resources))
	require.Len(t, resources.Resources, 3, "with what was just added")
	require.NotEmpty(t, s.rpc(bob, "resources/read", map[string]any{"uri": resources.Resources[0].URI}, nil))
	require.True(t, use(reader, "read_document", map[string]any{"path": "/etc/passwd"}).IsError, "no folder is offered")

	require.Equal(t, http.StatusUnauthorized, s.do("POST", "/mcp", "", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status)
	require.Equal(t, http.StatusForbidden, s.do("POST", "/mcp", ann, map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, "Origin", "https://evil.example").status)
	require.Equal(t, http.StatusMethodNotAllowed, s.do("GET", "/mcp", ann, nil).status)
}

// TestMCPReadOnly: without --mcp-write no key changes anything.
func TestMCPReadOnly(t *testing.T) {
	s := start(t, setup{})
	var tools mcpTools
	require.Empty(t, s.rpc("", "tools/list", nil, &tools))
	require.True(t, tools.has("build_context"))
	require.False(t, tools.has("add_document") || tools.has("delete_document"))
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		var list map[string]any
		require.Empty(t, s.rpc("", method, nil, &list))
		require.Equal(t, "private", list["cacheScope"], "%s depends on the key", method)
	}
}
