package httpapi

import (
	"fmt"

	"inlay/chat"
	"inlay/fault"
)

// message is a message as inlay.history/v1 has it, or with its text under the
// name that the OpenAI API gives it.
type message struct {
	chat.Message
	Text    string `json:"text,omitempty"`
	Content string `json:"content,omitempty" doc:"text, under the name that the OpenAI API gives it"`
}

// plain is the message of that subject under its own names.
func (m message) plain(subject func() string) (chat.Message, error) {
	if !m.Role.Known() {
		return m.Message, &fault.Error{Code: fault.Usage, Subject: subject() + ".role", Reason: "is not system, user, assistant or tool"}
	}
	if m.Text != "" && m.Content != "" {
		return m.Message, &fault.Error{Code: fault.Usage, Subject: subject(), Reason: "has both text and content", Next: "send one of them"}
	}
	m.Message.Text = m.Text + m.Content
	return m.Message, nil
}

// conversation is a request's messages under their own names.
func conversation(list []message) ([]chat.Message, error) {
	out := make([]chat.Message, len(list))
	for i, m := range list {
		var err error
		if out[i], err = m.plain(func() string { return fmt.Sprintf("messages[%d]", i) }); err != nil {
			return nil, err
		}
	}
	return out, nil
}
