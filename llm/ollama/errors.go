package ollama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/ollama/ollama/api"

	"inlay/fault"
	"inlay/llm"
)

// tooLong is what the server says of a prompt larger than its window.
const tooLong = "exceeds the context length"

// explain turns an error of the server or of the way to it into one that says
// what to do. It never repeats a message that could hold a prompt or an answer.
func (s *server) explain(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", s.name(), err)
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	if _, ok := errors.AsType[api.AuthorizationError](err); ok {
		return s.fault(fault.Unauthorized, "the server wants a sign-in", "run `ollama signin`", nil)
	}
	if status, ok := errors.AsType[api.StatusError](err); ok {
		return s.explainStatus(status)
	}
	if unreachable(err) {
		return s.fault(fault.BackendUnreachable, "no Ollama server answers at "+s.config.URL,
			"start it with `ollama serve`, or set the base URL of the one that runs", err)
	}
	return s.fault(fault.Internal, reason(err.Error()), "the server's log says more", nil)
}

func (s *server) explainStatus(e api.StatusError) error {
	switch {
	case e.StatusCode == http.StatusNotFound:
		return s.fault(fault.ModelNotFound, "the server does not have this model",
			"get it with `ollama pull "+s.config.Model+"`", nil)
	case strings.Contains(e.ErrorMessage, tooLong):
		return s.fault(fault.DoesNotFit, "the input is longer than the model's window", "shorten it, or run the model with a larger window", nil)
	case e.StatusCode == http.StatusTooManyRequests || e.StatusCode == http.StatusServiceUnavailable:
		return s.fault(fault.RateLimited, "the server is busy", "try again later", nil)
	case e.StatusCode >= http.StatusBadRequest && e.StatusCode < http.StatusInternalServerError:
		f := s.fault(fault.BackendRefused, fmt.Sprintf("the server refuses the request (%d): %s", e.StatusCode, reason(e.ErrorMessage)),
			"correct the request; the server's log says more", nil)
		f.Status = e.StatusCode
		return f
	default:
		return s.fault(fault.Internal, fmt.Sprintf("the server answered %d: %s", e.StatusCode, reason(e.ErrorMessage)),
			"the server's log says more", nil)
	}
}

// broken says that an answer ended before the model did.
func (s *server) broken(cause error) error {
	return s.fault(fault.BackendUnreachable, "the connection broke before the answer was complete",
		"see whether the server still runs, then ask again", cause)
}

// unfinished says that the server ended an answer that was not done. Where none
// had begun, it is not the model that repeats itself.
func (s *server) unfinished(begun bool) error {
	if !begun {
		return s.odd("the server's answer is empty, or not one of Ollama's")
	}
	return s.fault(fault.AnswerUnfinished, llm.ErrUnfinished.Error(), "ask again, or use a larger model", llm.ErrUnfinished)
}

// odd says that what answers does not answer as Ollama does.
func (s *server) odd(reason string) error {
	return s.fault(fault.BackendUnreachable, reason, "see whether the base URL is that of an Ollama server", nil)
}

func (s *server) fault(code fault.Code, reason, next string, cause error) *fault.Error {
	return &fault.Error{Code: code, Subject: s.name(), Reason: reason, Next: next, Err: cause}
}

// unreachable reports whether err lies on the way to the server.
func unreachable(err error) bool {
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*url.Error](err); ok {
		return true
	}
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// reason keeps a server's message if it is one of those known to name only the
// model and the machine; any other could quote a prompt or an answer.
func reason(message string) string {
	for _, known := range []string{
		"model requires more system memory", "does not support", "llama runner process has terminated",
		"unable to load model", "invalid model", "model runner has unexpectedly stopped", "out of memory",
	} {
		if strings.Contains(message, known) {
			return message
		}
	}
	return "the request failed"
}
