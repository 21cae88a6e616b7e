package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
	"inlay/route"
)

// TestDrillRoute sends turns of OpenAI's client, with the tools of a coding
// assistant and one that the router does not know, to two servers in front of a
// real Ollama, one of which routes. It counts what the model was sent, and the
// asks that routing harmed. The short form is 12 turns, the drill 200.
func TestDrillRoute(t *testing.T) {
	server := ollamatest.Real(t)
	n := 12
	if *drilled {
		n = 200
	}
	turns := routedTurns(t, n)
	plain, _ := runRouted(t, server, turns, "--context-length", "16384")
	routed, harm := runRouted(t, server, turns, "--context-length", "16384", "--enable-prompt-preprocessor")
	for _, h := range harm {
		t.Log(h)
	}
	if !*drilled {
		require.Less(t, routed.tokens, plain.tokens)
		require.Empty(t, slices.DeleteFunc(harm, func(h string) bool { return !strings.HasPrefix(h, "lost") }))
	}
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "turns\tcalls of the model\tprompt tokens\tproposed\tcondensed\twhole\tharmed\n")
	_, _ = fmt.Fprintf(w, "off\t%d\t%d\t\t\t%d\t\n", plain.calls, plain.tokens, len(turns))
	_, _ = fmt.Fprintf(w, "on\t%d\t%d\t%d\t%d\t%d\t%d\n", routed.calls, routed.tokens, routed.proposed, routed.condensed, routed.whole, len(harm))
	require.NoError(t, w.Flush())
	t.Logf("%d turns, %.0f %% of the prompt tokens saved\n%s", len(turns), 100-100*float64(routed.tokens)/float64(plain.tokens), out.String())
}

// routedTurn is an ask and what is right for it.
type routedTurn struct{ ask, want string }

const unknownTool = "get_weather"

// routedTurns are n asks of people who could not know the rules; every tenth
// needs the tool that the router does not know.
func routedTurns(t *testing.T, n int) (turns []routedTurn) {
	t.Helper()
	places := []string{"Bremen", "Oslo", "Harlingen", "Turku", "Gdynia"}
	for _, name := range []string{"seed-e", "seed-f"} {
		data, err := os.ReadFile("../../route/testdata/" + name + ".txt")
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			f := strings.Split(strings.TrimSpace(line), " | ")
			if strings.HasPrefix(line, "#") || len(f) != 4 || f[0] == "ask" || f[1] != "-" {
				continue
			}
			if len(turns)%10 == 9 {
				turns = append(turns, routedTurn{"What is the weather like in " + places[len(turns)/10%len(places)] + " tomorrow?", unknownTool})
			}
			turns = append(turns, routedTurn{strings.ReplaceAll(f[2], `\n`, "\n"), f[3]})
		}
	}
	step := max(1, len(turns)/n)
	picked := turns[:0]
	for i := 0; i < len(turns) && len(picked) < n; i += step {
		picked = append(picked, turns[i])
	}
	return picked
}

// routedSum is what a server's turns came to.
type routedSum struct{ calls, tokens, proposed, condensed, whole int }

// runRouted sends the turns to a server and says which of them were harmed: a
// wrong tool was proposed, or what the turn needed did not reach the model.
func runRouted(t *testing.T, server string, turns []routedTurn, args ...string) (sum routedSum, harm []string) {
	t.Helper()
	rec := &recorder{}
	address := served(t, append([]string{"--upstream", "local=ollama:" + rec.before(t, server)}, args...)...)
	client := openai.NewClient(option.WithBaseURL(address+"/v1"), option.WithAPIKey("any"), option.WithMaxRetries(0))
	for _, turn := range turns {
		rec.clear()
		call, outcome := oneRouted(t.Context(), t, client, turn.ask, &sum)
		sent := rec.tools()
		switch {
		case call != "":
			sum.proposed++
		case outcome.Decision != nil && outcome.Decision.Big != nil && outcome.Decision.Big.UseCondensedPrompt:
			sum.condensed++
		default:
			sum.whole++
		}
		if why := harmed(turn, call, outcome, sent); why != "" {
			harm = append(harm, fmt.Sprintf("%s: %q wants %s, got %s, tools sent %v", why, turn.ask, turn.want, call, sent))
		}
	}
	return sum, harm
}

// oneRouted makes a turn. call is the tool that inlay proposed, with its
// parameters, empty where the model was asked.
func oneRouted(ctx context.Context, t *testing.T, client openai.Client, ask string, sum *routedSum) (call string, out route.Outcome) {
	t.Helper()
	answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model: ollamatest.Tools, MaxTokens: openai.Int(16), Tools: clientTools(),
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(clientPrompt), openai.UserMessage(ask)},
	})
	require.NoError(t, err, ask)
	var detail struct {
		Route *route.Outcome `json:"route"`
	}
	require.NoError(t, json.Unmarshal([]byte(answer.JSON.ExtraFields["inlay"].Raw()), &detail))
	if detail.Route != nil {
		out = *detail.Route
	}
	if out.Decision != nil && out.Decision.Tool != nil {
		f := answer.Choices[0].Message.ToolCalls[0].Function
		return f.Name + " " + f.Arguments, out
	}
	sum.calls++
	sum.tokens += int(answer.Usage.PromptTokens)
	return "", out
}

// harmed says how a routed turn is worse than one that was not routed.
func harmed(turn routedTurn, call string, out route.Outcome, sent []string) string {
	fine := func(right string) bool { // without a proposal: the model has what it needs
		tool := strings.Fields(right)[0]
		return tool == "big" || slices.Contains(sent, tool)
	}
	switch {
	case call == "" && !slices.Contains(sent, unknownTool):
		return "lost the client's tool"
	case call != "" && !rightCall(turn.want, out.Decision.Tool):
		return "wrong tool"
	case call == "" && !slices.ContainsFunc(strings.Split(turn.want, " || "), fine):
		return "lost the catalogue"
	}
	return ""
}

// rightCall compares a call with what is right, where alternatives are separated by ||.
func rightCall(want string, tool *route.Call) bool {
	for one := range strings.SplitSeq(want, " || ") {
		name, params, _ := strings.Cut(one, " ")
		good := name == tool.Name
		for pair := range strings.SplitSeq(params, ";") {
			key, value, named := strings.Cut(pair, "=")
			got := fmt.Sprint(tool.Params[key])
			good = good && (!named || got == value || key == "path" && path.Clean(got) == path.Clean(value))
		}
		if good {
			return true
		}
	}
	return false
}

const clientPrompt = "You are Harbour Copilot, an assistant for the harbour's developers. Answer in short sentences. Never touch files below deploy/secrets. " +
	"Ask before you delete anything, and say which files you changed.\n\n# Tools\n\nUse one tool per message and wait for its result before you go on."

// clientTools are the router's tools as a client declares them, and one of its own.
func clientTools() (tools []openai.ChatCompletionToolUnionParam) {
	for _, tool := range route.Tools() {
		var parameters shared.FunctionParameters
		if err := json.Unmarshal(tool.Schema, &parameters); err != nil {
			panic(err) // a constant of the package
		}
		tools = append(tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: tool.Name, Description: openai.String(tool.Description), Parameters: parameters}))
	}
	return append(tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name: unknownTool, Description: openai.String("The weather forecast of a place."),
		Parameters: shared.FunctionParameters{"type": "object", "properties": map[string]any{"place": map[string]any{"type": "string"}}},
	}))
}

// recorder keeps what a server of models was sent.
type recorder struct {
	mu     sync.Mutex
	bodies [][]byte
}

// before puts the recorder before a server and returns its address.
func (r *recorder) before(t *testing.T, server string) string {
	t.Helper()
	target, err := url.Parse(server)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		req.Body = io.NopCloser(bytes.NewReader(body))
		if req.URL.Path == "/api/chat" {
			r.mu.Lock()
			r.bodies = append(r.bodies, body)
			r.mu.Unlock()
		}
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func (r *recorder) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bodies = nil
}

// tools are the names of those in the newest call that has any.
func (r *recorder) tools() (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, body := range slices.Backward(r.bodies) {
		var sent struct {
			Tools []struct {
				Function struct{ Name string }
			}
		}
		if json.Unmarshal(body, &sent) != nil || len(sent.Tools) == 0 {
			continue
		}
		for _, tool := range sent.Tools {
			names = append(names, tool.Function.Name)
		}
		return names
	}
	return nil
}
