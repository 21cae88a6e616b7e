package route

import (
	"cmp"
	"context"
	"slices"
	"time"

	"inlay/chat"
	"inlay/options"
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
// keys of package options, route_as among them. It is off until one of them
// turns it on.
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

// Process returns preprocess.route.routed, .decision, .reasoning, .tool.name,
// .tool.params, .big.notes, .big.use_condensed_prompt, .big.condensed_prompt,
// .saved_tokens and .warnings.
func (p Preprocessor) Process(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
	settings, mode, err := p.settings(x.Settings)
	if err != nil {
		return strategy.Result{}, err
	}
	r := p.Router
	r.Settings = settings
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

// CheckSettings implements strategy.SettingsChecker.
func (p Preprocessor) CheckSettings(settings map[string]any) error {
	_, _, err := p.settings(settings)
	return err
}

func (p Preprocessor) settings(given map[string]any) (Settings, Mode, error) {
	values, err := options.Route.Decode("options.preprocessors."+ID+".", given)
	if err != nil {
		return Settings{}, Mode{}, err
	}
	mode, _ := FindMode(cmp.Or(values.Text("route_as"), "code"))
	s := p.Router.Settings.With(values)
	return s, mode, s.Validate()
}

func attachedNames(list []strategy.Attachment) (out []string) {
	for _, a := range list {
		out = append(out, a.Name)
	}
	return out
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
