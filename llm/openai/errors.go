package openai

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/llm/internal/transport"
)

// explain turns an error on the way to the server into one that says what to do.
func (s *server) explain(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", s.name(), err)
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	if s.isOpenAI() {
		f := s.fault(fault.BackendUnreachable, s.base.Host+" cannot be reached", "check the network and its proxy")
		if s.config.Key == "" {
			f.Reason, f.Next = f.Reason+", and OPENAI_API_KEY is not set", "check the network and set the key, or set the base URL of another server"
		}
		f.Err = err
		return f
	}
	return &fault.Error{
		Code: fault.BackendUnreachable, Subject: s.name(), Reason: "no server answers at " + s.base.Redacted(),
		Next: "start it, or set the base URL of the one that runs", Err: err,
	}
}

// isOpenAI reports whether the server is that of OpenAI itself.
func (s *server) isOpenAI() bool { return strings.HasPrefix(s.base.String(), DefaultURL) }

// explainStatus reads a refusal. Its message is looked at, never repeated: it
// could quote the prompt.
func (s *server) explainStatus(status int, h http.Header, body []byte) error {
	f := s.classify(status, readRefusal(body))
	f.Status = cmp.Or(f.Status, status)
	if f.Code == fault.RateLimited {
		f.RetryAfter, _ = transport.RetryAfter(h)
	}
	return f
}

func (s *server) classify(status int, r refusal) *fault.Error {
	switch {
	case status == http.StatusUnauthorized && s.config.Key == "" && s.isOpenAI():
		return s.fault(fault.Unauthorized, "OPENAI_API_KEY is not set", "set it to your key")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return s.fault(fault.Unauthorized, "the server wants another key", "set the key that belongs to this server")
	case r.isTooLong(status):
		return s.fault(fault.DoesNotFit, "the input is longer than the model's window", "shorten it, or use a model with a larger window")
	case status == http.StatusNotFound:
		return s.fault(fault.ModelNotFound, "the server has no such model or address", "see the names it lists, and whether the base URL ends with /v1")
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return s.fault(fault.RateLimited, "the server is busy or the key's limit is reached", "try again later")
	case r.isOfTemplate():
		f := s.fault(fault.BackendRefused, "the model's chat template refuses the messages", "see which roles it takes, and in which order")
		if status >= http.StatusInternalServerError {
			f.Status = http.StatusBadRequest // llama.cpp calls it an error of its own
		}
		return f
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		return s.fault(fault.BackendRefused, fmt.Sprintf("the server refuses the request (%d)%s", status, r.field()), "correct the request; the server's log says more")
	default:
		return s.fault(fault.Internal, fmt.Sprintf("the server answered %d", status), "the server's log says more")
	}
}

// explainEvent reads an error that comes inside an answer, without a status.
func (s *server) explainEvent(body []byte) error {
	r := readRefusal(body)
	f := s.classify(r.status(), r)
	if f.Code == fault.Internal {
		f.Reason = "the server reports an error in the middle of its answer"
		return f
	}
	f.Status = cmp.Or(f.Status, r.status())
	return f
}

// refusal is what a server says of a request that it refuses.
type refusal struct {
	Code    any    `json:"code"`
	Type    string `json:"type"`
	Message string `json:"message"`
	Param   any    `json:"param"`
}

// readRefusal reads the error's object, wherever it is; some servers have a text
// in its place, and older versions of vLLM its fields at the top.
func readRefusal(body []byte) refusal {
	var e struct {
		Error json.RawMessage `json:"error"`
		refusal
	}
	_ = json.Unmarshal(body, &e)
	var r refusal
	if json.Unmarshal(e.Error, &r) != nil {
		r = e.refusal
		var said string
		_ = json.Unmarshal(e.Error, &said)
		r.Message += " " + said
	}
	return r
}

// isTooLong recognises a refusal for length: OpenAI's code, llama.cpp's type,
// and the words of the others.
func (r refusal) isTooLong(status int) bool {
	if status != http.StatusBadRequest && status != http.StatusRequestEntityTooLarge && status != http.StatusInternalServerError {
		return false
	}
	return r.Code == "context_length_exceeded" || r.Type == "exceed_context_size_error" || r.says(
		"maximum context length", "exceeds the context length", "exceeds the available context size",
		"greater than the context length", "longer than the model's context", "input is too large to process",
	)
}

// isOfTemplate recognises what llama.cpp and LM Studio say when a template fails,
// and what well-known templates say themselves, which vLLM hands on.
func (r refusal) isOfTemplate() bool {
	return r.says("jinja", "chat template", "roles must alternate", "system role not supported", "only user and assistant roles", "no user query found")
}

func (r refusal) says(phrases ...string) bool {
	message := strings.ToLower(r.Message)
	return slices.ContainsFunc(phrases, func(words string) bool { return strings.Contains(message, words) })
}

// status is the HTTP status that an error inside an answer has for itself; 500
// where it has none.
func (r refusal) status() int {
	if n, ok := r.Code.(float64); ok && n >= 400 && n < 600 {
		return int(n)
	}
	switch {
	case r.Code == "rate_limit_exceeded" || r.Code == "insufficient_quota":
		return http.StatusTooManyRequests
	case r.Type == "invalid_request_error" || r.Type == "BadRequestError" || r.Code == "invalid_prompt":
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// field names the field of the request that the server objects to, where that is
// one of those that the API has: no other text is certain to be without content.
func (r refusal) field() string {
	param, _ := r.Param.(string)
	name := param[:len(param)-len(strings.TrimLeft(param, "abcdefghijklmnopqrstuvwxyz_"))]
	known := []string{
		"messages", "tools", "tool_choice", "response_format", "temperature", "top_p", "max_tokens", "max_completion_tokens", "stop", "seed",
		"n", "model", "stream", "stream_options", "logprobs", "top_logprobs", "logit_bias", "reasoning_effort", "modalities", "audio", "input",
	}
	if !slices.Contains(known, name) {
		return ""
	}
	return ", for its field " + name
}

// odd says that an answer is not what the API answers. cause says what is wrong
// and repeats none of it.
func (s *server) odd(cause error) error {
	f := s.fault(fault.BackendUnreachable, "the server's answer is not one of this API: "+cause.Error(), "see whether the base URL is right")
	f.Err = cause
	return f
}

func (s *server) broken(cause error) error {
	if errors.Is(cause, bufio.ErrTooLong) {
		return s.odd(fmt.Errorf("an event is longer than %d MiB", longestLine>>20))
	}
	f := s.fault(fault.BackendUnreachable, "the connection broke before the answer was complete", "see whether the server still runs, then ask again")
	f.Err = cause
	return f
}

// ending is how a stream came to its end.
type ending struct {
	events   int  // how many came
	done     bool // [DONE] came
	finished bool // a reason came why the model stopped
	other    bool // there were lines that are none of a stream of events
}

// unfinished says why a stream that ended in good order is not an answer. mark is
// what an answer ends with.
func (s *server) unfinished(e ending, mark string) error {
	const again = "see whether the server still runs, then ask again"
	switch {
	case e.events == 0 && e.other:
		return s.fault(fault.BackendUnreachable, "the server's answer is not a stream of events", "see whether the base URL is right, and whether the server can stream")
	case e.done:
		return s.fault(fault.AnswerUnfinished, "the server ended the answer without "+mark, "ask again; the server's log says more")
	case e.events == 0:
		return s.fault(fault.AnswerUnfinished, "the server's answer is empty", again)
	}
	return s.fault(fault.AnswerUnfinished, "the answer was cut off: it ends without "+mark, again)
}

// finishMark is what ends an answer of chat completions.
const finishMark = "a finish_reason"

func (s *server) fault(code fault.Code, reason, next string) *fault.Error {
	return &fault.Error{Code: code, Subject: s.name(), Reason: reason, Next: next}
}
