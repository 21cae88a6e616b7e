package turn_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/llm"
	"inlay/parse"
	"inlay/parse/markup"
	"inlay/parse/plain"
	"inlay/processor"
	"inlay/processor/builtin"
	"inlay/prompts"
	"inlay/retrieve"
	"inlay/route"
	"inlay/strategy"
	strategies "inlay/strategy/builtin"
	"inlay/tokens"
	"inlay/turn"
)

const (
	lease    = "# Lease\n\nThe notice period is six weeks. The rent is paid on the third of each month.\n"
	question = "How long is the notice period?"
)

var encoding = sync.OnceValues(func() (tokens.Counter, error) { return (&tokens.Library{}).Encoding("o200k_base") })

// speaker is a model of a known window that says what a test tells it to, and
// records what it was asked.
type speaker struct {
	*llm.Static

	says  []llm.Delta // the answer; none: "Six weeks [1]."
	fails int         // so many calls fail first
	asked []llm.Request
}

func newSpeaker(t *testing.T, length int, says ...llm.Delta) *speaker {
	t.Helper()
	counter, err := encoding()
	require.NoError(t, err)
	static, err := llm.NewStatic(llm.StaticOptions{Model: "test", Length: length, Counter: counter})
	require.NoError(t, err)
	return &speaker{Static: static, says: says}
}

// Generate implements llm.Generator.
func (s *speaker) Generate(_ context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	s.asked = append(s.asked, r)
	return func(yield func(llm.Delta, error) bool) {
		if len(s.asked) <= s.fails {
			yield(llm.Delta{}, &fault.Error{Code: fault.BackendUnreachable, Subject: "test", Reason: "is down"})
			return
		}
		says := s.says
		if says == nil {
			says = []llm.Delta{{Text: "Six weeks "}, {Text: "[1].", Done: "stop"}}
		}
		for _, d := range says {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// last is what the model was asked last.
func (s *speaker) last() llm.Request { return s.asked[len(s.asked)-1] }

func newEngine(t *testing.T) *turn.Engine {
	t.Helper()
	registry, err := parse.NewRegistry(append(plain.All(parse.Limits{}), markup.All(parse.Limits{})...)...)
	require.NoError(t, err)
	store := &cache.Memory{}
	return &turn.Engine{Injector: &injection.Injector{
		Reader: parse.Cached{Registry: registry, Store: store}, Retriever: retrieve.New(retrieve.Options{Cache: store}),
	}}
}

// chained adds processors to an engine.
func chained(t *testing.T, e *turn.Engine, config string) *turn.Engine {
	t.Helper()
	e.Chains = func(model llm.Generator) (*processor.Chains, error) {
		return processor.Load("test.yaml", []byte(config), builtin.Registry(builtin.Host{Model: model}))
	}
	return e
}

func routed(e *turn.Engine, change func(*route.Settings)) *turn.Engine {
	settings := route.Defaults()
	settings.EnablePromptPreprocessor = true
	if change != nil {
		change(&settings)
	}
	e.Router = &route.Router{Settings: settings}
	e.Mode, _ = route.FindMode("code")
	return e
}

func tools(names ...string) (list []llm.Tool) {
	for _, name := range names {
		list = append(list, llm.Tool{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return list
}

func cited(t *testing.T) injection.Options {
	t.Helper()
	set, err := prompts.Named("cited")
	require.NoError(t, err)
	return injection.Options{Prompts: set}
}

func file(name, text string) injection.File { return injection.File{Name: name, Data: []byte(text)} }

// ask prepares a turn and has its model answer it.
func ask(t *testing.T, e *turn.Engine, r turn.Request) (*turn.Turn, string) {
	t.Helper()
	made, err := e.Prepare(t.Context(), r)
	require.NoError(t, err)
	var text strings.Builder
	model, ok := r.Model.(llm.Generator)
	require.True(t, ok)
	for d, err := range made.Ask(t.Context(), model, llm.Request{}) {
		require.NoError(t, err)
		text.WriteString(d.Text)
	}
	return made, text.String()
}

// said is what a turn kept as the past of the next.
func said(made *turn.Turn, files ...injection.File) (past []turn.Said) {
	for _, m := range made.Said() {
		past = append(past, turn.Said{Message: m})
	}
	if len(past) > 0 {
		past[0].Files = files
	}
	return past
}

// TestConversation: the second turn knows that the document is in the window,
// and a third with another document searches nothing that is there.
func TestConversation(t *testing.T) {
	e, model := newEngine(t), newSpeaker(t, 4000)
	f := file("lease.md", lease)
	first, answer := ask(t, e, turn.Request{Text: question, Files: []injection.File{f}, Model: model, Options: cited(t)})
	require.Equal(t, "Six weeks [1].", answer)
	require.Equal(t, injection.Fits, first.Result.ReasonCode)
	require.Len(t, first.Files(), 1)
	require.Equal(t, chat.User, first.Piece().Role)
	past := said(first, f)
	require.Len(t, past, 2)
	require.Equal(t, answer, past[1].Text)

	second, _ := ask(t, e, turn.Request{Past: past, Text: "And the rent?", Model: model, Options: cited(t)})
	require.Equal(t, injection.AlreadyInContext, second.Result.ReasonCode)
	require.Equal(t, "And the rent?", second.Message().Text)
	require.Len(t, model.last().Messages, 3)
	require.Empty(t, second.Trace())
	require.Len(t, second.Files(), 1)
}

// TestOwnWords: of a client that sends its own words alone, earlier turns are
// made again, the same with and without a memo.
func TestOwnWords(t *testing.T) {
	f := file("lease.md", lease)
	past := []turn.Said{
		{Message: chat.Message{Role: chat.System, Text: "Be brief."}, Own: true},
		{Message: chat.Message{Role: chat.User, Text: question}, Files: []injection.File{f}, Own: true},
		{Message: chat.Message{Role: chat.Assistant, Text: "Six weeks.", ToolCalls: []chat.ToolCall{{ID: "1", Name: "x", Arguments: "{}"}}}, Own: true},
		{Message: chat.Message{Role: chat.Tool, Text: "done", ToolCallID: "1"}, Own: true},
	}
	threshold := .1
	options := cited(t)
	options.Threshold = &threshold
	prompts := map[string]string{}
	for _, memo := range []*turn.Memo{nil, {}, {MaxBytes: 8}} {
		e, model := newEngine(t), newSpeaker(t, 4000)
		e.Memo = memo
		for range 2 {
			made, _ := ask(t, e, turn.Request{Past: past, Text: "And the rent?", Model: model, Options: options, Tools: tools("x")})
			require.Equal(t, injection.AlreadyInContext, made.Result.ReasonCode)
			require.Contains(t, model.last().Messages[1].Text, "third of each month")
			data, err := json.Marshal(model.last().Messages)
			require.NoError(t, err)
			prompts[string(data)] = ""
		}
		if memo != nil {
			memo.Clear()
		}
	}
	require.Len(t, prompts, 1, "the same bytes whatever is remembered")
}

// TestMemoIsBounded: what does not fit makes room for what comes.
func TestMemoIsBounded(t *testing.T) {
	e, model := newEngine(t), newSpeaker(t, 4000)
	e.Memo = &turn.Memo{MaxBytes: 4000}
	for _, name := range []string{"a.md", "b.md", "c.md", "d.md", "e.md", "f.md", "g.md", "a.md"} {
		past := []turn.Said{{Message: chat.Message{Role: chat.User, Text: question}, Files: []injection.File{file(name, name+lease)}, Own: true}}
		made, _ := ask(t, e, turn.Request{Past: past, Text: "And the rent?", Model: model, Options: cited(t)})
		require.Equal(t, injection.AlreadyInContext, made.Result.ReasonCode)
	}
}

// TestEarlierNotRestored: an earlier turn that cannot be made again stays as the
// user wrote it, and a warning says so.
func TestEarlierNotRestored(t *testing.T) {
	e, model := newEngine(t), newSpeaker(t, 4000)
	opened := 0
	late := injection.File{ID: "file-1", Name: "late.md", Open: func(context.Context) ([]byte, error) {
		opened++
		return []byte(lease), nil
	}}
	past := []turn.Said{{Message: chat.Message{Role: chat.User, Text: question}, Files: []injection.File{late}, Own: true}}
	e.Admit = func(_ context.Context, r injection.Request) (func(), error) {
		if r.Text == question {
			return nil, &fault.Error{Code: fault.LimitExceeded, Subject: "documents", Reason: "are too many"}
		}
		return func() {}, nil
	}
	made, _ := ask(t, e, turn.Request{Past: past, Text: "And the rent?", Model: model, Options: cited(t)})
	require.Equal(t, question, model.last().Messages[0].Text)
	require.Contains(t, warned(made), "earlier_not_restored")
	require.Positive(t, opened, "its file is searched for the new message")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e.Admit = nil
	_, err := e.Prepare(ctx, turn.Request{Past: past, Text: "Hello.", Model: model, Options: cited(t)})
	require.True(t, fault.Is(err, fault.Canceled), "%v", err)
}

// TestTurnUnderWay: a turn that goes on is not decided over again.
func TestTurnUnderWay(t *testing.T) {
	e, model := newEngine(t), newSpeaker(t, 4000)
	f := file("lease.md", lease)
	first, _ := ask(t, e, turn.Request{Text: question, Files: []injection.File{f}, Model: model, Options: cited(t)})
	call := []chat.Message{
		{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "1", Name: "read", Arguments: "{}"}}},
		{Role: chat.Tool, ToolCallID: "1", Text: "It rains."},
	}
	on, _ := ask(t, e, turn.Request{Past: said(first, f)[:1], After: call, Continues: true, Model: model, Options: cited(t)})
	require.Equal(t, injection.AlreadyInContext, on.Result.ReasonCode)
	require.Empty(t, on.Result.Decision.Strategy)
	require.Len(t, model.last().Messages, 3)
	require.Len(t, on.Said(), 3, "what followed, and the answer")

	on, _ = ask(t, e, turn.Request{Text: question, Files: []injection.File{f}, After: call, Model: model, Options: cited(t)})
	require.Contains(t, model.last().Messages[0].Text, "six weeks")
	require.Len(t, on.Said(), 4)
	on, _ = ask(t, e, turn.Request{Past: []turn.Said{{Message: chat.Message{Role: chat.User, Text: "Hello."}}}, Continues: true, Model: model})
	require.Equal(t, injection.NoFiles, on.Result.ReasonCode)
}

// TestIntent: bulk becomes a document of the turn, whoever finds it.
func TestIntent(t *testing.T) {
	bulk := "Why does this fail?\n\n```go\n" + strings.Repeat("func main() { panic(1) }\n", 60) + "```\n"
	e, model := newEngine(t), newSpeaker(t, 3000)
	made, _ := ask(t, e, turn.Request{Text: bulk, Intent: "builtin", Model: model, Options: cited(t)})
	require.Len(t, made.Intent.Documents, 1)
	require.Equal(t, injection.Fits, made.Result.ReasonCode)
	require.Equal(t, bulk, made.Message().Raw)
	require.Equal(t, "user_context", made.Message().Attachments[0].Label)
	own := []turn.Said{{Message: chat.Message{Role: chat.User, Text: bulk}, Own: true}}
	again, _ := ask(t, e, turn.Request{Past: own, Text: "And now?", Intent: "builtin", Model: model, Options: cited(t)})
	require.Equal(t, injection.AlreadyInContext, again.Result.ReasonCode)

	made, _ = ask(t, e, turn.Request{Text: bulk, Intent: "off", Model: model})
	require.Nil(t, made.Intent)
	_, err := e.Prepare(t.Context(), turn.Request{Text: bulk, Intent: "clever", Model: model})
	require.ErrorContains(t, err, "off, builtin or model")

	threshold := 1.0
	options := cited(t)
	options.Mode, options.Threshold = injection.ModeRetrieval, &threshold
	made, _ = ask(t, e, turn.Request{Text: bulk, Intent: "builtin", Model: model, Options: options})
	require.Equal(t, intent.RawFits, made.Intent.Decision, "the message as it is fits, and its documents would not go in whole")
	require.Empty(t, made.Intent.Documents)
	require.Equal(t, bulk, made.Message().Text)

	narrow := newSpeaker(t, 800)
	long := strings.Replace(bulk, "```go\n", "```go\n"+strings.Repeat("func other() { panic(2) }\n", 200), 1)
	made, _ = ask(t, e, turn.Request{Text: long, Intent: "builtin", Model: narrow, Options: options})
	require.Equal(t, intent.Covered, made.Intent.Decision, "nothing was found, and the best of it goes in all the same")
	require.Contains(t, warned(made), "intent_left_out")

	made, _ = ask(t, e, turn.Request{Text: bulk, Intent: "model", Model: model, Options: cited(t)})
	require.Contains(t, warned(made), "intent_fallback", "the model answers no analysis")
	_, err = e.Prepare(t.Context(), turn.Request{Text: bulk, Intent: "model", Model: model.Static})
	require.True(t, fault.Is(err, fault.Usage), "%v", err)
	e.Analyzer = func(llm.Measurer) (intent.Analyzer, error) { return intent.Model{Generator: model}, nil }
	made, _ = ask(t, e, turn.Request{Text: bulk, Intent: "model", Model: model, Options: cited(t)})
	require.NotNil(t, made.Intent)
}

func warned(made *turn.Turn) (codes []string) {
	for _, w := range made.Result.Warnings {
		codes = append(codes, w.Code)
	}
	return codes
}

// TestToolRules: the host's rules are the weakest and the chat's the strongest;
// what they deny is neither offered nor called.
func TestToolRules(t *testing.T) {
	e := newEngine(t)
	e.Rules = strategy.ToolRules{"*": {"rm": true, "format": false}}
	model := newSpeaker(t, 4000, llm.Delta{ToolCalls: []chat.ToolCall{{ID: "1", Name: "rm"}, {ID: "2", Name: "read"}}, Done: "tool_calls"})
	r := turn.Request{Text: "Tidy up.", Model: model, Tools: tools("rm", "format", "read"), Rules: strategy.ToolRules{"*": {"rm": false}}}
	made, _ := ask(t, e, r)
	require.True(t, made.Held())
	require.Len(t, model.last().Tools, 1)
	require.True(t, made.Prompt.Allows("read"))
	require.False(t, made.Prompt.Allows("rm"))
	kept := made.Said()[1]
	require.Equal(t, []chat.ToolCall{{ID: "2", Name: "read"}}, kept.ToolCalls)
	require.Len(t, made.Denied, 3)
	require.True(t, made.Denied[2].Called)

	answer, err := made.Review(t.Context(), turn.Answer{Calls: []chat.ToolCall{{Name: "rm"}}, Finish: "tool_calls"})
	require.NoError(t, err)
	require.Equal(t, "stop", answer.Finish)
	require.Contains(t, answer.Text, "the call was refused")
}

// TestUnknownWindow: a turn without files needs no window.
func TestUnknownWindow(t *testing.T) {
	e, model := newEngine(t), turn.Unknown("nobody", &fault.Error{Code: fault.WindowUnknown, Subject: "nobody", Reason: "is not known"})
	made, err := e.Prepare(t.Context(), turn.Request{Text: "Hello.", Model: model})
	require.NoError(t, err)
	require.Contains(t, warned(made), "window_unknown")
	require.Equal(t, "nobody", model.Name())
	_, err = e.Prepare(t.Context(), turn.Request{Text: question, Files: []injection.File{file("lease.md", lease)}, Model: model})
	require.True(t, fault.Is(err, fault.WindowUnknown), "%v", err)
	_, err = model.Counter(t.Context())
	require.Error(t, err)
	_, err = model.CountMessages(t.Context(), nil)
	require.Error(t, err)
}

// TestAdmission: the work on documents waits for room, and gives it back.
func TestAdmission(t *testing.T) {
	e, model, open := newEngine(t), newSpeaker(t, 4000), 0
	e.Admit = func(context.Context, injection.Request) (func(), error) {
		open++
		return func() { open-- }, nil
	}
	r := turn.Request{Text: question, Files: []injection.File{file("lease.md", lease)}, Model: model}
	ask(t, e, r)
	require.Zero(t, open)
	e.Admit = func(context.Context, injection.Request) (func(), error) {
		return nil, &fault.Error{Code: fault.LimitExceeded, Subject: "documents", Reason: "are too many"}
	}
	for _, s := range []*strategy.Strategy{nil, askDocuments(t)} {
		r.Strategy = s
		_, err := e.Prepare(t.Context(), r)
		require.True(t, fault.Is(err, fault.LimitExceeded), "%v", err)
	}
}

func askDocuments(t *testing.T) *strategy.Strategy {
	t.Helper()
	registry, err := strategies.KnownPreprocessors()
	require.NoError(t, err)
	set, err := strategies.Strategies(t.Context(), registry)
	require.NoError(t, err)
	s, ok := set.Lookup("builtin.ask-documents")
	require.True(t, ok)
	return s
}
