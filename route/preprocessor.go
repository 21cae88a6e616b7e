package route

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/strategy"
	"inlay/strategy/render"
)

// ID is the id under which strategies name this preprocessor.
const ID = "route"

// Prefix is the namespace of this preprocessor's variables.
const Prefix = "preprocess.route."

// Preprocessor is a [Router] as strategies see it. It returns variables only;
// applying the decision is the caller's part (STR-17). A strategy's
// options.preprocessors.route start from the router's settings and take the
// seed's names, and mode. It is off until one of them turns it on.
type Preprocessor struct {
	Router Router
}

var _ strategy.Preprocessor = Preprocessor{}

// Info describes the preprocessor.
func (Preprocessor) Info() strategy.Info {
	return strategy.Info{
		ID: ID, DisplayName: "Tool or model", Timeout: time.Minute,
		Description: "Decides whether the next step is a single tool or the large model with a condensed prompt.",
		Permission:  "Reads your message and the chat",
	}
}

// options are what a strategy may set.
type options struct {
	Settings
	Mode string `json:"mode"`
}

// Process returns preprocess.route.routed, .decision, .reasoning, .tool.name,
// .tool.params, .big.notes, .big.use_condensed_prompt, .big.condensed_prompt,
// .saved_tokens and .warnings.
func (p Preprocessor) Process(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
	o, mode, err := p.options(x.Settings)
	if err != nil {
		return strategy.Result{}, err
	}
	r := p.Router
	r.Settings = o.Settings
	if r.Counter == nil && x.Model != nil {
		if r.Counter, err = x.Model.Counter(ctx); err != nil {
			return strategy.Result{}, err
		}
	}
	env := Environment{OS: value(x.Values, "environment.os"), Workspace: value(x.Values, "extra.workspace.name")}
	system, err := Build(Prompt{Mode: mode, Tools: r.tools(), Environment: env})
	if err != nil {
		return strategy.Result{}, err
	}
	out, err := r.Decide(ctx, Request{
		System: system, Messages: append(slices.Clip(x.Messages), chat.Message{Role: chat.User, Text: x.Input}),
		Ask: x.Input, Mode: mode, Environment: env, Attached: attachedNames(x.Attachments),
	})
	if err != nil {
		return strategy.Result{}, err
	}
	res := strategy.Result{Variables: out.Variables()}
	for _, w := range out.Warnings {
		res.Diagnostics = append(res.Diagnostics, strategy.Diagnostic{Code: "route.unrouted", Severity: "warning", Message: w})
	}
	return res, nil
}

func attachedNames(list []strategy.Attachment) (out []string) {
	for _, a := range list {
		out = append(out, a.Name)
	}
	return out
}

func (p Preprocessor) options(given map[string]any) (options, Mode, error) {
	o := options{Settings: p.Router.Settings, Mode: "code"}
	text, err := json.Marshal(given)
	if err == nil && len(given) > 0 {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(&o)
	}
	mode, ok := FindMode(o.Mode)
	if err != nil || !ok {
		return o, mode, &fault.Error{
			Code: fault.Usage, Subject: "options.preprocessors.route", Reason: "has a setting that is not known or of the wrong type",
			Next: "see docs/route.md for the names", Err: err,
		}
	}
	return o, mode, o.Validate()
}

func value(values map[string]any, path string) string {
	v, _ := render.Find(values, path)
	s, _ := v.(string)
	return s
}

// Variables are the outcome as flat dotted keys. All of them are there whatever
// was decided; those that do not apply are empty.
func (o Outcome) Variables() map[string]any {
	v := map[string]any{
		"routed": o.Routed, "decision": "", "reasoning": "", "saved_tokens": o.Saved, "warnings": o.Warnings,
		"tool.name": "", "tool.params": map[string]any{}, "big.notes": "", "big.use_condensed_prompt": false, "big.condensed_prompt": "",
	}
	if d := o.Decision; d != nil {
		v["decision"], v["reasoning"] = string(d.Decision), d.Reasoning
		if d.Tool != nil {
			v["tool.name"], v["tool.params"] = d.Tool.Name, d.Tool.Params
		}
		if d.Big != nil {
			v["big.notes"], v["big.use_condensed_prompt"], v["big.condensed_prompt"] = d.Big.Notes, d.Big.UseCondensedPrompt, d.Big.CondensedPrompt
		}
	}
	out := make(map[string]any, len(v))
	for key, value := range v {
		out[Prefix+key] = value
	}
	return out
}
