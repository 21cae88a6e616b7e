package processortest_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"inlay/chat"
	"inlay/llm"
	"inlay/processor"
	"inlay/processor/builtin"
	"inlay/processor/processortest"
)

// TicketModifier takes the numbers of tickets out of messages, and stops the
// turn when there are too many.
type TicketModifier struct {
	Most int `json:"most"` // tickets in one conversation; 0: any number
}

var ticket = regexp.MustCompile(`\bTICKET-[0-9]+\b`)

// Modify implements the processor.
func (m TicketModifier) Modify(_ context.Context, t *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	v = processor.CloneMessages(v) // what is given is not changed
	found := 0
	for i := range v {
		for j, part := range v[i].Parts {
			found += len(ticket.FindAllString(part.Text, -1))
			v[i].Parts[j].Text = ticket.ReplaceAllString(part.Text, "[ticket]")
		}
	}
	if m.Most > 0 && found > m.Most {
		return v, processor.Halt("the conversation names too many tickets"), nil
	}
	if found > 0 {
		t.Note("tickets", fmt.Sprintf("%d numbers of tickets were taken out.", found))
	}
	return v, processor.Continue(), nil
}

// Tickets is what a configuration may name.
func Tickets() processor.Entry[processor.MessageModifier] {
	return processor.Entry[processor.MessageModifier]{Name: "TicketModifier", Make: func(o processor.Options) (processor.MessageModifier, error) {
		var m TicketModifier
		if err := o.Into(&m); err != nil {
			return processor.MessageModifier{}, err
		}
		if m.Most < 0 {
			return processor.MessageModifier{}, o.Bad("most", "is negative")
		}
		return processor.MessageModifier{Name: "TicketModifier", Run: m.Modify}, nil
	}}
}

func Example() {
	registry := builtin.Registry(builtin.Host{})
	registry.Messages = append(registry.Messages, Tickets())
	chains, err := processor.Load("inlay.yaml", []byte(`
processors:
  message_modifiers:
    - { name: TicketModifier, after: AtFileProcessorModifier, options: { most: 5 } }
`), registry)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(chains.Messages.Names()[5:7], ", "))
	// Output: AtFileProcessorModifier, TicketModifier
}

func TestConformance(t *testing.T) {
	processortest.Messages(t, processor.MessageModifier{Name: "TicketModifier", Run: TicketModifier{}.Modify},
		processor.Say(chat.User, processor.FromUser, "What about TICKET-17?"))
}

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
