package strategy_test

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/strategy"
)

// picky takes a colour alone, and no two settings.
type picky struct{}

func (picky) Info() strategy.Info {
	return strategy.Info{ID: "picky", DisplayName: "Picky", Description: "Takes a colour.", Permission: "Reads nothing"}
}

func (picky) Process(context.Context, strategy.ExecutionContext) (strategy.Result, error) {
	return strategy.Result{Variables: map[string]any{}}, nil
}

func (picky) CheckSettings(settings map[string]any) error {
	for name := range settings {
		if name != "colour" && name != "shade" {
			return &fault.Error{Code: fault.Usage, Subject: "options.preprocessors.picky." + name, Reason: "is not an option here"}
		}
	}
	if len(settings) > 1 {
		return &fault.Error{Code: fault.Usage, Subject: "options.preprocessors.picky", Reason: "takes one of colour and shade"}
	}
	return nil
}

// TestSettingsAreChecked: what a run would refuse of a preprocessor's settings is
// refused when the strategy is loaded, with its place, and by the engine for
// strategies that no loader has seen.
func TestSettingsAreChecked(t *testing.T) {
	registry, err := strategy.NewRegistry(picky{})
	require.NoError(t, err)
	loader := strategy.Loader{Provider: "user", Registry: registry}
	for settings, want := range map[string][]string{
		"{colour: red}": nil,
		"{size: 1, colour: red, weight: 2}": {
			"a.strategy.md:6:13: error strategy.invalid_field options.preprocessors.picky.size: The setting is not an option here.",
			"a.strategy.md:6:35: error strategy.invalid_field options.preprocessors.picky.weight: The setting is not an option here.",
		},
		"{colour: red, shade: dark}": {"a.strategy.md:6:13: error strategy.invalid_field options.preprocessors.picky: The setting takes one of colour and shade."},
	} {
		text := "---\nname: A\npreprocessors: [picky]\noptions:\n  preprocessors:\n    picky: " + settings + "\n---\n{a}\n"
		s, problems := loader.Load(t.Context(), fstest.MapFS{"a.strategy.md": file(text)}, "a.strategy.md")
		var got []string
		for _, p := range problems {
			got = append(got, p.String())
		}
		require.Equal(t, want, got, settings)
		require.Equal(t, want == nil, s != nil)
	}
	s := &strategy.Strategy{ID: "user.a", Name: "A", Enabled: true, Preprocessors: []string{"picky"}, Body: "{a}"}
	s.Options.Preprocessors = map[string]map[string]any{"picky": {"size": 1}}
	_, err = (&strategy.Engine{Registry: registry}).Execute(t.Context(), s, strategy.ExecutionContext{})
	require.True(t, fault.Is(err, fault.PreprocessorException))
	require.ErrorContains(t, err, "options.preprocessors.picky.size: is not an option here")
}
