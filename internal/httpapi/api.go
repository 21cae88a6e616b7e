// Package httpapi is the service over HTTP: routes, their limits, errors in one
// form, metrics, and the description of it all in OpenAPI.
//
// It is plain net/http. Requests are decoded here, so that no error ever
// repeats a part of a body.
package httpapi

import (
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"inlay/internal/keys"
	"inlay/internal/service"
	"inlay/internal/state"
	"inlay/internal/tracing"
)

// Config shapes an [API]. Zero values are the defaults.
type Config struct {
	Service *service.Service
	Gate    *keys.Gate
	Metrics *Metrics
	Logger  *slog.Logger
	Limits  Limits
	Rates   state.Rates // of owners at all servers that share a state; nil: each server has its own
	Origins []string    // web origins that may call; none
	Hosts   []string    // names, in lower case, that a server without keys is called by, besides this computer's own; none
	Version string
	Tracer  *tracing.Tracer // of requests; nil: off

	MCPWrite bool // agents whose key allows it may add documents to libraries and delete them
}

// Limits bound what one caller can take.
type Limits struct {
	Body        int64         // bytes of a JSON body; 64 MiB
	Bodies      int64         // bytes of all JSON bodies held in memory at once, half of it for one key; four times Body
	File        int64         // bytes of an uploaded file; 512 MiB
	Files       int           // files of one request; 32
	Time        time.Duration // of a request that is not an upload, download or stream; 10 min
	Silence     time.Duration // longest pause of a client while it sends or takes a body; 30 s
	Rate        float64       // requests a second of one key; 0: any number
	Burst       int           // requests at once above it; twice the rate
	Concurrency int           // requests of one caller under way; 64
	Requests    int           // requests of all callers under way; 512
	WrongKeys   int           // wrong keys of one address at once, then one a second; 20
}

func (l Limits) withDefaults() Limits {
	def(&l.Body, 64<<20)
	def(&l.Bodies, 4*l.Body)
	def(&l.File, 512<<20)
	def(&l.Files, 32)
	def(&l.Time, 10*time.Minute)
	def(&l.Silence, 30*time.Second)
	def(&l.Burst, max(1, int(2*l.Rate)))
	def(&l.Concurrency, 64)
	def(&l.Requests, 512)
	def(&l.WrongKeys, 20)
	return l
}

func def[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// API answers requests.
type API struct {
	config   Config
	service  *service.Service
	limiter  *limiter
	bodies   bodies
	failures failures
	log      *slog.Logger
	routes   []route
	spec     []byte    // openapi.json
	buffers  sync.Pool // of *buffer
}

// New puts the service behind HTTP.
func New(c Config) (*API, error) {
	c.Limits = c.Limits.withDefaults()
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Metrics == nil {
		c.Metrics = NewMetrics()
	}
	a := &API{config: c, service: c.Service, limiter: newLimiter(c.Limits, c.Rates), bodies: bodies{most: c.Limits.Bodies}, failures: failures{most: c.Limits.WrongKeys}, log: c.Logger}
	a.buffers.New = func() any { return &buffer{} }
	a.routes = a.table()
	spec, err := a.describe()
	a.spec = spec
	return a, err
}

// route is one line of the table.
type route struct {
	method, path string
	open         bool // needs no key
	openai       bool // its errors have OpenAI's form
	stream       bool // may last longer than Limits.Time
	handle       func(*call) error
	doc          operation
}

// Handler answers every route, and what is not a route.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range slices.Concat(a.routes, a.pageRoutes()) {
		mux.Handle(r.method+" "+r.path, a.serve(r))
	}
	mux.Handle("/", a.serve(a.noRoute(mux)))
	return a.outer(mux)
}
