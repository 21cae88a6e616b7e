// Package upstream finds the server of models that a request is for.
package upstream

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

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

// listFresh is how long the list of an upstream's models is believed.
const listFresh = 30 * time.Second

// Router finds the upstream of a model and keeps opened models: they remember
// windows and vocabularies.
type Router struct {
	Servers Servers
	Failed  func(upstream string, code fault.Code) // told of failures; nil: nobody

	mu     sync.Mutex
	lists  map[string]listing
	models Opened[Model]
}

type listing struct {
	names []string
	err   error
	at    time.Time
}

// Key names an opened model.
type Key struct {
	Upstream, Model string
	Length          int
}

// Opened remembers models by name and length.
type Opened[M any] struct {
	mu     sync.Mutex
	models map[Key]M
}

// maxOpen bounds how many opened models are remembered; names come from requests.
const maxOpen = 256

// Get is the model of a key, opened if it was not.
func (o *Opened[M]) Get(key Key, open func() (M, error)) (M, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m, ok := o.models[key]; ok {
		return m, nil
	}
	m, err := open()
	if err != nil {
		return m, err
	}
	if o.models == nil || len(o.models) >= maxOpen {
		o.models = map[Key]M{}
	}
	o.models[key] = m
	return m, nil
}

// Open finds a model by "UPSTREAM/NAME", else by a name that an upstream lists.
func (r *Router) Open(ctx context.Context, name string, length int) (Model, string, error) {
	u, model, err := r.route(ctx, name)
	if err != nil {
		return nil, "", err
	}
	m, err := r.models.Get(Key{u.Name, model, length}, func() (Model, error) { return u.Open(model, length) })
	return m, u.Name, err
}

func (r *Router) route(ctx context.Context, name string) (Server, string, error) {
	if name == "" {
		return Server{}, "", &fault.Error{Code: fault.Usage, Subject: "model", Reason: "is missing", Next: "name one that GET /v1/models lists"}
	}
	if prefix, model, ok := strings.Cut(name, "/"); ok && model != "" {
		if i := slices.IndexFunc(r.Servers, func(u Server) bool { return u.Name == prefix }); i >= 0 {
			return r.Servers[i], model, nil
		}
	}
	var failed error
	for _, u := range r.Servers {
		names, err := r.list(ctx, u)
		if err != nil {
			failed = errors.Join(failed, &Error{u.Name, err})
			continue
		}
		if i := slices.IndexFunc(names, func(n string) bool { return same(n, name) }); i >= 0 {
			return u, names[i], nil
		}
	}
	if failed != nil {
		return Server{}, "", failed
	}
	return Server{}, "", &fault.Error{Code: fault.ModelNotFound, Subject: "model " + name, Reason: "no upstream serves it", Next: "see GET /v1/models, or start the server with --upstream"}
}

// NameOf is the upstream of a model that was routed before; empty if none was.
func (r *Router) NameOf(model string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range r.Servers {
		if strings.HasPrefix(model, u.Name+"/") || slices.ContainsFunc(r.lists[u.Name].names, func(n string) bool { return same(n, model) }) {
			return u.Name
		}
	}
	return ""
}

// same compares a listed name with an asked one; Ollama lists "NAME:latest" for NAME.
func same(listed, asked string) bool { return listed == asked || listed == asked+":latest" }

func (r *Router) list(ctx context.Context, u Server) ([]string, error) {
	r.mu.Lock()
	l, ok := r.lists[u.Name]
	r.mu.Unlock()
	fresh := listFresh
	if l.err != nil {
		fresh = time.Second
	}
	if ok && time.Since(l.at) < fresh {
		return l.names, l.err
	}
	names, err := u.Models(ctx)
	if ctx.Err() != nil {
		return names, err
	}
	if err != nil {
		r.failed(u.Name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lists == nil {
		r.lists = map[string]listing{}
	}
	r.lists[u.Name] = listing{names, err, time.Now()}
	return names, err
}

// Models lists what can be asked for. A name that several upstreams serve
// stands for the first; the others go by "UPSTREAM/NAME". Servers that do not
// answer are left out; if none answers, that is the error.
func (r *Router) Models(ctx context.Context) ([]Listed, error) {
	var out []Listed
	var failed error
	taken := map[string]bool{}
	for _, u := range r.Servers {
		names, err := r.list(ctx, u)
		if err != nil {
			failed = errors.Join(failed, &Error{u.Name, err})
			continue
		}
		for _, n := range names {
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
