package ollama

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/envconfig"
)

const (
	lineStart   = 4 << 10 // first room for a line of an answer, in bytes
	longestLine = 8 << 20 // as the library's client has it
)

// chat has the server answer and hands on what comes. It is the library's
// Client.Chat but for the room for a line: the library sets aside 8 MiB for each
// answer, and clearing that takes longer than all else before the first token.
// As there, a failure to read is not told, but for a line that is too long. Servers that want signed requests
// are asked by the library.
func (s *server) chat(ctx context.Context, req *api.ChatRequest, fn func(api.ChatResponse) error) error {
	if s.url.Hostname() == "ollama.com" || envconfig.UseAuth() {
		return s.api.Chat(ctx, req, fn)
	}
	body, err := json.Marshal(req)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.JoinPath("/api/chat").String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/x-ndjson")
	resp, err := s.config.HTTP.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	return s.answers(resp, fn)
}

// answers reads an answer line by line.
func (s *server) answers(resp *http.Response, fn func(api.ChatResponse) error) error {
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, lineStart), longestLine)
	for lines.Scan() {
		var one struct {
			api.ChatResponse
			Error     string `json:"error"`
			SigninURL string `json:"signin_url"`
		}
		err := json.Unmarshal(lines.Bytes(), &one)
		switch {
		case resp.StatusCode == http.StatusUnauthorized && err == nil:
			return api.AuthorizationError{StatusCode: resp.StatusCode, Status: resp.Status, SigninURL: one.SigninURL}
		case resp.StatusCode >= http.StatusBadRequest && err == nil:
			return api.StatusError{StatusCode: resp.StatusCode, Status: resp.Status, ErrorMessage: one.Error}
		case resp.StatusCode >= http.StatusBadRequest:
			return api.StatusError{StatusCode: resp.StatusCode, Status: resp.Status, ErrorMessage: lines.Text()}
		case err != nil:
			return s.odd("a line of the server's answer is not JSON")
		case one.Error != "":
			return errors.New(one.Error)
		}
		if err := fn(one.ChatResponse); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return s.odd(fmt.Sprintf("a line of the server's answer is longer than %d MiB", longestLine>>20))
	}
	return nil
}

// says reports whether an answer says anything that Ollama's answers say.
func says(r api.ChatResponse) bool {
	return r.Done || r.Message.Role != "" || r.Message.Content != "" || r.Message.Thinking != "" || len(r.Message.ToolCalls) > 0
}
