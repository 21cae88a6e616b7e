package route_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/internal/schema"
	"inlay/llm"
	"inlay/route"
	"inlay/strategy"
	"inlay/strategy/strategytest"
	"inlay/tokens/tokenstest"
)

func TestConformance(t *testing.T) {
	m, err := llm.NewStatic(llm.StaticOptions{Length: 8192, Counter: tokenstest.Words{}})
	require.NoError(t, err)
	strategytest.Run(t, route.Preprocessor{Router: route.Router{Settings: on()}}, strategy.ExecutionContext{Input: "Read main.go", Model: m})
}

func TestPreprocessor(t *testing.T) {
	p := route.Preprocessor{Router: route.Router{Settings: route.Defaults()}}
	x := strategy.ExecutionContext{Input: "What is a spring tide?", Values: map[string]any{"environment.os": "linux"}}
	r, err := p.Process(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, false, r.Variables["preprocess.route.routed"], "off by default")
	require.Empty(t, r.Variables["preprocess.route.decision"])

	x.Settings = map[string]any{"enable_prompt_preprocessor": true, "route_as": "ask"}
	r, err = p.Process(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, "big", r.Variables["preprocess.route.decision"])
	require.Contains(t, r.Variables["preprocess.route.big.condensed_prompt"], "Operating system: linux")

	x.Input = "Read main.go"
	r, err = p.Process(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, "read_file", r.Variables["preprocess.route.tool.name"])
	require.Equal(t, map[string]any{"path": "main.go"}, r.Variables["preprocess.route.tool.params"])

	x.Input = "Read the attached main.go"
	x.Attachments = []strategy.Attachment{{Attachment: chat.Attachment{Name: "main.go"}}}
	r, err = p.Process(t.Context(), x)
	require.NoError(t, err)
	require.Empty(t, r.Variables["preprocess.route.tool.name"], "it is attached")

	for _, bad := range []map[string]any{{"mood": 1}, {"route_as": "poet"}, {"mode": "ask"}, {"preprocessor_temperature": "hot"}, {"preprocessor_temperature": 9.0}, {"preprocessorTemperature": 0.5}} {
		x.Settings = bad
		_, err = p.Process(t.Context(), x)
		require.True(t, fault.Is(err, fault.Usage), bad)
	}
}

// TestWireSchema: what a model is held to is what OpenAI's strict mode takes
// (every object closed, every property required), names the allowed tools alone,
// and lets no other tool through.
func TestWireSchema(t *testing.T) {
	g := &scripted{name: "openai:gpt-4o-mini", answers: []string{`{"decision":"big","reasoning":"r"}`}}
	req := full(t)
	req.Mode = mode(t, "ask")
	_, err := route.Router{Settings: on(), Decider: route.Model{Generator: g}}.Decide(t.Context(), req)
	require.NoError(t, err)
	wire := g.asked[0].Schema
	var root any
	require.NoError(t, json.Unmarshal(wire, &root))
	var walk func(v any)
	walk = func(v any) {
		if list, ok := v.([]any); ok {
			for _, item := range list {
				walk(item)
			}
		}
		m, ok := v.(map[string]any)
		if !ok {
			return
		}
		if m["type"] == "object" {
			require.Equal(t, false, m["additionalProperties"])
			require.Len(t, m["required"], len(m["properties"].(map[string]any)))
		}
		for key, item := range m {
			require.NotContains(t, []string{"minLength", "maxLength"}, key)
			walk(item)
		}
	}
	walk(root)
	check, err := schema.Compile(wire)
	require.NoError(t, err)
	answer := func(tool string) []byte {
		return []byte(`{"decision":"tool","tool":` + tool + `,"big":null,"reasoning":"r"}`)
	}
	require.NoError(t, check.Check(answer(`{"name":"read_file","params":{"path":"a","start_line":null,"end_line":3}}`)))
	require.NoError(t, check.Check(answer(`{"name":"ask_followup_question","params":{"question":"a","follow_up":["b"]}}`)))
	require.Error(t, check.Check(answer(`{"name":"execute_command","params":{"command":"ls","cwd":null}}`)), "not in this mode")
	require.Error(t, check.Check(answer(`{"name":"read_file","params":{"path":7,"start_line":null,"end_line":null}}`)))
	require.Error(t, check.Check(answer(`{"name":"codebase_search","params":{"query":"x","path":null}}`)), "it is not there")
}
