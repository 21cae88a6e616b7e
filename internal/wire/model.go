package wire

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"inlay/fault"
	"inlay/llm"
	"inlay/llm/ollama"
	"inlay/llm/openai"
	"inlay/tokens"
)

// ModelSettings say which model will answer. A field with a key is a row of the
// table in package options.
type ModelSettings struct {
	Model         string `key:"model"`
	BaseURL       string `key:"base_url"`
	ContextLength int    `key:"context_length"`
}

// OpenModel is the model that will answer, to be measured. A server is asked
// only where the user named one: any model of Ollama, and models of an
// OpenAI-compatible server with --base-url. Of other models inlay knows what
// its table knows. Where nothing says how long the window is, 4096 is assumed,
// and the result says so.
func OpenModel(s ModelSettings, getenv func(string) string) (llm.Measurer, error) {
	provider, _ := llm.SplitModel(s.Model)
	if provider == "ollama" || IsOpenAI(provider) && s.BaseURL != "" {
		return OpenAnswerer(s, getenv)
	}
	if err := s.CheckProvider(); err != nil {
		return nil, err
	}
	return OpenKnown(s, AssumedWindow(), &tokens.Library{})
}

// CheckProvider refuses a model without a provider, or of an unknown one. Models
// that only their makers serve need none to be measured: gpt-4o. What is before a
// colon is part of a name that the table of models knows.
func (s ModelSettings) CheckProvider() error {
	provider, name := llm.SplitModel(s.Model)
	first, _, ok := strings.Cut(name, ":")
	known, found := llm.LookupModel(name)
	switch {
	case provider != "" || name == "" || found && !known.Open:
		return nil
	case !ok || found:
		return &fault.Error{Code: fault.Usage, Subject: "--model " + name, Reason: fmt.Sprintf("name the provider, such as ollama:%s or openai:%s", name, name)}
	}
	return &fault.Error{
		Code: fault.Usage, Subject: "--model", Reason: fmt.Sprintf("names %q, which is not a provider", first),
		Next: "providers are " + strings.Join(llm.Providers(), ", ") + "; a model of another server is openai:NAME with --base-url",
	}
}

// OpenKnown measures with what is known without asking a server.
func OpenKnown(s ModelSettings, fallback tokens.Count, library *tokens.Library) (_ llm.Measurer, err error) {
	o := llm.StaticOptions{Model: s.Model, Length: s.ContextLength, Fallback: fallback, Library: library}
	if s.Model == "" {
		if o.Counter, err = o.Library.Encoding(DefaultEncoding); err != nil {
			return nil, err
		}
		o.Overhead = &llm.MessageOverhead{PerMessage: 3, Once: 3}
	}
	return llm.NewStatic(o)
}

// AssumedWindow is the window where nothing says how long it is.
func AssumedWindow() tokens.Count { return tokens.Count{N: assumedLength, By: llm.Assumed} }

// Answerer is a model that can be measured and answers.
type Answerer interface {
	llm.Measurer
	llm.Generator
}

// OpenAnswerer is the model that answers in a chat.
func OpenAnswerer(s ModelSettings, getenv func(string) string) (Answerer, error) {
	provider, name := llm.SplitModel(s.Model)
	switch provider {
	case "ollama":
		return ollama.New(ollama.Config{Model: name, URL: OllamaURL(s.BaseURL, getenv), Length: s.ContextLength, Fallback: AssumedWindow(), Library: &tokens.Library{}})
	case "openai":
		return openai.New(openAIConfig(s, name, getenv))
	case openai.ResponsesProvider:
		return openai.NewResponses(openAIConfig(s, name, getenv))
	}
	if s.Model == "" {
		return nil, &fault.Error{Code: fault.Usage, Subject: "--model", Reason: "is not given", Next: "name a model that answers: ollama:NAME, openai:NAME or openai-responses:NAME"}
	}
	if err := s.CheckProvider(); err != nil {
		return nil, err
	}
	if provider == "" {
		return nil, &fault.Error{
			Code: fault.Usage, Subject: "--model " + name, Reason: "is only measured, because its provider is not named",
			Next: "--model openai:" + name + " answers",
		}
	}
	return nil, &fault.Error{
		Code: fault.Usage, Subject: "--model", Reason: fmt.Sprintf("is %q, want ollama:NAME, openai:NAME or openai-responses:NAME", s.Model),
		Next: "name the model that answers; other servers are openai:NAME with --base-url",
	}
}

// ListModels lists the models of the server at BaseURL, else of Ollama, as --model
// takes them.
func ListModels(ctx context.Context, s ModelSettings, getenv func(string) string) ([]string, error) {
	names, err := ollama.Models(ctx, ollama.Config{URL: OllamaURL(s.BaseURL, getenv), Library: &tokens.Library{}})
	provider := "ollama:"
	if err != nil && s.BaseURL != "" {
		names, err = openai.Models(ctx, openAIConfig(s, "", getenv))
		provider = "openai:"
	}
	for i, name := range names {
		names[i] = provider + name
	}
	return names, err
}

func openAIConfig(s ModelSettings, name string, getenv func(string) string) openai.Config {
	return openai.Config{Model: name, BaseURL: s.BaseURL, Key: getenv(KeyVariable), Length: s.ContextLength, Fallback: AssumedWindow(), Library: &tokens.Library{}}
}

// IsOpenAI tells the providers of OpenAI's APIs, which are at one address and take one key.
func IsOpenAI(provider string) bool {
	return provider == "openai" || provider == openai.ResponsesProvider
}

// KeyVariable holds the key for OpenAI-compatible servers.
const KeyVariable = "OPENAI_API_KEY"

// OllamaURL is the configured address, else Ollama's own variable, else its default.
func OllamaURL(configured string, getenv func(string) string) string {
	address := cmp.Or(configured, getenv("OLLAMA_HOST"))
	if address != "" && !strings.Contains(address, "://") {
		address = "http://" + address
	}
	return address
}

// What is taken where nothing says better.
const (
	DefaultEncoding = "o200k_base"
	assumedLength   = 4096
)
