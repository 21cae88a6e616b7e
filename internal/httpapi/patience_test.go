package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/httpapi"
	"inlay/internal/upstream"
)

// TestSlowServerIsNoSilentClient: only the client's own silence ends a request,
// not the time that its answer takes; and what one request waited for does not
// bind the next one on the same connection.
func TestSlowServerIsNoSilentClient(t *testing.T) {
	const silence = 250 * time.Millisecond
	slow := upstream.Server{Name: "slow", Open: func(string, int) (upstream.Model, error) {
		time.Sleep(5 * silence)
		return nil, &fault.Error{Code: fault.ModelNotFound}
	}}
	s := start(t, setup{limits: httpapi.Limits{Silence: silence}, upstreams: upstream.Servers{slow}})
	second := httptest.NewUnstartedServer(s.Config.Handler)
	second.EnableHTTP2 = true
	second.StartTLS()
	defer second.Close()
	for _, at := range []*httptest.Server{s.Server, second} {
		for length, want := range map[string]int{"4096": http.StatusOK, "0": http.StatusUnprocessableEntity} {
			body := `{"messages": [{"role": "user", "text": "q"}], "model": "slow/x", "context_length": ` + length + `}`
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.URL+"/v1/preprocess", strings.NewReader(body))
			require.NoError(t, err)
			resp, err := at.Client().Do(req)
			require.NoError(t, err)
			require.Equal(t, want, resp.StatusCode)
			require.NoError(t, resp.Body.Close())
		}
	}

	conn := s.dial()
	defer func() { _ = conn.Close() }()
	answers := bufio.NewReader(conn)
	for _, path := range []string{"/v1/files", "/metrics", "/v1/files/none", "/openapi.json", "/v1/files"} {
		_, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
		require.NoError(t, err)
		resp, err := http.ReadResponse(answers, nil)
		require.NoError(t, err, path)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, err, path)
		require.NoError(t, resp.Body.Close())
		time.Sleep(2 * silence) // longer than the last answer was allowed to take
	}
}

// TestDrip: a body that arrives byte by byte is given up on, whether its
// sender may call or not.
func TestDrip(t *testing.T) {
	s := start(t, setup{keys: true, limits: httpapi.Limits{Silence: 200 * time.Millisecond}})
	for _, secret := range []string{s.key("ann"), "inlay_wrong"} {
		conn := s.dial()
		_, err := fmt.Fprintf(conn, "POST /v1/preprocess HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 100000\r\n\r\n", secret)
		require.NoError(t, err)
		dripped := make(chan int)
		go func() {
			n := 0
			for ; n < 1000; n++ {
				if _, err := conn.Write([]byte("x")); err != nil {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			dripped <- n
		}()
		require.Less(t, <-dripped, 1000)
		require.NoError(t, conn.Close())
	}
}

// dial is a connection without a client's manners.
func (s *server) dial() net.Conn {
	s.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", s.Listener.Addr().String())
	require.NoError(s.t, err)
	return conn
}
