package upstream

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
)

// TestRouter: a name goes to the first upstream that lists it, one upstream that
// is down hides none of the others, and names of upstreams tell twins apart.
func TestRouter(t *testing.T) {
	down := false
	up := func(name string, models ...string) Server {
		return Server{Name: name, Models: func(context.Context) ([]string, error) {
			if down && name == "a" {
				return nil, errors.New("down")
			}
			return models, nil
		}}
	}
	r := Router{Servers: Servers{up("a", "m", "only-a"), up("b", "m", "tag:latest")}}
	at := func(name string) string {
		u, model, err := r.route(t.Context(), name)
		if err != nil {
			return string(fault.CodeOf(err))
		}
		return u.Name + "/" + model
	}
	for name, want := range map[string]string{"m": "a/m", "b/m": "b/m", "tag": "b/tag:latest", "none": "model_not_found", "": "usage", "c/m": "model_not_found"} {
		require.Equal(t, want, at(name), name)
	}
	down, r.circuits = true, nil
	require.Equal(t, "b/m", at("m"))
	_, _, err := r.route(t.Context(), "only-a")
	var u *Error
	require.ErrorAs(t, err, &u, "it may well be served there: not the same as not found")
	require.Equal(t, "a", u.Upstream)
}

// TestModels: the first upstream of a name has it, the others go by their own;
// one that is down is left out, and is told of; only where none answers is that
// the error.
func TestModels(t *testing.T) {
	var mu sync.Mutex
	asked, down := 0, false
	up := func(name string, models ...string) Server {
		return Server{Name: name, Models: func(context.Context) ([]string, error) {
			mu.Lock()
			defer mu.Unlock()
			asked++
			if down || name == "gone" {
				return nil, &fault.Error{Code: fault.BackendUnreachable, Subject: name, Reason: "is down"}
			}
			return models, nil
		}}
	}
	var told []string
	r := Router{
		Servers: Servers{up("a", "m"), up("gone"), up("b", "m", "tag:latest")},
		Failed: func(name string, code fault.Code) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, name+" "+string(code))
		},
	}
	require.Empty(t, r.NameOf("m"), "nobody was asked")
	for range 2 {
		list, err := r.Models(t.Context())
		require.NoError(t, err)
		require.Equal(t, []Listed{{"m", "a"}, {"b/m", "b"}, {"tag:latest", "b"}}, list)
	}
	require.Equal(t, 3, asked, "lists are believed for a while")
	require.Equal(t, []string{"gone backend_unreachable"}, told)
	for model, want := range map[string]string{"m": "a", "b/other": "b", "tag": "b", "nowhere": ""} {
		require.Equal(t, want, r.NameOf(model), model)
	}

	down, r.circuits = true, nil
	_, err := r.Models(t.Context())
	var u *Error
	require.ErrorAs(t, err, &u)
	require.Equal(t, "a", u.Upstream)
	require.ErrorContains(t, u, "upstream a: ")
	require.True(t, fault.Is(err, fault.BackendUnreachable))
	list, err := (&Router{}).Models(t.Context())
	require.NoError(t, err)
	require.Empty(t, list)
}

// TestOpened: a model is opened once for each name and length; of more than the
// most that are remembered, those used last stay; a failure is not remembered.
func TestOpened(t *testing.T) {
	var o Opened[int]
	opened := 0
	get := func(key Key) int {
		n, err := o.Get(key, func() (int, error) { opened++; return opened, nil })
		require.NoError(t, err)
		return n
	}
	_, err := o.Get(Key{Model: "m"}, func() (int, error) { return 0, errors.New("down") })
	require.Error(t, err)
	require.Equal(t, 1, get(Key{Model: "m"}))
	require.Equal(t, 1, get(Key{Model: "m"}))
	require.Equal(t, 2, get(Key{Model: "m", Length: 7}))
	for n := range maxOpen {
		get(Key{Model: "other", Length: n})
		require.Equal(t, 2, get(Key{Model: "m", Length: 7}), "it is in use")
	}
	require.Equal(t, 3+maxOpen, get(Key{Model: "m"}))
}

// TestCircuit: one upstream that never answers delays nobody by more than the
// short time of one question, keeps its last good list, is refused at once after
// some failures, and is tried again.
func TestCircuit(t *testing.T) {
	now := time.Now()
	c := &circuit{now: func() time.Time { return now }}
	var fail error
	asked := 0
	ask := func(context.Context) ([]string, error) { asked++; return []string{"m"}, fail }
	list := func() ([]string, error) { return c.list(t.Context(), ask) }
	require.Equal(t, Unknown, c.health("a").State)
	names, err := list()
	require.NoError(t, err)
	require.Equal(t, []string{"m"}, names)
	fail = &fault.Error{Code: fault.BackendUnreachable}
	for n := 1; n <= 6; n++ {
		now = now.Add(listFresh)
		names, err = list()
		require.NoError(t, err, "the last good list")
		require.Equal(t, []string{"m"}, names)
		require.Equal(t, n+1, asked)
		_, _ = list()
		require.Equal(t, n+1, asked, "not asked again before a pause")
		require.Equal(t, n >= opensAfter, c.admit() != nil)
		h := c.health("a")
		require.Equal(t, map[bool]string{true: Down, false: Failing}[n >= opensAfter], h.State)
		require.Equal(t, fault.BackendUnreachable, h.Code)
		require.LessOrEqual(t, h.Retry, longestWait)
	}
	f := &fault.Error{}
	require.ErrorAs(t, c.admit(), &f)
	require.Positive(t, f.RetryAfter)
	fail, now = nil, now.Add(longestWait)
	_, err = list()
	require.NoError(t, err)
	require.NoError(t, c.admit())
	require.Equal(t, Health{Name: "a", State: Up, Models: 1}, c.health("a"))

	for n := 1; n <= opensAfter; n++ {
		require.Equal(t, n == opensAfter, c.note(&fault.Error{Code: fault.Timeout}))
		require.Equal(t, Up, c.health("a").State, "a request alone shows nothing")
	}
	c.settle(t.Context(), ask)
	require.NoError(t, c.admit(), "it answers us")
	require.Equal(t, Health{Name: "a", State: Up, Models: 1}, c.health("a"))
	fail = &fault.Error{Code: fault.BackendUnreachable}
	for range opensAfter {
		c.note(&fault.Error{Code: fault.Timeout})
	}
	c.settle(t.Context(), ask)
	require.Error(t, c.admit(), "it does not answer us either")
	require.Equal(t, Down, c.health("a").State)
	require.False(t, c.note(nil))
	require.NoError(t, c.admit())
	fail = nil
	c.note(&fault.Error{Code: fault.DoesNotFit})
	for range opensAfter {
		c.note(&fault.Error{Code: fault.BackendUnreachable, Reason: "the answer is not one of this API"})
	}
	require.Equal(t, Up, c.health("a").State)
	fail, now = &fault.Error{Code: fault.ModelNotFound}, now.Add(2*listFresh)
	_, err = list()
	require.Error(t, err)
	require.Equal(t, Up, c.health("a").State, "it answers, and has no list")
}

// TestTrial: an upstream that is down gets no request, by whatever name, before a
// trial went well; the names of the others are found meanwhile.
func TestTrial(t *testing.T) {
	var mu sync.Mutex
	hangs, opened := true, 0
	r := Router{Servers: Servers{
		{Name: "a", Open: func(string, int) (Model, error) { opened++; return nil, nil }, Models: func(context.Context) ([]string, error) {
			mu.Lock()
			defer mu.Unlock()
			if hangs {
				return nil, &fault.Error{Code: fault.Timeout}
			}
			return []string{"m"}, nil
		}},
		{Name: "b", Open: func(string, int) (Model, error) { return nil, nil }, Models: func(context.Context) ([]string, error) { return []string{"other"}, nil }},
	}}
	for range opensAfter {
		r.Note(t.Context(), "a", &fault.Error{Code: fault.Timeout})
	}
	r.Note(t.Context(), "nobody", &fault.Error{Code: fault.Timeout})
	_, _, err := r.Open(t.Context(), "a/m", 0)
	var u *Error
	require.ErrorAs(t, err, &u)
	require.Equal(t, "a", u.Upstream)
	require.True(t, fault.Is(err, fault.BackendUnreachable))
	require.Zero(t, opened)
	_, name, err := r.Open(t.Context(), "other", 0)
	require.NoError(t, err)
	require.Equal(t, "b", name)
	mu.Lock()
	hangs = false
	mu.Unlock()
	r.circuit("a").retry = time.Now()
	_, _, err = r.Open(t.Context(), "a/m", 0)
	require.NoError(t, err)
	require.Equal(t, 1, opened)
	states := map[string]string{}
	for _, h := range r.Health(t.Context()) {
		states[h.Name] = h.State
	}
	require.Equal(t, map[string]string{"a": Up, "b": Up}, states)
}
