package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/wire"
	"inlay/llm"
	"inlay/processor"
	"inlay/processor/builtin"
	"inlay/turn"
)

// agentCmd lets a model work with a folder, through the processor chains.
type agentCmd struct {
	wire.ModelSettings
	searchSettings
	librarySettings
	File      []rawArg          `short:"f" sep:"none" placeholder:"PATH[=MODE]" help:"File, folder, web address or glob to attach to the first question; - is standard input."`
	Workspace string            `default:"." placeholder:"DIR" help:"Folder that the model may look at. Nothing outside of it is read."`
	Fallback  []string          `sep:"none" placeholder:"PROVIDER:NAME" help:"Model to ask when the one before fails; may be repeated."`
	Arg       map[string]string `sep:"none" mapsep:"none" placeholder:"NAME=VALUE" help:"Value for {NAME} in what you ask; may be repeated."`
	History   string            `placeholder:"FILE" help:"Conversation to go on with (inlay.history/v1); it is made if it is not there."`
	IDE       string            `name:"ide" placeholder:"FILE" help:"What your editor shows, as JSON: file, language, selection, line, column."`
	MaxSteps  int               `default:"16" placeholder:"N" help:"Most calls of the model for one question."`
	MaxTokens int               `default:"0" placeholder:"N" help:"Most tokens of an answer (default: room for 1024 is kept)."`
	NoTools   bool              `help:"Offer no tools, for models that have none."`
	Record    string            `placeholder:"FILE" xor:"tape" help:"Record each call of the model and its answer in a new file (inlay.recording/v1)."`
	Replay    string            `placeholder:"FILE" xor:"tape" help:"Answer from a recording; no model is asked. What is sent must be what was recorded."`
	Trace     bool              `help:"Print what each processor did."`
	Quiet     bool              `short:"q" help:"No notes."`

	Question []rawArg `arg:"" optional:"" help:"One question, and files to attach; without a question lines are read from standard input. After -- nothing is a file."`
}

// Run answers one question, or each line.
func (c *agentCmd) Run(ctx context.Context, a *app) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	got, err := a.arguments(c.File, c.Question)
	if err == nil {
		err = a.free(got)
	}
	if err != nil {
		return err
	}
	if c.Replay == "" {
		if err := a.choose(ctx, &c.ModelSettings); err != nil {
			return err
		}
	}
	tape, err := c.openTape()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tape.close()) }()
	w, err := builtin.OpenWorkspace(c.Workspace, nil)
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }()
	agent, injector, err := c.open(ctx, a, w, tape)
	if err != nil {
		return err
	}
	past, err := openHistory(c.History)
	if err != nil {
		return err
	}
	s := &agentSession{cmd: c, app: a, agent: agent, injector: injector, tape: tape, past: past, conversation: &processor.Conversation{}}
	for _, m := range past.Messages {
		s.conversation.Messages = append(s.conversation.Messages, processor.FromChat(m))
	}
	if s.options, err = agentInjection(c.searchSettings); err != nil {
		return err
	}
	s.options.Libraries = c.Library
	if s.options.Filter, err = c.filter(); err != nil {
		return err
	}
	attached, err := openFiles(ctx, a, got.files)
	if err != nil {
		return err
	}
	attached.tell(a)
	past.hold(attached.files)
	s.files, s.images = attached.files, attached.images
	if strings.TrimSpace(got.question) != "" {
		defer a.unread(got, c.Quiet)
		return s.turn(ctx, got.question)
	}
	for line := range readLines(ctx, a.stdin) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := s.turn(ctx, line); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// agentSession is an agent at work: its turns follow each other.
type agentSession struct {
	cmd          *agentCmd
	app          *app
	agent        *processor.Agent
	injector     *injection.Injector
	tape         *tape
	past         *history
	conversation *processor.Conversation
	options      injection.Options
	files        []injection.File // of the next question
	images       []chat.Attachment
}

// check refuses numbers that make no sense.
func (c *agentCmd) check() error {
	switch {
	case c.MaxSteps < 1:
		return &fault.Error{Code: fault.Usage, Subject: "--max-steps", Reason: fmt.Sprintf("is %d, want 1 or more", c.MaxSteps), Next: "leave it out for 16"}
	case c.MaxTokens < 0:
		return &fault.Error{Code: fault.Usage, Subject: "--max-tokens", Reason: fmt.Sprintf("is %d, want 1 or more, or 0 for the default", c.MaxTokens), Next: "leave it out to keep room for 1024"}
	}
	return nil
}

// open puts the agent together: models, chains, tools.
func (c *agentCmd) open(ctx context.Context, a *app, w *builtin.Workspace, tape *tape) (*processor.Agent, *injection.Injector, error) {
	agent := &processor.Agent{MaxSteps: c.MaxSteps, Request: processor.Request{MaxTokens: c.MaxTokens}, Ledger: &processor.Ledger{}}
	var err error
	if agent.Models, err = c.models(a, tape); err != nil {
		return nil, nil, err
	}
	if length, err := agent.Models[0].Length(ctx); err == nil && length.By == llm.Assumed && !c.Quiet {
		if _, err := fmt.Fprintf(a.stderr, "The context window is not known; %d tokens are assumed (set --context-length).\n", length.N); err != nil {
			return nil, nil, err
		}
	}
	injector, err := c.librarySettings.open(ctx, a, c.searchSettings, c.ModelSettings)
	if err != nil {
		return nil, nil, err
	}
	if !c.NoTools {
		agent.Tools = builtin.ReadOnlyTools(w, injector.Reader)
	}
	options, err := agentInjection(c.searchSettings)
	if err != nil {
		return nil, nil, err
	}
	host := builtin.Host{Workspace: w, Injector: injector, Injection: options, Model: agent.Models[0], Fallbacks: c.Fallback}
	for _, tool := range agent.Tools {
		host.Tools = append(host.Tools, tool.Name)
	}
	chains, err := processor.Load(a.settings.path, a.settings.text, builtin.Registry(host))
	if err != nil {
		return nil, nil, err
	}
	agent.Chains = *chains
	return agent, injector, nil
}

// turn carries one question out, prints the answer and keeps what was said.
func (s *agentSession) turn(ctx context.Context, question string) error {
	ide, err := s.cmd.editor()
	if err != nil {
		return err
	}
	now, err := s.tape.time()
	if err != nil {
		return err
	}
	made, err := s.engine().Prepare(ctx, s.request(question))
	if err != nil {
		return err
	}
	t := &processor.Turn{Now: now, Arguments: maps.Clone(s.cmd.Arg), IDE: ide, Said: question}
	reply, err := s.agent.Run(ctx, t, s.conversation, made.Piece())
	if e := s.cmd.tell(s.app.stderr, t); e != nil {
		return e
	}
	if err != nil {
		return err
	}
	made.Keep(processor.Chats(reply.Said)[1:]...)
	if err := s.past.add(made.Said()...); err != nil {
		return err
	}
	s.files, s.images = nil, nil
	_, err = fmt.Fprintln(s.app.stdout, printable(reply.Text))
	return err
}

// engine prepares what the agent is asked; its processors run with each call of
// the model.
func (s *agentSession) engine() *turn.Engine { return &turn.Engine{Injector: s.injector} }

// request is the turn of a question: the conversation as the agent has it, and
// the files of all of its turns, also of those that processors left out since.
func (s *agentSession) request(question string) turn.Request {
	r := turn.Request{Text: question, Files: s.files, Images: s.images, Model: s.agent.Models[0], Options: s.options}
	for _, m := range processor.Chats(s.conversation.Messages) {
		r.Past = append(r.Past, turn.Said{Message: m})
	}
	if len(r.Past) == 0 {
		return r
	}
	for _, said := range s.past.said(s.app.limits) {
		r.Past[0].Files = append(r.Past[0].Files, said.Files...)
	}
	return r
}

// editor reads what the editor shows, again for each turn.
func (c *agentCmd) editor() (*processor.IDE, error) {
	if c.IDE == "" {
		return nil, nil
	}
	data, err := os.ReadFile(c.IDE)
	if err != nil {
		return nil, &fault.Error{Code: fault.CodeOf(err), Subject: c.IDE, Reason: "it cannot be read: " + reasonOf(err), Next: "check --ide", Err: err}
	}
	var ide processor.IDE
	if err := json.Unmarshal(data, &ide); err != nil {
		return nil, &fault.Error{Code: fault.Usage, Subject: c.IDE, Reason: "is not a JSON object with file, language, selection, line and column", Next: "check --ide", Err: err}
	}
	return &ide, nil
}

// tell prints the trace, or what processors had to say. That one failed is
// left to the error that the turn ends with.
func (c *agentCmd) tell(w io.Writer, t *processor.Turn) error {
	if c.Trace {
		return writeTrace(w, t.Trace())
	}
	for _, r := range t.Trace() {
		if c.Quiet {
			break
		}
		if r.Verdict != processor.Continues && (r.Verdict != processor.Failed || r.Family == processor.ToolRuns) {
			if _, err := fmt.Fprintf(w, "%s: %s\n", r.Verdict, printable(r.Reason)); err != nil {
				return err
			}
		}
		for _, n := range r.Notes {
			if r.Family != processor.LLMSteps {
				if _, err := fmt.Fprintf(w, "note: %s\n", printable(n.Message)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// writeTrace prints one line for each processor that ran, and its notes.
func writeTrace(w io.Writer, trace []processor.Record) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range trace {
		family := string(r.Family)
		if r.Stage != "" {
			family += "/" + r.Stage
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%d -> %d tokens\t%s\t%s\n", family, r.Name, r.Verdict, r.Before, r.After, r.Duration.Round(time.Microsecond), printable(r.Reason))
		for _, n := range r.Notes {
			_, _ = fmt.Fprintf(table, "\t\t%s: %s\n", n.Code, printable(n.Message))
		}
	}
	return table.Flush()
}

// agentInjection is how @files are laid in: with the set of prompts that fences
// them and numbers what can be cited.
func agentInjection(s searchSettings) (injection.Options, error) {
	o := injection.Options{Limit: s.Limit, Threshold: s.Threshold, CitationShare: s.Share}
	return o, o.Validate()
}
