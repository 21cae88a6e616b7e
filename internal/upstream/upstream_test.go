package upstream

import (
	"context"
	"errors"
	"testing"

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
	down, r.lists = true, nil
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
	asked, down := 0, false
	up := func(name string, models ...string) Server {
		return Server{Name: name, Models: func(context.Context) ([]string, error) {
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
		Failed:  func(name string, code fault.Code) { told = append(told, name+" "+string(code)) },
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

	down, r.lists = true, nil
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
// most that are remembered, all are forgotten; a failure is not remembered.
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
	}
	require.Equal(t, 3+maxOpen, get(Key{Model: "m"}))
}
