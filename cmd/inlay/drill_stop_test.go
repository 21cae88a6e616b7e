package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// talker is a server of models that streams a word at a time, as often as it is
// told to; less than 0: until nobody listens.
func talker(t *testing.T, words int, pause time.Duration) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"object": "list", "data": [{"id": "talker", "object": "model"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for n := 0; n != words && r.Context().Err() == nil; n++ {
			_, _ = fmt.Fprintf(w, "data: {\"id\": \"c\", \"object\": \"chat.completion.chunk\", \"choices\": [{\"index\": 0, \"delta\": {\"content\": \"word%d \"}}]}\n\n", n)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(pause)
		}
		_, _ = io.WriteString(w, "data: {\"id\": \"c\", \"choices\": [{\"index\": 0, \"delta\": {}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// listen begins a streamed answer and returns when its first word is there.
func listen(ctx context.Context, client *http.Client, address string) (rest func() (string, error), err error) {
	const body = `{"model": "talker", "stream": true, "messages": [{"role": "user", "content": "talk"}], "inlay": {"context_length": 4096}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req) //nolint:bodyclose // rest closes it
	if err != nil {
		return nil, err
	}
	lines := bufio.NewReader(resp.Body)
	first, err := lines.ReadString('\n')
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%d %q: %w", resp.StatusCode, first, err)
	}
	return func() (string, error) {
		defer func() { _ = resp.Body.Close() }()
		data, err := io.ReadAll(lines)
		return first + string(data), err
	}, nil
}

// TestDrillStop tells a server to stop while it streams answers: all of them
// end as they should, nobody new is let in, and it goes with exit code 0; what
// does not end within --drain is cut off.
func TestDrillStop(t *testing.T) {
	streams := 4
	if *drilled {
		streams = 64
	}
	rows := newTable(t, "answers under way", "each ends", "--drain", "answered whole", "cut off", "new connections", "stopped after", "exit code")
	for _, c := range []struct {
		ends  string
		words int
		drain time.Duration
		whole bool
	}{{"after about 1 s", 20, waitFor, true}, {"never", -1, time.Second, false}} {
		d := newDrill(t, "--drain", c.drain.String(), "--concurrency", "100", "--upstream", "local=openai:"+talker(t, c.words, 50*time.Millisecond))
		d.start()
		var answers sync.WaitGroup
		var mu sync.Mutex
		whole, cut := 0, 0
		for range streams {
			rest, err := listen(t.Context(), d.client, "http://"+d.addr)
			require.NoError(t, err)
			answers.Go(func() {
				text, err := rest()
				mu.Lock()
				defer mu.Unlock()
				if err == nil && strings.HasSuffix(text, "data: [DONE]\n\n") && strings.Contains(text, fmt.Sprintf("word%d ", c.words-1)) {
					whole++
				} else {
					cut++
				}
			})
		}
		begun := time.Now()
		require.NoError(t, d.cmd.Process.Signal(syscall.SIGTERM))
		require.Eventually(t, func() bool {
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", d.addr)
			if err == nil {
				_ = conn.Close()
			}
			return err != nil
		}, waitFor, time.Millisecond, "nobody new is let in")
		err := d.cmd.Wait()
		took := time.Since(begun)
		require.NoError(t, err, d.log.String())
		answers.Wait()
		if c.whole {
			require.Equal(t, streams, whole, d.log.String())
		} else {
			require.Equal(t, streams, cut)
			require.Contains(t, d.log.String(), "requests were cut off")
		}
		rows.row(streams, c.ends, c.drain.String(), whole, cut, "refused", took, d.cmd.ProcessState.ExitCode())
		d.cmd = nil
	}
}

// TestDrillOrigins: web pages of other origins get nothing, and only those that
// --cors names are told that they may read.
func TestDrillOrigins(t *testing.T) {
	const mine, other = "https://app.example.org", "https://evil.example"
	rows := newTable(t, "--cors", "page of", "request", "status", "may read")
	for _, cors := range []string{"", mine} {
		var args []string
		if cors != "" {
			args = []string{"--cors", cors}
		}
		d := newDrill(t, args...)
		d.start()
		for _, origin := range []string{mine, other} {
			for _, method := range []string{http.MethodOptions, http.MethodGet, http.MethodPost} {
				req, err := http.NewRequestWithContext(t.Context(), method, "http://"+d.addr+"/v1/chats", strings.NewReader("{}"))
				require.NoError(t, err)
				req.Header.Set("Origin", origin)
				req.Header.Set("Sec-Fetch-Site", "cross-site")
				req.Header.Set("Access-Control-Request-Method", "POST")
				resp, err := d.client.Do(req)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				allowed := resp.Header.Get("Access-Control-Allow-Origin")
				if origin == cors {
					require.Equal(t, origin, allowed)
					require.Less(t, resp.StatusCode, 300)
				} else {
					require.Empty(t, resp.Header.Values("Access-Control-Allow-Origin"))
					require.True(t, method == http.MethodGet || resp.StatusCode >= 400, "%s %d", method, resp.StatusCode)
				}
				rows.row(orNone(cors), origin, method, resp.StatusCode, map[bool]string{true: "yes", false: "no"}[allowed != ""])
			}
		}
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// TestDrillTLS streams an answer over HTTPS while the certificate is renewed:
// the stream goes on, who comes now gets the new one.
func TestDrillTLS(t *testing.T) {
	dir, issuer := t.TempDir(), newAuthority(t)
	cert, key := issuer.issue(dir, 7, time.Now().Add(time.Hour))
	address := served(t, "--tls-cert", cert, "--tls-key", key, "--upstream", "local=openai:"+talker(t, 30, 100*time.Millisecond))
	rows := newTable(t, "moment", "certificate", "stream")
	early, first := issuer.client()
	rest, err := listen(t.Context(), early, address)
	require.NoError(t, err)
	rows.row("stream begun", first, "its first word is there")
	issuer.issue(dir, 8, time.Now().Add(time.Hour))
	late, second := issuer.client()
	require.Eventually(t, func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/healthz", http.NoBody)
		require.NoError(t, err)
		resp, err := late.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return second.Int64() == 8
	}, waitFor, 50*time.Millisecond)
	rows.row("certificate renewed", second, "goes on")
	again, third := issuer.client()
	other, err := listen(t.Context(), again, address)
	require.NoError(t, err)
	require.EqualValues(t, 8, third.Int64())
	rows.row("second stream begun", third, "its first word is there")
	for i, one := range []func() (string, error){rest, other} {
		text, err := one()
		require.NoError(t, err)
		require.Contains(t, text, "word29 ")
		require.True(t, strings.HasSuffix(text, "data: [DONE]\n\n"))
		rows.row("end", 7+i, "whole")
	}
}
