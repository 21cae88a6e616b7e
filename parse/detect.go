package parse

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"inlay/internal/lazy"

	"github.com/gabriel-vasile/mimetype"

	"inlay/internal/charset"
	"inlay/internal/mediatype"
	"inlay/internal/olefile"
)

// Detection is what a file's bytes and name say about its format.
type Detection struct {
	MediaType string // by content; "text/plain" for text of no recognised form
	Extension string // of the name, lower-case with its dot
	Text      bool   // the bytes are text in some encoding
	Encrypted bool   // an Office file locked by a password
	Damaged   bool   // a container whose directory cannot be read
}

// headSize is how far into a text file its form is looked for.
const headSize = 16 << 10

// Detect judges a file by its bytes: magic numbers, a look into zip and OLE
// containers, then the shape of text. The name's extension is only noted.
func Detect(f File) Detection {
	d := Detection{Extension: strings.ToLower(filepath.Ext(f.Name))}
	head := f.Data[:min(len(f.Data), 1024)]
	switch {
	case bytes.Contains(head, []byte("%PDF-")):
		d.MediaType = "application/pdf"
	case bytes.HasPrefix(f.Data, []byte("PK\x03\x04")), bytes.HasPrefix(f.Data, []byte("PK\x05\x06")):
		d.MediaType, d.Damaged = zipType(f.Data)
	case bytes.HasPrefix(f.Data, []byte(olefile.Magic)):
		d.MediaType, d.Encrypted, d.Damaged = oleType(f.Data)
	case bytes.HasPrefix(f.Data, []byte("%!PS-Adobe-")):
		d.MediaType = "application/postscript"
	case bytes.HasPrefix(f.Data, []byte(`{\rtf`)):
		d.MediaType = "application/rtf"
	default:
		d.MediaType = otherType(f.Data)
	}
	if d.MediaType == "" && charset.IsText(f.Data) {
		d.Text = true
		d.MediaType = textType(f.Data)
	}
	return d
}

// otherType asks mimetype for a binary format; text is "" here.
func otherType(data []byte) string {
	m := mimetype.Detect(data)
	for up := m; up != nil; up = up.Parent() {
		if up.Is("text/plain") {
			return ""
		}
	}
	if m.Is("application/octet-stream") {
		if charset.IsText(data) {
			return ""
		}
		return "application/octet-stream"
	}
	// A few formats are known by two or three letters, which a text may begin with;
	// a zero byte close to them is not a text's.
	beginning := data[:min(len(data), 64)]
	if charset.IsText(data) && !strings.HasPrefix(m.String(), "image/") && bytes.IndexByte(beginning, 0) < 0 {
		return ""
	}
	name, _, _ := strings.Cut(m.String(), ";")
	return name
}

// textType recognises the form of text by its beginning.
func textType(data []byte) string {
	head := strings.TrimSpace(charset.Decode(data[:min(len(data), headSize)], "").Text)
	switch {
	case htmlStart(head):
		return "text/html"
	case strings.HasPrefix(head, "<?xml") && strings.Contains(head[:min(len(head), 1024)], "<FictionBook"):
		return "application/x-fictionbook+xml"
	case strings.HasPrefix(head, "<?xml"):
		return "application/xml"
	case mailStart(afterEnvelope(head)):
		return "message/rfc822"
	case jsonStart(data, head):
		return "application/json"
	}
	return textSignature(head)
}

// textSignature asks mimetype for a form of text with a signature of its own, such
// as calendars and subtitles. Tables of values have none: prose with as many commas
// in each line is taken for one.
func textSignature(head string) string {
	name, _, _ := strings.Cut(mimetype.Detect([]byte(head)).String(), ";")
	switch {
	case name == "application/x-subrip", strings.HasPrefix(name, "text/") && name != "text/csv" && name != "text/tab-separated-values":
		return name
	}
	return "text/plain"
}

// afterEnvelope drops the line "From sender date" that mailboxes put before a mail.
func afterEnvelope(head string) string {
	if line, rest, ok := strings.Cut(head, "\n"); ok && strings.HasPrefix(line, "From ") {
		return rest
	}
	return head
}

// htmlStart looks past an XML declaration and comments for <!doctype html> or <html>.
func htmlStart(head string) bool {
	for {
		head = strings.TrimSpace(head)
		end := ""
		switch {
		case strings.HasPrefix(head, "<?xml"):
			end = "?>"
		case strings.HasPrefix(head, "<!--"):
			end = "-->"
		}
		if end == "" {
			break
		}
		_, after, ok := strings.Cut(head, end)
		if !ok {
			return false
		}
		head = after
	}
	start := strings.ToLower(head[:min(len(head), 64)])
	for _, sign := range []string{"<!doctype html", "<html>", "<html "} {
		if strings.HasPrefix(start, sign) {
			return true
		}
	}
	return false
}

// mailField is a header line that only mails have.
var mailField = lazy.Regexp(`(?i)^(return-path|received|message-id|mime-version|delivered-to|from|date|subject|to|reply-to|x-[a-z-]+|dkim-signature|content-type):`)

// mailStart wants a block of header lines with at least three known fields, one of them From or Received.
func mailStart(head string) bool {
	fields, sender := 0, false
	for line := range strings.Lines(head) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			continue
		}
		name := strings.ToLower(mailField().FindString(line))
		if name == "" && !strings.Contains(line, ": ") {
			return false
		}
		if name != "" {
			fields++
		}
		sender = sender || name == "from:" || name == "received:" || name == "return-path:"
	}
	return sender && fields >= 3
}

// jsonStart is strict: a text may well begin with a bracket.
func jsonStart(data []byte, head string) bool {
	return len(data) <= 1<<20 && (strings.HasPrefix(head, "{") || strings.HasPrefix(head, "[")) && json.Valid(data)
}

// oleType tells the formats in the old Office container apart by the streams at its
// root; those deeper belong to files embedded in it. Where the directory is damaged,
// the name of a stream somewhere in the file must do.
func oleType(data []byte) (mediaType string, encrypted, damaged bool) {
	f, err := olefile.Open(data)
	has := func(name string) bool {
		if err == nil {
			return f.Has(name)
		}
		wide := make([]byte, 0, 2*len(name))
		for i := range len(name) {
			wide = append(wide, name[i], 0)
		}
		return bytes.Contains(data, wide)
	}
	switch {
	case has("EncryptedPackage"):
		return "application/x-ole-storage", true, false
	case has("WordDocument"):
		return "application/msword", false, false
	case has("PowerPoint Document"):
		return "application/vnd.ms-powerpoint", false, false
	case has("__properties_version1.0"):
		return "application/vnd.ms-outlook", false, false
	case has("Workbook"), has("Book"):
		return "application/vnd.ms-excel", false, false
	case has("VisioDocument"):
		return mediatype.VSDX, false, false
	}
	return "application/x-ole-storage", false, err != nil
}

// isTextual reports whether a media type is a form of text.
func isTextual(mediaType string) bool {
	if strings.HasPrefix(mediaType, "text/") || strings.HasPrefix(mediaType, "message/") ||
		strings.HasSuffix(mediaType, "+json") || strings.HasSuffix(mediaType, "+xml") {
		return true
	}
	return slices.Contains([]string{"application/json", "application/x-ndjson", "application/xml", "application/yaml", "application/toml"}, mediaType)
}
