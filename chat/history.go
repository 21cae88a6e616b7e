package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// HistorySchema names the stored form of a conversation.
const HistorySchema = "inlay.history/v1"

// History is a conversation in its stored form.
type History struct {
	Schema   string    `json:"schema"`
	Messages []Message `json:"messages"`
}

// ReadHistory decodes a conversation and checks its schema and roles.
func ReadHistory(r io.Reader) (History, error) {
	var h History
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return History{}, fmt.Errorf("decode history: %w", err)
	}
	if d.More() {
		return History{}, errors.New("decode history: more than one JSON value")
	}
	if h.Schema != HistorySchema {
		return History{}, fmt.Errorf("decode history: schema is %q, want %q", h.Schema, HistorySchema)
	}
	for i, m := range h.Messages {
		if !m.Role.Known() {
			return History{}, fmt.Errorf("decode history: message %d has role %q, want system, user, assistant or tool", i+1, m.Role)
		}
		for n, a := range m.Attachments {
			if a.FileID == "" && a.Path == "" && !a.IsImage() {
				return History{}, fmt.Errorf("decode history: attachment %d of message %d (%q) has neither file_id nor path", n+1, i+1, a.Name)
			}
		}
	}
	return h, nil
}

// Write encodes the conversation with its schema, indented and with a final newline.
func (h History) Write(w io.Writer) error {
	h.Schema = HistorySchema
	if h.Messages == nil {
		h.Messages = []Message{}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(h); err != nil {
		return fmt.Errorf("encode history: %w", err)
	}
	return nil
}
