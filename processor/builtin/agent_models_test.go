package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
	"inlay/processor"
	"inlay/processor/builtin"
	"inlay/tokens"
)

// TestFallbackFitsItsOwnWindow: a conversation that fits the first model's
// window is made to fit that of the one that answers in its place, and the rest
// of the turn stays there.
func TestFallbackFitsItsOwnWindow(t *testing.T) {
	down := &fault.Error{Code: fault.ModelNotFound, Subject: "m"}
	first := &scripted{Measurer: named{measurer(t, 16000), "first"}, errs: []error{down}}
	second := &scripted{Measurer: named{measurer(t, 2500), "second"}, answers: []llm.Answer{call("1", "list_directory", `{"path":"."}`), {Text: "done"}}}
	a := agent(t, folder(t, map[string]string{"a.md": "Alpha.\n"}), "processors: {llm_steps: [{name: ModelFallbackStep, options: {models: [second]}}]}", first, second)
	c := &processor.Conversation{}
	for i := range 30 {
		c.Messages = append(c.Messages, processor.Say(chat.User, processor.FromHistory,
			fmt.Sprintf("Question %d. %s", i, strings.Repeat("All work and no play. ", 30))), processor.Say(chat.Assistant, processor.FromModel,
			"Yes."))
	}
	reply, err := a.Turn(t.Context(), &processor.Turn{}, c, "now")
	require.NoError(t, err)
	require.Equal(t, "done", reply.Text)
	require.Len(t, first.asked, 1, "the rest of the turn is the second's")
	require.Len(t, second.asked, 2)
	count, err := first.CountMessages(t.Context(), first.asked[0].Messages)
	require.NoError(t, err)
	require.Greater(t, count.N, 2500)
	for _, r := range second.asked {
		count, err := second.CountMessages(t.Context(), r.Messages)
		require.NoError(t, err)
		require.LessOrEqual(t, count.Budgeted(), 2500)
	}
}

// away is a model whose server does not say how long its window is.
type away struct{ *scripted }

func (away) Length(context.Context) (tokens.Count, error) {
	return tokens.Count{}, &fault.Error{Code: fault.BackendUnreachable, Subject: "first", Reason: "no server answers"}
}

// TestModelThatIsNotThere: the turn goes to the fallback when the first cannot
// even be measured; alone, the error is the server's.
func TestModelThatIsNotThere(t *testing.T) {
	first := away{&scripted{Measurer: named{measurer(t, 16000), "first"}}}
	second := &scripted{Measurer: named{measurer(t, 16000), "second"}, answers: []llm.Answer{{Text: "from the second"}}}
	tr := &processor.Turn{}
	reply, err := agent(t, folder(t, nil), "", first, second).Turn(t.Context(), tr, &processor.Conversation{}, "hi")
	require.NoError(t, err)
	require.Equal(t, "from the second", reply.Text)
	require.Equal(t, "backend_unreachable: first cannot be measured, the next model is asked", tr.Trace()[0].Reason)
	_, err = agent(t, folder(t, nil), "", first).Turn(t.Context(), &processor.Turn{}, &processor.Conversation{}, "hi")
	require.EqualError(t, err, "first: no server answers")
}

// TestCallsOfOneID: a model that gives two calls one id, or none, or uses an id
// of an earlier step again, reads the result of each.
func TestCallsOfOneID(t *testing.T) {
	twice := llm.Answer{ToolCalls: []chat.ToolCall{
		{ID: "c", Name: "read_file", Arguments: `{"path":"a.md"}`},
		{ID: "c", Name: "read_file", Arguments: `{"path":"b.md"}`},
		{Name: "list_directory", Arguments: `{"path":"."}`},
	}}
	m := &scripted{Measurer: measurer(t, 16000), answers: []llm.Answer{twice, twice, {Text: "done"}}}
	tr := turn(t, 16000)
	_, err := agent(t, folder(t, map[string]string{"a.md": "Alpha.\n", "b.md": "Beta.\n"}), "", m).Turn(t.Context(), tr, &processor.Conversation{}, "go")
	require.NoError(t, err)
	got := results(m.asked[2])
	require.Equal(t, map[string]string{"c": "Alpha.\n", "c_2": "Beta.\n", "call_2": "a.md\nb.md", "c_3": "Alpha.\n", "c_4": "Beta.\n", "call_3": "a.md\nb.md"}, got)
	requirePaired(t, m.asked[2].Messages)
	require.NotContains(t, notes(tr), "pairs_mended")
}

// TestOneSystemMessage: a summary is in the message that holds the
// surroundings, since many templates know one system message; and names in a
// listing can neither break its lines nor turn them round.
func TestOneSystemMessage(t *testing.T) {
	m := &scripted{Measurer: measurer(t, 3000), answers: []llm.Answer{{Text: "done"}}}
	c := &processor.Conversation{}
	for i := range 60 {
		c.Messages = append(c.Messages, processor.Say(chat.User, processor.FromHistory,
			fmt.Sprintf("Question %d. %s", i, strings.Repeat("All work and no play. ", 10))), processor.Say(chat.Assistant, processor.FromModel,
			"Yes."))
	}
	_, err := agent(t, folder(t, map[string]string{"a\nb.md": "x", "gpj.\u202ephoto.md": "x", "c\u2028d.md": "x", "e\u009b31m.md": "x"}), "", m).Turn(t.Context(), turn(t, 3000), c, "now")
	require.NoError(t, err)
	sent := m.asked[0].Messages
	require.Equal(t, chat.System, sent[0].Role)
	require.Contains(t, sent[0].Text, "summary of earlier turns")
	require.Contains(t, sent[0].Text, "\na\ufffdb.md\nc\ufffdd.md\ne\ufffd31m.md\ngpj.\ufffdphoto.md\n")
	for _, message := range sent[1:] {
		require.NotEqual(t, chat.System, message.Role)
	}
}

// TestTraceTellsOfTools: what was run, what failed, what is not there.
func TestTraceTellsOfTools(t *testing.T) {
	calls := llm.Answer{ToolCalls: []chat.ToolCall{
		{ID: "1", Name: "read_file", Arguments: `{"path":"a.md"}`},
		{ID: "2", Name: "read_file", Arguments: `{"path":"none.md"}`},
		{ID: "3", Name: "\x1b[31mhush", Arguments: `{}`},
	}}
	m := &scripted{Measurer: measurer(t, 16000), answers: []llm.Answer{calls, {Text: "done"}}}
	tr := turn(t, 16000)
	var seen []string
	tr.Hooks = processor.StartHooks(func(e processor.Event) {
		if e.Record.Family == processor.ToolRuns {
			seen = append(seen, e.Value.(processor.Call).Arguments)
		}
	})
	_, err := agent(t, folder(t, map[string]string{"a.md": "Alpha.\n"}), "", m).Turn(t.Context(), tr, &processor.Conversation{}, "go")
	require.NoError(t, err)
	var got []string
	for _, r := range tr.Trace() {
		if r.Family == processor.ToolRuns {
			got = append(got, fmt.Sprintf("%s %s %s %t", r.Name, r.Verdict, r.Reason, r.After > 0))
		}
	}
	require.Equal(t, []string{"read_file continue  true", "read_file failed file_not_found true", "agent deny there is no such tool false"}, got)
	require.NoError(t, tr.Hooks.Close(t.Context()))
	require.Equal(t, []string{`{"path":"a.md"}`, `{"path":"none.md"}`}, seen)
}

// TestSearchTellsWhatItLeavesOut: a file that is too large to be searched is not
// one in which nothing was found.
func TestSearchTellsWhatItLeavesOut(t *testing.T) {
	w := folder(t, map[string]string{"big.txt": strings.Repeat("needle in here\n", 100_000), "a.md": "Alpha.\n"})
	search := builtin.ReadOnlyTools(w, registryOf(t))[2]
	got, err := search.Run(t.Context(), turn(t, 8000), json.RawMessage(`{"text":"needle"}`))
	require.NoError(t, err)
	require.Equal(t, "(nothing found)\n(1 file is too large to be searched)", got)
	got, err = search.Run(t.Context(), turn(t, 8000), json.RawMessage(`{"text":"alpha"}`))
	require.NoError(t, err)
	require.Equal(t, "a.md:1: Alpha.\n(1 file is too large to be searched)", got)
}

// TestValidatorsHaveCopies: what a validator or an observer does to what it is
// given changes neither the agent's tools nor what was asked.
func TestValidatorsHaveCopies(t *testing.T) {
	w := folder(t, map[string]string{"a.md": "Alpha.\n"})
	m := &scripted{Measurer: measurer(t, 16000), answers: []llm.Answer{call("1", "read_file", `{"path":"a.md"}`), {Text: "done"}}}
	a := agent(t, w, "", m)
	var err error
	a.Chains.Validation, err = processor.ValidationChain(processor.ToolValidation{Name: "vandal", Run: func(_ context.Context, _ *processor.Turn,
		c processor.Candidate,
	) (processor.Candidate, processor.Verdict, error) {
		c.Tool.Paths[0], c.Tool.Parameters[0] = "x", 'x'
		return c, processor.Continue(), nil
	}})
	require.NoError(t, err)
	a.Chains.Responses, err = processor.ResponseChain(processor.Observe("vandal", func(_ context.Context, _ *processor.Turn, r processor.Response) error {
		r.Request.Messages[0].Parts[0].Text = "x"
		return nil
	}), processor.ResponseModifier{Name: "sees", Run: func(_ context.Context, _ *processor.Turn, r processor.Response) (processor.Response, processor.Verdict, error) {
		require.NotEqual(t, "x", r.Request.Messages[0].Parts[0].Text)
		return r, processor.Continue(), nil
	}})
	require.NoError(t, err)
	_, err = a.Turn(t.Context(), turn(t, 16000), &processor.Conversation{}, "go")
	require.NoError(t, err)
	require.Equal(t, []string{"path"}, a.Tools[0].Paths)
	require.True(t, json.Valid(a.Tools[0].Parameters))
}
