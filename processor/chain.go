package processor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"inlay/fault"
)

// Func is the work of a processor on a value. It returns the value to go on
// with: v itself, or a changed copy; v belongs to the caller and stays as it
// is. With any verdict but [Continue] the returned value is kept for the
// trace only. An error stops the turn.
type Func[T any] func(ctx context.Context, t *Turn, v T) (T, Verdict, error)

// Processor is one link of a chain.
type Processor[T any] struct {
	Name string // unique in its family: "AtFileProcessorModifier"
	Run  Func[T]

	observes bool
}

// Observe makes a processor that only looks. It is given a copy and has
// nothing to return; when it fails or panics the trace says so and the turn
// goes on. What takes long belongs in [Hooks], which do not hold up the turn.
func Observe[T any](name string, look func(ctx context.Context, t *Turn, v T) error) Processor[T] {
	return Processor[T]{Name: name, observes: true, Run: func(ctx context.Context, t *Turn, v T) (T, Verdict, error) {
		return v, Continue(), look(ctx, t, v)
	}}
}

// Family names a kind of chain: its key in the configuration and in traces.
type Family string

// The families. The last three of tools and steps are parts of one list in the
// configuration.
const (
	MessageModifiers  Family = "message_modifiers"
	ToolModifiers     Family = "tool_modifiers"
	LLMSteps          Family = "llm_steps"
	ResponseModifiers Family = "response_modifiers"
)

// ToolRuns is in the place of a family in the records of tools that were run.
const ToolRuns Family = "tools"

// kind is what the machine has to know of an element type.
type kind[T any] struct {
	family Family
	stage  string             // which part of the family: "injection", "before"; empty if it has one
	may    []Kind             // the verdicts beside Continues that make sense here
	clone  func(T) T          // a copy that shares no memory that can be written
	tokens func(*Turn, T) int // nil: not counted
	fixed  bool               // processors judge and do not change: what they return is dropped
}

// Chain runs processors in order. Its zero value lets everything pass.
type Chain[T any] struct {
	kind       kind[T]
	processors []Processor[T]
}

func newChain[T any](k kind[T], processors []Processor[T]) (Chain[T], error) {
	for i, p := range processors {
		same := func(q Processor[T]) bool { return q.Name == p.Name }
		if reason := p.invalid(); reason != "" || slices.ContainsFunc(processors[:i], same) {
			if reason == "" {
				reason = "there are two processors of this name"
			}
			return Chain[T]{}, &fault.Error{Code: fault.Usage, Subject: string(k.family) + ": " + p.Name, Reason: reason, Next: "give each processor a name of its own and a Run"}
		}
	}
	return Chain[T]{kind: k, processors: slices.Clone(processors)}, nil
}

func (p Processor[T]) invalid() string {
	switch {
	case p.Name == "":
		return "a processor has no name"
	case p.Run == nil:
		return "the processor has nothing to run"
	}
	return ""
}

// Names are the processors in the order they run.
func (c Chain[T]) Names() []string {
	names := make([]string, len(c.processors))
	for i, p := range c.processors {
		names[i] = p.Name
	}
	return names
}

// Run sends v through the chain and returns what came out, and the first
// verdict that was not [Continue]. An error is a *fault.Error: of a processor
// that failed fault.ProcessorFailed or the code its own error carries; of an
// ended ctx fault.Canceled. v itself is not changed.
func (c Chain[T]) Run(ctx context.Context, t *Turn, v T) (T, Verdict, error) {
	if len(c.processors) == 0 {
		return v, Continue(), nil
	}
	v = c.kind.clone(v)
	tokens := c.count(t, v)
	for _, p := range c.processors {
		if err := ctx.Err(); err != nil {
			return v, Continue(), c.canceled(p, err)
		}
		next, verdict, rec, err := c.one(ctx, t, p, v)
		rec.Before = tokens
		if err == nil && !p.observes && !c.kind.fixed {
			v, tokens = next, c.count(t, next)
		}
		rec.After = tokens
		t.record(rec)
		if t.Hooks != nil {
			t.Hooks.send(Event{Record: rec, Value: c.kind.clone(v)})
		}
		if err != nil && !p.observes {
			return v, Continue(), err
		}
		if verdict.Kind != Continues {
			return v, verdict, nil
		}
	}
	return v, Continue(), nil
}

// one runs a processor and fills in its record but for the tokens.
func (c Chain[T]) one(ctx context.Context, t *Turn, p Processor[T], v T) (T, Verdict, Record, error) {
	given := v
	if p.observes || c.kind.fixed {
		given = c.kind.clone(v)
	}
	t.begin()
	start := time.Now()
	next, verdict, err := guarded(ctx, t, p, given)
	rec := Record{Family: c.kind.family, Stage: c.kind.stage, Name: p.Name, Duration: time.Since(start), Verdict: verdict.Kind, Reason: verdict.Reason, Notes: t.end()}
	if err == nil && verdict.Kind != Continues && !slices.Contains(c.kind.may, verdict.Kind) {
		err = fmt.Errorf("the verdict %q has no meaning here", verdict.Kind)
	}
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		err = c.failed(p, err)
		rec.Verdict, rec.Reason = Failed, string(fault.CodeOf(err))
	}
	return next, verdict, rec, err
}

// guarded turns a panic into an error.
func guarded[T any](ctx context.Context, t *Turn, p Processor[T], v T) (next T, verdict Verdict, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("panicked: %w", r)
		default:
			err = fmt.Errorf("panicked with %T", r)
		}
	}()
	return p.Run(ctx, t, v)
}

// failed says which processor failed. The text of a foreign error may hold
// what must not be repeated: only its type is told.
func (c Chain[T]) failed(p Processor[T], err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return c.canceled(p, err)
	}
	f, ours := errors.AsType[*fault.Error](err)
	if !ours {
		return &fault.Error{Code: fault.ProcessorFailed, Subject: p.Name, Reason: reasonOf(err), Next: "fix the processor or leave it out", Err: err}
	}
	if f.Code == fault.BackendUnreachable {
		return f // it is the server's failure, which the processor only met first
	}
	return &fault.Error{Code: f.Code, Subject: p.Name, Reason: f.Error(), Err: err}
}

func reasonOf(err error) string {
	if r, ok := errors.AsType[runtime.Error](err); ok {
		return "panicked: " + r.Error()
	}
	return fmt.Sprintf("failed with an error of type %T", err)
}

func (c Chain[T]) canceled(p Processor[T], err error) error {
	return &fault.Error{Code: fault.CodeOf(err), Subject: p.Name, Reason: "the turn was canceled", Err: err}
}

func (c Chain[T]) count(t *Turn, v T) int {
	if c.kind.tokens == nil {
		return 0
	}
	return c.kind.tokens(t, v)
}
