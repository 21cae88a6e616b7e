package builtin

import (
	"slices"

	"inlay/chat"
	"inlay/processor"
)

// span is a stretch of messages.
type span struct{ start, end int }

// turns cuts messages into what is before the first word of the user, and
// turns: a message of the user with everything up to the next. Dropping whole
// turns never parts a tool call from its result.
func turns(v []processor.Message) (head span, list []span) {
	for i, m := range v {
		if m.Role != chat.User {
			continue
		}
		if len(list) == 0 {
			head = span{0, i}
		} else {
			list[len(list)-1].end = i
		}
		list = append(list, span{i, len(v)})
	}
	if len(list) == 0 {
		head = span{0, len(v)}
	}
	return head, list
}

// units cuts a stretch into single messages, where an assistant's message
// stays with the results of its calls.
func units(v []processor.Message, s span) []span {
	var out []span
	for i := s.start; i < s.end; {
		end := i + 1
		if len(v[i].ToolCalls) > 0 {
			for end < s.end && v[end].Role == chat.Tool {
				end++
			}
		}
		out = append(out, span{i, end})
		i = end
	}
	return out
}

// paired returns messages in which every tool call has its result right behind
// it and every result its call: orphans are dropped, and a call without a
// result is given one that says so. changed counts what was wrong.
func paired(v []processor.Message) (out []processor.Message, changed int) {
	for i := 0; i < len(v); i++ {
		m := v[i]
		if m.Role == chat.Tool {
			changed++ // results are taken with their calls below
			continue
		}
		out = append(out, m)
		results := map[string]processor.Message{}
		for len(m.ToolCalls) > 0 && i+1 < len(v) && v[i+1].Role == chat.Tool {
			i++
			if _, twice := results[v[i].ToolCallID]; twice || !slices.ContainsFunc(m.ToolCalls, func(c chat.ToolCall) bool { return c.ID == v[i].ToolCallID }) {
				changed++
				continue
			}
			results[v[i].ToolCallID] = v[i]
		}
		for _, c := range m.ToolCalls {
			r, ok := results[c.ID]
			if !ok {
				changed++
				r = processor.Message{Role: chat.Tool, ToolCallID: c.ID, Parts: []processor.Part{{Text: `{"error":"the result is not there any more"}`, Origin: processor.FromTool, Name: c.Name}}}
			}
			out = append(out, r)
		}
	}
	return out, changed
}
