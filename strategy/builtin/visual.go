package builtin

import (
	"context"
	"strings"

	"inlay/strategy"
	"inlay/strategy/render"
)

// VisualElementText gathers the text of the visual element the user attached:
// attachments.visual.primary, else the first of attachments.visual.items. An
// element is {type, name, text, children: [...]}, as in visual conditions.
type VisualElementText struct{}

// Info implements [strategy.Preprocessor].
func (VisualElementText) Info() strategy.Info {
	return strategy.Info{
		ID: "visual-element-text", DisplayName: "Text on screen", Description: "Takes the text of the attached part of a window.",
		Permission: "Reads visible UI information", Timeout: quick,
	}
}

// CheckSettings implements [strategy.SettingsChecker]: there are none.
func (p VisualElementText) CheckSettings(settings map[string]any) error {
	return strategy.NoSettings(p.Info().ID, settings)
}

// Process implements [strategy.Preprocessor]. What password fields hold is left out.
func (p VisualElementText) Process(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
	element, ok := primary(x.Values)
	if !ok {
		return strategy.Result{}, missing(p.Info().ID, "attached visual element", "attachments.visual.primary")
	}
	var lines []string
	if err := gather(ctx, element, &lines); err != nil {
		return strategy.Result{}, err
	}
	if len(lines) == 0 {
		return strategy.Result{}, missing(p.Info().ID, "text in the attached visual element", "attachments.visual.primary")
	}
	return strategy.Result{Variables: map[string]any{"preprocess.visual.text": strings.Join(lines, "\n")}}, nil
}

func primary(values map[string]any) (map[string]any, bool) {
	v, _ := render.Find(values, "attachments.visual.primary")
	if element, ok := v.(map[string]any); ok {
		return element, true
	}
	v, _ = render.Find(values, "attachments.visual.items")
	if items, ok := v.([]any); ok && len(items) > 0 {
		element, ok := items[0].(map[string]any)
		return element, ok
	}
	return nil, false
}

// gather appends the texts of an element and its descendants, from top to
// bottom; an element without text gives its name.
func gather(ctx context.Context, element map[string]any, lines *[]string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if secret, _ := element["password"].(bool); !secret {
		text, _ := element["text"].(string)
		if strings.TrimSpace(text) == "" {
			text, _ = element["name"].(string)
		}
		if text = strings.TrimSpace(text); text != "" {
			*lines = append(*lines, text)
		}
	}
	children, _ := element["children"].([]any)
	for _, c := range children {
		if child, ok := c.(map[string]any); ok {
			if err := gather(ctx, child, lines); err != nil {
				return err
			}
		}
	}
	return nil
}
