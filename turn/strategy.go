package turn

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"inlay/chat"
	"inlay/injection"
	"inlay/intent"
	"inlay/parse"
	"inlay/strategy"
	"inlay/strategy/builtin"
)

// execute has the strategy make the message. What its files preprocessor came
// to is the turn's result as far as the prompt uses it.
func (t *Turn) execute(ctx context.Context, req injection.Request) error {
	release, err := t.engine.admit(ctx, req)
	if err != nil {
		return err
	}
	defer release()
	files := &observed{}
	registry, err := t.registry(req, files.see)
	if err != nil {
		return err
	}
	engine := &strategy.Engine{Registry: registry, KeepMissing: t.req.KeepMissing, DryRun: t.req.Options.DryRun, Logger: t.engine.Logger}
	start := time.Now()
	out, err := engine.Execute(ctx, t.req.Strategy, t.context(req))
	t.engine.observe().Stage("strategy", time.Since(start))
	t.Execution = &out
	if err != nil {
		return err
	}
	if out.SystemPrompt != nil {
		out.SystemPrompt = new(*out.SystemPrompt)
	}
	res := files.last()
	if res == nil {
		out.Diagnostics = append(out.Diagnostics, unread(req)...)
	} else {
		res.Warnings = slices.Concat(req.Warnings, res.Warnings)
	}
	return t.executed(req, out, res)
}

// unread says what the door has to say, and which of a turn's files the strategy
// did not read.
func unread(req injection.Request) (out []strategy.Diagnostic) {
	for _, w := range req.Warnings {
		out = append(out, strategy.Diagnostic{Severity: "warning", Code: w.Code, Message: w.Message})
	}
	for _, f := range req.Files {
		out = append(out, strategy.Diagnostic{
			Severity: "warning", Code: "files.unused",
			Message: f.Name + " is attached and not read: the strategy has no preprocessor named files.",
		})
	}
	return out
}

// context is what the strategy works on.
func (t *Turn) context(req injection.Request) strategy.ExecutionContext {
	x := strategy.ExecutionContext{Input: req.Text, Messages: req.Messages, Attachments: attachments(req), Model: req.Model, Values: t.req.Values}
	if req.Report != nil {
		x.Progress = func(event any) {
			if status, ok := event.(injection.Status); ok {
				req.Report(status)
			}
		}
	}
	return x
}

// registry has the preprocessors of this turn.
func (t *Turn) registry(req injection.Request, see func(injection.Result)) (*strategy.Registry, error) {
	o := t.engine.Preprocessors
	o.Injector, o.Defaults, o.Modes = t.engine.Injector, req.Options, modesOf(req.Files)
	o.Intent, o.Observe = intent.Preprocessor{Known: t.Intent}, see
	return strategy.NewRegistry(builtin.Preprocessors(o)...)
}

// executed makes the message of what the strategy wrote.
func (t *Turn) executed(req injection.Request, out strategy.Execution, res *injection.Result) error {
	prompt := string(out.Prompt)
	if res != nil {
		t.Result, t.message = res, res.MessageWith(prompt)
		if t.message.Injected != nil {
			t.Result.Citations = slices.Clone(t.message.Injected.Citations)
			t.message.Injected.Query = cmp.Or(req.Text, t.message.Injected.Query)
		}
		t.engine.observe().Decided(*res)
	} else {
		t.message = chat.Message{Role: chat.User, Text: prompt, Attachments: slices.Clone(req.Images)}
		for _, f := range req.Files {
			t.message.Attachments = append(t.message.Attachments, chat.Attachment{FileID: idOf(f), Name: f.Name, MediaType: f.MediaType, Path: f.Path})
		}
	}
	mark(t.Intent, &t.message)
	var record bytes.Buffer
	e := json.NewEncoder(&record)
	e.SetEscapeHTML(false)
	err := e.Encode(&out)
	t.message.Execution = bytes.TrimSpace(record.Bytes())
	return err
}

// observed is what the files preprocessor of a strategy came to. One that was
// abandoned may still report while the turn goes on.
type observed struct {
	mu  sync.Mutex
	res *injection.Result
}

func (o *observed) see(r injection.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.res = &r
}

func (o *observed) last() *injection.Result {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.res
}

// attachments are a request's files as strategies see them.
func attachments(req injection.Request) []strategy.Attachment {
	var list []strategy.Attachment
	for _, f := range req.Files {
		list = append(list, attachment(f, true))
	}
	for _, i := range req.Images {
		list = append(list, strategy.Attachment{Attachment: i, New: true})
	}
	for _, f := range req.Earlier {
		list = append(list, attachment(f, false))
	}
	return list
}

// Attachments are files and images of a new message as strategies see them.
func Attachments(files []injection.File, images []chat.Attachment) []strategy.Attachment {
	return attachments(injection.Request{Files: files, Images: images})
}

func attachment(f injection.File, fresh bool) strategy.Attachment {
	open := f.Open
	if f.Data != nil {
		open = func(context.Context) ([]byte, error) { return f.Data, nil }
	}
	return strategy.Attachment{
		Attachment: chat.Attachment{FileID: idOf(f), Name: f.Name, Path: f.Path, MediaType: f.MediaType}, New: fresh, Size: max(f.Size, int64(len(f.Data))), Open: open,
	}
}

func modesOf(files []injection.File) map[string]injection.Mode {
	modes := map[string]injection.Mode{}
	for _, f := range files {
		modes[idOf(f)] = f.Mode
	}
	return modes
}

// idOf is the name under which a file is known.
func idOf(f injection.File) string {
	switch {
	case f.ID != "":
		return f.ID
	case f.Data != nil:
		return parse.FileID(f.Data)
	}
	return strings.Join([]string{f.Content, f.Path, f.Name}, "\x00")
}
