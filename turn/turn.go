// Package turn is the one way through a turn of a conversation:
//
//	past ─► tool rules ─► intent ─► strategy or files ─► route ─► processors ─► model ─► review ─► what is kept
//
// Every door (the command's ask, chat, agent and strategy run, the service's
// preprocess, chat completions, responses and executions, the Go API) translates what it
// was given into a [Request], has an [Engine] prepare it, asks the model for the
// [Prompt] that came out, and keeps what [Turn.Said] returns. Doors translate;
// they do not decide (TRN-1).
//
// Nothing of an earlier turn is remembered here that the request does not say:
// what is in the window is read from the past as it was sent (TRN-2). Of a
// client that sends only its own words, earlier turns are made again as they
// were when they were new; [Memo] makes that faster and never different.
package turn

import (
	"context"
	"log/slog"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/llm"
	"inlay/processor"
	"inlay/route"
	"inlay/strategy"
	"inlay/strategy/builtin"
	"inlay/tokens"
)

// Engine prepares turns. Its fields are set once; it is safe for concurrent use.
type Engine struct {
	Injector *injection.Injector
	// Preprocessors say what the preprocessors of strategies work with besides
	// the injector: the router of route, the roots of file-manager-selection.
	// Injector, Defaults, Modes and Intent are set for each turn.
	Preprocessors builtin.Options
	Analyzer      func(llm.Measurer) (intent.Analyzer, error) // of the intent "model"; nil: the model that answers
	Router        *route.Router                               // nil: nothing is routed
	Mode          route.Mode                                  // of the router: what it may propose
	Place         route.Environment                           // of the router: where the user works
	// Chains are the processors of a model's turns; nil: none.
	Chains func(llm.Generator) (*processor.Chains, error)
	Rules  strategy.ToolRules // the host's rules for tools: the weakest layer (STR-10)
	// Admit waits until there is room for the work on a request's documents; nil: there always is.
	Admit   func(context.Context, injection.Request) (release func(), err error)
	Memo    *Memo        // of earlier turns made again; nil: each time
	Observe Observer     // told what happened; nil: nobody
	Logger  *slog.Logger // sizes, counts and times, never content; nil is silent
}

// Request is one turn as its door was given it.
type Request struct {
	Past []Said // what was said before the new message, oldest first

	Text   string            // the new message, byte for byte
	Files  []injection.File  // attached to it
	Images []chat.Attachment // of it: passed through
	After  []chat.Message    // what followed it already: calls of tools and their results
	// Continues says that there is no new message: the newest of the user is in
	// Past, complete, and After goes on with its turn.
	Continues bool

	Model   llm.Measurer      // that will answer; see [Unknown] where it cannot be measured
	Options injection.Options // how files are handled
	Intent  string            // "builtin" or "model" moves bulk out of the new message; "" and "off" do not

	Strategy    *strategy.Strategy // makes the prompt; nil: files alone do
	Values      map[string]any     // of the strategy: attachments, clipboard, environment, extra ... by dotted path
	KeepMissing bool               // of the strategy: placeholders without a value stay

	Tools    []llm.Tool // what the model may be offered; a tool that is not a function has a name alone
	ToolText string     // the tools as the door sends them; they take room in the window

	ToolChoice string             // "", "auto", "none", "required", or the name of the tool that must be called
	Rules      strategy.ToolRules // the chat's rules for tools: the strongest layer

	Reserve   int                    // tokens kept for the answer where Options do not say; for processors
	Ledger    *processor.Ledger      // remembers counts of this chat's messages; nil: nothing is remembered
	Arguments map[string]string      // of processors: values for {name}
	Warnings  []injection.Warning    // what the door has to say already; they come first
	Report    func(injection.Status) // receives statuses; may be nil
}

// Said is a message of the past.
type Said struct {
	chat.Message
	Files []injection.File // its documents, to be opened where they are needed
	// Own says that Text has the user's own words alone, as a client of the
	// OpenAI API keeps them: what was injected when it was new is put back.
	Own bool
}

// Message is a message for the model.
type Message struct {
	chat.Message
	Ref int // its place among Past, the new message and After, from 1; 0: the turn made it
}

// Prompt is what the model is asked.
type Prompt struct {
	Messages []Message
	Tools    []llm.Tool // those that the rules leave
}

// Chats are the messages without their places.
func (p Prompt) Chats() []chat.Message {
	out := make([]chat.Message, len(p.Messages))
	for i, m := range p.Messages {
		out[i] = m.Message
	}
	return out
}

// Turn is a turn that was prepared. It belongs to one goroutine.
type Turn struct {
	Result    *injection.Result   // what became of the files; nil: a strategy did not ask for them
	Execution *strategy.Execution // what the strategy came to, also where it failed; nil: there was none
	Intent    *intent.Result      // what was moved out of the new message; nil: nothing was to be
	Route     *Routed             // where the turn went; nil: it was not routed
	Denied    []Denial            // tools that the rules keep from the model
	Prompt    Prompt
	Full      *Prompt // what is asked where a condensed call fails; nil: nothing

	engine  *Engine
	req     Request
	chains  *processor.Chains
	past    []Message        // as the model will see it
	earlier []injection.File // of the past, each once, oldest first
	message chat.Message     // the new message as a history keeps it
	asked   string           // what the user asks: the message without what was moved
	turns   *processor.Turn
	prompt  []processor.Message // what the processors made
	answers []chat.Message
}

// Prepare carries a turn to the point where the model is asked. Beside an error
// it returns what it came to so far: the steps and diagnostics of a strategy
// that failed. Errors carry one of fault's codes.
func (e *Engine) Prepare(ctx context.Context, r Request) (*Turn, error) {
	t := &Turn{engine: e, req: r, asked: r.Text}
	for _, step := range []func(context.Context) error{t.openChains, t.rules, t.takePast, t.takeNew, t.assemble, t.takeRoute, t.process} {
		if err := step(ctx); err != nil {
			return t, err
		}
		if t.req.Options.DryRun && t.decided() {
			return t, nil
		}
	}
	return t, nil
}

// decided reports that the files were decided over: a dry run ends there.
func (t *Turn) decided() bool { return t.Result != nil || t.Execution != nil }

// takeNew is the new message: intent, then the strategy or the files.
func (t *Turn) takeNew(ctx context.Context) error {
	if t.req.Continues {
		t.resume()
		return nil
	}
	req := injection.Request{
		Messages: t.history(), Text: t.req.Text, Files: t.req.Files, Images: t.req.Images, Earlier: t.earlier,
		Model: t.req.Model, Options: t.req.Options, Warnings: t.req.Warnings, Report: t.req.Report,
	}
	split, err := t.split(ctx, t.intentOf(), &req)
	if err != nil {
		return err
	}
	t.Intent, t.asked = split, req.Text
	if t.req.Strategy != nil {
		return t.leaveRoom(ctx, req, t.execute)
	}
	return t.leaveRoom(ctx, req, func(ctx context.Context, req injection.Request) error {
		res, split, err := t.inject(ctx, req, split)
		if err != nil {
			return err
		}
		if split != nil {
			t.Intent, t.asked = split, split.Text
		}
		t.engine.observe().Decided(res)
		t.Result, t.message = &res, res.Message
		if len(t.req.After) > 0 {
			t.Result = resumed(res.Message)
		}
		return nil
	})
}

// inject has the injector answer, once there is room for the documents. Where
// bulk was moved out of the message and the model would have less by it, the raw
// message is asked instead; split is then what says so (INT-9).
func (t *Turn) inject(ctx context.Context, req injection.Request, split *intent.Result) (injection.Result, *intent.Result, error) {
	release, err := t.engine.admit(ctx, req)
	if err != nil {
		return injection.Result{}, split, err
	}
	defer release()
	res, err := t.engine.Injector.Inject(ctx, req)
	if split == nil || len(split.Documents) == 0 || req.Options.DryRun {
		if err == nil {
			keepSplit(split, &res)
		}
		return res, split, err
	}
	if err != nil && !fault.Is(err, fault.DoesNotFit) {
		return res, split, err
	}
	return t.prefer(ctx, req, *split, res, err)
}

func (e *Engine) admit(ctx context.Context, req injection.Request) (func(), error) {
	if e.Admit == nil {
		return func() {}, nil
	}
	return e.Admit(ctx, req)
}

// resume leaves a turn under way as it was when it was new.
func (t *Turn) resume() {
	for _, m := range t.past {
		if m.Role == chat.User {
			t.asked, t.Result = m.UserText(), resumed(m.Message)
		}
	}
}

// resumed says of a turn under way what is in its message.
func resumed(m chat.Message) *injection.Result {
	r := injection.Result{
		Schema: injection.ResultSchema, Strategy: injection.None, ReasonCode: injection.NoFiles,
		Reason: "The turn goes on, and nothing was injected into its message.", Message: m,
	}
	if m.Injected != nil {
		r.Strategy, r.ReasonCode = injection.Strategy(m.Injected.Strategy), injection.AlreadyInContext
		r.Reason, r.Citations, r.Query = "The turn goes on, and its message stays as it was.", m.Injected.Citations, m.Injected.Query
	}
	return &r
}

// assemble puts the past, the new message and what followed it together.
func (t *Turn) assemble(context.Context) error {
	n := len(t.req.Past)
	t.Prompt.Messages = t.past
	if !t.req.Continues {
		n++
		t.Prompt.Messages = append(t.Prompt.Messages, Message{t.message, n})
	}
	for i, m := range t.req.After {
		t.Prompt.Messages = append(t.Prompt.Messages, Message{m, n + i + 1})
	}
	if x := t.Execution; x != nil && x.SystemPrompt != nil {
		t.Prompt.Messages = withSystem(t.Prompt.Messages, string(*x.SystemPrompt))
	}
	return nil
}

// withSystem puts a strategy's system prompt in the place of the first one.
func withSystem(messages []Message, text string) []Message {
	for i, m := range messages {
		if m.Role == chat.System {
			messages[i].Text = text
			return messages
		}
	}
	return append([]Message{{Message: chat.Message{Role: chat.System, Text: text}}}, messages...)
}

// Citations are the passages in the prompt of the turn.
func (t *Turn) Citations() []chat.Citation {
	var list []chat.Citation
	if in := t.message.Injected; in != nil {
		list = in.Citations
	} else if t.Result != nil {
		list = t.Result.Citations
	}
	if at := processor.LastUser(t.prompt); at >= 0 {
		if in := t.prompt[at].Injected; in != nil && len(list) == 0 {
			list = in.Citations // of @files
		}
	}
	return list
}

// Trace is what the processors did.
func (t *Turn) Trace() []processor.Record {
	if t.turns == nil {
		return nil
	}
	return t.turns.Trace()
}

// Unknown is a model whose window cannot be measured: err says why and what to
// do, to whoever asks for it. A turn without files needs none.
func Unknown(name string, err error) llm.Measurer { return unknown{name, err} }

type unknown struct {
	name string
	err  error
}

func (u unknown) Name() string                                    { return u.name }
func (u unknown) Length(context.Context) (tokens.Count, error)    { return tokens.Count{}, u.err }
func (u unknown) Counter(context.Context) (tokens.Counter, error) { return nil, u.err }
func (u unknown) CountMessages(context.Context, []chat.Message) (tokens.Count, error) {
	return tokens.Count{}, u.err
}

// wrong names a field and what it may be, never what it was.
func wrong(field, want string) error {
	return &fault.Error{Code: fault.Usage, Subject: field, Reason: "is invalid", Next: "want " + want}
}
