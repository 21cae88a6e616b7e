package processor

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"inlay/llm"
	"inlay/tokens"
)

// Turn is what processors may know of the turn they run in, and where they
// leave notes. One turn is one message of the user and everything until its
// answer; a Turn is not used twice.
type Turn struct {
	Said      string            // what the user wrote, and nothing else; the agent sets it
	Now       time.Time         // the turn's one time; the same time gives the same bytes
	Arguments map[string]string // values for {name} placeholders
	IDE       *IDE              // what the user's editor shows; nil: not known
	Model     llm.Measurer      // whose window must hold the messages; nil: nothing is measured
	Counter   tokens.Counter    // counts for traces and budgets; nil: of Model
	Reserve   int               // tokens of the window kept for the answer and the tools
	Tools     []Tool            // all that there are, offered or not
	Ledger    *Ledger           // remembers counts over turns; nil: of this turn
	Hooks     *Hooks            // told of every step, off the critical path; nil: none
	Logger    *slog.Logger      // names, verdicts and times, never content; nil is silent

	mu    sync.Mutex
	trace []Record
	notes []Note
	by    string // names Counter in the ledger
	model string // of the agent's models the one that is asked; empty: the first
	given bool   // Counter is the host's, not the model's
}

// turnTo measures and counts with a model, and asks it, from now on.
func (t *Turn) turnTo(m Model) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.given = t.given || t.Counter != nil && t.by == ""
	t.Model, t.model = m, m.Name()
	if !t.given {
		t.Counter, t.by = nil, ""
	}
}

// IDE is what an editor shows.
type IDE struct {
	File      string `json:"file,omitempty"`     // relative to the workspace
	Language  string `json:"language,omitempty"` // "go"
	Selection string `json:"selection,omitempty"`
	Line      int    `json:"line,omitempty"` // of the cursor, from 1
	Column    int    `json:"column,omitempty"`
}

// Record is what one processor did: one line of a trace.
type Record struct {
	Family   Family        `json:"family"`
	Stage    string        `json:"stage,omitempty"` // "before", "after", "injection", "parameter", "validation"
	Name     string        `json:"name"`
	Duration time.Duration `json:"duration_ns"`
	Verdict  Kind          `json:"verdict"`
	Reason   string        `json:"reason,omitempty"`
	Before   int           `json:"tokens_before"`
	After    int           `json:"tokens_after"`
	Notes    []Note        `json:"notes,omitempty"`
}

// Note is what a processor has to say beside its verdict: what it left out,
// shortened, or found and did not follow. It holds no content.
type Note struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Note leaves a note in the record of the processor that is running.
func (t *Turn) Note(code, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, Note{code, message})
}

func (t *Turn) begin() { t.end() }

// end takes the notes left since the last call.
func (t *Turn) end() []Note {
	t.mu.Lock()
	defer t.mu.Unlock()
	notes := t.notes
	t.notes = nil
	return notes
}

func (t *Turn) record(r Record) {
	t.mu.Lock()
	t.trace = append(t.trace, r)
	t.mu.Unlock()
	if t.Logger != nil {
		t.Logger.Debug("processor", "family", r.Family, "stage", r.Stage, "name", r.Name, "verdict", r.Verdict.String(), "duration", r.Duration, "before", r.Before, "after", r.After)
	}
}

// Trace is what every processor did until now, in order.
func (t *Turn) Trace() []Record {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Record(nil), t.trace...)
}

// Count is the number of tokens of text, estimates with their margin. It is 0
// where nothing counts.
func (t *Turn) Count(text string) int {
	c := t.counter()
	if c == nil {
		return 0
	}
	return t.ledger().count(c, t.by, text)
}

// perMessage is what a template puts around a message, on the safe side.
const perMessage = 8

// Size is the number of tokens of messages, each counted by itself and once
// for all turns. It estimates what [llm.Measurer.CountMessages] counts.
func (t *Turn) Size(messages ...Message) int {
	c := t.counter()
	if c == nil {
		return 0
	}
	l, n := t.ledger(), 0
	for _, m := range messages {
		n += perMessage + l.count(c, t.by, m.Text())
		for _, call := range m.ToolCalls {
			n += perMessage + l.count(c, t.by, call.Name) + l.count(c, t.by, call.Arguments)
		}
	}
	return n
}

// Room is the number of tokens that the messages of a call may have: the
// window less the reserve. ok is false where no window is known.
func (t *Turn) Room(ctx context.Context) (room int, ok bool, err error) {
	if t.Model == nil {
		return 0, false, nil
	}
	length, err := t.Model.Length(ctx)
	if err != nil {
		return 0, false, err
	}
	return max(0, length.N-t.Reserve), true, nil
}

func (t *Turn) counter() tokens.Counter {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Counter == nil && t.Model != nil {
		if c, err := t.Model.Counter(context.Background()); err == nil {
			t.Counter = c
		}
	}
	if t.by == "" && t.Counter != nil {
		t.by = cmp.Or(t.Counter.Count("").By, "?")
	}
	return t.Counter
}

func (t *Turn) ledger() *Ledger {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Ledger == nil {
		t.Ledger = &Ledger{}
	}
	return t.Ledger
}

// Ledger remembers the counts of texts, so that a message that stays in a
// conversation is counted once. The zero value is ready; it is bounded and safe
// for concurrent use.
type Ledger struct {
	mu       sync.Mutex
	now, old map[ledgerKey]int
}

type ledgerKey struct {
	by   string // what counts
	text string
}

// ledgerSize bounds each of the ledger's two generations.
const ledgerSize = 4096

func (l *Ledger) count(c tokens.Counter, by, text string) int {
	key := ledgerKey{by, text}
	l.mu.Lock()
	n, ok := l.now[key]
	if !ok {
		n, ok = l.old[key]
	}
	l.mu.Unlock()
	if !ok {
		n = c.Count(text).Budgeted()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.now) >= ledgerSize {
		l.now, l.old = nil, l.now
	}
	if l.now == nil {
		l.now = map[ledgerKey]int{}
	}
	l.now[key] = n
	return n
}

// lastName is the processor that ran last.
func (t *Turn) lastName() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.trace) == 0 {
		return ""
	}
	return t.trace[len(t.trace)-1].Name
}
