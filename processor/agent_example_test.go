package processor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"inlay/chat"
	"inlay/llm"
	"inlay/processor"
)

// clock is a model that asks for the time once and then repeats what it was
// told. Any model of llm/ollama or llm/openai is in its place.
type clock struct{ llm.Measurer }

func (clock) Generate(_ context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		last := r.Messages[len(r.Messages)-1]
		if last.Role == chat.Tool {
			yield(llm.Delta{Text: "It is " + last.Text + ".", Done: "stop"}, nil)
			return
		}
		yield(llm.Delta{ToolCalls: []chat.ToolCall{{ID: "1", Name: "now", Arguments: `{"zone":"UTC"}`}}, Done: "tool_calls"}, nil)
	}
}

// An agent with one processor of each family.
func Example() {
	static, err := llm.NewStatic(llm.StaticOptions{Model: "gpt-4o"})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := processor.Tool{Tool: llm.Tool{Name: "now", Parameters: []byte(`{"type":"object"}`)}, Run: func(context.Context, *processor.Turn, json.RawMessage) (string, error) {
		return "noon", nil
	}}
	brief, _ := processor.MessageChain(processor.MessageModifier{Name: "Brief", Run: func(_ context.Context, _ *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
		return processor.System(v, processor.Part{Text: "Be brief.", Origin: processor.FromAuthor}), processor.Continue(), nil
	}})
	guard, _ := processor.ValidationChain(processor.ToolValidation{Name: "Guard", Run: func(_ context.Context, _ *processor.Turn, c processor.Candidate) (processor.Candidate, processor.Verdict, error) {
		if c.Name != "now" {
			return c, processor.Deny("only the time may be asked for"), nil
		}
		return c, processor.Continue(), nil
	}})
	retry, _ := processor.StepChain(processor.Step{Name: "Retry", After: func(_ context.Context, _ *processor.Turn, r processor.Response) (processor.Response, processor.Verdict, error) {
		if r.Err != nil && r.Attempt < 3 {
			return r, processor.Retry("the model failed", 0), nil
		}
		return r, processor.Continue(), nil
	}})
	shout, _ := processor.ResponseChain(processor.ResponseModifier{Name: "Shout", Run: func(_ context.Context, _ *processor.Turn, r processor.Response) (processor.Response, processor.Verdict, error) {
		r.Text = strings.ToUpper(r.Text)
		return r, processor.Continue(), nil
	}})
	agent := processor.Agent{
		Chains: processor.Chains{Messages: brief, Validation: guard, Steps: retry, Responses: shout},
		Models: []processor.Model{clock{static}}, Tools: []processor.Tool{now},
	}
	turn := &processor.Turn{}
	reply, err := agent.Turn(context.Background(), turn, &processor.Conversation{}, "What time is it?")
	fmt.Println(reply.Text, err)
	for _, r := range turn.Trace() {
		fmt.Println(r.Family, r.Name, r.Verdict)
	}
	// Output:
	// IT IS NOON. <nil>
	// message_modifiers Brief continue
	// llm_steps Retry continue
	// response_modifiers Shout continue
	// tool_modifiers Guard continue
	// tools now continue
	// message_modifiers Brief continue
	// llm_steps Retry continue
	// response_modifiers Shout continue
}
