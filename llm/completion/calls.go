package completion

import (
	"fmt"
	"slices"
	"strings"

	"inlay/chat"
)

// Calls puts tool calls together from their pieces, in the order in which they
// begin. The zero value is ready.
type Calls struct{ list []*callBuilder }

// callBuilder collects one call: its arguments come in many pieces.
type callBuilder struct {
	index     int
	id, name  string
	arguments strings.Builder
	custom    bool
}

// maxCalls is the most calls of one choice, far beyond what any model makes.
const maxCalls = 1024

var errCalls = fmt.Errorf("an answer calls more than %d tools", maxCalls)

// Add adds the next pieces. Servers number calls from 0, from 1, or with gaps.
func (c *Calls) Add(pieces []CallPiece) error {
	for _, p := range pieces {
		i := slices.IndexFunc(c.list, func(b *callBuilder) bool { return b.index == p.Index })
		if i < 0 {
			if i = len(c.list); i == maxCalls {
				return errCalls
			}
			c.list = append(c.list, &callBuilder{index: p.Index})
		}
		call := c.list[i]
		call.id += p.ID
		call.name += p.Name
		call.custom = call.custom || p.Custom
		call.arguments.WriteString(p.Arguments)
	}
	return nil
}

// All are the calls; nil where there is none.
func (c *Calls) All() []chat.ToolCall {
	var out []chat.ToolCall
	for _, call := range c.list {
		out = append(out, chat.ToolCall{ID: call.id, Name: call.name, Arguments: call.arguments.String()})
	}
	return out
}

// custom are the ids of calls of custom tools.
func (c *Calls) custom() (ids []string) {
	for _, call := range c.list {
		if call.custom {
			ids = append(ids, call.id)
		}
	}
	return ids
}
