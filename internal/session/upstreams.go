package session

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

// Upstream is a server of models.
type Upstream struct {
	Name   string
	Open   func(model string, length int) (Model, error) // length 0: measure
	Models func(ctx context.Context) ([]string, error)   // what it serves
}

// Upstreams are servers in order of preference.
type Upstreams []Upstream

// Listed is a model that can be asked for.
type Listed struct {
	ID       string // as requests name it
	Upstream string
}

// UpstreamError is a failure of an upstream, told apart from ours.
type UpstreamError struct {
	Upstream string
	Err      error
}

// Error implements error.
func (e *UpstreamError) Error() string { return "upstream " + e.Upstream + ": " + e.Err.Error() }

// Unwrap returns the upstream's failure.
func (e *UpstreamError) Unwrap() error { return e.Err }

// listFresh is how long the list of an upstream's models is believed.
const listFresh = 30 * time.Second

// router finds the upstream of a model and keeps opened models: they remember
// windows and vocabularies.
type router struct {
	upstreams Upstreams
	observe   Observer

	mu     sync.Mutex
	lists  map[string]listing
	models opened[Model]
}

type listing struct {
	names []string
	err   error
	at    time.Time
}

type modelKey struct {
	upstream, model string
	length          int
}

// opened remembers models by name and length.
type opened[M any] struct {
	mu     sync.Mutex
	models map[modelKey]M
}

// maxOpen bounds how many opened models are remembered; names come from requests.
const maxOpen = 256

// get is the model of a key, opened if it was not.
func (o *opened[M]) get(key modelKey, open func() (M, error)) (M, error) {
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
		o.models = map[modelKey]M{}
	}
	o.models[key] = m
	return m, nil
}

// open finds a model by "UPSTREAM/NAME", else by a name that an upstream lists.
func (r *router) open(ctx context.Context, name string, length int) (Model, string, error) {
	u, model, err := r.route(ctx, name)
	if err != nil {
		return nil, "", err
	}
	m, err := r.models.get(modelKey{u.Name, model, length}, func() (Model, error) { return u.Open(model, length) })
	return m, u.Name, err
}

func (r *router) route(ctx context.Context, name string) (Upstream, string, error) {
	if name == "" {
		return Upstream{}, "", &fault.Error{Code: fault.Usage, Subject: "model", Reason: "is missing", Next: "name one that GET /v1/models lists"}
	}
	if prefix, model, ok := strings.Cut(name, "/"); ok && model != "" {
		if i := slices.IndexFunc(r.upstreams, func(u Upstream) bool { return u.Name == prefix }); i >= 0 {
			return r.upstreams[i], model, nil
		}
	}
	var failed error
	for _, u := range r.upstreams {
		names, err := r.list(ctx, u)
		if err != nil {
			failed = errors.Join(failed, &UpstreamError{u.Name, err})
			continue
		}
		if i := slices.IndexFunc(names, func(n string) bool { return same(n, name) }); i >= 0 {
			return u, names[i], nil
		}
	}
	if failed != nil {
		return Upstream{}, "", failed
	}
	return Upstream{}, "", &fault.Error{Code: fault.ModelNotFound, Subject: "model " + name, Reason: "no upstream serves it", Next: "see GET /v1/models, or start the server with --upstream"}
}

// nameOf is the upstream of a model that was routed before; empty if none was.
func (r *router) nameOf(model string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range r.upstreams {
		if strings.HasPrefix(model, u.Name+"/") || slices.ContainsFunc(r.lists[u.Name].names, func(n string) bool { return same(n, model) }) {
			return u.Name
		}
	}
	return ""
}

// same compares a listed name with an asked one; Ollama lists "NAME:latest" for NAME.
func same(listed, asked string) bool { return listed == asked || listed == asked+":latest" }

func (r *router) list(ctx context.Context, u Upstream) ([]string, error) {
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
		r.observe.UpstreamFailed(u.Name, fault.CodeOf(err))
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
// stands for the first; the others go by "UPSTREAM/NAME". Upstreams that do not
// answer are left out; if none answers, that is the error.
func (s *Service) Models(ctx context.Context) ([]Listed, error) {
	var out []Listed
	var failed error
	taken := map[string]bool{}
	for _, u := range s.router.upstreams {
		names, err := s.router.list(ctx, u)
		if err != nil {
			failed = errors.Join(failed, &UpstreamError{u.Name, err})
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
