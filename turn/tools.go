package turn

import (
	"context"

	"inlay/chat"
	"inlay/strategy"
)

// Denial is a tool, or a call of one, that the rules keep out, and the patterns
// of the rule that says so.
type Denial struct {
	Tool   string `json:"tool"`
	Plugin string `json:"plugin_pattern,omitempty"`
	Func   string `json:"function_pattern,omitempty"`
	Called bool   `json:"called,omitempty" doc:"the model called it all the same, and the call was refused"`
}

// layers are the rules for tools, the weakest first: the host's, the strategy's,
// the chat's (STR-10).
func (t *Turn) layers() []strategy.ToolRules {
	layers := []strategy.ToolRules{t.engine.Rules}
	if t.req.Strategy != nil {
		layers = append(layers, t.req.Strategy.Tools)
	}
	return append(layers, t.req.Rules)
}

// rules leaves the tools that may reach the model.
func (t *Turn) rules(context.Context) error {
	for _, tool := range t.req.Tools {
		if d := strategy.Allowed(tool.Name, t.layers()...); d.Known && !d.Allowed {
			t.Denied = append(t.Denied, Denial{Tool: tool.Name, Plugin: d.Plugin, Func: d.Func})
			continue
		}
		t.Prompt.Tools = append(t.Prompt.Tools, tool)
	}
	return nil
}

// refuse takes the calls of denied tools out of an answer. Each is noted, and
// the text says so where nothing else is left.
func (t *Turn) refuse(a Answer) Answer {
	var kept []chat.ToolCall
	for _, call := range a.Calls {
		d := strategy.Allowed(call.Name, t.layers()...)
		if !d.Known || d.Allowed {
			kept = append(kept, call)
			continue
		}
		t.Denied = append(t.Denied, Denial{Tool: call.Name, Plugin: d.Plugin, Func: d.Func, Called: true})
		if a.Text == "" {
			a.Text = "The model called " + call.Name + ", which the rules for tools deny; the call was refused."
		}
	}
	if len(kept) == 0 && len(a.Calls) > 0 {
		a.Finish = "stop"
	}
	a.Calls = kept
	return a
}

// Allows reports whether the rules leave a tool.
func (p Prompt) Allows(name string) bool {
	for _, tool := range p.Tools {
		if tool.Name == name {
			return true
		}
	}
	return false
}
