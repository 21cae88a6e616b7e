package strategytest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"inlay/fault"
	"inlay/strategy"
	"inlay/strategy/render"
	"inlay/strategy/strategytest"
)

// Stats counts the words and lines of the selected text.
type Stats struct{}

// Info implements [strategy.Preprocessor].
func (Stats) Info() strategy.Info {
	return strategy.Info{
		ID:          "selection-stats",
		DisplayName: "Selection statistics",
		Description: "Counts the words and lines of the selected text.",
		Permission:  "Reads selected text",
		Timeout:     5 * time.Second,
	}
}

// Process implements [strategy.Preprocessor].
func (Stats) Process(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
	if err := ctx.Err(); err != nil {
		return strategy.Result{}, err
	}
	v, _ := render.Find(x.Values, "attachments.selection.text")
	text, ok := v.(string)
	if !ok {
		return strategy.Result{}, &fault.Error{
			Code: fault.PreprocessorContextMissing, Subject: "preprocessor selection-stats",
			Reason: "there is no selected text", Next: "select some",
		}
	}
	return strategy.Result{Variables: map[string]any{
		"preprocess.selection_stats.words": len(strings.Fields(text)),
		"preprocess.selection_stats.lines": strings.Count(text, "\n") + 1,
	}}, nil
}

func TestStats(t *testing.T) {
	strategytest.Run(t, Stats{}, strategy.ExecutionContext{
		Values: map[string]any{"attachments.selection.text": "two words\nand a line"},
	})
}

func Example() {
	registry, err := strategy.NewRegistry(Stats{})
	if err != nil {
		fmt.Println(err)
		return
	}
	shorten := &strategy.Strategy{
		ID: "user.shorten", Name: "Shorten", Preprocessors: []string{"selection-stats"},
		Body: "Cut these {preprocess.selection_stats.words} words by half:\n{attachments.selection.text}",
	}
	engine := &strategy.Engine{Registry: registry}
	out, err := engine.Execute(context.Background(), shorten, strategy.ExecutionContext{
		Values: map[string]any{"attachments.selection.text": "really very good"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Prompt)
	// Output:
	// Cut these 3 words by half:
	// really very good
}
