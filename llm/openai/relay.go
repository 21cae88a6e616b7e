package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"

	"inlay/fault"
	"inlay/llm"
)

var _ llm.Relay = (*Model)(nil)

// Relay implements [llm.Relay]: body goes to the server as it is but for the
// model's name, and what the server answers comes back as it is.
func (m *Model) Relay(ctx context.Context, body map[string]json.RawMessage) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		name, err := json.Marshal(m.config.Model)
		if err != nil {
			yield(nil, err)
			return
		}
		body := maps.Clone(body)
		body["model"] = name
		resp, err := m.send(ctx, m.at("chat/completions", false), body)
		if err != nil {
			yield(nil, m.overflow(err))
			return
		}
		defer func() { _ = resp.Body.Close() }()
		if string(bytes.TrimSpace(body["stream"])) != "true" {
			yield(m.whole(ctx, resp.Body))
			return
		}
		m.relayEvents(ctx, resp.Body, yield)
	}
}

// maxAnswer bounds an answer that comes at once.
const maxAnswer = 64 << 20

func (m *Model) whole(ctx context.Context, r io.Reader) (json.RawMessage, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxAnswer))
	switch {
	case err != nil:
		return nil, m.streamError(ctx, err)
	case !json.Valid(data):
		return nil, m.fault(fault.BackendUnreachable, "the server's answer is not what this API answers", "see whether the base URL is right")
	}
	return data, nil
}

// relayEvents hands on each chunk. A stream that ends without [DONE] and
// without a reason why the model stopped was cut off.
func (m *Model) relayEvents(ctx context.Context, r io.Reader, yield func(json.RawMessage, error) bool) {
	finished := false
	for data, err := range rawEvents(r) {
		var c chunk
		if err == nil && json.Unmarshal(data, &c) != nil {
			err = errNotAnEvent
		}
		if err == nil && c.Error != nil {
			err = m.explainStatus(400, fmt.Appendf(nil, `{"error":%s}`, c.Error))
		}
		if err != nil {
			yield(nil, m.streamError(ctx, err))
			return
		}
		for _, choice := range c.Choices {
			finished = finished || choice.FinishReason != ""
		}
		if !yield(bytes.Clone(data), nil) {
			return
		}
	}
	if !finished {
		yield(nil, m.streamError(ctx, m.unfinished()))
	}
}

// rawEvents reads the data of server-sent events up to [DONE] or their end.
// What it yields is good until the next.
func rawEvents(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, 64<<10), 8<<20)
		for lines.Scan() {
			data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
			if data = bytes.TrimSpace(data); !ok || len(data) == 0 {
				continue // a comment, an event's name, or the line between two events
			}
			if string(data) == "[DONE]" || !yield(data, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// Models lists the names that a server offers. c.Model may be empty.
func Models(ctx context.Context, c Config) ([]string, error) {
	if c.Model == "" {
		c.Model = "models"
	}
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := s.ask(ctx, s.at("models", false), nil, &list); err != nil {
		return nil, err
	}
	names := make([]string, len(list.Data))
	for i, m := range list.Data {
		names[i] = m.ID
	}
	return names, nil
}
