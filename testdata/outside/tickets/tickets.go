// Package tickets hides ticket numbers from models.
package tickets

import (
	"context"
	"fmt"
	"regexp"

	"inlay/processor"
)

// TicketModifier takes the numbers of tickets out of messages, and stops the
// turn when there are too many.
type TicketModifier struct {
	Most int `json:"most"` // tickets in one conversation; 0: any number
}

var ticket = regexp.MustCompile(`\bTICKET-[0-9]+\b`)

// Modify implements the processor.
func (m TicketModifier) Modify(_ context.Context, t *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	v = processor.CloneMessages(v) // the caller's messages stay as they are
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
		t.Note("tickets", fmt.Sprintf("%d ticket numbers were removed.", found))
	}
	return v, processor.Continue(), nil
}

// Entry is the processor as a configuration may name it.
func Entry() processor.Entry[processor.MessageModifier] {
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
