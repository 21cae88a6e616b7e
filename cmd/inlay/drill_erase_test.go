package main

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
)

// holding are the files of the data folder that hold any of the words.
func (d *drill) holding(words ...string) (paths []string) {
	d.t.Helper()
	require.NoError(d.t, filepath.WalkDir(d.data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, w := range words {
			if bytes.Contains(data, []byte(w)) {
				paths = append(paths, strings.TrimPrefix(path, d.data)+" "+w)
			}
		}
		return err
	}))
	return paths
}

// TestDrillErase deletes all that a service was given and looks for its words in
// the raw bytes of the data folder, while the server runs.
func TestDrillErase(t *testing.T) {
	rows := newTable(t, "deleted", "places before", "places after")
	model := httptest.NewServer(clientModel{t})
	t.Cleanup(model.Close)
	d := newDrill(t, "--upstream", "local=openai:"+model.URL+"/v1")
	d.start()
	words := []string{"Zanzibarfile", "Quetzalchat", "Xylophoneinline", "Vuvuzelaeval", "Nightshadeask", "Umbrellafile", "Wolframtitle", "Yucatanname"}
	text := func(word string) []byte {
		return bytes.Repeat([]byte("The "+word+" lies at the harbour. It was bought in spring.\n\n"), 400)
	}
	file := d.must(d.upload("", "Yucatanname.txt", text("Zanzibarfile"))).id()
	d.read("", file)
	chat := d.must(d.json(http.MethodPost, "/v1/chats", "", map[string]any{"title": "Wolframtitle"})).id()
	ask := func(body map[string]any) {
		body["messages"] = []any{map[string]any{"role": "user", "text": "Where does the Quetzalchat lie?"}}
		body["context_length"], body["mode"] = 4096, "retrieval"
		d.must(d.json(http.MethodPost, "/v1/preprocess", "", body))
	}
	ask(map[string]any{"chat_id": chat, "files": []any{map[string]any{"id": file}}})
	ask(map[string]any{"files": []any{map[string]any{"name": "in.txt", "data": text("Xylophoneinline")}}})
	evaluation := d.must(d.json(http.MethodPost, "/v1/evaluations", "", map[string]any{
		"files": []any{map[string]any{"name": "e.txt", "data": text("Vuvuzelaeval")}}, "questions": []any{map[string]any{"question": "Where is the Vuvuzelaeval?"}},
	})).id()
	response := d.must(d.json(http.MethodPost, "/v1/responses", "", map[string]any{
		"model": ollamatest.Chat, "input": []any{map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "input_text", "text": "Where is the Nightshadeask?"},
			map[string]any{"type": "input_file", "filename": "u.txt", "file_data": "data:text/plain;base64," + base64.StdEncoding.EncodeToString(text("Umbrellafile"))},
		}}},
	})).id()
	require.Eventually(t, func() bool { return d.evaluation(evaluation).Status == "done" }, waitFor, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		return !bytes.Contains(d.must(d.json(http.MethodGet, "/v1/files", "", nil)).body, []byte(`"status":"uploaded"`))
	}, waitFor, 10*time.Millisecond)
	for _, w := range words[:7] {
		require.NotEmpty(t, d.holding(w), "%s is kept somewhere, or nothing is shown here", w)
	}
	for _, c := range []struct{ what, path, word string }{
		{"the cache", "/v1/cache", "Xylophoneinline"},
		{"an evaluation", "/v1/evaluations/" + evaluation, "Vuvuzelaeval"},
		{"a chat", "/v1/chats/" + chat, "Quetzalchat"},
		{"a file", "/v1/files/" + file, "Zanzibarfile"},
		{"a response", "/v1/responses/" + response, "Nightshadeask"},
	} {
		before := d.holding(c.word)
		d.must(d.json(http.MethodDelete, c.path, "", nil))
		after := d.holding(c.word)
		rows.row(c.what, len(before), len(after))
		require.Empty(t, after, c.what)
	}
	d.must(d.json(http.MethodDelete, "/v1/cache", "", nil)) // answers about the file made meanwhile
	require.Empty(t, d.holding(words...))
	ask(map[string]any{"files": []any{map[string]any{"name": "in.txt", "data": text("Xylophoneinline")}}})
	require.NotEmpty(t, d.holding("Xylophoneinline"))
	out, err := command(t, "cache", "clear", "--data", d.data).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, d.holding(words...), "by the command, too")
}
