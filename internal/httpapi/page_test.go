package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPage: the page needs no key, and is nothing but its own files.
func TestPage(t *testing.T) {
	s := start(t, setup{keys: true})
	page := s.do("GET", "/", "", nil)
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, string(page.body), `<div id="app">`)
	require.Contains(t, page.header.Get("Content-Security-Policy"), "script-src 'self';")
	for _, path := range []string{"/assets/", "/assets/nothing.js", "/assets/..%2fweb.go", "/index.html", "/page"} {
		require.Equal(t, http.StatusNotFound, s.do("GET", path, "", nil).status, path)
	}
	require.Equal(t, http.StatusUnauthorized, s.do("GET", "/v1/files", "", nil).status)
}

// TestFileText: the text is the one that citations are slices of, in letters of several bytes too.
func TestFileText(t *testing.T) {
	s := start(t, setup{})
	id := s.upload("", "kündigung.md", "# Kündigung\n\nDie Frist beträgt vier Wochen – für alle.\n\n## Urlaub\n\nDreißig Tage.\n")
	var result struct {
		Citations []struct {
			Text       string
			Start, End int
		}
	}
	s.do("POST", "/v1/preprocess", "", map[string]any{
		"messages": []any{map[string]any{"role": "user", "text": "Wie lang ist die Frist?"}}, "files": []any{map[string]any{"id": id}},
		"mode": "retrieval", "context_length": 4000,
	}).into(t, &result)
	require.NotEmpty(t, result.Citations)
	var text struct {
		Filename  string
		MediaType string `json:"media_type"`
		Text      string
		Sections  []struct {
			Kind  string
			Label string
		}
	}
	s.do("GET", "/v1/files/"+id+"/text", "", nil).into(t, &text)
	for _, c := range result.Citations {
		require.Equal(t, c.Text, text.Text[c.Start:c.End])
	}
	require.Equal(t, "kündigung.md", text.Filename)
	require.Equal(t, "text/markdown", text.MediaType)
	require.NotEmpty(t, text.Sections)
	require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/files/file-none/text", "", nil).status)
}

// TestCopiedChat: a copy has the first turns, and neither changes the other.
func TestCopiedChat(t *testing.T) {
	u := newUpstream(t, says("Four weeks."))
	s := start(t, setup{upstreams: u.list()})
	id, _ := s.newChat(t)
	question := func(chat, text string) {
		r := ask([]any{map[string]any{"role": "user", "content": text}})
		r["inlay"].(map[string]any)["chat_id"] = chat
		require.Equal(t, http.StatusOK, s.do("POST", "/v1/chat/completions", "", r).status)
	}
	said := func(chat string) (out []string) {
		var k kept
		s.do("GET", "/v1/chats/"+chat, "", nil).into(t, &k)
		for _, m := range k.History.Messages {
			out = append(out, m.Text)
		}
		return out
	}
	question(id, "one")
	question(id, "two")
	var made struct {
		ID    string
		Turns int
	}
	s.do("POST", "/v1/chats", "", map[string]any{"title": "again", "copy": map[string]any{"chat_id": id, "turns": 1}}).into(t, &made)
	require.Equal(t, 1, made.Turns)
	question(made.ID, "three")
	require.Equal(t, []string{"one", "Four weeks.", "two", "Four weeks."}, said(id))
	require.Equal(t, []string{"one", "Four weeks.", "three", "Four weeks."}, said(made.ID))
	require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/chats/"+id, "", nil).status)
	require.Len(t, said(made.ID), 4, "the copy outlives it")

	for _, wrong := range []map[string]any{{"chat_id": made.ID, "turns": 3}, {"chat_id": made.ID, "turns": -1}} {
		require.Equal(t, http.StatusBadRequest, s.do("POST", "/v1/chats", "", map[string]any{"copy": wrong}).status)
	}
	require.Equal(t, http.StatusNotFound, s.do("POST", "/v1/chats", "", map[string]any{"copy": map[string]any{"chat_id": id, "turns": 1}}).status)
}

// TestCopyOfAnothersChat: another owner's chat is as good as none.
func TestCopyOfAnothersChat(t *testing.T) {
	s := start(t, setup{keys: true})
	ann, bob := s.key("ann"), s.key("bob")
	var made struct{ ID string }
	s.do("POST", "/v1/chats", ann, map[string]any{"title": "private"}).into(t, &made)
	require.Equal(t, http.StatusNotFound, s.do("POST", "/v1/chats", bob, map[string]any{"copy": map[string]any{"chat_id": made.ID, "turns": 0}}).status)
}

// TestFileModes: single files are used as they are told to be.
func TestFileModes(t *testing.T) {
	u := newUpstream(t, says("Four weeks."))
	s := start(t, setup{upstreams: u.list()})
	first := s.upload("", "one.md", "# One\n\nThe notice period is four weeks.\n\n"+strings.Repeat("Nothing of it here.\n\n", 5))
	second := s.upload("", "two.md", "# Two\n\nThe boats are red.\n")
	r := ask([]any{map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "text", "text": "How long is the notice period?"},
		map[string]any{"type": "file", "file": map[string]any{"file_id": first}},
		map[string]any{"type": "file", "file": map[string]any{"file_id": second}},
	}}})
	r["inlay"].(map[string]any)["file_modes"] = map[string]any{first: "retrieval", second: "none"}
	got := s.do("POST", "/v1/chat/completions", "", r)
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	var answer struct {
		Inlay struct {
			Files []struct{ Name, Strategy string }
		}
	}
	got.into(t, &answer)
	modes := map[string]string{}
	for _, f := range answer.Inlay.Files {
		modes[f.Name] = f.Strategy
	}
	require.Equal(t, "retrieval", modes["one.md"])
	require.NotEqual(t, "inject-full-content", modes["two.md"])

	for _, wrong := range []map[string]any{{"file-other": "full"}, {first: "loud"}} {
		r["inlay"].(map[string]any)["file_modes"] = wrong
		require.Equal(t, http.StatusBadRequest, s.do("POST", "/v1/chat/completions", "", r).status)
	}
}
