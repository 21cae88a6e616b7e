package openai

import (
	"context"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/llm"
	"inlay/tokens"
)

// Kind names what serves a model.
type Kind string

// The servers told apart. Every other is Compatible.
const (
	Compatible Kind = "an OpenAI-compatible server"
	LMStudio   Kind = "LM Studio"
	LlamaCPP   Kind = "llama.cpp"
	VLLM       Kind = "vLLM"
	Ollama     Kind = "Ollama"
)

// backend is what a server turned out to be.
type backend struct {
	kind   Kind
	length int    // tokens of the window; 0: it does not say
	by     string // where the length comes from
}

// listed is a model as GET /v1/models lists it, with the fields that some
// servers add: max_model_len is vLLM's, context_length OpenRouter's and
// others', context_window Groq's.
type listed struct {
	ID            string `json:"id"`
	OwnedBy       string `json:"owned_by"`
	MaxModelLen   int    `json:"max_model_len"`
	ContextLength int    `json:"context_length"`
	ContextWindow int    `json:"context_window"`
	MaxContext    int    `json:"max_context_length"`
}

// probe finds out what the server is, once; m.mu is held.
func (m *Model) probe(ctx context.Context) (*backend, error) {
	if m.found != nil {
		return m.found, nil
	}
	var list struct {
		Data []listed `json:"data"`
	}
	if err := m.ask(ctx, m.at("models", false), nil, &list); err != nil && !optional(err) {
		return nil, err
	}
	b := listedBackend(list.Data, m.config.Model)
	if err := m.look(ctx, b); err != nil {
		return nil, err
	}
	if m.config.Length > 0 {
		b.length, b.by = m.config.Length, "configuration"
	}
	log := m.log
	if slices.ContainsFunc(list.Data, func(l listed) bool { return l.ID == m.config.Model }) { // another name may be of a stranger
		log = log.With("model", m.config.Model)
	}
	log.InfoContext(ctx, "asked what serves the model", "kind", string(b.kind), "window", b.length)
	m.found = b
	return b, nil
}

// listedBackend reads what a list of models says of one.
func listedBackend(list []listed, model string) *backend {
	b := &backend{kind: Compatible}
	for _, l := range list {
		if l.ID != model {
			continue
		}
		b.length = max(l.MaxModelLen, l.ContextLength, l.ContextWindow, l.MaxContext)
		b.by = "the server's list of models"
		if l.MaxModelLen > 0 || l.OwnedBy == "vllm" {
			b.kind = VLLM
		}
	}
	return b
}

// look asks a server of unknown kind for what only one kind has.
func (m *Model) look(ctx context.Context, b *backend) error {
	if m.base.Hostname() == "api.openai.com" {
		return nil
	}
	for _, look := range []func(context.Context, *backend) error{m.lookLlamaCPP, m.lookLMStudio, m.lookOllama} {
		if b.kind != Compatible {
			return nil
		}
		if err := look(ctx, b); err != nil && !optional(err) {
			return err
		}
	}
	return nil
}

// optional reports whether err only says that a server lacks an address.
func optional(err error) bool {
	serious := []fault.Code{fault.BackendUnreachable, fault.Unauthorized, fault.Canceled, fault.Timeout, fault.RateLimited}
	return !slices.Contains(serious, fault.CodeOf(err))
}

// lookLlamaCPP reads /props, which only llama.cpp's server has.
func (m *Model) lookLlamaCPP(ctx context.Context, b *backend) error {
	var props struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if err := m.ask(ctx, m.at("props", true), nil, &props); err != nil {
		return err
	}
	if n := props.Settings.Context; n > 0 {
		*b = backend{kind: LlamaCPP, length: n, by: "llama.cpp /props"}
	}
	return nil
}

// lookLMStudio reads LM Studio's own list of models: /api/v1 since version
// 0.4, /api/v0 before. A model that is not loaded has no window yet.
func (m *Model) lookLMStudio(ctx context.Context, b *backend) error {
	var list struct {
		Models []struct {
			Key       string `json:"key"`
			Instances []struct {
				ID     string `json:"id"`
				Config struct {
					ContextLength int `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
		} `json:"models"`
	}
	err := m.ask(ctx, m.at("api/v1/models", true), nil, &list)
	if err != nil && !optional(err) {
		return err
	}
	for _, l := range list.Models {
		for _, i := range l.Instances {
			if l.Key == m.config.Model || i.ID == m.config.Model {
				*b = backend{kind: LMStudio, length: i.Config.ContextLength, by: "LM Studio, as loaded"}
			}
		}
		if l.Key == m.config.Model && b.kind != LMStudio {
			*b = backend{kind: LMStudio}
		}
	}
	if b.kind == LMStudio {
		return nil
	}
	return m.lookOldLMStudio(ctx, b)
}

func (m *Model) lookOldLMStudio(ctx context.Context, b *backend) error {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			State  string `json:"state"`
			Loaded int    `json:"loaded_context_length"`
			Max    int    `json:"max_context_length"`
		} `json:"data"`
	}
	if err := m.ask(ctx, m.at("api/v0/models", true), nil, &list); err != nil {
		return err
	}
	for _, l := range list.Data {
		if l.ID != m.config.Model || l.State == "" {
			continue
		}
		*b = backend{kind: LMStudio, length: l.Loaded, by: "LM Studio, as loaded"}
		if l.Loaded == 0 {
			*b = backend{kind: LMStudio, length: l.Max, by: "LM Studio, the most the model can take"}
		}
	}
	return nil
}

// lookOllama recognises an Ollama server by its list of running models. Behind
// /v1 it cuts prompts silently, so its own package is the better way to it.
func (m *Model) lookOllama(ctx context.Context, b *backend) error {
	var running struct {
		Models *[]struct {
			Model         string `json:"model"`
			ContextLength int    `json:"context_length"`
		} `json:"models"`
	}
	if err := m.ask(ctx, m.at("api/ps", true), nil, &running); err != nil {
		return err
	}
	if running.Models == nil {
		return nil
	}
	*b = backend{kind: Ollama}
	for _, r := range *running.Models {
		if strings.TrimSuffix(r.Model, ":latest") == strings.TrimSuffix(m.config.Model, ":latest") {
			b.length, b.by = r.ContextLength, "Ollama, as loaded"
		}
	}
	return nil
}

// Kind says what serves the model.
func (m *Model) Kind(ctx context.Context) (Kind, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, err := m.probe(ctx)
	if err != nil {
		return "", err
	}
	return b.kind, nil
}

// Length implements [llm.Measurer]: the configured number, else what the
// server says, else the table of well-known models for servers that run a
// model at its full length.
func (m *Model) Length(ctx context.Context) (tokens.Count, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, err := m.probe(ctx)
	if err != nil {
		return tokens.Count{}, err
	}
	if b.length > 0 {
		return tokens.Count{N: b.length, Method: tokens.Exact, By: b.by}, nil
	}
	if known, ok := llm.LookupModel(m.config.Model); ok && known.Length > 0 && b.kind == Compatible {
		return tokens.Count{N: known.Length, Method: tokens.Exact, By: "table of well-known models"}, nil
	}
	if m.config.Fallback.N > 0 {
		return m.config.Fallback, nil
	}
	return tokens.Count{}, m.fault(fault.WindowUnknown, string(b.kind)+" does not say how large the window is", m.howToKnow(b.kind))
}

func (m *Model) howToKnow(k Kind) string {
	switch k {
	case Ollama:
		return "use the model as ollama:" + m.config.Model + ", or set the context length"
	case LMStudio:
		return "load the model in LM Studio first, or set the context length"
	default:
		return "set the context length"
	}
}
