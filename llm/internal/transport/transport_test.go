package transport_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/llm/internal/transport"
)

// busyServer answers with status for the first n requests and then echoes.
func busyServer(t *testing.T, n int64, status int, after string) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var seen atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen.Add(1) <= n {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(status)
			return
		}
		_, _ = io.Copy(w, r.Body)
	}))
	t.Cleanup(s.Close)
	return s, &seen
}

func post(ctx context.Context, c *http.Client, url, body string) (string, int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	return string(b), resp.StatusCode, err
}

func TestBusyServerIsTriedAgainWithTheSameBody(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		var log bytes.Buffer
		s, seen := busyServer(t, 2, status, "0")
		c := transport.Client(transport.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		body, code, err := post(t.Context(), c, s.URL, "the whole body")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, code)
		require.Equal(t, "the whole body", body)
		require.EqualValues(t, 3, seen.Load())
		require.Equal(t, 2, strings.Count(log.String(), "trying again"))
		require.NotContains(t, log.String(), "whole body")
	}
}

func TestAttemptsAreBounded(t *testing.T) {
	s, seen := busyServer(t, 100, http.StatusServiceUnavailable, "0")
	_, code, err := post(t.Context(), transport.Client(transport.Options{Attempts: 3}), s.URL, "x")
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.EqualValues(t, 3, seen.Load())
}

func TestTooLongAPauseIsLeftToTheCaller(t *testing.T) {
	s, seen := busyServer(t, 100, http.StatusTooManyRequests, "3600")
	_, code, err := post(t.Context(), transport.Client(transport.Options{}), s.URL, "x")
	require.NoError(t, err)
	require.Equal(t, http.StatusTooManyRequests, code)
	require.EqualValues(t, 1, seen.Load())
}

func TestOtherFailuresAreNotRepeated(t *testing.T) {
	s, seen := busyServer(t, 1, http.StatusInternalServerError, "")
	_, code, err := post(t.Context(), transport.Client(transport.Options{}), s.URL, "x")
	require.NoError(t, err)
	require.Equal(t, http.StatusInternalServerError, code)
	require.EqualValues(t, 1, seen.Load())
}

func TestCancellingEndsAPause(t *testing.T) {
	s, seen := busyServer(t, 100, http.StatusTooManyRequests, "3600")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, _, err := post(ctx, transport.Client(transport.Options{Patience: time.Hour}), s.URL, "x")
		done <- err
	}()
	require.Eventually(t, func() bool { return seen.Load() == 1 }, 5*time.Minute, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.EqualValues(t, 1, seen.Load())
}

func TestSilentServerTimesOut(t *testing.T) {
	stop := make(chan struct{})
	for name, handler := range map[string]http.HandlerFunc{
		"before the header": func(_ http.ResponseWriter, r *http.Request) { wait(r, stop) },
		"within the body": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "half an ans")
			_ = http.NewResponseController(w).Flush()
			wait(r, stop)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(handler)
			t.Cleanup(s.Close)
			_, _, err := post(t.Context(), transport.Client(transport.Options{Idle: 50 * time.Millisecond}), s.URL, "")
			require.True(t, fault.Is(err, fault.Timeout), "%v", err)
		})
	}
	close(stop)
}

func wait(r *http.Request, stop <-chan struct{}) {
	select {
	case <-r.Context().Done():
	case <-stop:
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(s.Close)
	_, code, err := post(t.Context(), transport.Client(transport.Options{}), s.URL, "secret")
	require.NoError(t, err)
	require.Equal(t, http.StatusTemporaryRedirect, code)
	require.Zero(t, elsewhere.Load())
}

func TestFailureOfABodyIsKept(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half an ans")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(s.Close)
	ctx, failure := transport.WithFailure(t.Context())
	require.NoError(t, failure.Err())
	body, _, err := post(ctx, transport.Client(transport.Options{}), s.URL, "")
	require.Equal(t, "half an ans", body)
	require.Error(t, err)
	require.Equal(t, err, failure.Err())
}

// TestPausesTogetherAreBounded: a server that says to come again in a second, for
// ever, is not asked for longer than all pauses together may take.
func TestPausesTogetherAreBounded(t *testing.T) {
	s, seen := busyServer(t, 100, http.StatusTooManyRequests, "1")
	retried := 0
	ctx, failure := transport.WithFailure(t.Context())
	_, code, err := post(ctx, transport.Client(transport.Options{Patience: 1500 * time.Millisecond, Retried: func() { retried++ }}), s.URL, "x")
	require.NoError(t, err)
	require.Equal(t, http.StatusTooManyRequests, code)
	require.EqualValues(t, 2, seen.Load())
	require.Equal(t, 1, retried)
	require.Equal(t, time.Second, failure.RetryAfter(), "for whom the answer is")
}
