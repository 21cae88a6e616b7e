// Package upstream finds the server of models that a request is for.
package upstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"inlay/cache"
	"inlay/fault"
	"inlay/llm"
)

// Model is a model that can be measured and answers in the OpenAI API's form.
type Model interface {
	llm.Measurer
	llm.Relay
}

// Server is a server of models.
type Server struct {
	Name   string
	Open   func(model string, length int) (Model, error) // length 0: measure
	Models func(ctx context.Context) ([]string, error)   // what it serves
}

// Servers are servers in order of preference.
type Servers []Server

// Listed is a model that can be asked for.
type Listed struct {
	ID       string // as requests name it
	Upstream string
}

// Error is a failure of an upstream, told apart from ours.
type Error struct {
	Upstream string
	Err      error
}

// Error implements error.
func (e *Error) Error() string { return "upstream " + e.Upstream + ": " + e.Err.Error() }

// Unwrap returns the upstream's failure.
func (e *Error) Unwrap() error { return e.Err }

// Router finds the upstream of a model and keeps opened models: they remember
// windows and vocabularies. An upstream that fails delays no other: each is asked
// within its own short time, side by side, and refused while it is down.
type Router struct {
	Servers Servers
	Failed  func(upstream string, code fault.Code) // told of failures; nil: nobody

	mu       sync.Mutex
	circuits map[string]*circuit
	models   Opened[Model]
}

func (r *Router) circuit(name string) *circuit {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.circuits[name]
	if !ok {
		if r.circuits == nil {
			r.circuits = map[string]*circuit{}
		}
		c = &circuit{now: time.Now}
		r.circuits[name] = c
	}
	return c
}

// Key names an opened model.
type Key struct {
	Upstream, Model string
	Length          int
}

// Opened remembers models by name and length, those used last.
type Opened[M any] struct {
	mu     sync.Mutex
	models cache.LRU[Key, M]
}

// maxOpen bounds how many opened models are remembered; names come from requests.
const maxOpen = 256

// maxName is the longest name of a model that a request may have, in bytes.
const maxName = 256

// CheckName refuses, as fault.Usage, what no model can be called. An empty name
// is for whoever needs one to refuse.
func CheckName(name string) error {
	if len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fault.Invalid("model", fmt.Sprintf("a name of at most %d bytes, without control characters", maxName))
	}
	return nil
}

// Get is the model of a key, opened if it was not.
func (o *Opened[M]) Get(key Key, open func() (M, error)) (M, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m, ok := o.models.Get(key); ok {
		return m, nil
	}
	m, err := open()
	if err != nil {
		return m, err
	}
	o.models.Put(key, m, 1, maxOpen)
	return m, nil
}

// Open finds a model by "UPSTREAM/NAME", else by a name that an upstream lists.
func (r *Router) Open(ctx context.Context, name string, length int) (Model, string, error) {
	u, model, err := r.route(ctx, name)
	if err != nil {
		return nil, "", err
	}
	c := r.circuit(u.Name)
	if c.admit() != nil {
		_, _ = c.list(ctx, u.Models) // the trial, when it is time for one
	}
	if err := c.admit(); err != nil {
		return nil, "", &Error{u.Name, err}
	}
	m, err := r.models.Get(Key{u.Name, model, length}, func() (Model, error) { return u.Open(model, length) })
	return m, u.Name, err
}

func (r *Router) route(ctx context.Context, name string) (Server, string, error) {
	if name == "" {
		return Server{}, "", &fault.Error{Code: fault.Usage, Subject: "model", Reason: "is missing", Next: "name one that GET /v1/models lists"}
	}
	if err := CheckName(name); err != nil {
		return Server{}, "", err
	}
	if prefix, model, ok := strings.Cut(name, "/"); ok && model != "" {
		if i := slices.IndexFunc(r.Servers, func(u Server) bool { return u.Name == prefix }); i >= 0 {
			return r.Servers[i], model, nil
		}
	}
	var failed error
	for i, l := range r.lists(ctx) {
		if l.err != nil {
			failed = errors.Join(failed, &Error{r.Servers[i].Name, l.err})
			continue
		}
		if at := slices.IndexFunc(l.names, func(n string) bool { return same(n, name) }); at >= 0 {
			return r.Servers[i], l.names[at], nil
		}
	}
	if failed != nil {
		return Server{}, "", failed
	}
	return Server{}, "", &fault.Error{Code: fault.ModelNotFound, Subject: "model " + name, Reason: "no upstream serves it", Next: "see GET /v1/models, or start the server with --upstream"}
}

// NameOf is the upstream of a model that was routed before; empty if none was.
func (r *Router) NameOf(model string) string {
	for _, u := range r.Servers {
		if strings.HasPrefix(model, u.Name+"/") || slices.ContainsFunc(r.circuit(u.Name).lastNames(), func(n string) bool { return same(n, model) }) {
			return u.Name
		}
	}
	return ""
}

// same compares a listed name with an asked one; Ollama lists "NAME:latest" for NAME.
func same(listed, asked string) bool { return listed == asked || listed == asked+":latest" }

// listing is what asking an upstream for its models came to.
type listing struct {
	names []string
	err   error
}

// lists are the models of all upstreams, asked side by side.
func (r *Router) lists(ctx context.Context) []listing {
	out := make([]listing, len(r.Servers))
	var asked sync.WaitGroup
	for i, u := range r.Servers {
		asked.Go(func() {
			names, err := r.circuit(u.Name).list(ctx, r.asking(u))
			out[i] = listing{names, err}
		})
	}
	asked.Wait()
	return out
}

// asking asks an upstream for its models.
func (r *Router) asking(u Server) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		names, err := u.Models(ctx)
		if err != nil {
			r.failed(u.Name, err)
		}
		return names, err
	}
}

// Health asks upstreams that were not asked lately and says how all are.
func (r *Router) Health(ctx context.Context) []Health {
	r.lists(ctx)
	out := make([]Health, len(r.Servers))
	for i, u := range r.Servers {
		out[i] = r.circuit(u.Name).health(u.Name)
	}
	return out
}

// Note learns from the outcome of a request that went to an upstream; nil is an
// answer. After some without one it asks the upstream for its models, and refuses
// further requests only if that fails too.
func (r *Router) Note(ctx context.Context, name string, err error) {
	i := slices.IndexFunc(r.Servers, func(u Server) bool { return u.Name == name })
	if i < 0 {
		return
	}
	if c := r.circuit(name); c.note(err) {
		c.settle(ctx, r.asking(r.Servers[i]))
	}
}

// Models lists what can be asked for. A name that several upstreams serve
// stands for the first; the others go by "UPSTREAM/NAME". Servers that do not
// answer are left out; if none answers, that is the error.
func (r *Router) Models(ctx context.Context) ([]Listed, error) {
	var out []Listed
	var failed error
	taken := map[string]bool{}
	for i, l := range r.lists(ctx) {
		u := r.Servers[i]
		if l.err != nil {
			failed = errors.Join(failed, &Error{u.Name, l.err})
			continue
		}
		for _, n := range l.names {
			id := n
			if taken[n] {
				id = u.Name + "/" + n
			}
			taken[n] = true
			out = append(out, Listed{ID: id, Upstream: u.Name})
		}
	}
	if len(out) == 0 && failed != nil {
		return nil, failed
	}
	return out, nil
}

func (r *Router) failed(name string, err error) {
	if r.Failed != nil {
		r.Failed(name, fault.CodeOf(err))
	}
}
