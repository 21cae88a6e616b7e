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
	ID     string
	Name   string // of bytes; never empty there
	Data   []byte
	Detail string // of an image: how closely the model is to look; empty: as it likes
}

// TextPart is a part that is a text.
func TextPart(text string) Part {
	return Part{Kind: "text", Text: text, raw: object{{"type", quote("text")}, {"text", quote(text)}}.encode()}
}

// Image is a part that is an image, as a data: URL. An empty detail is left out.
func Image(mediaType string, data []byte, detail string) Part {
	url := "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(data)
	image := object{{"url", quote(url)}}
	if detail != "" {
		image.set("detail", quote(detail))
	}
	return Part{Kind: "image_url", raw: object{{"type", quote("image_url")}, {"image_url", image.encode()}}.encode()}
}

// Attach adds a file, such as an image of an earlier turn, to the message.
func (m *Message) Attach(f File) {
	file := object{{"file_id", quote(f.ID)}}.encode()
	m.Parts = append(m.Parts, Part{Kind: "file", File: &f, raw: object{{"type", quote("file")}, {"file", file}}.encode()})
	m.writeParts()
}

// TakeImages makes files of the images that are in the message itself, those of
// which name gives a name; they keep their places among the parts.
func (m *Message) TakeImages(name func(data []byte) string) {
	for i, p := range m.Parts {
		if p.Kind != "image_url" {
			continue
		}
		fields, _, _ := parseObject(p.raw)
		image, _, _ := parseObject(fields.get("image_url"))
		url, _ := text(image.get("url"))
		data, ok := ImageData(url)
		if called := name(data); ok && called != "" {
			detail, _ := text(image.get("detail"))
			m.Parts[i] = Part{Kind: "file", File: &File{Name: called, Data: data, Detail: detail}}
		}
	}
}

// ImageData is what a data: URL of an image holds; ok is false for any other address.
func ImageData(url string) (data []byte, ok bool) {
	if !strings.HasPrefix(url, "data:") {
		return nil, false
	}
	_, data, err := decodeFileData(url)
	return data, err == nil
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
