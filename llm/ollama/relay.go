package ollama

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
	compat "github.com/ollama/ollama/openai"

	"inlay/fault"
	"inlay/llm"
	"inlay/llm/completion"
	"inlay/llm/internal/transport"
)

var _ llm.Relay = (*Model)(nil)

// Relay implements [llm.Relay]. The server has an OpenAI-compatible address of
// its own, but requests to it cannot say how large the window is, and it cuts
// what does not fit without a word. So the server's own translation is done
// here, and its native address is asked as [Model.Generate] does.
func (m *Model) Relay(ctx context.Context, body map[string]json.RawMessage) iter.Seq2[*completion.Chunk, error] {
	return func(yield func(*completion.Chunk, error) bool) {
		t, req, err := m.translate(ctx, body)
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ctx, failure := transport.WithFailure(ctx)
		done, begun := false, false
		err = m.chat(ctx, req, func(resp api.ChatResponse) error {
			done, begun = done || resp.Done, begun || says(resp)
			resp.Model = m.config.Model
			for _, out := range t.answer(resp) {
				c, err := chunk(out)
				if err != nil {
					return err
				}
				if !yield(c, nil) {
					return errLeft
				}
			}
			return nil
		})
		switch {
		case errors.Is(err, errLeft):
		case err == nil && done:
		case err == nil:
			yield(nil, m.cutOff(ctx, failure.Err(), begun))
		default:
			yield(nil, later(m.overflow(ctx, m.explain(err), req), failure))
		}
	}
}

// later adds when the server said to come again.
func later(err error, failure *transport.Failure) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != fault.RateLimited {
		return err
	}
	g := *f
	g.RetryAfter = failure.RetryAfter()
	return &g
}

// oneAnswer reports that the field n of a request asks for one answer, or is not there.
func oneAnswer(n json.RawMessage) bool {
	text := strings.TrimSpace(string(n))
	return text == "" || text == "null" || text == "1"
}

// chunk is one of the library's completions or chunks.
func chunk(of any) (*completion.Chunk, error) {
	data, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	return completion.Decode(data)
}

// translation turns the server's answers into the OpenAI API's.
type translation struct {
	id       string
	stream   bool
	usage    bool // the client wants a last chunk with what was used
	toolSent bool
}

// translate makes the native request with the window in force, never cut.
func (m *Model) translate(ctx context.Context, body map[string]json.RawMessage) (*translation, *api.ChatRequest, error) {
	if !oneAnswer(body["n"]) {
		f := m.fault(fault.BackendRefused, "the server gives one answer to a request, and n asks for more", "leave n out, or ask as often as answers are wanted", nil)
		f.Status = http.StatusBadRequest
		return nil, nil, f
	}
	bad := m.fault(fault.Usage, "the request is not one that Ollama understands", "see its documentation of OpenAI compatibility", nil)
	body = maps.Clone(body)
	delete(body, "model")
	data, err := json.Marshal(body)
	if err != nil {
		return nil, nil, bad
	}
	var in compat.ChatCompletionRequest
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, nil, bad
	}
	if most, ok := body["max_completion_tokens"]; ok && in.MaxTokens == nil {
		if err := json.Unmarshal(most, &in.MaxTokens); err != nil {
			return nil, nil, bad
		}
	}
	req, err := compat.FromChatRequest(in)
	if err != nil {
		return nil, nil, bad
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	length, err := m.window(ctx)
	if err != nil {
		return nil, nil, err
	}
	never := false
	req.Model, req.Truncate, req.Shift, req.KeepAlive = m.config.Model, &never, &never, m.keepAlive()
	req.Options["num_ctx"] = length
	t := &translation{id: "chatcmpl-" + strings.ToLower(rand.Text()), stream: in.Stream, usage: in.StreamOptions != nil && in.StreamOptions.IncludeUsage}
	return t, req, nil
}

// answer is one answer of the server as the chunks or the completion it stands for.
func (t *translation) answer(r api.ChatResponse) []any {
	if !t.stream {
		return []any{compat.ToChatCompletion(t.id, r)}
	}
	var out []any
	chunks := compat.ToChunks(t.id, r, t.toolSent)
	for _, c := range chunks {
		t.toolSent = t.toolSent || slices.ContainsFunc(c.Choices, func(c compat.ChunkChoice) bool { return len(c.Delta.ToolCalls) > 0 })
		out = append(out, c)
	}
	if r.Done && t.usage && len(chunks) > 0 {
		last, used := chunks[len(chunks)-1], compat.ToUsage(r)
		last.Usage, last.Choices = &used, []compat.ChunkChoice{}
		out = append(out, last)
	}
	return out
}

// Models lists the models that a server has. c.Model may be empty.
func Models(ctx context.Context, c Config) ([]string, error) {
	if c.Model == "" {
		c.Model = "models"
	}
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	list, err := s.api.List(ctx)
	if e, ok := errors.AsType[api.StatusError](err); ok && e.StatusCode == http.StatusNotFound {
		return nil, s.fault(fault.BackendUnreachable, "what answers at "+s.config.URL+" is not an Ollama server", "set the base URL of one", nil)
	}
	if err != nil {
		return nil, s.explain(err)
	}
	names := make([]string, len(list.Models))
	for i, m := range list.Models {
		names[i] = m.Model
	}
	return names, nil
}
