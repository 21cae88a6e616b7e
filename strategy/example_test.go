package strategy_test

import (
	"context"
	"fmt"

	"inlay/strategy"
)

// clock is a preprocessor of one variable.
type clock struct{}

func (clock) Info() strategy.Info {
	return strategy.Info{ID: "clock", DisplayName: "Clock", Description: "Tells the time.", Permission: "Reads the time"}
}

func (clock) Process(context.Context, strategy.ExecutionContext) (strategy.Result, error) {
	return strategy.Result{Variables: map[string]any{"preprocess.clock.time": "12:30"}}, nil
}

func ExampleEngine_Execute() {
	registry, err := strategy.NewRegistry(clock{})
	if err != nil {
		fmt.Println(err)
		return
	}
	engine := &strategy.Engine{Registry: registry}
	greet := &strategy.Strategy{
		ID: "user.greet", Name: "Greet", Preprocessors: []string{"clock"},
		Body: "It is {preprocess.clock.time}. Answer politely: {Argument}",
	}
	out, err := engine.Execute(context.Background(), greet, strategy.ExecutionContext{Input: "is it lunch time?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Prompt)
	again, err := strategy.Replay(out)
	fmt.Println(again.Prompt == out.Prompt, err)
	// Output:
	// It is 12:30. Answer politely: is it lunch time?
	// true <nil>
}
