package route

import (
	"fmt"
	"slices"

	"inlay/options"
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

// With returns s with the given options in force, decoded by the table in
// package options. Those that are not about routing are left to others.
func (s Settings) With(values options.Values) Settings {
	for key, value := range values {
		switch v := value.(type) {
		case bool:
			setSwitch(&s, key, v)
		case string:
			switch key {
			case "preprocessor_provider":
				s.PreprocessorProvider = v
			case "preprocessor_model_id":
				s.PreprocessorModelID = v
			}
		case int64:
			if key == "preprocessor_max_context_chars" {
				s.PreprocessorMaxContextChars = int(v)
			}
		case float64:
			if key == "preprocessor_temperature" {
				s.PreprocessorTemperature = v
			}
		}
	}
	return s
}

func setSwitch(s *Settings, key string, on bool) {
	switch key {
	case "enable_prompt_preprocessor":
		s.EnablePromptPreprocessor = on
	case "condensed_prompt_enabled":
		s.CondensedPromptEnabled = on
	case "retry_full_prompt":
		s.RetryFullPrompt = on
	}
}

// Validate names the first setting that is out of range, as the table in package
// options has it: fault.Usage.
func (s Settings) Validate() error {
	if err := options.Check("preprocessor_temperature", s.PreprocessorTemperature); err != nil {
		return err
	}
	return options.Check("preprocessor_max_context_chars", s.PreprocessorMaxContextChars)
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
