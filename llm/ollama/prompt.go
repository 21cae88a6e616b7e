package ollama

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/model/renderers"
	"github.com/ollama/ollama/template"
	"github.com/ollama/ollama/types/model"

	"inlay/chat"
	"inlay/fault"
	"inlay/llm"
	"inlay/tokens"
)

// prompter renders messages as the server would and counts the result.
type prompter struct {
	vocabulary *vocabulary
	template   *template.Template
	renderer   string        // of models whose prompts are written by code
	before     []api.Message // messages that the model's file puts before every chat
	system     string        // its system message, for chats without one
	thinks     bool
}

// newPrompter reads a verbose show; nil when the vocabulary is of an unknown kind.
func newPrompter(show *api.ShowResponse) (*prompter, error) {
	v := newVocabulary(show.ModelInfo)
	if v == nil {
		return nil, nil
	}
	t, err := template.Parse(show.Template)
	if err != nil {
		return nil, fmt.Errorf("read the model's template: %w", err)
	}
	return &prompter{
		vocabulary: v, template: t, renderer: show.Renderer, before: show.Messages, system: show.System,
		thinks: slices.Contains(show.Capabilities, model.CapabilityThinking),
	}, nil
}

// render follows the server: ChatHandler and renderPrompt of v0.24.
func (p *prompter) render(messages []api.Message, tools api.Tools) (string, error) {
	all := slices.Concat(p.before, messages)
	if p.system != "" && (len(messages) == 0 || messages[0].Role != string(chat.System)) {
		all = append([]api.Message{{Role: string(chat.System), Content: p.system}}, all...)
	}
	if p.renderer != "" {
		var think *api.ThinkValue
		if p.thinks {
			think = &api.ThinkValue{Value: true}
		}
		return renderers.RenderWithRenderer(p.renderer, all, tools, think)
	}
	var b bytes.Buffer
	err := p.template.Execute(&b, template.Values{Messages: all, Tools: tools, Think: p.thinks, IsThinkSet: p.thinks})
	return b.String(), err
}

func (p *prompter) count(messages []api.Message, tools api.Tools) (int, error) {
	prompt, err := p.render(messages, tools)
	if err != nil {
		return 0, err
	}
	n, err := p.vocabulary.prompts.count(prompt)
	return p.vocabulary.ends + n, err
}

// prompter fetches the vocabulary once and checks it once for each model that the
// server has under the name; m.mu is held. It is nil when the vocabulary is of an unknown kind.
func (m *Model) prompter(ctx context.Context) (*prompter, error) {
	m.renew(ctx)
	if m.sure.checked {
		return m.prompt, nil
	}
	show, err := m.api.Show(ctx, &api.ShowRequest{Model: m.config.Model, Verbose: true})
	if err != nil {
		return nil, m.explain(err)
	}
	p, err := newPrompter(show)
	if p == nil || err != nil {
		m.log.InfoContext(ctx, "prompts cannot be counted in process", "reason", err)
		m.sure.checked = true
		return nil, nil
	}
	if err := m.check(ctx, p); err != nil {
		return nil, err
	}
	m.prompt = p
	return p, nil
}

// check compares one prompt's count with the server's.
func (m *Model) check(ctx context.Context, p *prompter) error {
	probe := []api.Message{
		{Role: "system", Content: "You are brief."},
		{Role: "user", Content: "Naïve café, 東京タワー 🙂 don't 1234567"},
		{Role: "assistant", Content: "x = f(a[0]);     \r\n\tif (y) { }  // ======="},
		{Role: "user", Content: "  Don't\r\n\r\nSTOP …  ¿Qué?   "},
	}
	there, err := m.countThere(ctx, probe, nil)
	if fault.Is(err, fault.DoesNotFit) {
		m.sure = calibration{checked: true, margin: estimateFloor}
		return nil
	}
	if err != nil {
		return err
	}
	here, err := p.count(probe, nil)
	if err != nil {
		here = 0 // a prompt that cannot be rendered here equals nothing
	}
	m.sure = calibrated(here, there)
	m.log.InfoContext(ctx, "checked the count of tokens", "here", here, "there", there, "reason", err)
	return nil
}

// countThere has the server count by running the prompt for one token: asking
// for none would run without end. m.mu is held.
func (m *Model) countThere(ctx context.Context, messages []api.Message, tools api.Tools) (int, error) {
	length, err := m.window(ctx)
	if err != nil {
		return 0, err
	}
	never, n := false, 0
	req := &api.ChatRequest{
		Model: m.config.Model, Messages: messages, Tools: tools, Truncate: &never, Shift: &never, Stream: &never,
		KeepAlive: m.keepAlive(), Options: map[string]any{"num_ctx": length, "num_predict": 1},
	}
	err = m.chat(ctx, req, func(r api.ChatResponse) error {
		n = max(n, r.PromptEvalCount)
		return nil
	})
	if err != nil {
		return 0, m.explain(err)
	}
	if n == 0 {
		return 0, m.broken(ctx.Err())
	}
	return n, nil
}

// CountMessages implements [llm.Measurer], as CountRequest does for a request
// without tools.
func (m *Model) CountMessages(ctx context.Context, messages []chat.Message) (tokens.Count, error) {
	return m.CountRequest(ctx, llm.Request{Messages: messages})
}

// CountRequest implements [llm.RequestMeasurer]. It counts in process where that was
// found equal to the server, else it has the server count, which runs the prompt.
// A prompt larger than the window is then known only to have more tokens than that.
func (m *Model) CountRequest(ctx context.Context, r llm.Request) (tokens.Count, error) {
	list, err := apiMessages(r.Messages)
	if err != nil {
		return tokens.Count{}, err
	}
	tools, err := apiTools(r.Tools)
	if err != nil {
		return tokens.Count{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.prompter(ctx)
	if err != nil {
		return tokens.Count{}, err
	}
	if p != nil && m.sure.margin == 0 {
		n, err := p.countOrAsk(list, tools)
		if err == nil {
			return tokens.Count{N: n, Method: tokens.Exact, By: m.name()}, nil
		}
	}
	if len(list) == 0 && len(tools) == 0 {
		return tokens.Count{N: 0, Method: tokens.Exact, By: m.name()}, nil
	}
	n, err := m.countThere(ctx, list, tools)
	if fault.Is(err, fault.DoesNotFit) {
		return tokens.Count{N: m.length + 1, Method: tokens.AtLeast, By: m.name() + " by running it"}, nil
	}
	if err != nil {
		return tokens.Count{}, err
	}
	return tokens.Count{N: n, Method: tokens.Exact, By: m.name() + " by running it"}, nil
}

// countOrAsk counts; a template that refuses a history without a user message
// is given one that says "?" (INJ-3).
func (p *prompter) countOrAsk(messages []api.Message, tools api.Tools) (int, error) {
	n, err := p.count(messages, tools)
	if err != nil && !slices.ContainsFunc(messages, func(m api.Message) bool { return m.Role == string(chat.User) }) {
		return p.count(append(slices.Clone(messages), api.Message{Role: string(chat.User), Content: "?"}), tools)
	}
	return n, err
}

// Counter implements [llm.Measurer]. Where the model's vocabulary is of an
// unknown kind it is an estimate.
func (m *Model) Counter(ctx context.Context) (tokens.Counter, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.prompter(ctx)
	if err != nil {
		return nil, err
	}
	if p == nil {
		library := m.config.Library
		if library == nil {
			library = &tokens.Library{}
		}
		known, _ := llm.LookupModel(m.name())
		return library.Estimator(known.Family)
	}
	return &counter{vocabulary: p.vocabulary, sure: m.sure, by: m.name()}, nil
}
