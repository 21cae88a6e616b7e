// Package xmlscan walks XML that was written by programs, some of them
// careless: unknown entities and encodings pass, nesting is bounded, and the
// walk stops when its context ends.
package xmlscan

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"inlay/fault"
	"inlay/internal/charset"
)

// MaxDepth bounds how deeply elements may nest; office formats stay below 200.
const MaxDepth = 10_000

// Handler receives the tokens of a document. Start and End see local names
// without their prefix; Text may be called several times for one run of text.
type Handler interface {
	Start(e xml.StartElement)
	End(name string)
	Text(data []byte)
}

// Walk feeds every token of data to h. Damage after the first element ends the
// walk with fault.Corrupt; what was read until then has reached h. End tags that
// end nothing are left out.
func Walk(ctx context.Context, data []byte, h Handler) error {
	d := NewDecoder(data)
	depth := 0
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &fault.Error{Code: fault.Corrupt, Reason: "its XML is damaged", Next: "open and save it again in the program that made it", Err: err}
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > MaxDepth {
				return &fault.Error{Code: fault.LimitExceeded, Reason: fmt.Sprintf("its elements nest deeper than %d", MaxDepth), Next: "it was not made by an office program; convert it to plain text"}
			}
			h.Start(t)
		case xml.EndElement:
			if depth == 0 { // it ends nothing
				continue
			}
			depth--
			h.End(t.Name.Local)
		case xml.CharData:
			h.Text(t)
		}
	}
}

// NewDecoder returns a lenient decoder over data in whatever encoding it has.
func NewDecoder(data []byte) *xml.Decoder {
	if bytes.HasPrefix(data, []byte{0xFF, 0xFE}) || bytes.HasPrefix(data, []byte{0xFE, 0xFF}) {
		data = []byte(charset.Decode(data, "").Text)
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	d.CharsetReader = reader
	return d
}

// reader decodes what the XML declaration names; an unknown name is read as it is.
func reader(name string, r io.Reader) (io.Reader, error) {
	enc, canonical := charset.Lookup(name)
	if enc == nil || canonical == "utf-16le" || canonical == "utf-16be" {
		return r, nil
	}
	return enc.NewDecoder().Reader(r), nil
}

// Attr returns the value of the attribute with that local name, or "".
func Attr(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// AttrNS returns the value of the attribute with that prefix and local name, or "".
func AttrNS(e xml.StartElement, prefix, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local && a.Name.Space == prefix {
			return a.Value
		}
	}
	return ""
}
