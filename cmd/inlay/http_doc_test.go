package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
)

// TestHTTPDocument runs every command of docs/http.md in order against a server
// and compares what comes back with what the page shows: fields, their types,
// and the words that are the same for everyone. Every route of the service must
// have been run by then.
func TestHTTPDocument(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	if testing.Short() {
		t.Skip("not in short runs, which are those under the race detector: internal/httpapi calls every route there")
	}
	t.Run("scripted model", func(t *testing.T) { httpDocument(t, "openai:"+scriptedModel(t), "llama3.2") })
	t.Run("ollama", func(t *testing.T) { httpDocument(t, "ollama:"+ollamatest.Real(t), ollamatest.Chat+":latest") })
}

// scriptedModel is a server of models with one answer.
func scriptedModel(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.HasSuffix(r.URL.Path, "/models"):
			_, _ = io.WriteString(w, `{"data": [{"id": "llama3.2"}]}`)
		case !strings.HasSuffix(r.URL.Path, "/chat/completions"):
			http.NotFound(w, r)
		case strings.Contains(string(body), `"stream":true`):
			_, _ = io.WriteString(w, `data: {"id":"x","choices":[{"index":0,"delta":{"content":"Two months."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		default:
			_, _ = io.WriteString(w, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"It is four weeks [1]."},"finish_reason":"stop"}]}`)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// docBlock is a fenced block.
type docBlock struct {
	kind, text string
	line       int
}

var fenced = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

func docBlocks(t *testing.T, path string) (list []docBlock) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, m := range fenced.FindAllSubmatchIndex(data, -1) {
		list = append(list, docBlock{string(data[m[2]:m[3]]), string(data[m[4]:m[5]]), 1 + strings.Count(string(data[:m[0]]), "\n")})
	}
	return list
}

func httpDocument(t *testing.T, upstream, model string) {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	var key strings.Builder
	require.NoError(t, run(t.Context(), []string{"keys", "make", "ann", "--scope", "admin", "--data", data}, func(string) string { return "" }, strings.NewReader(""), &key, io.Discard))
	secret := regexp.MustCompile(`inlay_\w+`).FindString(key.String())
	address := served(t, "--data", data, "--upstream", "local="+upstream, "--context-length", "0")
	handbook, err := os.ReadFile("../../testdata/handbook.md")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "handbook.md"), handbook, 0o600))

	require.NoError(t, os.WriteFile(filepath.Join(dir, "lease.pdf"), lease(), 0o600))

	same := map[string]string{"http://127.0.0.1:8765": address, "inlay_7c7yk3n5x4": secret, "llama3.2": model}
	blocks := docBlocks(t, "../../docs/http.md")
	for i, b := range blocks {
		if b.kind != "sh" {
			continue
		}
		at := fmt.Sprintf("docs/http.md:%d", b.line)
		require.Contains(t, []string{"json", "text"}, blocks[i+1].kind, "%s shows no answer", at)
		out := curl(t, dir, secret, translated(b.text, same))
		shown := blocks[i+1]
		if shown.kind == "text" {
			inOrder(t, at, shown.text, out, same)
			continue
		}
		if strings.Contains(shown.text, `"state": "ready"`) { // reading takes a while
			for end := time.Now().Add(waitFor); strings.Contains(out, `"uploaded"`) && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				out = curl(t, dir, secret, translated(b.text, same))
			}
		}
		if strings.Contains(shown.text, `"object": "vector_store`) && strings.Contains(shown.text, `"status": "completed"`) {
			for end := time.Now().Add(waitFor); strings.Contains(out, `"status":"in_progress"`) && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				out = curl(t, dir, secret, translated(b.text, same))
			}
		}
		var want, got any
		require.NoError(t, json.Unmarshal([]byte(shown.text), &want), at)
		require.NoError(t, json.Unmarshal([]byte(out), &got), "%s: %s", at, out)
		sameShape(t, at, want, got, same)
	}
	everyRouteRan(t, address)
}

// lease is a PDF with one line.
func lease() []byte {
	const shown = "BT /F 12 Tf 72 700 Td (The lease ends in May.) Tj ET"
	return fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 612 792]>>endobj\n"+
		"3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n4 0 obj<</Length %d>>stream\n%s\nendstream endobj\n"+
		"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n%%%%EOF\n", len(shown), shown)
}

func curl(t *testing.T, dir, key, command string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), waitFor)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-ec", strings.ReplaceAll(command, "curl ", "curl -sS "))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "KEY="+key, "no_proxy=127.0.0.1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", command, out)
	return string(out)
}

// translated puts what is so in this run in the place of what the page has.
func translated(text string, same map[string]string) string {
	for shown, is := range same {
		text = strings.ReplaceAll(text, shown, is)
	}
	return text
}

// inOrder finds the lines of the page, each as the beginning of something, one
// after the other.
func inOrder(t *testing.T, at, shown, out string, same map[string]string) {
	t.Helper()
	rest := out
	for line := range strings.Lines(shown) {
		line = translated(strings.TrimSpace(line), same)
		i := strings.Index(rest, line)
		require.GreaterOrEqual(t, i, 0, "%s: no %q in\n%.2000s", at, line, rest)
		rest = rest[i+len(line):]
	}
}

// literal are the fields whose values are the same for everyone.
var literal = regexp.MustCompile(`^(object|schema|code|title|type|status|subject|strategy|reason_code|deleted|filename|purpose|questions|answerable)$`)

// sameShape holds what is shown against what came: every field that is shown is
// there and of its type. Ids are learnt.
func sameShape(t *testing.T, at string, want, got any, same map[string]string) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		is, ok := got.(map[string]any)
		require.True(t, ok, "%s: %v is not an object", at, got)
		for name, value := range want {
			require.Contains(t, is, name, at)
			shown, text := value.(string)
			if id, ok := is[name].(string); name == "id" && text && ok && strings.ContainsAny(shown, "-_") && !strings.Contains(shown, "builtin.") {
				if known, seen := same[shown]; seen {
					require.Equal(t, known, id, at)
				}
				same[shown] = id
			}
			if literal.MatchString(name) && value != "uploaded" && value != "queued" {
				require.Equal(t, value, is[name], "%s: %s", at, name)
			}
			sameShape(t, at+" "+name, value, is[name], same)
		}
	case []any:
		is, ok := got.([]any)
		require.True(t, ok, "%s: %v is not a list", at, got)
		for i := range want {
			require.Greater(t, len(is), i, at)
			sameShape(t, at, want[i], is[i], same)
		}
	default:
		require.IsType(t, want, got, at)
	}
}

// everyRouteRan asks the server itself which routes it has and which it served.
func everyRouteRan(t *testing.T, address string) {
	t.Helper()
	get := func(path string) string {
		resp, err := http.Get(address + path) //nolint:noctx // a server of this test
		require.NoError(t, err)
		defer func() { _ = resp.Body.Close() }()
		data, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return string(data)
	}
	var spec struct {
		Paths map[string]map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(get("/openapi.json")), &spec))
	counted := strings.ReplaceAll(get("/metrics"), "...", "")
	n := 0
	for path, methods := range spec.Paths {
		for method := range methods {
			line := fmt.Sprintf(`inlay_requests_total{method=%q,route=%q,status="`, strings.ToUpper(method), path)
			require.Contains(t, counted, line, "docs/http.md does not show this route")
			n++
		}
	}
	require.GreaterOrEqual(t, n, 30)
}
