package openai

import (
	"context"
	"slices"
	"strings"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
	"inlay/llm/completion"
	"inlay/tokens"
)

// CountMessages implements [llm.Measurer]. It is fault.BackendRefused where the
// server's template refuses a conversation without a message of the user's.
// llama.cpp and vLLM count prompts
// without running them; LM Studio runs the prompt for one token and reports
// its usage; for any other server the texts are counted and a stated overhead
// is added, which is an estimate.
func (m *Model) CountMessages(ctx context.Context, messages []chat.Message) (tokens.Count, error) {
	return m.CountTexts(ctx, nil, messages)
}

// CountTexts implements [llm.TextMeasurer]: c counts where no server does. Nil is
// the model's own.
func (m *Model) CountTexts(ctx context.Context, c tokens.Counter, messages []chat.Message) (tokens.Count, error) {
	m.mu.Lock()
	b, err := m.probe(ctx)
	m.mu.Unlock()
	if err != nil {
		return tokens.Count{}, err
	}
	n, by, err := 0, "", error(nil)
	if len(messages) > 0 {
		n, by, err = m.countThere(ctx, b, messages)
	}
	switch {
	case fault.Is(err, fault.DoesNotFit):
		return tokens.Count{N: b.length + 1, Method: tokens.AtLeast, By: by}, nil
	case err != nil && (!optional(err) || wantsUser(err, messages)):
		return tokens.Count{}, err
	case err == nil && n > 0:
		return tokens.Count{N: n, Method: tokens.Exact, By: by}, nil
	}
	static, err := m.static(b)
	if err != nil {
		return tokens.Count{}, err
	}
	if c == nil {
		return static.CountMessages(ctx, messages)
	}
	return static.CountTexts(ctx, c, messages)
}

// wantsUser reports that a server refused messages of which none is the user's, as
// it does where the template wants one: the caller may add one and ask again
// (INJ-3). A server that only lacks the address is estimated for, and so is one
// that refuses messages among which there is one of the user.
func wantsUser(err error, messages []chat.Message) bool {
	isUser := func(m chat.Message) bool { return m.Role == chat.User }
	return fault.Is(err, fault.BackendRefused) && !slices.ContainsFunc(messages, isUser)
}

// countThere has the server count; 0 where it cannot.
func (m *Model) countThere(ctx context.Context, b *backend, messages []chat.Message) (n int, by string, err error) {
	switch b.kind {
	case LlamaCPP:
		return m.countLlamaCPP(ctx, messages)
	case VLLM:
		var out struct {
			Count int `json:"count"`
		}
		err = m.ask(ctx, m.at("tokenize", true), map[string]any{
			"model": m.config.Model, "messages": completion.FromChats(messages), "add_generation_prompt": true,
		}, &out)
		return out.Count, "vLLM /tokenize", err
	case LMStudio:
		a, err := llm.Collect(ctx, m, llm.Request{Messages: messages, MaxTokens: 1})
		return a.Usage.Prompt, "LM Studio by running it", err
	default:
		return 0, "", nil
	}
}

// countLlamaCPP asks the newer address, and on servers without it renders and
// tokenizes in two requests.
func (m *Model) countLlamaCPP(ctx context.Context, messages []chat.Message) (n int, by string, err error) {
	var count struct {
		Tokens int `json:"input_tokens"`
	}
	body := map[string]any{"model": m.config.Model, "messages": completion.FromChats(messages)}
	err = m.ask(ctx, m.at("chat/completions/input_tokens", false), body, &count)
	if err == nil || !optional(err) || fault.Is(err, fault.BackendRefused) {
		return count.Tokens, "llama.cpp /v1/chat/completions/input_tokens", err
	}
	var rendered struct {
		Prompt string `json:"prompt"`
	}
	if err := m.ask(ctx, m.at("apply-template", true), body, &rendered); err != nil {
		return 0, "", err
	}
	n, err = m.tokenizeLlamaCPP(ctx, rendered.Prompt, true)
	return n, "llama.cpp /apply-template and /tokenize", err
}

func (m *Model) tokenizeLlamaCPP(ctx context.Context, text string, special bool) (int, error) {
	var out struct {
		Tokens []any `json:"tokens"`
	}
	err := m.ask(ctx, m.at("tokenize", true), map[string]any{"content": text, "add_special": special, "parse_special": special}, &out)
	return len(out.Tokens), err
}

// static estimates by what is known of the model's name and, where the server
// has reported usage, by what that taught.
func (m *Model) static(b *backend) (*llm.Static, error) {
	o := llm.StaticOptions{Model: m.name(), Length: max(1, b.length), Library: m.config.Library}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.learnt != nil {
		o.Counter = m.learnt
	}
	return llm.NewStatic(o)
}

// learn calibrates the estimate by a prompt whose tokens the server reported.
func (m *Model) learn(messages []chat.Message, reported int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, _ := llm.LookupModel(m.config.Model)
	if known.Encoding != "" || reported == 0 {
		return // its vocabulary is at hand
	}
	if m.learnt == nil {
		e, err := m.config.Library.Estimator(known.Family)
		if err != nil {
			return
		}
		m.learnt = e
	}
	var text strings.Builder
	for _, msg := range messages {
		text.WriteString(msg.Text)
	}
	if net := reported - perMessage*len(messages); net > 0 {
		m.learnt = m.learnt.Calibrated(text.String(), net)
	}
}

// perMessage is what a template adds around a message, about.
const perMessage = 5

// Counter implements [llm.Measurer]: OpenAI's vocabularies exactly, those of
// llama.cpp and vLLM through the server, any other estimated.
func (m *Model) Counter(ctx context.Context) (tokens.Counter, error) {
	m.mu.Lock()
	b, err := m.probe(ctx)
	m.mu.Unlock()
	if err != nil {
		return nil, err
	}
	static, err := m.static(b)
	if err != nil {
		return nil, err
	}
	estimate, err := static.Counter(ctx)
	if err != nil {
		return nil, err
	}
	switch b.kind {
	case LlamaCPP:
		return &remote{estimate: estimate, by: "llama.cpp /tokenize", ask: func(text string) (int, error) {
			return m.tokenizeLlamaCPP(ctx, text, false)
		}}, nil
	case VLLM:
		return &remote{estimate: estimate, by: "vLLM /tokenize", ask: func(text string) (int, error) {
			var out struct {
				Count int `json:"count"`
			}
			err := m.ask(ctx, m.at("tokenize", true), map[string]any{"model": m.config.Model, "prompt": text, "add_special_tokens": false}, &out)
			return out.Count, err
		}}, nil
	default:
		return estimate, nil
	}
}

// remote counts plain text on the server, and estimates where that fails.
type remote struct {
	ask      func(text string) (int, error)
	estimate tokens.Counter
	by       string
}

// Count implements [tokens.Counter].
func (r *remote) Count(text string) tokens.Count {
	if text == "" {
		return tokens.Count{By: r.by}
	}
	n, err := r.ask(text)
	if err != nil || n == 0 {
		return r.estimate.Count(text)
	}
	return tokens.Count{N: n, By: r.by}
}

// longestToken bounds the bytes of a token: no vocabulary in use has a longer one.
const longestToken = 512

// Exceeds implements [tokens.Counter]. Text that is too long by its size alone
// is not sent.
func (r *remote) Exceeds(budget int, texts ...string) (bool, tokens.Count) {
	sum, rest := tokens.Count{By: r.by}, 0
	for _, t := range texts {
		rest += len(t)
	}
	for _, t := range texts {
		if least := sum.N + rest/longestToken; least > budget {
			return true, tokens.Count{N: least, Method: tokens.AtLeast, By: r.by}
		}
		if n := r.Count(t); sum.N == 0 {
			sum = n // by whatever counted it
		} else {
			sum = sum.Add(n)
		}
		rest -= len(t)
	}
	return sum.Budgeted() > budget, sum
}
