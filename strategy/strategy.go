package strategy

import (
	"crypto/sha256"
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
	Metadata      map[string]any
	File          string // where it was read from, slash-separated in its folder
	From          string // the file or URL it derives from, if any

	digest [sha256.Size]byte // of its file and of what it derives from
}

// Options are a strategy's limits and its preprocessors' settings.
type Options struct {
	condition.Limits
	PreprocessorTimeout time.Duration             // 0: each preprocessor's own
	Preprocessors       map[string]map[string]any // settings, by preprocessor id
}
