package main

// Real clients of the OpenAI API against the service, over a model that says what
// a script has it say, and over a real Ollama server where there is one.

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
)

// clientModel is a server of models that behaves as the tiny models do, and also
// sees pictures and keeps to schemas.
type clientModel struct{ t *testing.T }

// ServeHTTP implements http.Handler.
func (m clientModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = fmt.Fprintf(w, `{"data": [{"id": %q}, {"id": %q}, {"id": %q}]}`, ollamatest.Chat, ollamatest.Caller, ollamatest.Llama3)
		return
	}
	var asked struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct {
			Function struct{ Name string }
		}
		Format *struct{ Type string } `json:"response_format"`
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil || len(asked.Messages) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	last := asked.Messages[len(asked.Messages)-1]
	message, finish := map[string]any{"role": "assistant", "content": ollamatest.Answer}, "stop"
	switch {
	case asked.Format != nil && asked.Format.Type == "json_schema":
		message["content"] = `{"weeks": 4}`
	case strings.Contains(string(last.Content), "image_url"):
		message["content"] = "I see a picture."
	case asked.Model == ollamatest.Caller && len(asked.Tools) > 0 && last.Role == "user":
		name, arguments := "read_file", `{"path":"notes.md"}`
		if asked.Tools[0].Function.Name == "exec_command" { // Codex
			name, arguments = "exec_command", `{"cmd":"cat notes.md"}`
		}
		call := map[string]any{"index": 0, "id": "call_7", "type": "function", "function": map[string]any{"name": name, "arguments": arguments}}
		message, finish = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}}, "tool_calls"
	}
	usage := `{"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27}`
	said, err := json.Marshal(message)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if !asked.Stream {
		_, _ = fmt.Fprintf(w, `{"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, "finish_reason": %q, "message": %s}], "usage": %s}`, finish, said, usage)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []string{
		fmt.Sprintf(`"choices": [{"index": 0, "delta": %s, "finish_reason": null}]`, said),
		fmt.Sprintf(`"choices": [{"index": 0, "delta": {}, "finish_reason": %q}]`, finish), `"choices": [], "usage": ` + usage,
	} {
		_, _ = fmt.Fprintf(w, "data: {\"id\": \"c\", \"object\": \"chat.completion.chunk\", \"created\": 1, \"model\": \"m\", %s}\n\n", event)
	}
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

// clientFolder has what clients attach.
func clientFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	handbook, err := os.ReadFile("../../testdata/handbook.md")
	require.NoError(t, err)
	for name, content := range map[string]string{"handbook.md": string(handbook), "notes.md": "There are twenty days of leave.\n", "note.pdf": notePDF} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

// notePDF is a page with one line.
const notePDF = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n" +
	"4 0 obj<</Length 60>>stream\nBT /F 12 Tf 20 100 Td (The notice period is four weeks.) Tj ET\nendstream endobj\n" +
	"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n"

// installed is the folder with the node_modules of scripts/clients; what is
// seldom wanted is installed only beside a real server of models.
func installed(t *testing.T, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("clients of npm: not in short runs")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*waitFor)
	defer cancel()
	out, err := exec.CommandContext(ctx, "../../scripts/clients/install", args...).Output()
	if err != nil {
		t.Skipf("scripts/clients/install %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// scripted runs a script of scripts/clients and returns the features that it says
// work.
func scripted(t *testing.T, script, address string, env ...string) (features []string) {
	t.Helper()
	modules, dir := installed(t), t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(modules, "node_modules"), filepath.Join(dir, "node_modules")))
	for _, name := range []string{script, "common.mjs"} {
		data, err := os.ReadFile(filepath.Join("../../scripts/clients", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	ctx, cancel := context.WithTimeout(t.Context(), waitFor)
	defer cancel()
	node := exec.CommandContext(ctx, "node", filepath.Join(dir, script), address+"/v1", clientFolder(t), ollamatest.Chat, ollamatest.Caller, ollamatest.Llama3)
	node.Env = append(os.Environ(), env...)
	out, err := node.CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^ok (.*)$`).FindAllStringSubmatch(string(out), -1) {
		features = append(features, m[1])
	}
	require.NotEmpty(t, features)
	return features
}

// clientScripts are the clients by the names that the table has for them.
func clientScripts() map[string]string {
	return map[string]string{"openai-node": "openai.mjs", "Vercel AI SDK": "ai-sdk.mjs", "LangChain.js": "langchain.mjs"}
}

// TestClients writes the table of docs/clients.md: what each client did with a
// scripted model.
func TestClients(t *testing.T) {
	s := httptest.NewServer(clientModel{t})
	t.Cleanup(s.Close)
	address := served(t, "--upstream", "local=openai:"+s.URL+"/v1", "--context-length", "32768")
	works := map[string][]string{}
	for name, script := range clientScripts() {
		t.Run(name, func(t *testing.T) { works[name] = scripted(t, script, address, "INLAY_SCRIPTED=1") })
	}
	t.Run("openai-go", func(t *testing.T) { works["openai-go"] = goClient(t, address, clientFolder(t), true) })
	t.Run("Codex", func(t *testing.T) { works["Codex"] = codex(t, address) })
	if t.Failed() || len(works) < 5 || works["Codex"] == nil || works["openai-node"] == nil {
		return
	}
	clientDocument(t, works)
}

// TestClientsOfOllama is the same over real models. Codex is not there: what it
// sends before the question is larger than a tiny model's window.
func TestClientsOfOllama(t *testing.T) {
	address := served(t, "--upstream", "local=ollama:"+ollamatest.Real(t))
	for name, script := range clientScripts() {
		t.Run(name, func(t *testing.T) { scripted(t, script, address) })
	}
	t.Run("openai-go", func(t *testing.T) { goClient(t, address, clientFolder(t), true) })
}

const (
	clientsBegin = "<!-- table: written by go test ./cmd/inlay -run TestClients -update -->\n"
	clientsEnd   = "<!-- end of table -->\n"
)

// clientDocument holds docs/clients.md to what the clients did.
func clientDocument(t *testing.T, works map[string][]string) {
	t.Helper()
	names := slices.Sorted(maps.Keys(works))
	var features []string
	for _, name := range []string{"openai-node", "openai-go", "Vercel AI SDK", "LangChain.js", "Codex"} {
		for _, f := range works[name] {
			if !slices.Contains(features, f) {
				features = append(features, f)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| feature | %s |\n|%s\n", strings.Join(names, " | "), strings.Repeat(" --- |", len(names)+1))
	for _, f := range features {
		b.WriteString("| " + f + " |")
		for _, name := range names {
			mark := " |"
			if slices.Contains(works[name], f) {
				mark = " yes |"
			}
			b.WriteString(mark)
		}
		b.WriteString("\n")
	}
	t.Log("\n" + b.String())
	const path = "../../docs/clients.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), clientsBegin)
	require.True(t, ok)
	_, tail, ok := strings.Cut(rest, clientsEnd)
	require.True(t, ok)
	want := head + clientsBegin + b.String() + clientsEnd + tail
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "run go test ./cmd/inlay -run TestClients -update")
}
