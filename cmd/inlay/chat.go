package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/wire"
	"inlay/turn"
)

// chatCmd talks with a model about files.
type chatCmd struct {
	settings
	File    []rawArg `short:"f" sep:"none" placeholder:"PATH[=MODE]" help:"File, folder, web address or glob to attach to the first question; - is standard input. A mode may follow: big.pdf=retrieval."`
	History string   `placeholder:"FILE" help:"Conversation to go on with (inlay.history/v1); it is made if it is not there."`
	Quiet   bool     `short:"q" help:"No statuses."`

	Question []rawArg `arg:"" optional:"" help:"One question, and files to attach; without a question the chat reads lines from standard input. After -- nothing is a file."`
}

// Run answers one question, or lines until they end. A turn that fails ends a
// chat of one question; an interactive chat says so and goes on.
func (c *chatCmd) Run(ctx context.Context, a *app) error {
	got, err := a.arguments(c.File, c.Question)
	if err != nil {
		return err
	}
	if err := a.free(got); err != nil {
		return err
	}
	t, err := c.open(ctx, a, got.files)
	if err != nil {
		return err
	}
	if strings.TrimSpace(got.question) != "" {
		defer a.unread(got, c.Quiet)
		return t.turn(ctx, got.question)
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM)
	defer signal.Stop(ends)
	// The process's own context ends at the first Ctrl-C, which here ends an
	// answer only.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		select {
		case <-ends:
			cancel()
		case <-ctx.Done():
		}
	}()
	t.welcome(ctx)
	lines := t.source(ctx)
	defer lines.close()
	if err := t.loop(ctx, lines, interrupts); err != nil {
		return err
	}
	return t.failed
}

// talk is a chat under way.
type talk struct {
	app     *app
	engine  *turn.Engine
	model   wire.Answerer
	options injection.Options
	past    *history
	files   []injection.File // attached and not yet sent
	images  []chat.Attachment
	last    *turn.Turn
	intent  string
	quiet   bool
	prompt  string // before each line; empty where no person types
	failed  error  // of a question from a pipe; its reason was said
}

func (c *chatCmd) open(ctx context.Context, a *app, names []rawArg) (*talk, error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	past, err := openHistory(c.History)
	if err != nil {
		return nil, err
	}
	if err := a.choose(ctx, &c.ModelSettings); err != nil {
		return nil, err
	}
	model, err := wire.OpenAnswerer(c.ModelSettings, a.getenv)
	if err != nil {
		return nil, err
	}
	engine, err := c.engine(ctx, a)
	if err != nil {
		return nil, err
	}
	t := &talk{app: a, engine: engine, model: model, options: options, intent: c.Intent, past: past, quiet: c.Quiet}
	if isTerminal(a.stdin) {
		t.prompt = "> "
	}
	return t, t.attach(ctx, names)
}

// readLines sends the lines of r until they or ctx end.
func readLines(ctx context.Context, r io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		s := bufio.NewScanner(r)
		s.Buffer(nil, 64<<20)
		for s.Scan() {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// loop takes lines until they end or /quit. An interrupt ends the answer under
// way; between answers the second in a row ends the chat.
func (t *talk) loop(ctx context.Context, in lineSource, interrupts <-chan os.Signal) error {
	warned := false
	for {
		lines, err := in.ask()
		if err != nil {
			return err
		}
		line := typedLine{err: errInterrupted}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-interrupts:
		case line = <-lines:
		}
		switch {
		case errors.Is(line.err, errInterrupted) && !warned:
			warned = true
			t.note("Ctrl-C again, Ctrl-D or /quit leaves the chat.")
			continue
		case line.err != nil, strings.TrimSpace(line.text) == "/quit":
			return nil //nolint:nilerr // the end of the lines is the end of the chat
		}
		warned = false
		if err := t.line(ctx, line.text, interrupts); err != nil {
			return err
		}
	}
}

// line is a command or a question. Its failure is said; only one that ends the
// chat is returned.
func (t *talk) line(ctx context.Context, line string, interrupts <-chan os.Signal) error {
	if strings.TrimSpace(line) == "" {
		return nil
	}
	turn, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-interrupts:
			cancel()
		case <-turn.Done():
		}
	}()
	var err error
	if strings.HasPrefix(line, "/") {
		err = t.command(turn, line)
	} else {
		err = t.turn(turn, line)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch {
	case fault.Is(err, fault.Canceled):
		t.note("stopped")
	case err != nil:
		t.note("inlay: " + printable(t.app.message(err)))
		if t.prompt == "" && !strings.HasPrefix(line, "/") {
			t.failed = &told{err}
		}
	}
	return nil
}

// turn prepares a question, streams the answer and lists its sources.
func (t *talk) turn(ctx context.Context, question string) error {
	view := newStatusView(t.app.stderr, t.quiet)
	made, err := t.engine.Prepare(ctx, turn.Request{
		Past: t.past.said(t.app.limits), Text: question, Files: t.files, Images: t.images,
		Model: t.model, Options: t.options, Intent: t.intent, Report: view.show,
	})
	view.close()
	if err != nil {
		return err
	}
	t.last = made
	t.app.tell(made)
	said, err := t.app.stream(ctx, t.app.stdout, made, t.model, t.options.ReserveOutput)
	if err != nil && (said.Text == "" || !errors.Is(err, context.Canceled)) {
		return err
	}
	t.files, t.images = nil, nil
	if e := t.past.add(made.Said()...); e != nil {
		return e
	}
	if e := t.say(sources(made, said.Text) + "\n"); e != nil {
		return e
	}
	return err
}

func (t *talk) say(text string) error {
	_, err := io.WriteString(t.app.stdout, text)
	return err
}

// note is a word to the person, beside the answers.
func (t *talk) note(line string) {
	_, _ = fmt.Fprintln(t.app.stderr, fitted(t.app.stderr, line))
}
