package session

import (
	"inlay/fault"
	"inlay/injection"
	"inlay/prompts"
)

// Tuning is how a request wants its files handled. What it leaves out is as
// the server's configuration has it.
type Tuning struct {
	Mode             string   `json:"mode,omitempty" enum:"auto,full,retrieval,none"`
	Policy           string   `json:"policy,omitempty" enum:"all,mixed"`
	Coverage         string   `json:"coverage,omitempty" enum:"off,auto"`
	Limit            *int     `json:"limit,omitempty" doc:"most passages to cite, 1 to 100"`
	Threshold        *float64 `json:"threshold,omitempty" doc:"affinity that a passage must exceed, 0 to 1"`
	TargetContextUse *float64 `json:"target_context_use,omitempty" doc:"share of the free window that files and question may take"`
	ReserveOutput    *int     `json:"reserve_output_tokens,omitempty" doc:"tokens kept for the answer"`
	PromptSet        string   `json:"prompt_set,omitempty" enum:"classic,cited"`
	OnOverflow       string   `json:"on_overflow,omitempty" enum:"refuse,retrieve"`
	OnFailure        string   `json:"on_failure,omitempty" enum:"stop,continue"`
	Strict           *bool    `json:"strict,omitempty"`
	ExpandQuery      *bool    `json:"expand_query,omitempty"`
}

// over lays t over o.
func (t Tuning) over(o injection.Options) (injection.Options, error) {
	for _, set := range []func(*injection.Options) error{t.ways, t.words, t.numbers} {
		if err := set(&o); err != nil {
			return o, err
		}
	}
	return o, o.Validate()
}

func (t Tuning) ways(o *injection.Options) (err error) {
	if t.Mode != "" {
		if o.Mode, err = injection.ParseMode(t.Mode); err != nil {
			return wrong("mode", "auto, full, retrieval or none")
		}
	}
	if t.Policy != "" {
		if o.Policy, err = injection.ParsePolicy(t.Policy); err != nil {
			return wrong("policy", "all or mixed")
		}
	}
	if t.PromptSet != "" {
		// A folder of templates is the server's to configure: no path comes from HTTP.
		if o.Prompts, err = prompts.Named(t.PromptSet); err != nil {
			return wrong("prompt_set", "classic or cited")
		}
	}
	return nil
}

func (t Tuning) words(o *injection.Options) error {
	for _, w := range []struct {
		name, got, off, on string
		set                *bool
	}{
		{"coverage", t.Coverage, "off", "auto", &o.Coverage},
		{"on_overflow", t.OnOverflow, "refuse", "retrieve", &o.RetrieveOverflow},
		{"on_failure", t.OnFailure, "stop", "continue", &o.Continue},
	} {
		switch w.got {
		case "":
		case w.off, w.on:
			*w.set = w.got == w.on
		default:
			return wrong(w.name, w.off+" or "+w.on)
		}
	}
	return nil
}

func (t Tuning) numbers(o *injection.Options) error {
	if t.Limit != nil {
		if *t.Limit == 0 {
			return wrong("limit", "1 to 100")
		}
		o.Limit = *t.Limit
	}
	if t.Threshold != nil {
		o.Threshold = t.Threshold
	}
	if t.TargetContextUse != nil {
		if *t.TargetContextUse == 0 {
			return wrong("target_context_use", "more than 0 and at most 1")
		}
		o.TargetContextUse = *t.TargetContextUse
	}
	if t.ReserveOutput != nil {
		o.ReserveOutput = *t.ReserveOutput
	}
	if t.Strict != nil {
		o.Strict = *t.Strict
	}
	if t.ExpandQuery != nil {
		o.ExpandQuery = *t.ExpandQuery
	}
	return nil
}

// wrong names a field and what it may be, never what it was.
func wrong(field, want string) error {
	return &fault.Error{Code: fault.Usage, Subject: field, Reason: "is invalid", Next: "want " + want}
}
