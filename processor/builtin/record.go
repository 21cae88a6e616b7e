package builtin

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
	"inlay/processor"
)

// RecordingSchema names a line of a recording.
const RecordingSchema = "inlay.recording/v1"

// Recording is one call: the final messages and what the model answered.
type Recording struct {
	Schema   string         `json:"schema"`
	Messages []chat.Message `json:"messages"`
	Answer   *chat.Message  `json:"answer,omitempty"` // of a recording made with [Record]
	Usage    llm.Usage      `json:"usage"`
	// What a replay takes from a recording, where it was given to [Record]: the
	// turn's time and the model's window in tokens.
	Now    time.Time `json:"now,omitzero"`
	Window int       `json:"window,omitempty"`
}

// ChatRecording writes the final messages of every call as JSON lines: every
// processor after it goes unrecorded, so it is last. It holds the whole
// conversation; the file is made for its owner only. Without a file it does
// nothing.
type ChatRecording struct {
	File string    `json:"file"` // appended to
	To   io.Writer `json:"-"`    // instead of File

	mu *sync.Mutex
}

func recordingEntry() processor.Entry[processor.MessageModifier] {
	return processor.Entry[processor.MessageModifier]{Name: "ChatRecordingModifier", Default: true, Make: func(o processor.Options) (processor.MessageModifier, error) {
		r := ChatRecording{mu: &sync.Mutex{}}
		err := o.Into(&r)
		return processor.MessageModifier{Name: "ChatRecordingModifier", Run: r.Modify}, err
	}}
}

// Modify implements the processor.
func (r ChatRecording) Modify(_ context.Context, _ *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	if r.File == "" && r.To == nil {
		return v, processor.Continue(), nil
	}
	line, err := json.Marshal(Recording{Schema: RecordingSchema, Messages: processor.Chats(v)})
	if err == nil {
		err = r.write(append(line, '\n'))
	}
	if err != nil {
		err = &fault.Error{Code: fault.CodeOf(err), Subject: r.File, Reason: "the recording cannot be written", Next: "check the option file", Err: err}
	}
	return v, processor.Continue(), err
}

func (r ChatRecording) write(line []byte) error {
	if r.mu != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
	}
	if r.To != nil {
		_, err := r.To.Write(line)
		return err
	}
	f, err := os.OpenFile(r.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(line); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// Record is a model whose calls are recorded with their answers, for [Replay].
type Record struct {
	processor.Model
	To  io.Writer
	Now func() time.Time // of the turn under way; nil: not recorded
}

// Generate implements [llm.Generator]. A call that failed is not recorded.
func (r Record) Generate(ctx context.Context, q llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		answer := chat.Message{Role: chat.Assistant}
		for d, err := range r.Model.Generate(ctx, q) {
			answer.Text += d.Text
			answer.ToolCalls = append(answer.ToolCalls, d.ToolCalls...)
			if err == nil && d.Done != "" {
				err = r.write(ctx, Recording{Schema: RecordingSchema, Messages: q.Messages, Answer: &answer, Usage: d.Usage})
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

func (r Record) write(ctx context.Context, line Recording) error {
	length, err := r.Length(ctx)
	if err != nil {
		return err
	}
	line.Window = length.N
	if r.Now != nil {
		line.Now = r.Now()
	}
	return json.NewEncoder(r.To).Encode(line)
}

// Replay is a model that answers as one was recorded: the next call must send
// the recorded messages, byte for byte.
type Replay struct {
	llm.Measurer
	lines *bufio.Scanner
	next  *Recording // read ahead
}

// NewReplay reads a recording made with [Record]. m measures; nothing is asked
// of a model. It is not safe for concurrent use.
func NewReplay(m llm.Measurer, recording io.Reader) *Replay {
	s := bufio.NewScanner(recording)
	s.Buffer(nil, 256<<20)
	return &Replay{Measurer: m, lines: s}
}

// Next is the call that is to be replayed next, without taking it: its time is
// that of the turn.
func (r *Replay) Next() (Recording, error) {
	if r.next != nil {
		return *r.next, nil
	}
	if !r.lines.Scan() {
		return Recording{}, replayError("holds no further call", r.lines.Err())
	}
	var next Recording
	if err := json.Unmarshal(r.lines.Bytes(), &next); err != nil || next.Schema != RecordingSchema || next.Answer == nil {
		return Recording{}, replayError("is not "+RecordingSchema+" with answers", err)
	}
	r.next = &next
	return next, nil
}

// Generate implements [llm.Generator].
func (r *Replay) Generate(_ context.Context, q llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		want, err := r.Next()
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		r.next = nil
		for i := range max(len(q.Messages), len(want.Messages)) {
			if i >= len(q.Messages) || i >= len(want.Messages) || !equalJSON(q.Messages[i], want.Messages[i]) {
				yield(llm.Delta{}, replayError(fmt.Sprintf("differs from what is sent, first in message %d", i+1), nil))
				return
			}
		}
		yield(llm.Delta{Text: want.Answer.Text, ToolCalls: want.Answer.ToolCalls, Done: "stop", Usage: want.Usage}, nil)
	}
}

func replayError(reason string, err error) error {
	return &fault.Error{Code: fault.Corrupt, Subject: "recording", Reason: "it " + reason, Next: "record it again", Err: err}
}

func equalJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
