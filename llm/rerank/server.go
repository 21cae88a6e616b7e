// Package rerank has the rerankers of package retrieve: models that read a
// question and a passage together. [Server] is a cross-encoder behind
// /v1/rerank (llama.cpp, vLLM, LocalAI, Jina, Cohere) or behind the /rerank of
// Text Embeddings Inference; [Chat] is any chat model that orders a list.
package rerank

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"inlay/fault"
	"inlay/llm/internal/transport"
)

// Config names a reranking model and where it is served.
type Config struct {
	URL     string        // of the server: its root, up to /v1, or the endpoint itself
	Model   string        // as the server lists it; empty: servers of one model need none
	Key     string        // sent as a bearer token; empty: none is sent
	Backoff time.Duration // pause before a busy server is asked again, doubled each time; 250 ms
	Logger  *slog.Logger  // told of retries, never of content; none
	HTTP    *http.Client  // sends the requests; nil: a client that follows no redirects
	// Around wraps what sends the requests of that client, for example to trace
	// them; nil: nothing does.
	Around func(http.RoundTripper) http.RoundTripper
}

// Server is a reranking model behind an HTTP endpoint. It is safe for concurrent use.
type Server struct {
	config  Config
	base    *url.URL // the root of the server, or its endpoint where exact
	exact   bool
	texts   atomic.Bool // the server takes the request of Text Embeddings Inference
	answers atomic.Bool // it answered, so that its endpoint is known
}

// answerBytes bounds an answer: 50 passages take a few kilobytes, and more where
// a server repeats their texts.
const answerBytes = 16 << 20

// NewServer returns the model that c names. Nothing is asked yet. An address
// that is not http or https is fault.Usage.
func NewServer(c Config) (*Server, error) {
	u, err := url.Parse(strings.TrimSuffix(c.URL, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &fault.Error{Code: fault.Usage, Subject: "reranker", Reason: "the address is not an http or https URL", Next: "give one like http://127.0.0.1:8080/v1"}
	}
	if c.HTTP == nil {
		c.HTTP = transport.Client(transport.Options{Backoff: c.Backoff, Logger: c.Logger, Around: c.Around})
	}
	s := &Server{config: c, base: u, exact: strings.HasSuffix(u.Path, "/rerank") || strings.HasSuffix(u.Path, "/reranking")}
	if !s.exact {
		s.base = u.JoinPath("/")
		s.base.Path = strings.TrimSuffix(strings.TrimSuffix(s.base.Path, "/"), "/v1")
	}
	return s, nil
}

// Name is "rerank:MODEL", or the server's host where no model is named.
func (s *Server) Name() string { return "rerank:" + cmp.Or(s.config.Model, s.base.Host) }

// Rerank implements retrieve.Reranker. The first call finds out which of the two
// requests the server takes: that of /v1/rerank, else that of Text Embeddings
// Inference.
func (s *Server) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, ctx.Err()
	}
	if s.texts.Load() {
		return s.ask(ctx, true, query, texts)
	}
	scores, err := s.ask(ctx, false, query, texts)
	if err == nil || s.answers.Load() || !unknownEndpoint(err) {
		return scores, err
	}
	other, second := s.ask(ctx, true, query, texts)
	if second != nil {
		return nil, err
	}
	s.texts.Store(true)
	return other, nil
}

// unknownEndpoint reports whether a server that does not know a path, or not the
// form of the request, would refuse it so.
func unknownEndpoint(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return false
	}
	switch f.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusBadRequest, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// rerankBody is the request of /v1/rerank.
type rerankBody struct {
	Model           string   `json:"model,omitempty"`
	Query           string   `json:"query"`
	Documents       []string `json:"documents"`
	TopN            int      `json:"top_n"`
	ReturnDocuments bool     `json:"return_documents"`
}

// textsBody is that of Text Embeddings Inference, which serves one model. A
// passage that is longer than the model reads is judged by its beginning.
type textsBody struct {
	Query    string   `json:"query"`
	Texts    []string `json:"texts"`
	Truncate bool     `json:"truncate"`
}

// scored is a passage in an answer. The two forms name the score differently.
type scored struct {
	Index     *int     `json:"index"`
	Relevance *float64 `json:"relevance_score"`
	Score     *float64 `json:"score"`
}

func (s *Server) ask(ctx context.Context, tei bool, query string, texts []string) ([]float64, error) {
	var body any = rerankBody{Model: s.config.Model, Query: query, Documents: texts, TopN: len(texts)}
	if tei {
		body = textsBody{Query: query, Texts: texts, Truncate: true}
	}
	data, err := s.post(ctx, s.endpoint(tei), body)
	if err != nil {
		return nil, err
	}
	scores, err := s.read(data, len(texts))
	if err == nil {
		s.answers.Store(true)
	}
	return scores, err
}

func (s *Server) endpoint(tei bool) string {
	switch {
	case s.exact:
		return s.base.String()
	case tei:
		return s.base.JoinPath("rerank").String()
	}
	return s.base.JoinPath("v1/rerank").String()
}

// read takes the scores out of an answer: an object with "results" or "data", or
// a bare list. Every passage must have exactly one.
func (s *Server) read(data []byte, n int) ([]float64, error) {
	var object struct{ Results, Data []scored }
	var list []scored
	if err := json.Unmarshal(data, &object); err == nil {
		list = append(object.Results, object.Data...)
	} else if err := json.Unmarshal(data, &list); err != nil {
		return nil, s.fault(fault.Internal, "the server's answer is not that of a rerank endpoint", "see whether the address is right")
	}
	scores, have := make([]float64, n), make([]bool, n)
	for _, r := range list {
		score := r.Relevance
		if score == nil {
			score = r.Score
		}
		if r.Index == nil || score == nil || *r.Index < 0 || *r.Index >= n || have[*r.Index] {
			return nil, s.fault(fault.Internal, "the server's answer has a result without a valid index and score", "check that it serves a reranking model")
		}
		scores[*r.Index], have[*r.Index] = *score, true
	}
	if len(list) != n {
		return nil, s.fault(fault.Internal, fmt.Sprintf("the server scored %d of %d passages", len(list), n), "check that it serves a reranking model")
	}
	return scores, nil
}

// post sends a request and returns the body of an answer of status 200.
func (s *Server) post(ctx context.Context, address string, body any) ([]byte, error) {
	payload, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("%s: encode the request: %w", s.Name(), err)
	}
	req, err := transport.Request(ctx, address, s.config.Key, payload)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name(), err)
	}
	resp, err := s.config.HTTP.Do(req)
	if err != nil {
		return nil, s.explain(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
		return nil, s.refused(resp)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, answerBytes+1))
	if err != nil {
		return nil, s.explain(err)
	}
	if len(data) > answerBytes {
		return nil, s.fault(fault.LimitExceeded, fmt.Sprintf("the server's answer has more than %d bytes", answerBytes), "see whether the address is right")
	}
	return data, nil
}

// explain turns an error on the way to the server into one that says what to do.
func (s *Server) explain(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", s.Name(), err)
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	f := s.fault(fault.BackendUnreachable, "no server answers at "+s.base.Redacted(), "start it, or correct --reranker")
	f.Err = err
	return f
}

// refused reads a refusal. Its body is never repeated: it could quote the text.
func (s *Server) refused(resp *http.Response) error {
	f := s.fault(fault.Internal, fmt.Sprintf("the server answered %d", resp.StatusCode), "the server's log says more")
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f = s.fault(fault.Unauthorized, "the server wants another key", "set INLAY_RERANKER_KEY to the key that belongs to this server")
	case status == http.StatusNotFound:
		f = s.fault(fault.ModelNotFound, "the server has no such model or no rerank endpoint", "see the names it lists; llama.cpp needs --reranking, vLLM --task score")
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		f = s.fault(fault.RateLimited, "the server is busy or the key's limit is reached", "try again later")
		f.RetryAfter, _ = transport.RetryAfter(resp.Header)
	case status == http.StatusNotImplemented:
		f = s.fault(fault.BackendRefused, "the server does not rerank", "start it for reranking: llama.cpp needs --reranking")
	case status == http.StatusRequestEntityTooLarge:
		f = s.fault(fault.DoesNotFit, "a passage is longer than the model reads", "use smaller passages (--chunk), or raise the server's batch size")
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		f = s.fault(fault.BackendRefused, fmt.Sprintf("the server refuses the request (%d)", status), "the server's log says more")
	}
	f.Status = resp.StatusCode
	return f
}

func (s *Server) fault(code fault.Code, reason, next string) *fault.Error {
	return &fault.Error{Code: code, Subject: s.Name(), Reason: reason, Next: next}
}
