// Package charset turns bytes of unknown text encoding into UTF-8 and says
// which encoding they were in.
//
// What counts, in order: a byte order mark, valid UTF-8, the zero bytes that
// UTF-16 leaves, the encoding that the sender declared, and last the letter
// statistics of gogs/chardet.
package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/unicode/norm"
)

// Text is decoded text.
type Text struct {
	Text     string // valid UTF-8, without a byte order mark
	Charset  string // lower-case IANA name: "utf-8", "windows-1251"
	Replaced bool   // some bytes stood for no character and became U+FFFD
}

// Decode reads data. declared is the encoding that a header or the file itself
// names; it may be empty or wrong, and is used only where the bytes do not tell.
func Decode(data []byte, declared string) Text {
	if name, skip := mark(data); name != "" {
		return decodeAs(data[skip:], name)
	}
	if utf8.Valid(data) {
		return decodeASCII(data, declared)
	}
	if name := utf16Shape(data); name != "" {
		return decodeAs(data, name)
	}
	if nearlyUTF8(data) {
		return decodeAs(data, "utf-8")
	}
	if t := decodeAs(data, declared); t.Charset != "" && !t.Replaced {
		return t
	}
	return decodeAs(data, guess(data))
}

// decodeASCII reads bytes that are valid UTF-8. Only the 7-bit encodings that
// switch by escape sequences can still be something else.
func decodeASCII(data []byte, declared string) Text {
	if bytes.Contains(data, []byte("\x1b$")) {
		for _, name := range []string{declared, "iso-2022-jp"} {
			t := decodeAs(data, name)
			if strings.HasPrefix(t.Charset, "iso-2022") && !t.Replaced {
				return t
			}
		}
	}
	if name := utf16Shape(data); name != "" { // ASCII in UTF-16 is valid UTF-8 too
		return decodeAs(data, name)
	}
	return Text{Text: string(data), Charset: "utf-8"}
}

// mark recognises a byte order mark and returns the encoding and its length.
func mark(data []byte) (name string, length int) {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		return "utf-8", 3
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE, 0, 0}) && len(data)%4 == 0:
		return "utf-32le", 4
	case bytes.HasPrefix(data, []byte{0, 0, 0xFE, 0xFF}):
		return "utf-32be", 4
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return "utf-16le", 2
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return "utf-16be", 2
	}
	return "", 0
}

// decodeAs decodes with a named encoding; an unknown name gives the zero Text.
func decodeAs(data []byte, name string) Text {
	enc, canonical := Lookup(name)
	if enc == nil {
		return Text{}
	}
	if canonical == "utf-8" {
		s := strings.ToValidUTF8(string(data), "\uFFFD")
		return Text{Text: s, Charset: canonical, Replaced: !utf8.Valid(data)}
	}
	out, err := enc.NewDecoder().Bytes(data)
	s := string(out)
	if canonical == "windows-1258" { // it writes tone marks as signs of their own
		s = norm.NFC.String(s)
	}
	return Text{Text: s, Charset: canonical, Replaced: err != nil || strings.ContainsRune(s, utf8.RuneError)}
}

// Lookup finds an encoding by one of its names and gives its canonical name;
// nil for an unknown one.
func Lookup(name string) (encoding.Encoding, string) {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "":
		return nil, ""
	case "utf-8", "utf8":
		return encoding.Nop, "utf-8"
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), name
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), name
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), name
	case "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), name
	}
	if enc, err := htmlindex.Get(name); err == nil {
		canonical, err := htmlindex.Name(enc)
		if err == nil && canonical != "replacement" {
			return enc, canonical
		}
	}
	if enc, err := ianaindex.IANA.Encoding(name); err == nil && enc != nil {
		return enc, name
	}
	return nil, ""
}
