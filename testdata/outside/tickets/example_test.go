package tickets_test

import (
	"fmt"
	"strings"

	"example.org/outside/tickets"

	"inlay/processor"
	"inlay/processor/builtin"
)

func ExampleEntry() {
	registry := builtin.Registry(builtin.Host{})
	registry.Messages = append(registry.Messages, tickets.Entry())
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
