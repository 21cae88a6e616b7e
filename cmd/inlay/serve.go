package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"inlay/fault"
	"inlay/internal/httpapi"
	"inlay/internal/keys"
	"inlay/internal/service"
	"inlay/internal/state"
	"inlay/internal/tracing"
)

// serveCmd is the service.
type serveCmd struct {
	settings
	strategySettings
	serviceSettings
}

// serviceSettings shape the service.
type serviceSettings struct {
	chainSettings
	Addr        string        `key:"addr"`
	Database    string        `key:"database"`
	Blobs       string        `key:"blobs"`
	Upstream    []string      `key:"upstreams"`
	TLSCert     string        `key:"tls_cert"`
	TLSKey      string        `key:"tls_key"`
	CORS        []string      `key:"cors"`
	AllowHost   []string      `key:"allow_hosts"`
	MaxBody     int64         `key:"max_body_bytes"`
	Bodies      int64         `key:"bodies_bytes"`
	MaxFile     int64         `key:"max_file_bytes"`
	MaxFiles    int           `key:"max_request_files"`
	MaxKept     int           `key:"max_kept_files"`
	MaxTotal    int64         `key:"max_kept_bytes"`
	Memory      int64         `key:"document_memory_bytes"`
	Load        int64         `key:"document_load_bytes"`
	Questions   int           `key:"max_questions"`
	MaxSearch   int           `key:"max_search_bytes"`
	CacheAge    time.Duration `key:"cache_age"`
	MaxTime     time.Duration `key:"max_time"`
	Rate        float64       `key:"rate"`
	Concurrency int           `key:"concurrency"`
	Requests    int           `key:"max_requests"`
	MCPWrite    bool          `key:"mcp_write"`
	LogFormat   string        `key:"log_format"`
	Drain       time.Duration `key:"drain"`
}

// dataSettings say where the service keeps what must stay.
type dataSettings struct {
	Data string `key:"data"`
}

func (s dataSettings) folder() (string, error) {
	if s.Data == "" {
		return "", &fault.Error{Code: fault.Usage, Subject: "--data", Reason: "is missing", Next: "name the folder in which the service keeps files, chats and keys"}
	}
	return s.Data, nil
}

// stateFile is the state in the data folder.
const stateFile = "state.db"

// opening is what inlay open adds to the service. The zero opening adds nothing.
type opening struct {
	secret string // lets its holder in beside keys, and nobody without one
	quiet  bool   // only warnings are logged
	// ready is called when requests can come; nil: the address is printed.
	ready func(s *service.Service, address string) error
}

// Run serves until ctx ends, then lets requests under way finish.
func (c *serveCmd) Run(ctx context.Context, a *app) error { return c.run(ctx, a, opening{}) }

func (c *serveCmd) run(ctx context.Context, a *app, o opening) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	log, lines := c.logger(a, o.quiet)
	defer func() { err = errors.Join(err, lines.Close()) }()
	store, err := c.state().open(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	gate, err := c.gate(ctx, store)
	if err != nil {
		return err
	}
	gate.Secret = o.secret
	if err := c.openWorkspace(); err != nil {
		return err
	}
	defer c.closeWorkspace()
	metrics := httpapi.NewMetrics()
	tracer, err := tracing.Open(ctx, tracing.Config{Getenv: a.getenv, Version: strings.TrimPrefix(version, "inlay "), Logger: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeTracer(ctx, tracer)) }()
	service, err := c.openService(ctx, a, store, metrics, tracer, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.Close()) }()
	rates, _ := store.(state.Rates)
	api, err := httpapi.New(httpapi.Config{
		Rates: rates, Service: service, Gate: gate, Metrics: metrics, Tracer: tracer, Logger: log, Origins: c.CORS, Hosts: lowered(c.AllowHost),
		Version: strings.TrimPrefix(version, "inlay "), MCPWrite: c.MCPWrite,
		Limits: httpapi.Limits{
			Body: c.MaxBody, Bodies: cmp.Or(c.Bodies, 4*c.MaxBody), File: c.MaxFile, Files: c.MaxFiles, Time: c.MaxTime, Rate: c.Rate, Concurrency: c.Concurrency, Requests: c.Requests,
		},
	})
	if err != nil {
		return err
	}
	return c.listen(ctx, api.Handler(), log, func(address string) error {
		if o.ready != nil {
			return o.ready(service, address)
		}
		_, err := fmt.Fprintf(a.stdout, "inlay serves at %s\n", address)
		return err
	})
}

// state says where the records are.
func (c *serveCmd) state() stateSettings { return stateSettings{c.dataSettings, c.Database} }

// check refuses settings that contradict each other.
func (c *serveCmd) check() error {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return &fault.Error{Code: fault.Usage, Subject: "--tls-cert", Reason: "needs --tls-key, and the other way round"}
	}
	if c.Store != "" {
		return &fault.Error{Code: fault.Usage, Subject: "--store", Reason: "is not for the service", Next: "name its folder with --data"}
	}
	if c.Database != "" && c.Blobs == "" {
		return &fault.Error{
			Code: fault.Usage, Subject: "--database", Reason: "needs --blobs: servers that share records share the bytes of uploads too",
			Next: "name a bucket (s3://bucket?endpoint=...) or a folder that all servers see",
		}
	}
	for _, origin := range c.CORS {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != origin {
			return &fault.Error{Code: fault.Usage, Subject: "--cors", Reason: "is not a web origin", Next: "write it like https://app.example.org"}
		}
	}
	for _, name := range c.AllowHost {
		if name == "" || strings.ContainsAny(name, "/: *") {
			return &fault.Error{Code: fault.Usage, Subject: "--allow-host", Reason: "must be a host name without scheme and port", Next: "write it like inlay.example.org"}
		}
	}
	if c.Bodies != 0 && c.Bodies < 2*c.MaxBody {
		return &fault.Error{
			Code: fault.Usage, Subject: "--bodies",
			Reason: "is less than twice --max-body, so that a key could not send the largest body",
			Next:   fmt.Sprintf("give at least %d", 2*c.MaxBody),
		}
	}
	return nil
}

func lowered(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strings.ToLower(n)
	}
	return out
}

// gate asks for keys where others than this computer can call, and refuses to
// open to them without any.
func (c *serveCmd) gate(ctx context.Context, store state.Keys) (*keys.Gate, error) {
	gate := &keys.Gate{Keys: store, Require: !isLoopback(c.Addr)}
	if !gate.Require {
		return gate, nil
	}
	made, err := store.AnyKey(ctx)
	if err == nil && !made {
		err = &fault.Error{Code: fault.Usage, Subject: "--addr " + c.Addr, Reason: "others than this computer could call, and there is no key", Next: "make one: inlay keys make NAME " + c.state().where()}
	}
	return gate, err
}

// isLoopback reports whether only this computer can reach an address. A name
// is not looked up: only localhost is trusted to be one.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// networkOf is what to listen on: 0.0.0.0 is every address of IPv4, where Go
// would take those of IPv6 too.
func networkOf(addr string) string {
	if host, _, err := net.SplitHostPort(addr); err == nil {
		if ip, err := netip.ParseAddr(host); err == nil && ip.Is4() {
			return "tcp4"
		}
	}
	return "tcp"
}

// listen serves until ctx ends; ready is told the address.
func (c *serveCmd) listen(ctx context.Context, handler http.Handler, log *slog.Logger, ready func(address string) error) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, networkOf(c.Addr), c.Addr)
	if err != nil {
		return &fault.Error{Code: fault.Usage, Subject: "--addr " + c.Addr, Reason: "cannot be listened on: " + reasonOfNet(err), Next: nextOfAddress(err), Err: err}
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	scheme := "http"
	if c.TLSCert != "" {
		pair, err := openKeyPair(c.TLSCert, c.TLSKey, log)
		if err != nil {
			return errors.Join(err, l.Close())
		}
		l = pair.secured(l)
		scheme = "https"
	}
	log.InfoContext(ctx, "serving", "addr", l.Addr().String())
	if err := ready(scheme + "://" + l.Addr().String()); err != nil {
		return errors.Join(err, l.Close())
	}
	return c.serve(ctx, server, l, log)
}

// serve runs the server; when ctx ends it takes no more requests and waits for
// those under way, at most as long as --drain.
func (c *serveCmd) serve(ctx context.Context, server *http.Server, l net.Listener, log *slog.Logger) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	log.InfoContext(ctx, "stopping", "drain", c.Drain.String())
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Drain)
	defer cancel()
	err := server.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		log.WarnContext(ctx, "requests were cut off", "after", c.Drain.String())
		err = server.Close()
	}
	if e := <-failed; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

func reasonOfNet(err error) string {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}
