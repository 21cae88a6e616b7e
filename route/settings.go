package route

import (
	"fmt"
	"slices"

	"inlay/fault"
)

// Settings are those of one workspace, with the seed's names. The zero value
// is off; Defaults gives the others.
type Settings struct {
	EnablePromptPreprocessor    bool    `json:"enablePromptPreprocessor"`
	PreprocessorProvider        string  `json:"preprocessorProvider"`        // "heuristic" asks no model
	PreprocessorModelID         string  `json:"preprocessorModelId"`         // free text
	PreprocessorTemperature     float64 `json:"preprocessorTemperature"`     // 0..2
	CondensedPromptEnabled      bool    `json:"condensedPromptEnabled"`      // false: big gets the full prompt
	PreprocessorMaxContextChars int     `json:"preprocessorMaxContextChars"` // of the compact context
	RetryFullPrompt             bool    `json:"retryFullPrompt"`             // a failed big call is tried once more, uncondensed
}

// Defaults are the seed's.
func Defaults() Settings {
	return Settings{
		PreprocessorProvider: "openai", PreprocessorModelID: "gpt-4o-mini", PreprocessorTemperature: .2,
		CondensedPromptEnabled: true, PreprocessorMaxContextChars: 2000,
	}
}

// Validate names the first setting that is out of range, as fault.Usage.
func (s Settings) Validate() error {
	switch {
	case !(s.PreprocessorTemperature >= 0 && s.PreprocessorTemperature <= 2):
		return &fault.Error{Code: fault.Usage, Subject: "preprocessorTemperature", Reason: fmt.Sprintf("is %v, want 0 to 2", s.PreprocessorTemperature)}
	case s.PreprocessorMaxContextChars < 0:
		return &fault.Error{Code: fault.Usage, Subject: "preprocessorMaxContextChars", Reason: fmt.Sprintf("is %d, want 0 or more", s.PreprocessorMaxContextChars)}
	}
	return nil
}

// Governance is what an organisation allows. An empty list allows everything.
type Governance struct {
	Providers []string // "openai", "ollama"
	Models    []string // "openai:gpt-4o-mini"
}

// refuses says why a provider and model may not decide; empty where they may.
func (g Governance) refuses(provider, model string) string {
	switch {
	case len(g.Providers) > 0 && !slices.Contains(g.Providers, provider):
		return fmt.Sprintf("the provider %s is not on the organisation's list", provider)
	case len(g.Models) > 0 && !slices.Contains(g.Models, provider+":"+model):
		return fmt.Sprintf("the model %s:%s is not on the organisation's list", provider, model)
	}
	return ""
}
