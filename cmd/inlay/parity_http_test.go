package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/options"
)

// command runs the program with a step's settings; out is what it prints.
func (r *parityRun) command(name string, step parityStep, more ...string) (out []byte, err error) {
	args := []string{name}
	if name == "strategy" {
		args = []string{"strategy", "run", step.strategy, "--strategies", r.parityHost.dir}
	}
	args = append(args, "-q", "--config", filepath.Join(r.dir, "inlay.yaml"), "--history", r.history(), "--model", "openai:"+r.turn.modelName(), "--base-url", r.model.url)
	if r.turn.reranker != "" {
		args = append(args, "--reranker", r.turn.reranker)
	}
	values := step.values()
	if name == "agent" {
		delete(values, "prompt_set") // it has that of citations
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		o, ok := options.Find(key)
		require.True(r.t, ok, key)
		args = append(args, "--"+o.Flag+"="+text(values[key]))
	}
	if n := step.length(); n > 0 {
		args = append(args, "--context-length", text(n))
	}
	for i, path := range r.withFiles(step) {
		if mode := step.files[i].mode; mode != "" {
			path += "=" + mode
		}
		args = append(args, "-f", path)
	}
	if step.dry {
		args = append(args, "--dry-run")
	}
	var stdout, stderr bytes.Buffer
	err = run(r.ctx(), append(args, more...), noEnv, strings.NewReader(""), &stdout, &stderr)
	if *onlyTurn != "" {
		r.t.Logf("%s: %v\n%s%s", name, err, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.Bytes(), err
}

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return strings.Trim(string(data), `"`)
}

func (r *parityRun) history() string { return filepath.Join(r.dir, "history.json") }

// before carries out the steps before the last one by the doors that can, and
// adds the answers that their user would paste.
func (r *parityRun) before(plain func(parityStep) error) {
	for _, step := range r.turn.steps[:len(r.turn.steps)-1] {
		if step.strategy == "" && plain != nil {
			require.NoError(r.t, plain(step))
			continue
		}
		_, err := r.printed(step)
		require.NoError(r.t, err)
		past, err := openHistory(r.history())
		require.NoError(r.t, err)
		require.NoError(r.t, past.add(chat.Message{Role: chat.Assistant, Text: r.turn.answer()}))
	}
	r.asked = r.model.requests()
}

// printed runs ask, or strategy run.
func (r *parityRun) printed(step parityStep) ([]byte, error) {
	if step.strategy != "" {
		return r.command("strategy", step, "--output", "json", "--input", step.text)
	}
	return r.command("ask", step, "--output", "json", step.text)
}

func (r *parityRun) ask() seen {
	r.before(nil)
	out, err := r.printed(r.turn.last())
	if err != nil {
		return refusal(err)
	}
	return r.readTurn(out, resultFields...)
}

func (r *parityRun) strategyRun() seen {
	r.before(nil)
	out, err := r.printed(r.turn.last())
	if err != nil {
		got := refusal(err)
		maps.Copy(got, r.readTurn(out, stepFields...))
		return got
	}
	return r.readTurn(out, slices.Concat(resultFields, stepFields)...)
}

func (r *parityRun) chat() seen {
	return r.talked(func(step parityStep) error {
		_, err := r.command("chat", step, step.text)
		return err
	})
}

func (r *parityRun) agent() seen {
	return r.talked(func(step parityStep) error {
		_, err := r.command("agent", step, "--no-tools", "--workspace", r.dir, step.text)
		return err
	})
}

// talked is a turn of a door that prints the answer: what the model got, and
// what the history keeps.
func (r *parityRun) talked(say func(parityStep) error) seen {
	r.before(say)
	if err := say(r.turn.last()); err != nil {
		return refusal(err)
	}
	past, err := openHistory(r.history())
	require.NoError(r.t, err)
	got := seen{}
	for _, m := range past.Messages {
		if m.Role == chat.User && m.Injected != nil {
			data, err := json.Marshal(map[string]any{"strategy": m.Injected.Strategy, "citations": m.Injected.Citations})
			require.NoError(r.t, err)
			got = r.readTurn(data, "decision", "citations")
		} else if m.Role == chat.User {
			got = seen{}
		}
	}
	r.model.sent(got, r.asked)
	return got
}

// post sends JSON to the service.
func (r *parityRun) post(path string, body any) (status int, data []byte) {
	sent, err := json.Marshal(body)
	require.NoError(r.t, err)
	return r.send(http.MethodPost, path, "application/json", bytes.NewReader(sent))
}

func (r *parityRun) send(method, path, kind string, body io.Reader) (status int, data []byte) {
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.service(r.turn)+path, body)
	require.NoError(r.t, err)
	req.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(r.t, err)
	defer func() { _ = resp.Body.Close() }()
	data, err = io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	if *onlyTurn != "" {
		r.t.Logf("%s: %d\n%s", path, resp.StatusCode, data)
	}
	return resp.StatusCode, data
}

// refused is an error of the service. The OpenAI API has a name of its own for a
// prompt that does not fit.
func (r *parityRun) refused(data []byte) seen {
	var body struct {
		shownError
		Error *shownError
	}
	require.NoError(r.t, json.Unmarshal(data, &body), "%s", data)
	e := body.shownError
	if body.Error != nil {
		e = *body.Error
	}
	if e.Code == "context_length_exceeded" {
		e.Code = "does_not_fit"
	}
	got := seen{"code": strings.TrimSpace(e.Code + " " + e.Cause)}
	if e.Steps != nil {
		data, err := json.Marshal(map[string]any{"steps": e.Steps})
		require.NoError(r.t, err)
		maps.Copy(got, r.readTurn(data, stepFields...))
	}
	return got
}

// uploads are a step's files as references to uploads.
func (r *parityRun) uploads(s parityStep) (refs []map[string]any) {
	for _, f := range s.files {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		require.NoError(r.t, w.WriteField("purpose", "user_data"))
		part, err := w.CreateFormFile("file", f.name)
		require.NoError(r.t, err)
		_, err = io.WriteString(part, f.content)
		require.NoError(r.t, err)
		require.NoError(r.t, w.Close())
		status, data := r.send(http.MethodPost, "/v1/files", w.FormDataContentType(), &b)
		require.Equal(r.t, http.StatusOK, status, "%s", data)
		var made struct{ ID string }
		require.NoError(r.t, json.Unmarshal(data, &made))
		require.Eventually(r.t, func() bool {
			_, data := r.send(http.MethodGet, "/v1/files/"+made.ID, "", nil)
			return !bytes.Contains(data, []byte(`"uploaded"`))
		}, waitFor, 10*time.Millisecond)
		ref := map[string]any{"id": made.ID}
		if f.mode != "" {
			ref["mode"] = f.mode
		}
		refs = append(refs, ref)
	}
	return refs
}

// body is what a step's requests have in common.
func (r *parityRun) body(step parityStep) map[string]any {
	body := step.values()
	if n := step.length(); n > 0 {
		body["context_length"] = n
	}
	return body
}

// preprocess sends the history along; a turn of a strategy in it is one of a
// kept chat.
func (r *parityRun) preprocess() seen {
	chatID := ""
	if r.turn.any(func(s parityStep) bool { return s.strategy != "" }) {
		chatID = r.keep()
	}
	var messages []chat.Message
	for i, step := range r.turn.steps {
		last := i == len(r.turn.steps)-1
		if chatID != "" && !last {
			continue // the chat has it
		}
		body := r.body(step)
		body["messages"], body["model"] = append(messages, chat.Message{Role: chat.User, Text: step.text}), r.turn.modelName()
		if refs := r.uploads(step); refs != nil {
			body["files"] = refs
		}
		if chatID != "" {
			body["chat_id"] = chatID
		}
		if step.dry {
			body["dry_run"] = true
		}
		status, data := r.post("/v1/preprocess", body)
		if status != http.StatusOK {
			require.True(r.t, last, "%s", data)
			return r.refused(data)
		}
		if last {
			return r.readTurn(data, resultFields...)
		}
		var made struct{ Message chat.Message }
		require.NoError(r.t, json.Unmarshal(data, &made))
		messages = append(messages, made.Message, chat.Message{Role: chat.Assistant, Text: r.turn.answer()})
	}
	return nil
}

// completion is a step as a chat completion; messages are the past and the new one.
func (r *parityRun) completion(step parityStep, chatID string, messages ...any) (status int, data []byte) {
	wants := r.body(step)
	if chatID != "" {
		wants["chat_id"] = chatID
	}
	if step.strategy != "" {
		wants["strategy"] = step.strategy
	}
	if step.rules != nil {
		wants["tool_rules"] = step.rules
	}
	body := map[string]any{"model": r.turn.modelName(), "messages": messages, "inlay": wants}
	if r.stream {
		body["stream"] = true
	}
	if len(step.tools) > 0 {
		body["tools"] = openAITools(step.tools)
	}
	return r.post("/v1/chat/completions", body)
}

// openAITools are tools as clients of the OpenAI API offer them.
func openAITools(names []string) (tools []any) {
	for _, name := range names {
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{"name": name, "parameters": map[string]any{"type": "object"}}})
	}
	return tools
}

// openAIMessage is a step's message with its files inside.
func openAIMessage(step parityStep) map[string]any {
	if len(step.files) == 0 {
		return map[string]any{"role": "user", "content": step.text}
	}
	parts := []any{map[string]any{"type": "text", "text": step.text}}
	for _, f := range step.files {
		parts = append(parts, map[string]any{"type": "file", "file": map[string]any{"filename": f.name, "file_data": []byte(f.content)}})
	}
	return map[string]any{"role": "user", "content": parts}
}

func (r *parityRun) completions() seen {
	var messages []any
	for _, step := range r.turn.steps[:len(r.turn.steps)-1] {
		messages = append(messages, openAIMessage(step), map[string]any{"role": "assistant", "content": r.turn.answer()})
	}
	status, data := r.completion(r.turn.last(), "", append(messages, openAIMessage(r.turn.last()))...)
	return r.completed(status, data)
}

// streamed is completions, answered as a stream.
func (r *parityRun) streamed() seen {
	r.stream = true
	return r.completions()
}

// firstEvent is the first event of a stream, which has what was decided.
func firstEvent(data []byte) []byte {
	first, _, _ := bytes.Cut(data, []byte("\n\n"))
	return bytes.TrimPrefix(first, []byte("data: "))
}

// keep begins a chat and carries out the steps before the last one in it.
func (r *parityRun) keep() string {
	_, data := r.post("/v1/chats", map[string]any{})
	var made struct{ ID string }
	require.NoError(r.t, json.Unmarshal(data, &made), "%s", data)
	for _, step := range r.turn.steps[:len(r.turn.steps)-1] {
		status, data := r.completion(step, made.ID, openAIMessage(step))
		require.Equal(r.t, http.StatusOK, status, "%s", data)
	}
	r.asked = r.model.requests()
	return made.ID
}

func (r *parityRun) keptChat() seen {
	id := r.keep()
	status, data := r.completion(r.turn.last(), id, openAIMessage(r.turn.last()))
	return r.completed(status, data)
}

// responses are the steps as responses that continue one another.
func (r *parityRun) responses() seen {
	previous := ""
	for _, step := range r.turn.steps[:len(r.turn.steps)-1] {
		status, data := r.response(step, previous)
		require.Equal(r.t, http.StatusOK, status, "%s", data)
		var made struct{ ID string }
		require.NoError(r.t, json.Unmarshal(data, &made))
		previous = made.ID
	}
	r.asked = r.model.requests()
	status, data := r.response(r.turn.last(), previous)
	return r.completed(status, data)
}

// response is a step as a request for a response.
func (r *parityRun) response(step parityStep, previous string) (status int, data []byte) {
	wants := r.body(step)
	if step.strategy != "" {
		wants["strategy"] = step.strategy
	}
	if step.rules != nil {
		wants["tool_rules"] = step.rules
	}
	parts := []any{map[string]any{"type": "input_text", "text": step.text}}
	for _, f := range step.files {
		parts = append(parts, map[string]any{"type": "input_file", "filename": f.name, "file_data": []byte(f.content)})
	}
	body := map[string]any{"model": r.turn.modelName(), "input": []any{map[string]any{"role": "user", "content": parts}}, "inlay": wants}
	if previous != "" {
		body["previous_response_id"] = previous
	}
	var tools []any
	for _, name := range step.tools {
		tools = append(tools, map[string]any{"type": "function", "name": name, "parameters": map[string]any{"type": "object"}})
	}
	if tools != nil {
		body["tools"] = tools
	}
	return r.post("/v1/responses", body)
}

func (r *parityRun) completed(status int, data []byte) seen {
	if status != http.StatusOK {
		return r.refused(data)
	}
	if r.stream {
		data = firstEvent(data)
	}
	var body struct{ Inlay json.RawMessage }
	require.NoError(r.t, json.Unmarshal(data, &body), "%s", data)
	fields := slices.DeleteFunc(slices.Concat(resultFields, stepFields, modelFields), func(name string) bool { return name == "prompt" })
	got := r.readTurn(body.Inlay, fields...)
	r.model.sent(got, r.asked)
	return got
}

func (r *parityRun) execution() seen {
	step := r.turn.last()
	body := r.body(step)
	if len(r.turn.steps) > 1 {
		body["chat_id"] = r.keep()
	}
	body["input"], body["model"] = step.text, r.turn.modelName()
	if refs := r.uploads(step); refs != nil {
		body["files"] = refs
	}
	if step.dry {
		body["dry_run"] = true
	}
	status, data := r.post("/v1/strategies/"+step.strategy+"/execute", body)
	if status != http.StatusOK {
		return r.refused(data)
	}
	return r.readTurn(data, slices.Concat(resultFields, stepFields)...)
}
