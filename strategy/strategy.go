package strategy

import (
	"crypto/sha256"
	"maps"
	"slices"
	"time"

	"inlay/strategy/condition"
)

// Schema names the version of strategy files.
const Schema = "everywhere.strategy/v1"

// Strategy is one prompt template with what it needs: when it is worth
// offering, the preprocessors that prepare its variables, its tool rules. It is
// not changed once loaded.
type Strategy struct {
	ID            string // lower-case, in its provider's namespace: "builtin.summarize"
	Provider      string
	Name          string
	Description   string
	Icon          string
	Priority      int
	Enabled       bool                 // disabled: loaded, never matched
	When          *condition.Condition // nil matches always
	Tools         ToolRules
	Preprocessors []string // run in this order
	Body          string   // the prompt, byte for byte; of white space only counts as none
	SystemPrompt  *string  // nil: the assistant's default
	Options       Options
	Metadata      map[string]any // a tree as YAML or JSON makes it
	File          string         // where it was read from, slash-separated in its folder
	From          string         // the file or URL it derives from, if any

	digest [sha256.Size]byte // of its file and of what it derives from
}

// Options are a strategy's limits and its preprocessors' settings.
type Options struct {
	condition.Limits
	PreprocessorTimeout time.Duration             // 0: each preprocessor's own
	Preprocessors       map[string]map[string]any // settings, by preprocessor id
}

// View is a strategy as a preprocessor may see it (STR-2). It is a copy:
// changing it changes nothing else.
type View struct {
	ID            string
	Name          string
	Description   string
	Preprocessors []string // in the order in which they run
	Options       Options  // those of every preprocessor, not only of the reader's own
	Metadata      map[string]any
}

// View returns a copy of what preprocessors may see of s.
func (s *Strategy) View() View {
	v := View{
		ID: s.ID, Name: s.Name, Description: s.Description,
		Preprocessors: slices.Clone(s.Preprocessors), Options: s.Options, Metadata: copied(s.Metadata),
	}
	v.Options.Preprocessors = maps.Clone(s.Options.Preprocessors)
	for id, settings := range v.Options.Preprocessors {
		v.Options.Preprocessors[id] = copied(settings)
	}
	return v
}

// copied copies the objects and lists of a decoded YAML or JSON value.
func copied(in map[string]any) map[string]any {
	out := maps.Clone(in)
	for key, value := range out {
		out[key] = copiedValue(value)
	}
	return out
}

func copiedValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return copied(v)
	case []any:
		out := slices.Clone(v)
		for i, item := range out {
			out[i] = copiedValue(item)
		}
		return out
	}
	return v
}
