package processortest_test

import (
	"testing"

	"inlay/chat"
	"inlay/llm"
	"inlay/processor"
	"inlay/processor/builtin"
	"inlay/processor/processortest"
)

// The built-ins pass the suite.
func TestBuiltins(t *testing.T) {
	registry := builtin.Registry(builtin.Host{})
	said := processor.Say(chat.User, processor.FromUser, "Write to ada@example.org about {x}, @nothing and $(id).")
	called := processor.Call{ToolCall: chat.ToolCall{ID: "1", Name: "now", Arguments: "{}"}, Tool: processor.Tool{Tool: llm.Tool{Name: "now"}}}
	for _, e := range registry.Messages {
		p, err := e.Make(processor.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(e.Name, func(t *testing.T) {
			processortest.Messages(t, p, said, processor.Say(chat.Assistant, processor.FromModel, "Yes [1]."))
		})
	}
	for _, e := range registry.Parameters {
		p, err := e.Make(processor.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(e.Name, func(t *testing.T) { processortest.Call(t, p, called) })
	}
	for _, e := range registry.Validation {
		p, err := e.Make(processor.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(e.Name, func(t *testing.T) { processortest.Candidate(t, p, processor.Candidate{Call: called}) })
	}
	for _, e := range registry.Responses {
		p, err := e.Make(processor.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(e.Name, func(t *testing.T) {
			processortest.Response(t, p, processor.Response{Text: "Write to ada@example.org [1].", ToolCalls: []chat.ToolCall{called.ToolCall}})
		})
	}
}
