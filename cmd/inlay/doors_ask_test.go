package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/options"
)

// windowed is a turn's options in a window of 1,024 tokens, unless it names another.
func windowed(q asked) map[string]any {
	if _, ok := q.options["context_length"]; ok {
		return q.options
	}
	return with(q, "context_length", 1024).options
}

// writeTurn writes a turn's files and history, and returns the flags for them.
func writeTurn(t *testing.T, q asked) []string {
	t.Helper()
	dir := t.TempDir()
	var args []string
	for name, text := range q.files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		args = append(args, "-f", filepath.Join(dir, name))
	}
	if q.past == nil {
		return args
	}
	data, err := json.Marshal(map[string]any{"schema": "inlay.history/v1", "messages": pastOf(q, "role", "text")})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "past.json"), data, 0o600))
	return append(args, "--history", filepath.Join(dir, "past.json"))
}

// pastOf is the past as messages, with the names of their fields.
func pastOf(q asked, role, text string) []any {
	list := []any{}
	for i, words := range q.past {
		list = append(list, map[string]any{role: []string{"user", "assistant"}[i%2], text: words})
	}
	return list
}

// result is the part of inlay.result/v1 that is looked at.
type result struct {
	Strategy  string
	Limit     int
	Threshold float64
	Prompt    string
	Citations []any
}

func (r result) outcome() outcome {
	return outcome{Strategy: r.Strategy, Limit: r.Limit, Threshold: r.Threshold, Prompt: r.Prompt, Citations: len(r.Citations)}
}

func askCommand(t *testing.T, q asked, by string) outcome {
	t.Helper()
	env := map[string]string{}
	var file strings.Builder
	args := append([]string{"ask", "-q", "--no-save", "--output", "json"}, writeTurn(t, q)...)
	for key, value := range windowed(q) {
		o, _ := options.Find(key)
		switch by {
		case "flag":
			args = append(args, fmt.Sprintf("--%s=%v", o.Flag, value))
		case "environment":
			env[o.Env()] = fmt.Sprint(value)
		case "file":
			fmt.Fprintf(&file, "%s: %v\n", key, value)
		}
	}
	if by == "file" {
		env["INLAY_CONFIG"] = filepath.Join(t.TempDir(), "inlay.yaml")
		require.NoError(t, os.WriteFile(env["INLAY_CONFIG"], []byte(file.String()), 0o600))
	}
	var out, errs bytes.Buffer
	err := run(t.Context(), append(args, "--", q.question), func(name string) string { return env[name] }, strings.NewReader(""), &out, &errs)
	if err != nil {
		return outcome{Refused: errs.String()}
	}
	var r result
	require.NoError(t, json.Unmarshal(out.Bytes(), &r))
	return r.outcome()
}

func runStrategy(t *testing.T, q asked) outcome {
	t.Helper()
	settings := map[string]any{}
	length := 1024
	for key, value := range q.options {
		if key == "context_length" {
			length = value.(int) // not a strategy's to set
			continue
		}
		settings[key] = value
	}
	yaml, err := json.Marshal(settings)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a.strategy.md")
	text := "---\nid: user.a\nname: A\npreprocessors: [files]\noptions:\n  preprocessors:\n    files: " + string(yaml) + "\n---\n{preprocess.files.prompt}\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	args := append([]string{"strategy", "run", path, "-q", "--output", "json", "--input", q.question, fmt.Sprintf("--context-length=%d", length)}, writeTurn(t, q)...)
	var out, errs bytes.Buffer
	err = run(t.Context(), args, func(string) string { return "" }, strings.NewReader(""), &out, &errs)
	if err != nil {
		return outcome{Refused: strings.ReplaceAll(errs.String(), ": The setting ", ": ")}
	}
	var x struct {
		Steps []struct{ Variables map[string]any }
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &x))
	v := x.Steps[0].Variables
	got := outcome{Strategy: v["preprocess.files.strategy"].(string), Prompt: v["preprocess.files.prompt"].(string)}
	got.Threshold, _ = v["preprocess.files.threshold"].(float64)
	limit, _ := v["preprocess.files.limit"].(float64)
	count, _ := v["preprocess.files.citation_count"].(float64)
	got.Limit, got.Citations = int(limit), int(count)
	return got
}

// post sends JSON and returns the status and the answer.
func post(t *testing.T, url string, body any) (int, []byte) {
	t.Helper()
	data, err := json.Marshal(body)
	require.NoError(t, err)
	res, err := http.Post(url, "application/json", bytes.NewReader(data)) //nolint:noctx // a test's
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, answer
}

func preprocess(t *testing.T, address string, q asked) outcome {
	t.Helper()
	body := map[string]any{"messages": append(pastOf(q, "role", "text"), map[string]any{"role": "user", "text": q.question})}
	var files []any
	for name, text := range q.files {
		files = append(files, map[string]any{"name": name, "data": []byte(text)})
	}
	body["files"] = files
	maps.Copy(body, windowed(q))
	status, answer := post(t, address+"/v1/preprocess", body)
	if status != http.StatusOK {
		return outcome{Refused: string(answer)}
	}
	var r result
	require.NoError(t, json.Unmarshal(answer, &r))
	return r.outcome()
}

// overheard is a server of models that keeps the last message it was sent.
type overheard struct {
	mu   sync.Mutex
	last string
}

func (m *overheard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	var body struct {
		Messages []struct{ Content json.RawMessage }
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	last := body.Messages[len(body.Messages)-1].Content
	var text string
	if json.Unmarshal(last, &text) != nil {
		var parts []struct{ Text string }
		_ = json.Unmarshal(last, &parts)
		for _, p := range parts {
			text += p.Text
		}
	}
	m.mu.Lock()
	m.last = text
	m.mu.Unlock()
	_, _ = io.WriteString(w, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}`)
}

func (m *overheard) prompt() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

func complete(t *testing.T, address string, model *overheard, q asked) outcome {
	t.Helper()
	content := []any{map[string]any{"type": "text", "text": q.question}}
	for name, text := range q.files {
		data := "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString([]byte(text))
		content = append(content, map[string]any{"type": "file", "file": map[string]any{"filename": name, "file_data": data}})
	}
	status, answer := post(t, address+"/v1/chat/completions", map[string]any{
		"model": "here/gpt-4o", "inlay": windowed(q),
		"messages": append(pastOf(q, "role", "content"), map[string]any{"role": "user", "content": content}),
	})
	if status != http.StatusOK {
		return outcome{Refused: string(answer)}
	}
	var r struct{ Inlay result }
	require.NoError(t, json.Unmarshal(answer, &r))
	got := r.Inlay.outcome()
	got.Prompt = model.prompt()
	return got
}
