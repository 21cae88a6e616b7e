package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"inlay/fault"
	"inlay/llm"
)

// explain turns an error on the way to the server into one that says what to do.
func (s *server) explain(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", s.name(), err)
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return &fault.Error{
		Code: fault.BackendUnreachable, Subject: s.name(), Reason: "no server answers at " + s.base.Redacted(),
		Next: "start it, or set the base URL of the one that runs", Err: err,
	}
}

// explainStatus reads a refusal. Its message is looked at, never repeated: it
// could quote the prompt.
func (s *server) explainStatus(status int, body []byte) error {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return s.fault(fault.Unauthorized, "the server wants another key", "set the key that belongs to this server")
	case isTooLong(status, body):
		return s.fault(fault.DoesNotFit, "the input is longer than the model's window", "shorten it, or use a model with a larger window")
	case status == http.StatusNotFound:
		return s.fault(fault.ModelNotFound, "the server has no such model or address", "see the names it lists, and whether the base URL ends with /v1")
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return s.fault(fault.RateLimited, "the server is busy or the key's limit is reached", "try again later")
	default:
		return s.fault(fault.Internal, fmt.Sprintf("the server answered %d", status), "the server's log says more")
	}
}

// isTooLong recognises a refusal for length: OpenAI's code, llama.cpp's type,
// and the words of the others.
func isTooLong(status int, body []byte) bool {
	if status != http.StatusBadRequest && status != http.StatusRequestEntityTooLarge && status != http.StatusInternalServerError {
		return false
	}
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	_ = json.Unmarshal(body, &e)
	var inner struct {
		Code    any    `json:"code"`
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	if json.Unmarshal(e.Error, &inner) != nil {
		_ = json.Unmarshal(e.Error, &inner.Message)
	}
	if inner.Code == "context_length_exceeded" || inner.Type == "exceed_context_size_error" {
		return true
	}
	words := strings.ToLower(inner.Message + " " + e.Message)
	for _, w := range []string{
		"maximum context length", "exceeds the context length", "exceeds the available context size",
		"greater than the context length", "longer than the model's context", "input is too large to process",
	} {
		if strings.Contains(words, w) {
			return true
		}
	}
	return false
}

// odd says that an answer is not what the API answers. cause says what is wrong
// and repeats none of it.
func (s *server) odd(cause error) error {
	f := s.fault(fault.BackendUnreachable, "the server's answer is not one of this API: "+cause.Error(), "see whether the base URL is right")
	f.Err = cause
	return f
}

func (s *server) broken(cause error) error {
	f := s.fault(fault.BackendUnreachable, "the connection broke before the answer was complete", "see whether the server still runs, then ask again")
	f.Err = cause
	return f
}

// unfinished says that the server ended an answer that was not done.
func (s *server) unfinished() error {
	f := s.fault(fault.AnswerUnfinished, llm.ErrUnfinished.Error(), "ask again, or use a larger model")
	f.Err = llm.ErrUnfinished
	return f
}

func (s *server) fault(code fault.Code, reason, next string) *fault.Error {
	return &fault.Error{Code: code, Subject: s.name(), Reason: reason, Next: next}
}
