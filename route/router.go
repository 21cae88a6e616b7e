package route

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	Saved    int            `json:"saved"` // tokens against the uncondensed prompt; may be negative
	System   string         `json:"-"`
	Messages []chat.Message `json:"-"`
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
		out.Warnings = append(out.Warnings, "The prompt is not routed: "+decider.Name()+" "+publicReason(err)+".")
		r.log(ctx, out)
		return out, nil
	}
	out.Routed = true
	if err := r.apply(req, in, before, d, &out); err != nil {
		return Outcome{System: req.System, Messages: req.Messages, Warnings: out.Warnings, Stages: out.Stages}, fmt.Errorf("route: %w", err)
	}
	r.log(ctx, out)
	return out, nil
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
		Done: before.done(), Read: before.known(req.Last, req.Context),
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
	full := r.count(req.System, req.Messages)
	if d.Tool != nil && again(in.Done, *d.Tool) {
		d = big("what it would do was done for this ask, and its result is at hand")
	}
	if d.Decision == ToTool {
		c := checker{tools: r.tools(), allowed: in.Tools, rules: r.Rules, read: in.Read}
		if question := c.fault(*d.Tool); question != "" {
			out.Proposed = d.Tool.Name
			d.Tool = &Call{Name: Followup, Params: map[string]any{"question": question}}
		}
		d.Big = nil
		out.Saved = full - out.Stages[0].In - out.Stages[0].Out
		return nil
	}
	d.Tool = nil
	if d.Big == nil {
		d.Big = &Big{}
	}
	if r.Settings.CondensedPromptEnabled && !d.Big.NeedsTools {
		if err := r.condense(req, in, before, &d, out); err != nil {
			return err
		}
	}
	out.Saved = full - r.count(out.System, out.Messages) - out.Stages[0].In - out.Stages[0].Out
	return nil
}

// condense puts the condensed prompt and the latest ask in the place of the
// full prompt and the conversation. What tools returned for the ask is shown
// whole: the bound on context is the decider's.
func (r Router) condense(req Request, in Input, before past, d *Decision, out *Outcome) error {
	objective := req.Objective
	if objective == "" {
		objective = "Answer the user's latest message."
	}
	before.ask = in.Ask
	selected := strings.TrimSpace(in.Context + "\n\n" + before.results(req.Last))
	system, err := Build(Prompt{Mode: req.Mode, Environment: req.Environment, Objective: objective, Context: selected, Condensed: true})
	if err != nil {
		return err
	}
	big := *d.Big
	big.UseCondensedPrompt, big.CondensedPrompt, big.Messages = true, system, []chat.Message{{Role: chat.User, Text: in.Ask}}
	d.Big, out.System, out.Messages = &big, system, big.Messages
	return nil
}

// Apply is how every client honours the decision, whatever its provider: a
// condensed call gets the condensed prompt and its messages; any other request
// goes on unchanged.
func (b *Big) Apply(request llm.Request) llm.Request {
	if b == nil || !b.UseCondensedPrompt {
		return request
	}
	request.Messages = append([]chat.Message{{Role: chat.System, Text: b.CondensedPrompt}}, b.Messages...)
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
