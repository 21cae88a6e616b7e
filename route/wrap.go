package route

import (
	"strings"

	"inlay/internal/lazy"

	"inlay/chat"
)

// Wrap makes a plain answer of the large model an attempt_completion. An answer
// that calls a tool already, in whichever form, stays as it is, so that nothing
// is wrapped twice.
func Wrap(m chat.Message) (chat.Message, error) {
	if len(m.ToolCalls) > 0 || hasTool(m.Text) {
		return m, nil
	}
	args, err := arguments(map[string]string{"result": m.Text})
	if err != nil {
		return m, err
	}
	m.Text, m.ToolCalls = "", []chat.ToolCall{{ID: "call_" + Completion, Name: Completion, Arguments: args}}
	return m, nil
}

// WrapText is Wrap for hosts whose tools are XML in the text.
func WrapText(text string) string {
	if hasTool(text) {
		return text
	}
	return "<" + Completion + ">\n<result>\n" + text + "\n</result>\n</" + Completion + ">"
}

var toolOpens = lazy.Regexp(`(?m)^\s*<([a-z_]+)>`)

// hasTool reports whether a text holds a tool's element, opened at the start of
// a line and closed. Names in running text or in a fenced block are none.
func hasTool(text string) bool {
	if whole := strings.TrimSpace(text); strings.HasPrefix(whole, "<"+Completion+">") && strings.HasSuffix(whole, "</"+Completion+">") {
		return true
	}
	text = unfenced(text)
	for _, m := range toolOpens().FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		for _, t := range Tools() {
			if t.Name == name && strings.Contains(text[m[1]:], "</"+name+">") {
				return true
			}
		}
	}
	return false
}

// unfenced is a text without its fenced blocks.
func unfenced(text string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inside = !inside
			continue
		}
		if !inside {
			b.WriteString(line)
		}
	}
	return b.String()
}
