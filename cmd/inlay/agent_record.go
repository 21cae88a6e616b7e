package main

import (
	"errors"
	"os"
	"strings"
	"time"

	"inlay/fault"
	"inlay/internal/wire"
	"inlay/processor"
	"inlay/processor/builtin"
	"inlay/tokens"
)

// tape is a recording that an agent writes, or answers from.
type tape struct {
	file   *os.File
	replay *builtin.Replay // nil: it is written
	now    time.Time       // of the turn under way
}

// openTape opens what --record or --replay names; nil for neither. A recording
// holds whole conversations: it is made for its owner only, and an old one is
// not written over.
func (c *agentCmd) openTape() (*tape, error) {
	switch {
	case c.Record != "":
		f, err := os.OpenFile(c.Record, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, &fault.Error{Code: fault.CodeOf(err), Subject: c.Record, Reason: "the recording cannot be made: " + reasonOf(err), Next: "give --record a new name", Err: err}
		}
		return &tape{file: f}, nil
	case c.Replay != "":
		if err := notRegular(c.Replay); err != nil {
			return nil, err
		}
		f, err := os.Open(c.Replay)
		if err != nil {
			return nil, &fault.Error{Code: fault.CodeOf(err), Subject: c.Replay, Reason: "the recording cannot be read: " + reasonOf(err), Next: "check --replay", Err: err}
		}
		return &tape{file: f}, nil
	}
	return nil, nil //nolint:nilnil // there is none
}

// close closes the recording.
func (t *tape) close() error {
	if t == nil {
		return nil
	}
	return t.file.Close()
}

// models are those that answer: recorded, or the recording itself, for which no
// server is asked.
func (c *agentCmd) models(a *app, t *tape) ([]processor.Model, error) {
	if c.Replay != "" {
		return c.replayed(t)
	}
	var out []processor.Model
	for i, name := range append([]string{c.Model}, c.Fallback...) {
		s := c.ModelSettings
		s.Model = name
		m, err := wire.OpenAnswerer(s, a.getenv)
		if err != nil {
			if f, ok := errors.AsType[*fault.Error](err); ok && i > 0 {
				f.Subject = strings.Replace(f.Subject, "--model", "--fallback", 1)
			}
			return nil, err
		}
		if t == nil {
			out = append(out, m)
			continue
		}
		out = append(out, builtin.Record{Model: m, To: t.file, Now: func() time.Time { return t.now }})
	}
	return out, nil
}

// replayed measures as was recorded: the window is the recording's, and tokens
// are counted here.
func (c *agentCmd) replayed(t *tape) ([]processor.Model, error) {
	t.replay = builtin.NewReplay(nil, t.file)
	first, err := t.replay.Next()
	if err != nil {
		return nil, err
	}
	s := c.ModelSettings
	s.ContextLength = first.Window
	t.replay.Measurer, err = wire.OpenKnown(s, tokens.Count{}, &tokens.Library{})
	return []processor.Model{t.replay}, err
}

// time is the time of a turn that begins: now, or when it was recorded.
func (t *tape) time() (time.Time, error) {
	switch {
	case t == nil:
		return time.Now(), nil
	case t.replay == nil:
		t.now = time.Now()
		return t.now, nil
	}
	next, err := t.replay.Next()
	return next.Now, err
}
