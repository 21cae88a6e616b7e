// Package openai measures and runs models behind an OpenAI-compatible API:
// OpenAI's own, LM Studio, llama.cpp's server, vLLM, and whatever else speaks it.
//
// The API itself says neither how large a window is nor how many tokens a
// prompt has. The servers that can say so do it each in its own way; [Model]
// finds out which one it talks to by asking for what only that one has, and
// says in every count how it came about. Nothing but the configured address is
// ever asked.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"inlay/embed"
	"inlay/fault"
	"inlay/llm"
	"inlay/llm/internal/transport"
	"inlay/tokens"
)

// DefaultURL is OpenAI's own API.
const DefaultURL = "https://api.openai.com/v1"

// Config names a model and where it is served.
type Config struct {
	Model   string // as the server lists it
	BaseURL string // up to and with /v1; DefaultURL
	Key     string // sent as a bearer token; empty: none is sent
	Length  int    // context window in tokens; 0: what the server or the table of models says
	// Fallback is the window where neither Length nor the server nor the table of
	// models says it; zero: fault.WindowUnknown.
	Fallback tokens.Count
	Idle     time.Duration   // longest silence of the server, loading included; 5 min
	Backoff  time.Duration   // pause before a busy server is asked again, doubled each time; 250 ms
	Library  *tokens.Library // where counters come from; nil: an own one
	Logger   *slog.Logger    // told of retries and of the kind of server, never of content; none
	HTTP     *http.Client    // sends the requests; nil: a client with the bounds above
	Patience time.Duration   // longest that pauses between tries of one request take together; 30 s
	Retried  func()          // told of each try after the first; nil: nobody
	// Around wraps what sends the requests of that client, for example to trace
	// them; nil: nothing does.
	Around func(http.RoundTripper) http.RoundTripper
}

// server is one model behind one address.
type server struct {
	provider string // as names of models have it in front
	config   Config
	base     *url.URL // ends with /v1, as a rule
	log      *slog.Logger
}

func newServer(c Config) (*server, error) {
	if c.Model == "" {
		return nil, &fault.Error{Code: fault.Usage, Subject: "openai", Reason: "no model is named", Next: "name one as openai:NAME"}
	}
	u, err := url.Parse(strings.TrimSuffix(cmp.Or(c.BaseURL, DefaultURL), "/"))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, &fault.Error{Code: fault.Usage, Subject: "openai", Reason: "the base URL is not an http or https address", Next: "give one like http://127.0.0.1:1234/v1"}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Library == nil {
		c.Library = &tokens.Library{}
	}
	if c.HTTP == nil {
		c.HTTP = transport.Client(transport.Options{Idle: c.Idle, Backoff: c.Backoff, Patience: c.Patience, Retried: c.Retried, Logger: c.Logger, Around: c.Around})
	}
	return &server{provider: "openai", config: c, base: u, log: c.Logger}, nil
}

func (s *server) name() string { return s.provider + ":" + s.config.Model }

// Model is a chat model behind an OpenAI-compatible API. It is safe for concurrent use.
type Model struct {
	*server

	mu     sync.Mutex
	found  *backend          // what the server is and says; nil until probed
	learnt *tokens.Estimator // an estimate calibrated by reported usage; nil without any
}

var (
	_ llm.Measurer   = (*Model)(nil)
	_ llm.Generator  = (*Model)(nil)
	_ embed.Embedder = (*Embedder)(nil)
)

// New returns the model that c names. The server is first asked when
// something is measured or generated.
func New(c Config) (*Model, error) {
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	return &Model{server: s}, nil
}

// Name implements [llm.Measurer] and [llm.Generator].
func (m *Model) Name() string { return m.name() }

// at is an address below /v1, or with up == true beside it.
func (s *server) at(path string, up bool) string {
	u := *s.base
	if up {
		u.Path = strings.TrimSuffix(u.Path, "/v1")
	}
	return u.JoinPath(path).String()
}

// send posts body as JSON, or gets when body is nil, and returns an answer of
// status 200; any other is an error. A body of bytes is JSON already.
func (s *server) send(ctx context.Context, address string, body any) (*http.Response, error) {
	var payload []byte
	if body != nil {
		data, ok := body.(json.RawMessage)
		if !ok {
			var err error
			if data, err = json.Marshal(body); err != nil {
				return nil, fmt.Errorf("%s: encode the request: %w", s.name(), err)
			}
		}
		payload = data
	}
	req, err := transport.Request(ctx, address, s.config.Key, payload)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name(), err)
	}
	resp, err := s.config.HTTP.Do(req)
	if err != nil {
		return nil, s.explain(err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	message, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	return nil, s.explainStatus(resp.StatusCode, resp.Header, message)
}

// ask sends and decodes the answer into out.
func (s *server) ask(ctx context.Context, address string, body, out any) error {
	resp, err := s.send(ctx, address, body)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		if ctx.Err() != nil || fault.Is(err, fault.Timeout) {
			return s.explain(err)
		}
		return s.fault(fault.Internal, "the server's answer is not what this API answers", "see whether the base URL is right")
	}
	return nil
}
