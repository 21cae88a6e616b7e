package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"inlay/fault"
	"inlay/internal/schema"
	"inlay/llm"
	"inlay/processor"
)

// RetryModel asks the model again when it could not be reached, was busy or
// answered nothing of use, waiting twice as long each time.
type RetryModel struct {
	Attempts int `json:"attempts"`     // in all, of each model; default 3
	Wait     int `json:"wait_ms"`      // before the second; default 250
	MostWait int `json:"most_wait_ms"` // default 5000
}

func again(err error) bool {
	return slices.Contains([]fault.Code{fault.BackendUnreachable, fault.AnswerUnfinished, fault.RateLimited, fault.Timeout, fault.ProcessorInvalidResponse}, fault.CodeOf(err))
}

// After implements the step.
func (p RetryModel) After(_ context.Context, _ *processor.Turn, r processor.Response) (processor.Response, processor.Verdict, error) {
	attempts := cmp.Or(p.Attempts, 3)
	if r.Err == nil || !again(r.Err) || (r.Attempt-1)%attempts == attempts-1 {
		return r, processor.Continue(), nil
	}
	wait := min(cmp.Or(p.Wait, 250)<<min(r.Attempt-1, 10), cmp.Or(p.MostWait, 5000))
	return r, processor.Retry(string(fault.CodeOf(r.Err)), time.Duration(wait)*time.Millisecond), nil
}

// ModelFallback turns to the next model when one failed for good. Models are
// named as the agent knows them, "provider:name".
type ModelFallback struct {
	Models []string `json:"models"`
}

func (p ModelFallback) check() (option, reason string) {
	for i, m := range p.Models {
		if slices.Contains(p.Models[:i], m) {
			return "models", "names " + m + " twice, which goes round in a circle"
		}
	}
	return "", ""
}

// After implements the step. It is before RetryStep in the list and so
// acts when that has given up.
func (p ModelFallback) After(_ context.Context, _ *processor.Turn, r processor.Response) (processor.Response, processor.Verdict, error) {
	if r.Err == nil || fault.Is(r.Err, fault.Canceled) {
		return r, processor.Continue(), nil
	}
	next := slices.Index(p.Models, r.Model) + 1 // the first model is not in the list: 0
	if next >= len(p.Models) {
		return r, processor.Continue(), nil
	}
	v := processor.Retry(fmt.Sprintf("%s: the next model is asked", fault.CodeOf(r.Err)), 0)
	v.Model = p.Models[next]
	return r, v, nil
}

// StreamingTransform changes an answer while it comes: thinking that a model
// writes between tags is left out, and the text is redacted line by line.
type StreamingTransform struct {
	KeepThinking bool `json:"keep_thinking"`
	Redact       bool `json:"redact"` // holds each line back until it is whole
}

// Before implements the step.
func (p StreamingTransform) Before(_ context.Context, _ *processor.Turn, r processor.Request) (processor.Request, processor.Verdict, error) {
	r.Stream = slices.Clone(r.Stream)
	if !p.KeepThinking {
		r.Stream = append(r.Stream, dropThinking)
	}
	if p.Redact {
		r.Stream = append(r.Stream, func() processor.StreamTransform { return byLine(Redactor{}.redact) })
	}
	return r, processor.Continue(), nil
}

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// dropThinking leaves <think>...</think> at the beginning of an answer out,
// wherever the pieces are cut.
func dropThinking() processor.StreamTransform {
	held, state := "", 0 // 0: at the beginning, 1: inside, 2: behind
	return func(piece string, end bool) string {
		held += piece
		for {
			switch state {
			case 0:
				text := strings.TrimLeft(held, " \t\r\n")
				switch {
				case strings.HasPrefix(text, thinkOpen):
					held, state = text[len(thinkOpen):], 1
					continue
				case !end && strings.HasPrefix(thinkOpen, text):
					return ""
				}
				state = 2
			case 1:
				_, after, found := strings.Cut(held, thinkClose)
				if !found {
					return "" // an answer that ends here was thinking only
				}
				held, state = strings.TrimLeft(after, " \t\r\n"), 2
			default:
				out := held
				held = ""
				return out
			}
		}
	}
}

// longestKey is how much text is held back until a key of several lines ends.
const longestKey = 64 << 10

// complete is how much of a text has no secret that may still go on: all up to
// the last line break, but for a private key that has begun and not ended.
func complete(text string) int {
	cut := strings.LastIndexByte(text, '\n') + 1
	begin := strings.LastIndex(text[:cut], "-----BEGIN ")
	if begin < 0 || len(text)-begin > longestKey || strings.Contains(text[begin:cut], "-----END ") {
		return cut
	}
	return begin
}

// byLine applies f to whole lines, and to a private key as a whole.
func byLine(f func(string) string) processor.StreamTransform {
	held := ""
	return func(piece string, end bool) string {
		held += piece
		cut := complete(held)
		if end {
			cut = len(held)
		}
		out := held[:cut]
		held = held[cut:]
		if out == "" {
			return ""
		}
		return f(out)
	}
}

// ResponseValidation refuses answers that are of no use: empty ones, calls
// whose arguments are no JSON, answers that do not follow the schema that was
// asked for. RetryStep asks again.
type ResponseValidation struct {
	MaxBytes int `json:"max_bytes"` // of the text, and of the arguments of a call; default 1 MiB
}

// After implements the step.
func (p ResponseValidation) After(_ context.Context, _ *processor.Turn, r processor.Response) (processor.Response, processor.Verdict, error) {
	var reason string
	var err error
	if r.Err == nil {
		reason, err = p.reason(r)
	}
	if reason != "" {
		r.Err = &fault.Error{Code: fault.ProcessorInvalidResponse, Subject: r.Model, Reason: reason, Next: "ask again, or ask another model"}
	}
	return r, processor.Continue(), err
}

func (p ResponseValidation) reason(r processor.Response) (string, error) {
	switch {
	case normalize(r.Text) == "" && len(r.ToolCalls) == 0:
		return "the answer is empty", nil
	case len(r.Text) > cmp.Or(p.MaxBytes, 1<<20):
		return "the answer is too long", nil
	}
	for _, c := range r.ToolCalls {
		if len(c.Arguments) > cmp.Or(p.MaxBytes, 1<<20) {
			return "it calls a tool with arguments that are too long", nil
		}
		if _, ok := arguments(c.Arguments); !ok || c.Name == "" {
			return "it calls a tool without a name, or with arguments that are not a JSON object", nil
		}
	}
	if r.Request == nil || r.Request.Schema == nil || len(r.ToolCalls) > 0 {
		return "", nil
	}
	compiled, err := schema.Compile(r.Request.Schema)
	if err != nil {
		return "", &fault.Error{Code: fault.Usage, Subject: "schema of the answer", Reason: "it is not a valid JSON schema", Err: err}
	}
	if !json.Valid([]byte(r.Text)) || problem(compiled.Check([]byte(r.Text))) != "" {
		return "the answer does not follow the schema", nil
	}
	return "", nil
}

// UsageAccounting adds up what the models used: in the turn's trace, and in
// Total where that is given. It counts answers that were refused, too.
type UsageAccounting struct {
	Total *Usage `json:"-"`
}

// Usage is a sum over calls. It is safe for concurrent use.
type Usage struct {
	mu      sync.Mutex
	byModel map[string]ModelUsage
}

// ModelUsage is what one model used.
type ModelUsage struct {
	Calls, Failed int
	llm.Usage
}

// Of is what a model has used until now.
func (u *Usage) Of(model string) ModelUsage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.byModel[model]
}

// After implements the step. It is last in the list and so is the first to
// see an answer.
func (p UsageAccounting) After(_ context.Context, t *processor.Turn, r processor.Response) (processor.Response, processor.Verdict, error) {
	t.Note("usage", fmt.Sprintf("%s: attempt %d, %d tokens in, %d out", r.Model, r.Attempt, r.Usage.Prompt, r.Usage.Completion))
	if p.Total != nil {
		p.Total.mu.Lock()
		defer p.Total.mu.Unlock()
		if p.Total.byModel == nil {
			p.Total.byModel = map[string]ModelUsage{}
		}
		u := p.Total.byModel[r.Model]
		u.Calls++
		if r.Err != nil {
			u.Failed++
		}
		u.Prompt += max(0, r.Usage.Prompt) // a server's figure is a claim
		u.Completion += max(0, r.Usage.Completion)
		p.Total.byModel[r.Model] = u
	}
	return r, processor.Continue(), nil
}
