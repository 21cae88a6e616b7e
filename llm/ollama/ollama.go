// Package ollama measures and runs models on an Ollama server.
//
// Three of the server's habits shape it. The window in force is not the trained
// one: it is read from the loaded model, and every request repeats it, because
// a request without it reloads the model at the server's default. Prompts that
// are too long are cut silently unless the request forbids it: every request
// does. And the count of tokens that the server reports costs running the
// prompt: the model's vocabulary and template are fetched once, prompts are
// counted in process, and the first count is checked against the server's.
package ollama

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"inlay/embed"
	"inlay/fault"
	"inlay/llm"
	"inlay/llm/internal/transport"
	"inlay/tokens"
)

// DefaultURL is where an Ollama server listens unless told otherwise.
const DefaultURL = "http://127.0.0.1:11434"

// Config names a model and its server.
type Config struct {
	Model     string        // as `ollama list` shows it: "llama3.2", "nomic-embed-text:v1.5"
	URL       string        // of the server; DefaultURL
	Length    int           // context window to run with, in tokens; 0: the server's own choice
	Fallback  tokens.Count  // the window where the server does not say it; zero: fault.WindowUnknown
	KeepAlive time.Duration // how long the model stays loaded after a request; 0: the server's own choice
	Idle      time.Duration // longest silence of the server, loading included; 5 min
	Fresh     time.Duration // how long what is known of a model is believed before the server is asked whether it still has the same; 30 s
	Backoff   time.Duration // pause before a busy server is asked again, doubled each time; 250 ms
	Logger    *slog.Logger  // told of retries and checks, never of content; none
	// Library makes the estimate of plain text when the model's vocabulary is of
	// a kind that cannot be counted in process; nil: an own one.
	Library *tokens.Library
	// HTTP sends the requests; nil: a client with the bounds above.
	HTTP     *http.Client
	Patience time.Duration // longest that pauses between tries of one request take together; 30 s
	Retried  func()        // told of each try after the first; nil: nobody
	// Around wraps what sends the requests of that client, for example to trace
	// them; nil: nothing does.
	Around func(http.RoundTripper) http.RoundTripper
}

// server is one model on one server.
type server struct {
	api    *api.Client
	url    *url.URL
	config Config
	log    *slog.Logger
}

func newServer(c Config) (*server, error) {
	if c.Model == "" {
		return nil, &fault.Error{Code: fault.Usage, Subject: "ollama", Reason: "no model is named", Next: "name one as ollama:NAME"}
	}
	c.URL = cmp.Or(c.URL, DefaultURL)
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, &fault.Error{Code: fault.Usage, Subject: "ollama", Reason: "the base URL is not an http or https address", Next: "give one like " + DefaultURL}
	}
	log := c.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	c.Fresh = cmp.Or(c.Fresh, 30*time.Second)
	if c.HTTP == nil {
		c.HTTP = transport.Client(transport.Options{Idle: c.Idle, Backoff: c.Backoff, Patience: c.Patience, Retried: c.Retried, Logger: log, Around: c.Around})
	}
	return &server{api: api.NewClient(u, c.HTTP), url: u, config: c, log: log.With("model", c.Model)}, nil
}

func (s *server) name() string { return "ollama:" + s.config.Model }

// Model is a chat model on an Ollama server. It is safe for concurrent use.
type Model struct {
	*server

	mu     sync.Mutex
	digest string      // of the model that the following was learned of; empty: not known
	seen   time.Time   // when the server had it last
	length int         // window in force; 0 until measured
	prompt *prompter   // renders and counts prompts in process; nil until loaded
	sure   calibration // how prompter's counts compare with the server's
}

var (
	_ llm.Measurer        = (*Model)(nil)
	_ llm.RequestMeasurer = (*Model)(nil)
	_ llm.Generator       = (*Model)(nil)
	_ embed.Embedder      = (*Embedder)(nil)
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
