package route

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"inlay/chat"
	"inlay/fault"
	"inlay/ignore"
	"inlay/llm"
	"inlay/tokens"
)

// Router decides a turn and keeps the promises around the decision. Its fields
// are set once; it is safe for concurrent use.
type Router struct {
	Settings       Settings
	Governance     Governance
	Decider        Decider        // nil: Heuristic
	Tools          []Tool         // nil: Tools()
	CodebaseSearch bool           // whether codebase_search is there
	Rules          *ignore.Rules  // paths they keep out are not proposed; nil: none
	Counter        tokens.Counter // for the accounting; nil: nothing is counted
	Logger         *slog.Logger   // kinds, counts and times, never content; nil is silent
}

// Request is one turn as the host would send it, and what the decision may see.
type Request struct {
	System      string         // the host's full system prompt
	Messages    []chat.Message // the conversation; what follows the last user message was done for it
	Ask         string         // the latest ask; empty: the last user message
	Context     string         // compact summary of the conversation; empty: the beginnings of its last messages
	Last        *Last          // the last tool result; nil: the conversation's
	Mode        Mode
	Environment Environment
	Objective   string      // the task; empty: the ask
	Client      *Client     // the tools of the request as it came; nil: the host's tools are the router's
	Attached    []string    // names of files that came with this message or are in the prompt from earlier ones
	Thread      *llm.Thread // goes to the large model as it is, so that a condensed call goes on from earlier answers; nil: none
}

// Outcome is what to do with a turn.
type Outcome struct {
	Routed   bool           `json:"routed"` // false: send System and Messages as they are
	Decision *Decision      `json:"decision,omitempty"`
	Decider  string         `json:"decider,omitempty"`
	Proposed string         `json:"proposed,omitempty"` // the tool that was refused and asked about instead
	Warnings []string       `json:"warnings"`
	Stages   []Stage        `json:"stages"`
	Code     Code           `json:"code,omitempty"` // why, for counters; empty while the flag is off
	Full     int            `json:"tokens_full"`    // of the unrouted prompt with its catalogue, as counted
	Sent     int            `json:"tokens_sent"`    // of the prompt that the large model gets; 0 where it is not called
	Saved    int            `json:"saved"`          // tokens against the unrouted prompt; may be negative
	System   string         `json:"-"`
	Messages []chat.Message `json:"-"`

	known []Tool // the router's tools of this turn
}

// Keeps reports whether a tool of the client goes to the large model: all of
// them do, but for those the router knows where the prompt is condensed.
func (o Outcome) Keeps(tool string) bool {
	condensed := o.Routed && o.Decision.Big != nil && o.Decision.Big.UseCondensedPrompt
	return !condensed || !slices.ContainsFunc(o.known, func(t Tool) bool { return t.Name == tool })
}

// Stage is the cost of one step of a turn.
type Stage struct {
	Name    string        `json:"name"` // preprocessor, big, big-retry
	In      int           `json:"tokens_in"`
	Out     int           `json:"tokens_out"`
	Latency time.Duration `json:"latency_ns"`
}

// SavedText is the line for people.
func (o Outcome) SavedText() string { return fmt.Sprintf("Saved %d tokens this turn", o.Saved) }

// Decide decides a turn. While the flag is off, on refusal by governance and
// when the decider fails, the outcome is the host's prompt byte for byte, the
// latter two with a warning. Errors are bad settings and cancellation.
func (r Router) Decide(ctx context.Context, req Request) (Outcome, error) {
	out := Outcome{System: req.System, Messages: req.Messages, Warnings: []string{}, Stages: []Stage{}}
	if !r.Settings.EnablePromptPreprocessor {
		return out, nil
	}
	if err := r.Settings.Validate(); err != nil {
		return out, fmt.Errorf("route: %w", err)
	}
	decider := r.Decider
	if decider == nil {
		decider = Heuristic{}
	}
	if m, model := decider.(Model); model {
		if why := r.misconfigured(m); why != "" {
			out.Warnings = append(out.Warnings, "The prompt is not routed: "+why+".")
			return out, nil
		}
	}
	out.Decider = decider.Name()
	if req.Client.forced() {
		out.Code = Forced
		return out, nil
	}
	r = r.serving(req.Client)
	before := readPast(req.Messages)
	if req.Last == nil {
		req.Last = before.last()
	}
	in := r.input(req, before)
	start := time.Now()
	d, usage, err := decider.Decide(ctx, in)
	if ctx.Err() != nil {
		return out, fmt.Errorf("route: %w", ctx.Err())
	}
	out.Stages = append(out.Stages, r.preprocessor(decider, in, d, usage, time.Since(start)))
	if err != nil {
		out.Code = Failed
		out.Warnings = append(out.Warnings, "The prompt is not routed: "+decider.Name()+" "+publicReason(err)+".")
		r.log(ctx, out)
		return out, nil
	}
	out.Routed, out.known = true, r.tools()
	if err := r.apply(req, in, before, d, &out); err != nil {
		return Outcome{System: req.System, Messages: req.Messages, Warnings: out.Warnings, Stages: out.Stages, Code: Failed}, fmt.Errorf("route: %w", err)
	}
	r.log(ctx, out)
	return out, nil
}

// serving is the router with the tools of a client.
func (r Router) serving(c *Client) Router {
	if c == nil {
		return r
	}
	r.Tools = c.known(r.tools())
	if r.Tools == nil {
		r.Tools = []Tool{}
	}
	r.CodebaseSearch = c.has("codebase_search")
	return r
}

// misconfigured says why the configured model may not decide.
func (r Router) misconfigured(m Model) string {
	switch {
	case strings.TrimSpace(r.Settings.PreprocessorModelID) == "":
		return "preprocessor_model_id is empty"
	case m.Generator == nil:
		return "the provider " + r.Settings.PreprocessorProvider + " is not there"
	}
	return r.Governance.refuses(r.Settings.PreprocessorProvider, r.Settings.PreprocessorModelID)
}

// input is what the decider may see.
func (r Router) input(req Request, before past) Input {
	most := r.Settings.PreprocessorMaxContextChars
	in := Input{
		Ask: req.Ask, Context: clip(req.Context, most), Offered: r.offered(req.Mode),
		Done: before.done(), Read: before.known(req.Last, req.Context), Files: req.Attached,
	}
	for _, t := range in.Offered {
		in.Tools = append(in.Tools, t.Name)
	}
	if in.Ask == "" {
		in.Ask = before.ask
	}
	if in.Context == "" {
		room := most
		if req.Last != nil {
			room /= 2 // the other half is for what the tool returned
		}
		in.Context = before.compact(room)
	}
	if req.Last != nil {
		last := *req.Last
		last.Preview = clip(last.Preview, most-utf8.RuneCountInString(in.Context))
		last.Cut = last.Cut || len(last.Preview) < len(req.Last.Preview)
		in.Last = &last
	}
	return in
}

// clip keeps the first n characters.
func clip(s string, n int) string {
	count := 0
	for i := range s {
		if count == max(n, 0) {
			return s[:i]
		}
		count++
	}
	return s
}

// offered are the tools that the mode allows and that are there.
func (r Router) offered(m Mode) (out []Tool) {
	for _, t := range r.tools() {
		if m.Allows(t.Name) && (t.Name != "codebase_search" || r.CodebaseSearch) {
			out = append(out, t)
		}
	}
	return out
}

func (r Router) tools() []Tool {
	if r.Tools != nil {
		return r.Tools
	}
	return Tools()
}

// apply checks a decision and makes it the outcome.
func (r Router) apply(req Request, in Input, before past, d Decision, out *Outcome) error {
	out.Decision = &d
	out.Full = r.count(req.System, req.Messages) + r.catalogue(req.Client, func(string) bool { return true })
	d = r.settle(req, in, before, d, out)
	out.Code = d.Code
	spent := out.Stages[0].In + out.Stages[0].Out
	if d.Decision == ToTool {
		out.Saved = out.Full - spent
		return nil
	}
	if r.Settings.CondensedPromptEnabled && !d.Big.NeedsTools {
		if err := r.condense(req, in, before, &d, out); err != nil {
			return err
		}
	}
	out.Sent = r.count(out.System, out.Messages) + r.catalogue(req.Client, out.Keeps)
	out.Saved = out.Full - out.Sent - spent
	return nil
}

// settle holds a decision to what the turn allows: a tool that may be proposed,
// or the large model, with its tools wherever it may need them.
func (r Router) settle(req Request, in Input, before past, d Decision, out *Outcome) Decision {
	switch {
	case d.Tool != nil && again(in.Done, *d.Tool):
		d = because(AtHand, big("what it would do was done for this ask, and its result is at hand"))
	case d.Tool != nil && attachedFile(in.Files, d.Tool.path()):
		d = because(Attached, big("the file is attached, and need not be read again"))
	}
	if mayNeed(in.Ask, req.Client.foreign(r.tools())) {
		d = because(OfClient, writes("a tool of the client's own may be needed"))
	}
	if d.Decision == ToTool {
		d = r.checked(req, in, before, d, out)
	}
	if d.Decision == ToTool {
		d.Big = nil
		return d
	}
	d.Tool = nil
	if d.Big == nil {
		d.Big = &Big{}
	}
	copied := *d.Big
	d.Big = &copied
	d.Code = cmp.Or(d.Code, ByModel)
	return d
}

// checked is a proposal, the question about it, or the large model where the
// client could do nothing with either.
func (r Router) checked(req Request, in Input, before past, d Decision, out *Outcome) Decision {
	c := checker{tools: r.tools(), allowed: in.Tools, rules: r.Rules, read: before.texts(req.Last)}
	d.Code = cmp.Or(d.Code, ByTool)
	question := c.fault(*d.Tool)
	if question != "" {
		out.Proposed = d.Tool.Name
		d.Code = Asks
		d.Tool = &Call{Name: Followup, Params: map[string]any{"question": question}}
	}
	if !req.Client.has(d.Tool.Name) || req.Client != nil && question != "" && c.fault(*d.Tool) != "" {
		return because(NoTool, writes("the client has no tool for this step"))
	}
	return d
}

// catalogue counts the definitions of a client's tools.
func (r Router) catalogue(c *Client, keeps func(tool string) bool) (n int) {
	if c == nil || r.Counter == nil {
		return 0
	}
	for _, t := range c.Tools {
		if keeps(t.Name) {
			n += r.Counter.Count(t.Definition).N
		}
	}
	return n
}

// Apply is how every client honours the decision, whatever its provider: a
// condensed call gets the condensed prompt and its messages; any other request
// goes on unchanged.
func (b *Big) Apply(request llm.Request) llm.Request {
	if b == nil || !b.UseCondensedPrompt {
		return request
	}
	request.Messages = b.Messages
	if b.CondensedPrompt != "" {
		request.Messages = append([]chat.Message{{Role: chat.System, Text: b.CondensedPrompt}}, b.Messages...)
	}
	return request
}

func (r Router) count(system string, messages []chat.Message) int {
	if r.Counter == nil {
		return 0
	}
	n := r.Counter.Count(system).N
	for _, m := range messages {
		n += r.Counter.Count(m.Text).N
	}
	return n
}

// preprocessor is the decider's stage: what the server reports, else what a
// model was shown, counted; a heuristic spends nothing.
func (r Router) preprocessor(d Decider, in Input, made Decision, u Usage, took time.Duration) Stage {
	s := Stage{Name: "preprocessor", In: u.In, Out: u.Out, Latency: took}
	if _, model := d.(Model); model && u == (Usage{}) && r.Counter != nil {
		s.In, s.Out = r.count("", Ask(in)), r.Counter.Count(made.Reasoning).N
	}
	return s
}

// publicReason says what a decider did wrong: our own errors in their words,
// those of others by their code, since they may hold content.
func publicReason(err error) string {
	for _, own := range []error{errAnswer, errCut, errBoth} {
		if errors.Is(err, own) {
			return "could not decide: " + own.Error()
		}
	}
	code := fault.CodeOf(err)
	switch {
	case errors.Is(err, llm.ErrUnfinished):
		return "could not decide: " + llm.ErrUnfinished.Error()
	case errors.Is(err, context.DeadlineExceeded), code == fault.Timeout:
		return "did not answer in time (timeout)"
	case code == fault.BackendUnreachable:
		return "cannot be reached (backend_unreachable); check the provider, its address and its key"
	case code == fault.ModelNotFound:
		return "is not there (model_not_found); check preprocessor_model_id"
	case code == fault.Unauthorized:
		return "was not allowed (unauthorized); check the provider's key"
	}
	return "failed (" + string(code) + ")"
}

func (r Router) log(ctx context.Context, o Outcome) {
	if r.Logger == nil {
		return
	}
	kind, tool := "none", ""
	if o.Decision != nil {
		kind = string(o.Decision.Decision)
		if o.Decision.Tool != nil {
			tool = o.Decision.Tool.Name
		}
	}
	r.Logger.InfoContext(ctx, "routed", slog.String("decider", o.Decider), slog.String("decision", kind), slog.String("tool", tool),
		slog.Int("saved", o.Saved), slog.Duration("took", o.Stages[0].Latency))
}
