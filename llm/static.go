package llm

import (
	"cmp"
	"context"

	"inlay/chat"
	"inlay/fault"
	"inlay/tokens"
)

// StaticOptions say what is known of a model that no server is asked about.
type StaticOptions struct {
	Model    string           // "provider:name" or a name; may be empty if Length is set
	Length   int              // tokens of the context window; 0: from the table of well-known models
	Counter  tokens.Counter   // counts for the model; nil: by the table, else an estimate
	Library  *tokens.Library  // where counters come from; nil: an own one
	Overhead *MessageOverhead // nil: OpenAI's for its models, else a generous one
	Fallback tokens.Count     // the window where neither Length nor the table says it; zero: fault.WindowUnknown
}

// Assumed is By of a window that nobody told: a [StaticOptions.Fallback], or that
// of a backend.
const Assumed = "assumed"

// MessageOverhead is what a chat template adds to the texts of the messages.
type MessageOverhead struct {
	PerMessage int // tokens for each message, beside its role and text
	Once       int // tokens for the whole prompt, the opening of the answer among them
}

// The overheads taken where no template is at hand.
func openAIOverhead() MessageOverhead { return MessageOverhead{PerMessage: 3, Once: 3} }

// Templates of open models put four or five tokens around a message; some write a
// date or a system message of their own before the first.
func otherOverhead() MessageOverhead { return MessageOverhead{PerMessage: 6, Once: 40} }

// Static measures a model from what is known of it, without a server. It
// counts a prompt as the texts and roles of its messages plus a stated
// overhead ([MessageOverhead]), so that such a count is estimated even where
// the vocabulary is known.
type Static struct {
	name     string
	length   tokens.Count
	counter  tokens.Counter
	overhead MessageOverhead
}

var (
	_ Measurer     = (*Static)(nil)
	_ TextMeasurer = (*Static)(nil)
)

// NewStatic looks up what o leaves open. A window that is neither given nor
// known is fault.WindowUnknown: a model's name says nothing about the window
// that a local server has loaded it with, so that for those it must be given.
func NewStatic(o StaticOptions) (*Static, error) {
	known, _ := LookupModel(o.Model)
	s := &Static{name: cmp.Or(o.Model, "a model without a name"), counter: o.Counter, overhead: otherOverhead()}
	switch provider, _ := SplitModel(o.Model); {
	case o.Length < 0:
		return nil, &fault.Error{Code: fault.Usage, Subject: s.name, Reason: "a context length is not negative", Next: "give the number of tokens"}
	case o.Length > 0:
		s.length = tokens.Count{N: o.Length, By: "configuration"}
	case o.Fallback.N > 0 && (known.Length == 0 || local(provider)):
		s.length = o.Fallback
	case known.Length == 0:
		return nil, windowUnknown(s.name, "the model's context length is not known")
	case local(provider):
		return nil, windowUnknown(s.name, "the server decides how much context the model is loaded with, and was not asked")
	default:
		s.length = tokens.Count{N: known.Length, By: "table of well-known models"}
	}
	if known.Encoding != "" {
		s.overhead = openAIOverhead()
	}
	if o.Overhead != nil {
		s.overhead = *o.Overhead
	}
	if s.counter == nil {
		return s, s.findCounter(o.Library, known)
	}
	return s, nil
}

// local reports whether a provider's server decides how large the window is.
func local(provider string) bool {
	return provider == "ollama" || provider == "lmstudio" || provider == "llamacpp" || provider == "vllm"
}

func windowUnknown(subject, reason string) error {
	return &fault.Error{
		Code: fault.WindowUnknown, Subject: subject, Reason: reason,
		Next: "set the context length in tokens (StaticOptions.Length)",
	}
}

func (s *Static) findCounter(l *tokens.Library, known Model) (err error) {
	if l == nil {
		l = &tokens.Library{}
	}
	if known.Encoding != "" {
		s.counter, err = l.Encoding(known.Encoding)
	} else {
		s.counter, err = l.Estimator(known.Family)
	}
	return err
}

// Name implements [Measurer].
func (s *Static) Name() string { return s.name }

// Length implements [Measurer].
func (s *Static) Length(context.Context) (tokens.Count, error) { return s.length, nil }

// Counter implements [Measurer].
func (s *Static) Counter(context.Context) (tokens.Counter, error) { return s.counter, nil }

// CountMessages implements [Measurer]. No messages are no tokens.
func (s *Static) CountMessages(ctx context.Context, messages []chat.Message) (tokens.Count, error) {
	return s.CountTexts(ctx, s.counter, messages)
}

// CountTexts implements [TextMeasurer].
func (s *Static) CountTexts(ctx context.Context, c tokens.Counter, messages []chat.Message) (tokens.Count, error) {
	return CountWithOverhead(ctx, c, s.overhead, messages)
}

// CountWithOverhead counts the roles and texts of messages, their tool calls
// and the overhead of a template that is not at hand. Images are not counted.
func CountWithOverhead(ctx context.Context, c tokens.Counter, o MessageOverhead, messages []chat.Message) (tokens.Count, error) {
	if len(messages) == 0 {
		return c.Count(""), nil
	}
	sum := tokens.Count{N: o.Once, Method: tokens.Estimated}
	for _, m := range messages {
		if err := ctx.Err(); err != nil {
			return tokens.Count{}, err
		}
		sum = sum.Add(c.Count(string(m.Role))).Add(c.Count(m.Text))
		sum.N += o.PerMessage
		if m.ToolCallID != "" {
			sum = sum.Add(c.Count(m.ToolCallID))
		}
		for _, call := range m.ToolCalls {
			sum = sum.Add(c.Count(call.ID)).Add(c.Count(call.Name)).Add(c.Count(call.Arguments))
			sum.N += o.PerMessage
		}
	}
	return sum, nil
}
