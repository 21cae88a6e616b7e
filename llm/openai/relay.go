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
	"slices"

	"inlay/llm"
	"inlay/llm/completion"
)

var _ llm.Relay = (*Model)(nil)

// Relay implements [llm.Relay]: body goes to the server as it is but for the
// model's name, and what the server answers comes back as it is.
func (m *Model) Relay(ctx context.Context, body map[string]json.RawMessage) iter.Seq2[*completion.Chunk, error] {
	return func(yield func(*completion.Chunk, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		name, err := json.Marshal(m.config.Model)
		if err != nil {
			yield(nil, err)
			return
		}
		body := maps.Clone(body)
		body["model"] = name
		resp, err := m.send(ctx, m.at("chat/completions", false), completion.MarshalRequest(body))
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

func (m *Model) whole(ctx context.Context, r io.Reader) (*completion.Chunk, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxAnswer))
	if err != nil {
		return nil, m.streamError(ctx, err)
	}
	c, err := completion.Decode(data)
	if err != nil {
		return nil, m.odd(err)
	}
	return c, nil
}

// relayEvents hands on each chunk. A stream that ends without a reason why the
// model stopped was cut off.
func (m *Model) relayEvents(ctx context.Context, r io.Reader, yield func(*completion.Chunk, error) bool) {
	var end ending
	for c, err := range m.events(r, &end) {
		if err != nil {
			yield(nil, m.streamError(ctx, err))
			return
		}
		if !yield(c, nil) {
			return
		}
	}
	if !end.finished {
		yield(nil, m.streamError(ctx, m.unfinished(end, finishMark)))
	}
}

// events decodes the chunks of a stream up to [DONE] or its end.
func (m *Model) events(r io.Reader, end *ending) iter.Seq2[*completion.Chunk, error] {
	return func(yield func(*completion.Chunk, error) bool) {
		for data, err := range rawEvents(r, end) {
			var c *completion.Chunk
			if err == nil {
				c, err = m.event(bytes.Clone(data))
			}
			if err == nil {
				end.finished = end.finished || slices.ContainsFunc(c.Choices, func(c completion.Choice) bool { return c.Finish != "" })
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// event decodes one chunk, which may be an error of the server's.
func (m *Model) event(data []byte) (*completion.Chunk, error) {
	c, err := completion.Decode(data)
	switch {
	case err != nil:
		return nil, m.odd(err)
	case c.Err != nil:
		return nil, m.explainEvent(fmt.Appendf(nil, `{"error":%s}`, c.Err))
	}
	return c, nil
}

const (
	lineStart   = 4 << 10 // first room for a line of a stream, in bytes
	longestLine = 8 << 20
)

// rawEvents reads the data of server-sent events up to [DONE] or their end.
// What it yields is good until the next; end is told how it went.
func rawEvents(r io.Reader, end *ending) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, lineStart), longestLine)
		for lines.Scan() {
			data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
			if data = bytes.TrimSpace(data); !ok || len(data) == 0 {
				end.other = end.other || !ok && !isEventLine(data)
				continue // a comment, an event's name, or the line between two events
			}
			if end.done = string(data) == "[DONE]"; end.done {
				return
			}
			end.events++
			if !yield(data, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// isEventLine reports whether a line may be in a stream of events, apart from data.
func isEventLine(line []byte) bool {
	name, _, _ := bytes.Cut(line, []byte(":"))
	return len(line) == 0 || slices.Contains([]string{"", "event", "id", "retry"}, string(name))
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
