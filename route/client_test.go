package route_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/route"
	"inlay/tokens/tokenstest"
)

// pirate is who a client says the model is, with its tools in a section of their own.
const pirate = `You are Captain Ada, who answers sailors in rhymes.

# Rules

Never name prices. Answer in Dutch.

# Tools

## read_file
Reads a file. Parameters: path.

## search_files
Searches files. Parameters: path, regex.

# About the harbour

The harbour opens at six.
`

// offer is a client with tools of the router's and one of its own.
func offer(foreign ...string) *route.Client {
	c := &route.Client{}
	for _, t := range route.Tools() {
		definition, _ := json.Marshal(map[string]any{"type": "function", "function": map[string]any{"name": t.Name, "description": t.Description, "parameters": t.Schema}})
		c.Tools = append(c.Tools, route.ClientTool{Name: t.Name, Description: t.Description, Schema: t.Schema, Definition: string(definition)})
	}
	for _, f := range foreign {
		name, about, _ := strings.Cut(f, ": ")
		c.Tools = append(c.Tools, route.ClientTool{Name: name, Description: about, Definition: `{"type": "function", "function": {"name": "` + name + `"}}`})
	}
	return c
}

func asked(tb testing.TB, c *route.Client, system, ask string, attached ...string) route.Outcome {
	tb.Helper()
	r := route.Router{Settings: on(), CodebaseSearch: true, Counter: tokenstest.Words{}}
	out, err := r.Decide(tb.Context(), route.Request{
		System: system, Messages: []chat.Message{{Role: chat.User, Text: ask}}, Mode: mode(tb, "code"), Client: c, Attached: attached,
	})
	require.NoError(tb, err)
	return out
}

// TestClientsOwnTools: tools that the router does not know stay, and an ask that
// may need one goes on with the whole catalogue and prompt.
func TestClientsOwnTools(t *testing.T) {
	c := offer("get_weather: Current weather and forecast for a city. Longitude is optional.", "bookBerth: Reserves a berth for a boat.")
	for ask, want := range map[string]route.Code{
		"What's the weather in Hamburg tomorrow?": route.OfClient,
		"Please book a berth for Saturday":        route.OfClient,
		"Search for a free berth":                 route.OfClient,
		"What is a mutex?":                        route.Conceptual,
		"Read src/tide.go":                        route.ByTool,
		"Order a pizza":                           route.Unsure,
	} {
		out := asked(t, c, pirate, ask)
		require.Equal(t, want, out.Code, ask)
		require.True(t, out.Keeps("get_weather"), ask)
		require.True(t, out.Keeps("bookBerth"), ask)
		if want == route.OfClient || want == route.Unsure {
			require.Equal(t, pirate, out.System, ask)
			require.True(t, out.Keeps("read_file"), ask)
			require.Equal(t, out.Full, out.Sent)
			require.Zero(t, out.Saved)
		}
		if want == route.Conceptual {
			require.False(t, out.Keeps("read_file"), ask)
			require.Positive(t, out.Saved)
			require.Equal(t, out.Full-out.Sent, out.Saved)
			require.NotContains(t, out.System, "## read_file")
		}
	}
}

// TestClientsChoiceOfTool: where the client names the tool, or forbids all,
// there is nothing to decide.
func TestClientsChoiceOfTool(t *testing.T) {
	for choice, routed := range map[string]bool{"": true, "auto": true, "none": false, "required": false, "read_file": false} {
		c := offer()
		c.ToolChoice = choice
		out := asked(t, c, pirate, "Read src/tide.go")
		require.Equal(t, routed, out.Routed, choice)
		if !routed {
			require.Equal(t, route.Forced, out.Code)
			require.Equal(t, pirate, out.System)
		}
	}
}

// TestClientLacksTheTool: a proposal that the client could not run, because it
// has no such tool or one that takes something else, is none.
func TestClientLacksTheTool(t *testing.T) {
	only := &route.Client{Tools: []route.ClientTool{{Name: "list_files"}}}
	out := asked(t, only, pirate, "Read src/tide.go")
	require.NotEqual(t, route.ByTool, out.Code)
	require.Equal(t, pirate, out.System)

	other := &route.Client{Tools: []route.ClientTool{{
		Name:   "read_file",
		Schema: json.RawMessage(`{"type":"object","required":["files"],"properties":{"files":{"type":"array"}},"additionalProperties":false}`),
	}}}
	out = asked(t, other, pirate, "Read src/tide.go")
	require.Equal(t, route.NoTool, out.Code)
	require.Equal(t, pirate, out.System)
	require.True(t, out.Keeps("read_file"))

	out = asked(t, &route.Client{}, pirate, "Read src/tide.go")
	require.Equal(t, route.ToBig, out.Decision.Decision, "a client without tools")
}

// TestCondense: what a client says about the model stays, only sections about
// tools go.
func TestCondense(t *testing.T) {
	short := route.Condense(pirate, nil)
	for _, kept := range []string{"You are Captain Ada", "Never name prices. Answer in Dutch.", "The harbour opens at six."} {
		require.Contains(t, short, kept)
	}
	require.NotContains(t, short, "## read_file")
	require.Contains(t, route.Condense(pirate, []string{"search_files"}), "## search_files", "a section about a tool that stays")

	for name, whole := range map[string]string{
		"no sections":        "You are a poet. Use the tools wisely.\nNever swear.",
		"empty":              "",
		"nothing but tools":  "# Tools\n\n## read_file\nReads.",
		"heading in a fence": "Write like this:\n```\n# Tools\nx\n```\nAlways.",
		"other headings":     "# Toolbox talk\n\nBe kind.\n\n# Functions of the board\n\nIt votes.",
		"open element":       "<tools>\nNever swear.\n",
	} {
		require.Equal(t, whole, route.Condense(whole, nil), name)
	}
	require.Equal(t, "You are Ada.\n\nNever swear.\n", route.Condense("You are Ada.\n\n<tools>\n{\"name\":\"read_file\"}\n</tools>\nNever swear.\n", nil))
	blocks := "You are Ada.\n\n====\n\nTOOL USE\n\nUse XML.\n\n# Tools\n\n## read_file\nReads.\n\n====\n\nRULES\n\nNever swear.\n"
	require.Equal(t, "You are Ada.\n\n====\n\nRULES\n\nNever swear.\n", route.Condense(blocks, nil))

	built, err := route.Build(route.Prompt{Mode: mode(t, "code"), Tools: route.Tools(), Environment: route.Environment{OS: "linux"}})
	require.NoError(t, err)
	condensed, err := route.Build(route.Prompt{Mode: mode(t, "code"), Environment: route.Environment{OS: "linux"}, Condensed: true})
	require.NoError(t, err)
	require.Equal(t, condensed, route.Condense(built, nil), "the router's own prompt comes to its own condensed one")
}

// TestWhoTheModelIs: no prompt of the router's takes the place of a client's.
func TestWhoTheModelIs(t *testing.T) {
	for _, ask := range []string{"What is a mutex?", "Hello", "Order a pizza", "Explain tides to me"} {
		for _, system := range []string{pirate, "You are Ada.", ""} {
			out := asked(t, offer(), system, ask)
			require.NotContains(t, out.System, "software engineer")
			if system != "" {
				first, _, _ := strings.Cut(system, "\n")
				require.True(t, strings.HasPrefix(out.System, first), "%q: %q", ask, out.System)
			}
		}
	}
}

// TestAttachedFiles: what came with the message is not read again.
func TestAttachedFiles(t *testing.T) {
	out := asked(t, offer(), pirate, "Read the attached contract.txt and tell me the notice period", "contract.txt")
	require.Equal(t, route.Attached, out.Code)
	require.Nil(t, out.Decision.Tool)
	require.Equal(t, "Read the attached contract.txt and tell me the notice period", out.Messages[0].Text)

	out = asked(t, offer(), pirate, "Read docs/contract.txt", "contract.txt")
	require.Equal(t, "read_file", out.Decision.Tool.Name, "another file of that name")
	out = asked(t, offer(), pirate, "Where is the rent?", "lease.pdf")
	require.Nil(t, out.Decision.Tool)
	require.Equal(t, pirate, out.System, "not sure, so nothing is left out")

	g := &scripted{name: "openai:x", answers: []string{`{"decision":"tool","tool":{"name":"read_file","params":{"path":"contract.txt"}},"reasoning":"r"}`}}
	r := route.Router{Settings: on(), Decider: route.Model{Generator: g}}
	out, err := r.Decide(t.Context(), route.Request{System: pirate, Ask: "What is the notice period?", Mode: mode(t, "code"), Attached: []string{"contract.txt"}})
	require.NoError(t, err)
	require.Equal(t, route.Attached, out.Code, "whoever decides")
}

// TestWhatWasInjectedGoesOn: the newest message goes to the model as it was sent,
// with what was injected into it, and so does a conversation that has no room in
// a short context.
func TestWhatWasInjectedGoesOn(t *testing.T) {
	r := route.Router{Settings: on(), CodebaseSearch: true, Counter: tokenstest.Words{}}
	injected := chat.Message{Role: chat.User, Text: "<file contract.txt>\nThe notice period is six weeks.\n</file>\n\nWhat does the attached file say about notice?"}
	req := route.Request{
		System: pirate, Ask: "What does the attached file say about notice?", Messages: []chat.Message{injected},
		Mode: mode(t, "code"), Client: offer(), Attached: []string{"contract.txt"},
	}
	out, err := r.Decide(t.Context(), req)
	require.NoError(t, err)
	require.True(t, out.Decision.Big.UseCondensedPrompt)
	require.Equal(t, []chat.Message{injected}, out.Messages)

	answer := chat.Message{Role: chat.Assistant, Text: strings.Repeat("Six weeks, to the end of a month. ", 40)}
	req.Messages = []chat.Message{injected, answer, {Role: chat.User, Text: "Translate the attached text into French"}}
	req.Ask = ""
	out, err = r.Decide(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, req.Messages, out.Messages)
	require.NotContains(t, out.System, "Six weeks")
}

// TestEditsAreExact: a change is proposed only of text that was read and is there
// once; of a word that a file has for something else, none is.
func TestEditsAreExact(t *testing.T) {
	r := route.Router{Settings: on(), CodebaseSearch: true}
	for name, c := range map[string]struct {
		ask, text string
		want      string // the tool, or big
		diff      string // part of it
	}{
		"a word of the language":  {"Change package to tides", "package tide\n\nfunc High() {}\n", "big", ""},
		"a plain word":            {"Change name to ada", "name of the ship\n", "big", ""},
		"a value":                 {"Change port = 8080 to port = 9090", "port = 8080\n", "apply_diff", "port = 9090"},
		"quoted":                  {`Replace "tide" with "tides"`, "package tide\n", "apply_diff", "package tides"},
		"within a word":           {`Replace "id" with "key"`, "width = 3\n", "big", ""},
		"twice":                   {"Change 8080 to 9090", "a = 8080\nb = 8080\n", "big", ""},
		"numbered lines":          {"Change port = 8080 to port = 9090", "1 | # x\n2 | port = 8080\n3 | y\n", "apply_diff", "SEARCH\nport = 8080\n"},
		"not there":               {`Replace "a1" with "b1"`, "nothing\n", "big", ""},
		"numbers that are no one": {"Change 80: web to 81: web", "80: web\n22: ssh\n", "apply_diff", "SEARCH\n80: web\n"},
	} {
		out, err := r.Decide(t.Context(), route.Request{System: "s", Ask: c.ask, Mode: mode(t, "code"), Last: &route.Last{Tool: "read_file", Path: "x.txt", Preview: c.text}})
		require.NoError(t, err)
		if c.want == "big" {
			require.Nil(t, out.Decision.Tool, "%s: %+v", name, out.Decision.Tool)
			require.True(t, out.Decision.Big.NeedsTools, name)
			continue
		}
		require.NotNil(t, out.Decision.Tool, name)
		require.Equal(t, c.want, out.Decision.Tool.Name, name)
		require.Contains(t, out.Decision.Tool.Params["diff"], c.diff, name)
	}
}

// TestModelsEditsAreExact holds the diffs of a deciding model to what was read.
func TestModelsEditsAreExact(t *testing.T) {
	for name, c := range map[string]struct {
		diff, want, asks string
	}{
		"exact":         {"<<<<<<< SEARCH\nport = 8080\n=======\nport = 9090\n>>>>>>> REPLACE", "apply_diff", ""},
		"with a line":   {"<<<<<<< SEARCH\n:start_line:1\n-------\nport = 8080\n=======\nport = 9090\n>>>>>>> REPLACE", "apply_diff", ""},
		"unified":       {"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-port = 8080\n+port = 9090\n name = x", "apply_diff", ""},
		"made up":       {"<<<<<<< SEARCH\nport = 80\n\n=======\nport = 9090\n>>>>>>> REPLACE", route.Followup, "not what was read"},
		"unified, else": {"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-port = 1\n+port = 9090", route.Followup, "not what was read"},
		"no form":       {"port = 9090", route.Followup, "does not say which text"},
		"ambiguous":     {"<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE", route.Followup, "2 times"},
	} {
		answer, err := json.Marshal(map[string]any{"decision": "tool", "reasoning": "r", "tool": map[string]any{"name": "apply_diff", "params": map[string]any{"path": "./x.conf", "diff": c.diff}}})
		require.NoError(t, err)
		g := &scripted{name: "openai:x", answers: []string{string(answer)}}
		out, err := route.Router{Settings: on(), Decider: route.Model{Generator: g}}.Decide(t.Context(), route.Request{
			System: "s", Ask: "Change the port", Mode: mode(t, "code"), Last: &route.Last{Tool: "read_file", Path: "x.conf", Preview: "port = 8080\nname = x\ny = x\n"},
		})
		require.NoError(t, err)
		require.Equal(t, c.want, out.Decision.Tool.Name, name)
		if c.asks != "" {
			require.Contains(t, out.Decision.Tool.Params["question"], c.asks, name)
			require.Equal(t, route.Asks, out.Code)
		}
	}
}

// TestSearchOrders: what is to be searched is searched for, in the workspace.
func TestSearchOrders(t *testing.T) {
	out := asked(t, nil, "s", "find usages of ParseConfig")
	require.Equal(t, map[string]any{"path": ".", "regex": "ParseConfig"}, out.Decision.Tool.Params)
	out = asked(t, nil, "s", "search for tide computation")
	require.Equal(t, "codebase_search", out.Decision.Tool.Name)
	require.Equal(t, "search for tide computation", out.Decision.Tool.Params["query"])
}

// FuzzCondense: what is left of a prompt are its own lines in their order, and
// nothing more goes the second time.
func FuzzCondense(f *testing.F) {
	for _, seed := range []string{pirate, "====\n\nTOOL USE\n\nx\n\n====\n\nRULES\n\ny", "<tools>\na\n</tools>\nb", "# Tools\n```\n# Rules\n```\n# Rules\nz"} {
		f.Add(seed, "read_file")
	}
	f.Fuzz(func(t *testing.T, system, keep string) {
		short := route.Condense(system, []string{keep})
		require.Equal(t, short, route.Condense(short, []string{keep}))
		rest := strings.Split(system, "\n")
		for line := range strings.SplitSeq(strings.TrimSpace(short), "\n") {
			at := slices.IndexFunc(rest, func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(line) })
			require.GreaterOrEqual(t, at, 0, "%q is not of the prompt", line)
			rest = rest[at+1:]
		}
	})
}
