package httpapi

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"inlay/fault"
)

// TestBodies: large bodies are counted as they come, half of the room for one
// key, and given back; small ones are free.
func TestBodies(t *testing.T) {
	const limit = 1 << 20
	a := &API{config: Config{Limits: Limits{Body: limit}}, bodies: bodies{most: 4 * limit}}
	send := func(owner string, n int, announced int64) (*call, error) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", iotest.HalfReader(bytes.NewReader(bytes.Repeat([]byte("x"), n))))
		r.ContentLength = announced
		c := &call{Request: r, w: &recorder{ResponseWriter: httptest.NewRecorder()}, owner: owner, account: owner, api: a}
		data, err := c.readBody(make([]byte, 0, 700))
		if err == nil {
			require.Len(t, data, n)
		}
		return c, err
	}
	for _, n := range []int{0, 1, 511, 512, firstPart - 1, firstPart, firstPart + 1, limit - 1, limit} {
		for _, announced := range []int64{-1, int64(n), limit} {
			c, err := send("a", n, announced)
			require.NoError(t, err, n)
			require.LessOrEqual(t, c.holds, 2*int64(n), n)
			require.Equal(t, n >= firstPart, c.holds > 0, n)
			a.bodies.give(c.owner, c.holds)
		}
	}
	require.Zero(t, a.bodies.all)
	require.Empty(t, a.bodies.owner)

	_, err := send("a", limit+1, -1)
	require.True(t, fault.Is(err, fault.FileTooLarge))
	a.bodies = bodies{most: 4 * limit}
	for range 2 {
		_, err = send("a", limit, -1)
		require.NoError(t, err)
	}
	_, err = send("a", limit, -1)
	require.True(t, fault.Is(err, fault.RateLimited), "half of the room is one key's")
	require.Positive(t, failureOf(err).retry)
	_, err = send("a", firstPart-1, -1)
	require.NoError(t, err, "a small body is never refused")
	_, err = send("b", limit, -1)
	require.NoError(t, err)
	_, err = send("b", limit/2, -1)
	require.NoError(t, err)
	_, err = send("c", limit, -1)
	require.True(t, fault.Is(err, fault.RateLimited), "there is no more room")

	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", iotest.ErrReader(errors.New("gone")))
	_, err = (&call{Request: r, w: &recorder{ResponseWriter: httptest.NewRecorder()}, api: a}).readBody(nil)
	require.True(t, fault.Is(err, fault.Usage))
}
