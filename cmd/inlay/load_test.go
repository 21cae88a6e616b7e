package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
)

// process is a server in a process of its own.
type process struct {
	url string
	pid int
}

// serveApart starts the command's service as a person would.
func serveApart(tb testing.TB, args ...string) process {
	tb.Helper()
	dir := tb.TempDir()
	cmd := command(tb, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "data")}, args...)...)
	out, err := cmd.StdoutPipe()
	require.NoError(tb, err)
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(tb, err)
	cmd.Stderr = log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // the test's context ends before its clean-up
	require.NoError(tb, cmd.Start())
	tb.Cleanup(func() {
		_ = cmd.Wait()
		require.True(tb, cmd.ProcessState.Success())
		require.NoError(tb, log.Close())
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(tb, err)
	return process{regexp.MustCompile(`http://\S+`).FindString(line), cmd.Process.Pid}
}

// small is an upstream of the OpenAI API that answers at once: what is left is
// what inlay adds.
func small(tb testing.TB) *gate {
	tb.Helper()
	g := &gate{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"small","object":"model","created":1,"owned_by":"test"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		g.pass(body)
		w = &firstByte{ResponseWriter: w, gate: g}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, word := range []string{"One", " month", "."} {
			_, _ = fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"small\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":null}]}\n\n", word)
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.WriteString(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"small\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	})
	s := httptest.NewServer(mux)
	tb.Cleanup(s.Close)
	g.url = s.URL
	return g
}

// firstToken asks for a streamed completion and returns when its first token was there.
func firstToken(client *http.Client, url, body string) (at time.Time, err error) {
	resp, err := client.Post(url, "application/json", strings.NewReader(body)) //nolint:noctx // a benchmark
	if err != nil {
		return at, err
	}
	defer func() { _ = resp.Body.Close() }()
	all := bufio.NewScanner(resp.Body)
	all.Buffer(nil, 1<<20)
	for all.Scan() {
		if at.IsZero() && bytes.Contains(all.Bytes(), []byte(`"content":"`)) && !bytes.Contains(all.Bytes(), []byte(`"content":""`)) {
			at = time.Now()
		}
	}
	if resp.StatusCode != http.StatusOK || at.IsZero() {
		return at, fmt.Errorf("status %d, first token %v", resp.StatusCode, at)
	}
	return at, all.Err()
}

const completions = "/v1/chat/completions"

// BenchmarkFirstToken is what the service adds before the first token of a
// chat completion with a file that was asked about before: until the upstream
// has the request, and from its first byte until the client has the token
// (added). Beside it, by turns, the very request that the service sends, prompt
// and all, is sent to the upstream without it (direct), so that through less
// direct is the same once more, with the upstream's own unsteadiness in it.
func BenchmarkFirstToken(b *testing.B) {
	for _, upstream := range []struct {
		name, provider, model, suffix, path string
		gate                                func(testing.TB) *gate
	}{
		{"small", "openai", "small", "/v1", completions, small},
		{"ollama", "ollama", ollamatest.Chat, "", "/api/chat", newGate},
	} {
		b.Run(upstream.name, func(b *testing.B) {
			g := upstream.gate(b)
			s := serveApart(b, "--upstream", "up="+upstream.provider+":"+g.url+upstream.suffix)
			text, err := os.ReadFile("../../testdata/handbook.md")
			require.NoError(b, err)
			id := uploadTo(b, s.url, "handbook.md", string(text))
			settled(b, s.url, id)
			asked := `{"model":%q,"stream":true,"max_tokens":2,"inlay":{"context_length":8192},"messages":[{"role":"user","content":[{"type":"text","text":"How long is the notice period?"},{"type":"file","file":{"file_id":%q}}]}]}`
			through := fmt.Sprintf(asked, upstream.model, id)
			client := &http.Client{}
			_, err = firstToken(client, s.url+completions, through)
			require.NoError(b, err)
			direct := g.request()
			took := map[string][]time.Duration{}
			for b.Loop() {
				start := time.Now()
				at, err := firstToken(client, s.url+completions, through)
				require.NoError(b, err)
				_, came, began := g.last()
				took["added"] = append(took["added"], came.Sub(start)+at.Sub(began))
				took["through"] = append(took["through"], at.Sub(start))
				start = time.Now()
				at, err = firstToken(client, g.url+upstream.path, string(direct))
				require.NoError(b, err)
				took["direct"] = append(took["direct"], at.Sub(start))
			}
			for name, list := range took {
				slices.Sort(list)
				b.ReportMetric(list[len(list)/2].Seconds()*1000, "ms-"+name+"-p50")
				b.ReportMetric(list[len(list)*95/100].Seconds()*1000, "ms-"+name+"-p95")
			}
		})
	}
}

// workload is a mix of what clients do.
type workload struct {
	url    string
	files  []string
	client *http.Client

	mu     sync.Mutex
	count  map[string]int
	failed map[string]int
}

func (w *workload) run(r *rand.Rand, end time.Time) {
	for time.Now().Before(end) {
		id := w.files[r.IntN(len(w.files))]
		question := func(more string) string {
			return fmt.Sprintf(`{"messages":[{"role":"user","text":"How long is the notice period, asks number %d?"}],"files":[{"id":%q}],"context_length":8192%s}`, r.IntN(1000), id, more)
		}
		switch n := r.IntN(100); {
		case n < 50:
			w.do("dry run", "POST", "/v1/preprocess", question(`,"dry_run":true`))
		case n < 60:
			w.do("retrieval", "POST", "/v1/preprocess", question(`,"mode":"retrieval"`))
		case n < 75:
			w.note("completion", func() error {
				_, err := firstToken(w.client, w.url+completions, fmt.Sprintf(`{"model":"small","stream":true,"inlay":{"context_length":8192},"messages":[{"role":"user","content":[{"type":"text","text":"Notice %d?"},{"type":"file","file":{"file_id":%q}}]}]}`, r.IntN(1000), id))
				return err
			}())
		case n < 80:
			w.do("list", "GET", "/v1/files?limit=20", "")
		case n < 90:
			w.uploadAndDelete(r)
		case n < 95:
			w.chat(question)
		default:
			w.do("metrics", "GET", "/metrics", "")
		}
	}
}

// uploadAndDelete keeps a file for a moment.
func (w *workload) uploadAndDelete(r *rand.Rand) {
	body := fmt.Sprintf("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"note.txt\"\r\n\r\nNote %d: the tide is high.\r\n--b--\r\n", r.Uint64())
	if id := idIn(w.do("upload", "POST", "/v1/files", body, "multipart/form-data; boundary=b")); id != "" {
		w.do("delete", "DELETE", "/v1/files/"+id, "")
	}
}

// chat is one that the service keeps, with one turn.
func (w *workload) chat(question func(string) string) {
	if id := idIn(w.do("new chat", "POST", "/v1/chats", "{}")); id != "" {
		w.do("turn", "POST", "/v1/preprocess", question(fmt.Sprintf(`,"chat_id":%q`, id)))
		w.do("delete chat", "DELETE", "/v1/chats/"+id, "")
	}
}

func idIn(answer string) string {
	_, rest, _ := strings.Cut(answer, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

func (w *workload) do(name, method, path, body string, kind ...string) (answer string) {
	w.note(name, func() error {
		req, err := http.NewRequest(method, w.url+path, strings.NewReader(body)) //nolint:noctx // it ends with the server
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", append(kind, "application/json")[0])
		resp, err := w.client.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }()
		data, err := io.ReadAll(resp.Body)
		answer = string(data)
		if err == nil && resp.StatusCode >= 300 {
			err = fmt.Errorf("%d %s", resp.StatusCode, answer)
		}
		return err
	}())
	return answer
}

func (w *workload) note(name string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count[name]++
	if err != nil {
		w.failed[name+": "+err.Error()]++
	}
}

func (w *workload) summary() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	done, failed := 0, 0
	for _, n := range w.count {
		done += n
	}
	for _, n := range w.failed {
		failed += n
	}
	return fmt.Sprintf("%d requests, %d errors", done, failed)
}

func firstOf(t *testing.T, path string) string {
	t.Helper()
	data, _ := os.ReadFile(path)
	first, _, _ := strings.Cut(string(data), " ")
	return first
}
