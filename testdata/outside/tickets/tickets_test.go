package tickets_test

import (
	"testing"

	"example.org/outside/tickets"

	"inlay/chat"
	"inlay/processor"
	"inlay/processor/processortest"
)

func TestConformance(t *testing.T) {
	processortest.Messages(t, processor.MessageModifier{Name: "TicketModifier", Run: tickets.TicketModifier{}.Modify},
		processor.Say(chat.User, processor.FromUser, "What about TICKET-17?"))
}
