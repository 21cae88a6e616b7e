package turn

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"sync"

	"inlay/chat"
	"inlay/injection"
)

// Memo remembers earlier turns that were made again, by everything that they
// were made from: it saves work and changes nothing. The zero value is ready; it
// is bounded, and safe for concurrent use.
type Memo struct {
	MaxBytes int // of the texts that are remembered; 0 means 32 MiB

	mu    sync.Mutex
	known map[string]remade
	bytes int
}

type remade struct {
	message chat.Message
	files   []injection.File
}

// get is what is remembered under a key, else what make says. A message that
// could not be made as it was is not remembered.
func (m *Memo) get(key string, remake func() (chat.Message, []injection.File, error)) (chat.Message, []injection.File, error) {
	if m == nil {
		return remake()
	}
	m.mu.Lock()
	one, ok := m.known[key]
	m.mu.Unlock()
	if ok {
		return one.message, one.files, nil
	}
	message, files, err := remake()
	if err == nil && message.Injected != nil {
		m.put(key, remade{message, files})
	}
	return message, files, err
}

// Clear forgets everything, as where a document was deleted.
func (m *Memo) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known, m.bytes = nil, 0
}

func (m *Memo) put(key string, one remade) {
	size, most := len(one.message.Text)+len(one.message.Raw), cmp.Or(m.MaxBytes, 32<<20)
	if size > most/4 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || m.bytes+size > most {
		m.known, m.bytes = map[string]remade{}, 0
	}
	m.known[key] = one
	m.bytes += size
}

// begin is what all messages of the past are made with.
func (t *Turn) begin(ctx context.Context) string {
	o := t.req.Options
	threshold := -1.0
	if o.Threshold != nil {
		threshold = *o.Threshold
	}
	set := o.Prompts
	o.Threshold, o.Prompts = nil, nil
	length := "unknown"
	if n, err := t.req.Model.Length(ctx); err == nil {
		length = fmt.Sprint(n.N)
	}
	return digest(t.req.Model.Name(), length, t.intentOf(), t.req.ToolText, fmt.Sprint(len(t.Prompt.Tools)), fmt.Sprintf("%+v %v %p", o, threshold, set))
}

// next continues the digest of the past by a message: everything that a later
// one is made from.
func next(before string, one Said) string {
	parts := []string{before, string(one.Role), one.Text, one.ToolCallID, fmt.Sprint(one.Own)}
	for _, c := range one.ToolCalls {
		parts = append(parts, c.ID, c.Name, c.Arguments)
	}
	for _, f := range one.Files {
		parts = append(parts, "file", idOf(f), f.Name, string(f.Mode), f.Content)
	}
	return digest(parts...)
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%d:", len(p))
		_, _ = io.WriteString(h, p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
