package injection

import (
	"fmt"

	"inlay/fault"
	"inlay/prompts"
)

// withSettings lays a strategy's settings over o. Keys are those of the configuration
// file; an unknown one is an error.
func withSettings(o Options, settings map[string]any) (Options, error) {
	for key, value := range settings {
		if err := setOption(&o, key, value); err != nil {
			return o, &fault.Error{Code: fault.Usage, Subject: "options.preprocessors.files." + key, Reason: err.Error()}
		}
	}
	return o, o.Validate()
}

func setOption(o *Options, key string, value any) (err error) {
	switch key {
	case "mode":
		o.Mode, err = modeOf(value)
	case "policy":
		o.Policy, err = policyOf(value)
	case "coverage":
		o.Coverage, err = coverageOf(value)
	case "retrieval_limit":
		o.Limit, err = intOf(value)
	case "retrieval_affinity_threshold":
		var t float64
		t, err = floatOf(value)
		o.Threshold = &t
	case "target_context_use":
		o.TargetContextUse, err = floatOf(value)
	case "reserve_output_tokens":
		o.ReserveOutput, err = intOf(value)
	case "prompt_set":
		o.Prompts, err = promptsOf(value)
	case "strict":
		o.Strict, err = boolOf(value)
	case "expand_query":
		o.ExpandQuery, err = boolOf(value)
	default:
		err = fmt.Errorf("is not a setting of files")
	}
	return err
}

func modeOf(v any) (Mode, error) {
	s, ok := v.(string)
	if !ok {
		return Auto, fmt.Errorf("is %v, want auto, full, retrieval or none", v)
	}
	return ParseMode(s)
}

// ParsePolicy reads "all" or "mixed"; empty is all.
func ParsePolicy(s string) (Policy, error) {
	switch s {
	case "", "all":
		return AllOrNothing, nil
	case "mixed":
		return MixedPolicy, nil
	}
	return AllOrNothing, &fault.Error{Code: fault.Usage, Subject: "policy", Reason: fmt.Sprintf("is %q, want all or mixed", s)}
}

func policyOf(v any) (Policy, error) {
	s, ok := v.(string)
	if !ok {
		return AllOrNothing, fmt.Errorf("is %v, want all or mixed", v)
	}
	return ParsePolicy(s)
}

func coverageOf(v any) (bool, error) {
	switch v {
	case "off":
		return false, nil
	case "auto":
		return true, nil
	}
	return false, fmt.Errorf("is %v, want off or auto", v)
}

// promptsOf names one of the prompt sets that come with inlay; a folder of a
// user's own is not a strategy's to choose.
func promptsOf(v any) (*prompts.Set, error) {
	name, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("is %v, want classic or cited", v)
	}
	return prompts.Named(name)
}

func intOf(v any) (int, error) {
	f, err := floatOf(v)
	if err != nil || f != float64(int(f)) {
		return 0, fmt.Errorf("is %v, want a whole number", v)
	}
	return int(f), nil
}

func floatOf(v any) (float64, error) {
	switch n := v.(type) {
	case int:
		return float64(n), nil
	case int64:
		return float64(n), nil
	case uint64:
		return float64(n), nil
	case float64:
		return n, nil
	}
	return 0, fmt.Errorf("is %v, want a number", v)
}

func boolOf(v any) (bool, error) {
	b, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("is %v, want true or false", v)
	}
	return b, nil
}
