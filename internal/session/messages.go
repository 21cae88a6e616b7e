package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"

	"inlay/chat"
	"inlay/fault"
)

// apiMessage is a message of the OpenAI API. What inlay does not look at stays
// as the client wrote it.
type apiMessage struct {
	fields map[string]json.RawMessage
	role   string
	parts  []apiPart // of the content; a plain text is one part
	plain  bool      // the content was a text, or there was none
	calls  []chat.ToolCall
	callID string
}

// apiPart is one part of a content.
type apiPart struct {
	raw  json.RawMessage
	kind string
	text string
	file *FileRef
}

// parseMessages reads messages. Errors name a place, never what stands there.
func parseMessages(data json.RawMessage) ([]apiMessage, error) {
	var list []map[string]json.RawMessage
	if json.Unmarshal(data, &list) != nil || len(list) == 0 {
		return nil, wrong("messages", "a list of at least one message")
	}
	out := make([]apiMessage, len(list))
	for i, fields := range list {
		m, err := parseMessage(fields, fmt.Sprintf("messages[%d]", i))
		if err != nil {
			return nil, err
		}
		out[i] = m
	}
	return out, nil
}

func parseMessage(fields map[string]json.RawMessage, at string) (m apiMessage, err error) {
	m.fields = fields
	if json.Unmarshal(fields["role"], &m.role) != nil || !slices.Contains([]string{"system", "developer", "user", "assistant", "tool", "function"}, m.role) {
		return m, wrong(at+".role", "system, developer, user, assistant or tool")
	}
	_ = json.Unmarshal(fields["tool_call_id"], &m.callID)
	var calls []struct {
		ID       string
		Function struct{ Name, Arguments string }
	}
	_ = json.Unmarshal(fields["tool_calls"], &calls) // counted as far as they can be read; the upstream judges them
	for _, c := range calls {
		m.calls = append(m.calls, chat.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return m, m.parseContent(at + ".content")
}

func (m *apiMessage) parseContent(at string) error {
	content := bytes.TrimSpace(m.fields["content"])
	if len(content) == 0 || string(content) == "null" {
		m.plain = true
		return nil
	}
	if content[0] == '"' {
		var text string
		if json.Unmarshal(content, &text) != nil {
			return wrong(at, "a text or a list of parts")
		}
		m.plain, m.parts = true, []apiPart{{kind: "text", text: text}}
		return nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(content, &parts) != nil {
		return wrong(at, "a text or a list of parts")
	}
	for i, raw := range parts {
		p, err := parsePart(raw, fmt.Sprintf("%s[%d]", at, i))
		if err != nil {
			return err
		}
		m.parts = append(m.parts, p)
	}
	return nil
}

func parsePart(raw json.RawMessage, at string) (apiPart, error) {
	var p struct {
		Type string
		Text string
		File struct {
			FileID   string `json:"file_id"`
			FileData string `json:"file_data"`
			Filename string
		}
	}
	if json.Unmarshal(raw, &p) != nil || p.Type == "" {
		return apiPart{}, wrong(at, "an object with a type")
	}
	out := apiPart{raw: raw, kind: p.Type, text: p.Text}
	if p.Type != "file" {
		return out, nil
	}
	if (p.File.FileID == "") == (p.File.FileData == "") {
		return out, wrong(at+".file", "either file_id or file_data")
	}
	out.file = &FileRef{ID: p.File.FileID}
	if p.File.FileData == "" {
		return out, nil
	}
	kind, data, err := decodeFileData(p.File.FileData)
	if err != nil {
		return out, wrong(at+".file.file_data", "base64, or a data: URL of base64")
	}
	out.file = &FileRef{Name: p.File.Filename, Data: data}
	if out.file.Name == "" {
		out.file.Name = nameFor(kind)
	}
	return out, nil
}

// decodeFileData reads base64 with or without data:TYPE;base64, before it.
func decodeFileData(s string) (kind string, data []byte, err error) {
	if rest, ok := strings.CutPrefix(s, "data:"); ok {
		head, body, _ := strings.Cut(rest, ",")
		kind, _, ok = strings.Cut(head, ";base64")
		if !ok {
			return "", nil, &fault.Error{Code: fault.Usage, Reason: "is no base64"}
		}
		s = body
	}
	data, err = base64.StdEncoding.DecodeString(s)
	return kind, data, err
}

// nameFor names a file that came without a name, so that its kind shows.
func nameFor(kind string) string {
	if kind == "text/plain" {
		return "file.txt"
	}
	if ext, err := mime.ExtensionsByType(kind); err == nil && len(ext) > 0 {
		return "file" + ext[0]
	}
	return "file"
}

// text is what the message says, without its files.
func (m *apiMessage) text() string {
	var texts []string
	for _, p := range m.parts {
		if p.kind == "text" {
			texts = append(texts, p.text)
		}
	}
	return strings.Join(texts, "\n")
}

// files are what hangs on the message.
func (m *apiMessage) files() []FileRef {
	var refs []FileRef
	for _, p := range m.parts {
		if p.file != nil {
			refs = append(refs, *p.file)
		}
	}
	return refs
}

// message is the message as it is counted.
func (m *apiMessage) message() chat.Message {
	role := chat.Role(m.role)
	switch m.role {
	case "developer":
		role = chat.System
	case "function":
		role = chat.Tool
	}
	return chat.Message{Role: role, Text: m.text(), ToolCalls: m.calls, ToolCallID: m.callID}
}

// rewrite puts text in the place of the message's text, takes the files off and
// adds images. Every other part stays as it is and where it is.
func (m *apiMessage) rewrite(text string, images []json.RawMessage) error {
	said, err := textPart(text)
	if err != nil {
		return err
	}
	var parts []apiPart
	done := false
	for _, p := range m.parts {
		switch {
		case p.kind == "text" && !done:
			done = true
			parts = append(parts, said)
		case p.kind != "text" && p.file == nil:
			parts = append(parts, p)
		}
	}
	if !done && text != "" {
		parts = slices.Insert(parts, 0, said)
	}
	for _, raw := range images {
		parts = append(parts, apiPart{raw: raw, kind: "image_url"})
	}
	m.parts = parts
	return m.write()
}

func textPart(text string) (apiPart, error) {
	raw, err := json.Marshal(map[string]string{"type": "text", "text": text})
	return apiPart{raw: raw, kind: "text", text: text}, err
}

// write puts the parts into the message's content: a text alone as a text.
func (m *apiMessage) write() (err error) {
	if len(m.parts) == 1 && m.parts[0].kind == "text" {
		m.fields["content"], err = json.Marshal(m.parts[0].text)
		return err
	}
	raws := make([]json.RawMessage, len(m.parts))
	for i, p := range m.parts {
		raws[i] = p.raw
	}
	m.fields["content"], err = json.Marshal(raws)
	return err
}

// hasFiles reports whether a part must not reach the upstream.
func (m *apiMessage) hasFiles() bool {
	return slices.ContainsFunc(m.parts, func(p apiPart) bool { return p.file != nil })
}

// chain continues the hash of a conversation by this message: by what is said,
// not by how the JSON is written.
func (m *apiMessage) chain(before []byte) []byte {
	sum := sha256.New()
	write := func(s string) { sum.Write(fmt.Appendf(nil, "%d:%s", len(s), s)) }
	sum.Write(before)
	write(m.role)
	write(m.callID)
	for _, c := range m.calls {
		write(c.ID + c.Name + c.Arguments)
	}
	for _, p := range m.parts {
		write(p.kind)
		switch {
		case p.file != nil && p.file.ID != "":
			write(p.file.ID)
		case p.file != nil:
			write(p.file.Name)
			data := sha256.Sum256(p.file.Data)
			write(string(data[:]))
		case p.kind == "text":
			write(p.text)
		default:
			var b bytes.Buffer
			_ = json.Compact(&b, p.raw)
			write(b.String())
		}
	}
	return sum.Sum(nil)
}
