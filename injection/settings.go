package injection

import (
	"inlay/library"
	"inlay/options"
	"inlay/prompts"
	"inlay/retrieve"
)

// With returns o with the given options in force, decoded by the table in
// package options. Those that are not about files are left to others. Where
// prompt_set names neither built-in set the error is fault.Usage.
func (o Options) With(values options.Values) (Options, error) {
	for key, value := range values {
		if err := setOption(&o, key, value); err != nil {
			return o, err
		}
	}
	if filter, err := library.FilterOf(values); err != nil {
		return o, err
	} else if !filter.Empty() {
		o.Filter = filter
	}
	return o, o.Validate()
}

func setOption(o *Options, key string, value any) (err error) {
	switch v := value.(type) {
	case string:
		return setWord(o, key, v)
	case []string:
		if key == "library" {
			o.Libraries = v
		}
	case bool:
		switch key {
		case "strict":
			o.Strict = v
		case "expand_query":
			o.ExpandQuery = v
		case "rerank":
			o.NoRerank = !v
		}
	case int64:
		switch key {
		case "retrieval_limit":
			o.Limit = int(v)
		case "reserve_output_tokens":
			o.ReserveOutput = int(v)
		}
	case float64:
		switch key {
		case "retrieval_affinity_threshold":
			o.Threshold = &v
		case "citation_share":
			o.CitationShare = &v
		case "target_context_use":
			o.TargetContextUse = v
		}
	}
	return nil
}

func setWord(o *Options, key, word string) (err error) {
	switch key {
	case "mode":
		o.Mode, err = ParseMode(word)
	case "policy":
		o.Policy, err = ParsePolicy(word)
	case "coverage":
		o.NoCoverage, o.CoverAlways = word == "off", word == "always"
	case "on_overflow":
		o.RetrieveOverflow = word == "retrieve"
	case "on_failure":
		o.Continue = word == "continue"
	case "prompt_set":
		o.Prompts, err = prompts.Named(word)
	case "chunk":
		o.Search.Chunk = word
	case "embedder":
		o.Search.Embedder = word
	}
	return err
}

// ParsePolicy reads "all" or "mixed"; empty is all.
func ParsePolicy(s string) (Policy, error) {
	switch s {
	case "", "all":
		return AllOrNothing, nil
	case "mixed":
		return MixedPolicy, nil
	}
	return AllOrNothing, options.Check("policy", s)
}

// Validate names the first option that is out of range, as the table in package
// options has it.
func (o Options) Validate() error {
	values := map[string]any{"reserve_output_tokens": o.ReserveOutput}
	if o.Limit != 0 && o.Limit != retrieve.AutoLimit {
		values["retrieval_limit"] = o.Limit
	}
	if o.CitationShare != nil {
		values["citation_share"] = *o.CitationShare
	}
	if o.Threshold != nil {
		values["retrieval_affinity_threshold"] = *o.Threshold
	}
	if o.TargetContextUse != 0 {
		values["target_context_use"] = o.TargetContextUse
	}
	if _, err := options.Files.Decode("", values); err != nil {
		return err
	}
	if _, err := ParsePolicy(string(o.Policy)); err != nil {
		return err
	}
	_, err := ParseMode(string(o.Mode))
	return err
}

// settingsPrefix begins the path of a setting in a strategy file.
const settingsPrefix = "options.preprocessors." + ID + "."

// CheckSettings implements strategy.SettingsChecker.
func (p Preprocessor) CheckSettings(settings map[string]any) error {
	_, _, err := p.settings(settings)
	return err
}

// settings reads what a strategy sets: options by their keys, and its query.
func (p Preprocessor) settings(given map[string]any) (o Options, query string, err error) {
	values, err := options.Files.Decode(settingsPrefix, given)
	if err != nil {
		return o, "", err
	}
	o, err = p.Defaults.With(values)
	return o, values.Text("query"), err
}
