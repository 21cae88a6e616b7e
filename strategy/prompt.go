package strategy

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"inlay/strategy/render"
	"inlay/strategy/source"
)

// inputMark parts a body from the input appended to it (STR-8).
const inputMark = "\n<UserRequestStart>\n"

// templates parses the body and the system prompt; system is nil without one.
func (e *Execution) templates() (body, system *render.Template, err error) {
	if body, err = render.Parse(string(e.Strategy.Body)); err != nil {
		return nil, nil, err
	}
	if e.Strategy.SystemPrompt != nil {
		system, err = render.Parse(string(*e.Strategy.SystemPrompt))
	}
	return body, system, err
}

// checkTemplates reports a body or a system prompt that cannot be rendered.
func (e *Execution) checkTemplates() error {
	_, _, err := e.templates()
	return err
}

// fill renders the body and the system prompt of e.Strategy into e, all or
// nothing, and notes what it read and missed.
func (e *Execution) fill(find render.Lookup, o render.Options) error {
	body, system, err := e.templates()
	if err != nil {
		return err
	}
	message, err := body.Render(find, o)
	if err != nil {
		return err
	}
	outputs := []render.Output{message}
	var systemText *Text
	if system != nil {
		out, err := system.Render(find, o)
		if err != nil {
			return err
		}
		systemText, outputs = new(Text(out.Text)), append(outputs, out)
	}
	e.Prompt, e.SystemPrompt = e.message(body, message.Text), systemText
	e.note(outputs)
	return nil
}

// message joins body and input (STR-8).
func (e *Execution) message(body *render.Template, rendered string) Text {
	switch {
	case strings.TrimSpace(string(e.Strategy.Body)) == "":
		return e.Input
	case e.Input == "", body.Uses(Argument), slices.ContainsFunc(e.Strategy.ContainInput, body.Uses):
		return Text(rendered)
	}
	return Text(rendered) + inputMark + e.Input
}

// note keeps the values read that the steps' variables do not hold already, and
// reports missing paths.
func (e *Execution) note(outputs []render.Output) {
	produced, _ := merge(e.Steps)
	e.Values, e.Missing = map[string]any{}, []string{}
	for _, out := range outputs {
		for path, value := range out.Read {
			if own, ok := produced[path]; ok && reflect.DeepEqual(own, value) {
				continue
			}
			e.Values[path] = value
		}
		e.Missing = append(e.Missing, out.Missing...)
	}
	slices.Sort(e.Missing)
	e.Missing = slices.Compact(e.Missing)
	for _, path := range e.Missing {
		e.Diagnostics = append(e.Diagnostics, Diagnostic{
			Code: source.MissingVariable, Severity: source.Warning, Path: path, Message: "The prompt names this variable and nothing supplied it.",
		})
	}
}

// Replay renders a stored execution again, from what it stores and nothing
// else, and returns it. A result that differs from the stored prompt in any
// byte means that the record was changed: fault.StoreDamaged.
func Replay(e Execution) (Execution, error) {
	switch e.Status {
	case Done:
	case DryRun:
		return Execution{}, damaged("it was a dry run and has no prompt", nil)
	default:
		return Execution{}, damaged("it ended as "+e.Status+" and has no prompt", nil)
	}
	again := e
	merged, _ := merge(e.Steps)
	find := func(path string) (any, bool) {
		for _, layer := range []map[string]any{e.Values, merged} {
			if v, ok := layer[path]; ok {
				return v, true
			}
		}
		return render.Verbatim(e.Input), path == Argument
	}
	again.Diagnostics = nil
	if err := again.fill(find, render.Options{KeepMissing: e.KeepMissing, Limit: e.replayLimit()}); err != nil {
		return Execution{}, damaged("it cannot be rendered", err)
	}
	if again.Prompt != e.Prompt || !reflect.DeepEqual(again.SystemPrompt, e.SystemPrompt) {
		return Execution{}, damaged("its prompt is not what its parts give", nil)
	}
	again.Diagnostics, again.Values, again.Missing = e.Diagnostics, maps.Clone(e.Values), e.Missing
	return again, nil
}

// replayLimit is a limit that no text of a true record exceeds. A body of white
// space is rendered too, and shown nowhere.
func (e *Execution) replayLimit() int {
	limit := 1 + max(len(e.Prompt), len(e.Strategy.Body))
	if e.SystemPrompt != nil {
		limit += len(*e.SystemPrompt)
	}
	return limit
}
