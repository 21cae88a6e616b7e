package turn_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/llm"
	"inlay/route"
	"inlay/strategy"
	"inlay/turn"
)

// TestProcessors: the prompt goes through the message modifiers and the answer
// through the response modifiers, as a whole.
func TestProcessors(t *testing.T) {
	e := chained(t, newEngine(t), "processors:\n  drop_defaults: true\n  message_modifiers: [RedactionMessageModifier]\n  response_modifiers: [RedactionModifier, {name: SafetyCheckModifier, options: {deny: ['forbidden']}}]\n")
	model := newSpeaker(t, 4000, llm.Delta{Text: "Write to ann@"}, llm.Delta{Text: "example.org.", Done: "stop"})
	made, answer := ask(t, e, turn.Request{Text: "I am bob@example.org.", Model: model, Tools: tools("read")})
	require.NotContains(t, model.last().Messages[0].Text, "bob@example.org")
	require.NotContains(t, answer, "ann@example.org")
	require.NotEmpty(t, made.Trace())
	require.Equal(t, answer, made.Said()[1].Text)

	model.says = []llm.Delta{{Text: "This is forbidden.", Done: "stop"}}
	made, err := e.Prepare(t.Context(), turn.Request{Text: "Hello.", Model: model})
	require.NoError(t, err)
	err = failed(t, made, model)
	require.True(t, fault.Is(err, fault.ProcessorHalted), "%v", err)
	require.ErrorContains(t, err, "SafetyCheckModifier")

	model.fails = len(model.asked) + 1
	err = failed(t, made, model)
	require.True(t, fault.Is(err, fault.BackendUnreachable), "%v", err)
	e.Chains = nil
	chained(t, e, "processors:\n  drop_defaults: [nobody]\n")
	_, err = e.Prepare(t.Context(), turn.Request{Text: "Hello.", Model: model})
	require.Error(t, err)
}

// failed is how an answer ended.
func failed(t *testing.T, made *turn.Turn, model llm.Generator) (last error) {
	t.Helper()
	for _, err := range made.Ask(t.Context(), model, llm.Request{}) {
		last = err
	}
	return last
}

// TestProcessorsShorten: where processors leave out earlier turns, files are
// decided beside the newest ones, and the past does not crowd them out.
func TestProcessorsShorten(t *testing.T) {
	e := chained(t, newEngine(t), "processors:\n  drop_defaults: true\n  message_modifiers: [ConversationCompactorModifier]\n")
	past := []turn.Said{{Message: chat.Message{Role: chat.System, Text: "Be brief."}}}
	for range 30 {
		past = append(past,
			turn.Said{Message: chat.Message{Role: chat.User, Text: strings.Repeat("The tide turns at six. ", 8)}},
			turn.Said{Message: chat.Message{Role: chat.Assistant, Text: "Noted.", ToolCalls: []chat.ToolCall{{ID: "1", Name: "read", Arguments: "{}"}}}},
			turn.Said{Message: chat.Message{Role: chat.Tool, ToolCallID: "1", Text: "done"}},
		)
	}
	model := newSpeaker(t, 1000)
	r := turn.Request{Past: past, Text: question, Files: []injection.File{file("lease.md", lease)}, Model: model, Options: cited(t), Reserve: 100}
	made, _ := ask(t, e, r)
	require.True(t, made.Shortens())
	require.Contains(t, warned(made), "history_shortened")
	require.Equal(t, injection.Fits, made.Result.ReasonCode)
	require.Less(t, len(model.last().Messages), len(past))

	r.Files, r.Options.Mode = []injection.File{file("lease.md", strings.Repeat(lease, 30))}, injection.ModeFull
	made, _ = ask(t, e, r)
	require.Equal(t, injection.Override, made.Result.ReasonCode, "beside none of the past")

	r.Text = strings.Repeat("How long? ", 600)
	r.Files = nil
	_, err := e.Prepare(t.Context(), r)
	require.True(t, fault.Is(err, fault.DoesNotFit), "%v", err)
	require.ErrorContains(t, err, "larger window")
	r.Model = turn.Unknown("nobody", &fault.Error{Code: fault.WindowUnknown, Subject: "nobody", Reason: "is not known"})
	_, err = e.Prepare(t.Context(), r)
	require.True(t, fault.Is(err, fault.WindowUnknown), "%v", err)
}

// TestRouteProposes: a step that the question tells is proposed, and no model is
// asked; a proposal that the client has no tool for changes nothing.
func TestRouteProposes(t *testing.T) {
	e, model := routed(newEngine(t), nil), newSpeaker(t, 4000)
	made, _ := ask(t, e, turn.Request{Text: "Read src/tide.go", Model: model, Tools: tools("read_file", "list_files")})
	require.Empty(t, model.asked)
	require.Equal(t, "read_file", made.Proposal().ToolCalls[0].Name)
	require.Equal(t, made.Proposal().ToolCalls, made.Said()[1].ToolCalls)
	require.Contains(t, made.Route.Summary, "Saved")

	made, _ = ask(t, e, turn.Request{Text: "Read src/tide.go", Model: model, Tools: tools("list_files", "weather")})
	require.Nil(t, made.Proposal(), "%+v", made.Route.Decision)
	made, _ = ask(t, e, turn.Request{Text: "Read src/tide.go", Model: model, Tools: tools("weather")})
	require.Nil(t, made.Route)
	require.Nil(t, made.Proposal())
}

// TestRouteCondenses: any other turn goes to the model with the condensed
// prompt, and once more in full where that fails and is wanted.
func TestRouteCondenses(t *testing.T) {
	e := routed(newEngine(t), func(s *route.Settings) { s.RetryFullPrompt = true })
	r := turn.Request{
		Past: []turn.Said{{Message: chat.Message{Role: chat.System, Text: "The whole prompt of the host."}}},
		Text: "What is a monad, in principle?", Tools: tools("read_file", "attempt_completion", "weather"),
	}
	for _, usage := range []llm.Usage{{}, {Prompt: 7, Completion: 3}} {
		model := newSpeaker(t, 4000, llm.Delta{Text: "An idea.", Done: "stop", Usage: usage})
		r.Model = model
		made, _ := ask(t, e, r)
		require.True(t, made.Held())
		require.Len(t, model.last().Tools, 1, "the router's tools are left out, the client's own stay")
		require.Contains(t, model.last().Messages[0].Text, "The whole prompt", "who the client said the model is")
		answer := made.Said()[1]
		require.Equal(t, "attempt_completion", answer.ToolCalls[0].Name, "wrapped")
		stage := made.Route.Stages[len(made.Route.Stages)-1]
		require.Equal(t, "big", stage.Name)
		require.Positive(t, stage.In)
		if usage.Prompt > 0 {
			require.Equal(t, 7, stage.In)
			require.Equal(t, 3, stage.Out)
		}
	}
	model := newSpeaker(t, 4000)
	model.fails, r.Model = 1, model
	chained(t, e, "processors:\n  drop_defaults: true\n  message_modifiers: [RedactionMessageModifier]\n")
	made, _ := ask(t, e, r)
	require.True(t, made.Route.Retried)
	require.Contains(t, model.last().Messages[0].Text, "The whole prompt")
	require.Len(t, model.last().Tools, 3)
	require.Equal(t, "big-retry", made.Route.Stages[len(made.Route.Stages)-1].Name)
}

// TestAnswerIsLeft: what came until then is kept.
func TestAnswerIsLeft(t *testing.T) {
	e, model := newEngine(t), newSpeaker(t, 4000)
	made, err := e.Prepare(t.Context(), turn.Request{Text: "Hello.", Model: model})
	require.NoError(t, err)
	for _, err := range made.Ask(t.Context(), model, llm.Request{}) {
		require.NoError(t, err)
		break
	}
	require.Equal(t, "Six weeks ", made.Said()[1].Text)
	answer, err := made.Review(t.Context(), turn.Answer{Text: "as it is"})
	require.NoError(t, err)
	require.Equal(t, "as it is", answer.Text)
}

// TestStrategy: its result, citations, steps and record are the turn's, and the
// record renders the same bytes again.
func TestStrategy(t *testing.T) {
	e, model := newEngine(t), newSpeaker(t, 4000)
	f := file("lease.md", lease)
	image := chat.Attachment{FileID: "image-1", Name: "dot.gif", MediaType: "image/gif"}
	r := turn.Request{Text: question, Files: []injection.File{f}, Images: []chat.Attachment{image}, Model: model, Options: cited(t), Strategy: askDocuments(t)}
	r.Warnings = []injection.Warning{{Code: "of_the_door"}}
	var statuses []injection.Status
	r.Report = func(s injection.Status) { statuses = append(statuses, s) }
	made, _ := ask(t, e, r)
	require.Contains(t, warned(made), "of_the_door")
	require.NotEmpty(t, statuses)
	require.Equal(t, injection.Fits, made.Result.ReasonCode)
	require.Equal(t, "files", made.Execution.Steps[0].Preprocessor)
	kept := made.Said()
	again, err := turn.Replay(kept)
	require.NoError(t, err)
	require.Equal(t, kept[0].Text, string(again.Prompt))
	_, err = turn.Replay(kept[1:])
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	_, err = turn.Replay([]chat.Message{{Execution: json.RawMessage(`{`)}})
	require.Error(t, err)

	second, _ := ask(t, e, turn.Request{Past: said(made, f), Text: "And the rent?", Model: model, Options: cited(t)})
	require.Equal(t, injection.AlreadyInContext, second.Result.ReasonCode)
}

// TestStrategyWithoutFiles: a strategy that does not ask for the files has them
// on its message, its system prompt takes the place of the first one, and what
// intent moved is attached.
func TestStrategyWithoutFiles(t *testing.T) {
	e, model := newEngine(t), newSpeaker(t, 4000)
	system := "You are a pilot."
	s := &strategy.Strategy{ID: "user.pilot", Name: "Pilot", Enabled: true, Body: "Ask: {Argument} {extra.nothing}", SystemPrompt: &system}
	r := turn.Request{Text: "Which way?", Files: []injection.File{file("lease.md", lease)}, Model: model, Strategy: s, KeepMissing: true, Values: map[string]any{}}
	made, _ := ask(t, e, r)
	require.Nil(t, made.Result)
	require.Empty(t, made.Citations())
	require.Equal(t, chat.Message{Role: chat.System, Text: system}, model.last().Messages[0])
	require.Equal(t, "Ask: Which way? {extra.nothing}", model.last().Messages[1].Text)
	require.Len(t, made.Message().Attachments, 1)
	r.Past = []turn.Said{{Message: chat.Message{Role: chat.System, Text: "Be brief."}}}
	ask(t, e, r)
	require.Equal(t, system, model.last().Messages[0].Text)
	require.Len(t, model.last().Messages, 2)

	s = &strategy.Strategy{ID: "user.split", Name: "Split", Enabled: true, Body: "{Argument}", Preprocessors: []string{intent.ID}}
	made, _ = ask(t, e, turn.Request{Text: "Why?\n\n```go\n" + strings.Repeat("func main() { panic(1) }\n", 60) + "```\n", Model: newSpeaker(t, 3000), Strategy: s})
	require.NotEmpty(t, made.Intent.Documents, "the host attaches what the preprocessor moved")

	s.Preprocessors = []string{"nobody"}
	made, err := e.Prepare(t.Context(), turn.Request{Text: "Why?", Model: model, Strategy: s})
	require.True(t, fault.Is(err, fault.PreprocessorNotFound), "%v", err)
	require.NotNil(t, made.Execution)
}

// TestDryRun: it ends where the files were decided over.
func TestDryRun(t *testing.T) {
	e := chained(t, newEngine(t), "processors:\n  drop_defaults: true\n  message_modifiers: [RedactionMessageModifier]\n")
	r := turn.Request{Text: question, Files: []injection.File{file("lease.md", lease)}, Model: newSpeaker(t, 4000), Options: cited(t)}
	r.Options.DryRun = true
	made, err := e.Prepare(t.Context(), r)
	require.NoError(t, err)
	require.True(t, made.Result.DryRun)
	require.Empty(t, made.Prompt.Messages)
	require.Empty(t, made.Trace())
}

// TestAttachments: strategies see files and images, each with a way to its bytes.
func TestAttachments(t *testing.T) {
	opened := injection.File{Name: "later.md", Path: "docs/later.md", Size: 5, Open: func(context.Context) ([]byte, error) { return []byte("later"), nil }}
	list := turn.Attachments([]injection.File{file("lease.md", lease), opened, {ID: "file-1", Data: []byte("x")}}, []chat.Attachment{{Name: "dot.gif"}})
	require.Len(t, list, 4)
	for i, want := range []string{lease, "later", "x"} {
		data, err := list[i].Open(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, string(data))
		require.True(t, list[i].New)
		require.Equal(t, int64(len(want)), list[i].Size)
	}
	require.Equal(t, "file-1", list[2].FileID)
}

// watcher notes what an engine tells.
type watcher struct{ seen []string }

func (w *watcher) Split(string, intent.Result) { w.seen = append(w.seen, "split") }
func (w *watcher) Decided(r injection.Result)  { w.seen = append(w.seen, string(r.ReasonCode)) }
func (w *watcher) Routed(o route.Outcome) {
	if o.Routed {
		w.seen = append(w.seen, "routed")
	}
}
func (w *watcher) Spent(turn.Routed)                  { w.seen = append(w.seen, "spent") }
func (w *watcher) Stage(name string, _ time.Duration) { w.seen = append(w.seen, name) }

// TestObserver: it is told of each step.
func TestObserver(t *testing.T) {
	w := &watcher{}
	e, model := routed(newEngine(t), nil), newSpeaker(t, 4000)
	e.Observe = w
	ask(t, e, turn.Request{Text: "Read src/tide.go", Intent: "builtin", Model: model, Tools: tools("read_file")})
	require.Equal(t, []string{"split", "no_files", "routed", "spent"}, w.seen)
	w.seen = nil
	ask(t, e, turn.Request{Text: question, Files: []injection.File{file("lease.md", lease)}, Model: model, Strategy: askDocuments(t), Options: cited(t)})
	require.Equal(t, []string{"strategy", "fits"}, w.seen)
	w.seen = nil
	e.Router, e.Observe = nil, nil
	ask(t, e, turn.Request{Text: "Hello.", Intent: "builtin", Model: model})
	require.Empty(t, w.seen)
}
