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
