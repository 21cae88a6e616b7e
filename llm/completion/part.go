package completion

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"mime"
	"strings"
)

// Part is one part of a content.
type Part struct {
	Kind string // "text", "image_url", "input_audio", "file", ...
	Text string // of a text
	File *File  // of a file

	raw json.RawMessage // as the client wrote it
}

// File is a file attached to a message: an upload by its id, or its bytes.
type File struct {
	ID   string
	Name string // of bytes; never empty there
	Data []byte
}

// TextPart is a part that is a text.
func TextPart(text string) Part {
	return Part{Kind: "text", Text: text, raw: object{{"type", quote("text")}, {"text", quote(text)}}.encode()}
}

// Image is a part that is an image, as a data: URL.
func Image(mediaType string, data []byte) Part {
	url := "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(data)
	image := object{{"url", quote(url)}}.encode()
	return Part{Kind: "image_url", raw: object{{"type", quote("image_url")}, {"image_url", image}}.encode()}
}

func (p Part) encode() json.RawMessage {
	if p.raw == nil && p.Kind == "text" {
		return TextPart(p.Text).raw
	}
	return p.raw
}

func parsePart(raw json.RawMessage, at string) (p Part, err error) {
	fields, _, ok := parseObject(raw)
	p = Part{raw: raw}
	if p.Kind, _ = text(fields.get("type")); !ok || p.Kind == "" {
		return p, invalid(at, "an object with a type")
	}
	if p.Text, ok = text(fields.get("text")); !ok && p.Kind == "text" {
		return p, invalid(at+".text", "a text")
	}
	if p.Kind == "file" {
		p.File, err = parseFile(fields.get("file"), at+".file")
	}
	return p, err
}

func parseFile(raw json.RawMessage, at string) (*File, error) {
	fields, _, _ := parseObject(raw)
	id, okID := text(fields.get("file_id"))
	data, okData := text(fields.get("file_data"))
	name, okName := text(fields.get("filename"))
	if !okID || !okData || !okName || (id == "") == (data == "") {
		return nil, invalid(at, "either file_id or file_data")
	}
	if id != "" {
		return &File{ID: id}, nil
	}
	kind, content, err := decodeFileData(data)
	if err != nil {
		return nil, invalid(at+".file_data", "base64, or a data: URL of base64")
	}
	if name == "" {
		name = nameFor(kind)
	}
	return &File{Name: name, Data: content}, nil
}

var errNotBase64 = errors.New("a data: URL that is not base64")

// decodeFileData reads base64 with or without data:TYPE;base64, before it.
func decodeFileData(s string) (kind string, data []byte, err error) {
	if rest, ok := strings.CutPrefix(s, "data:"); ok {
		head, body, _ := strings.Cut(rest, ",")
		kind, _, ok = strings.Cut(head, ";base64")
		if !ok {
			return "", nil, errNotBase64
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
