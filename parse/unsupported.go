package parse

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/internal/mediatype"
)

// unsupported says why nothing here reads a file, and what to do about it.
func unsupported(f File, d Detection) error {
	e := &fault.Error{Code: fault.UnsupportedFormat, Subject: f.Name}
	kind := d.MediaType
	if kind == "application/zip" { // its directory says no more, or cannot be read
		kind = zippedKind(d)
	}
	switch {
	case kind == mediatype.IWork:
		e.Reason, e.Next = "it is a document of Apple's Pages, Numbers or Keynote", "export it there as PDF, or as Word, Excel or PowerPoint, and attach that"
	case kind == mediatype.VSDX:
		e.Reason, e.Next = "it is a drawing of Microsoft Visio", "save it there as PDF and attach that"
	case d.Encrypted:
		e.Code = fault.PasswordRequired
		e.Reason, e.Next = "it is locked by a password", "remove the password in the program that made it and attach it again"
	case d.Damaged:
		e.Code = fault.Corrupt
		e.Reason, e.Next = "its container is damaged or cut short", "get a fresh copy of the file"
	case oldVersion(f.Data) != "":
		e.Reason, e.Next = "it is in the format of "+oldVersion(f.Data)+", which is not read", "save it as a newer format there, or convert it: soffice --headless --convert-to pdf FILE"
	case strings.HasPrefix(d.MediaType, "image/"):
		e.Reason, e.Next = "it is an image ("+d.MediaType+")", "in a chat with a model that sees images, attach it; or let tesseract read its text: --ocr"
	case strings.HasPrefix(d.MediaType, "audio/"), strings.HasPrefix(d.MediaType, "video/"):
		e.Reason, e.Next = "it is a recording ("+d.MediaType+")", "attach a transcript"
	case d.MediaType == "application/postscript":
		e.Reason, e.Next = "it is PostScript, a program that draws pages", "convert it first: ps2pdf FILE"
	case isArchive(d.MediaType):
		e.Reason, e.Next = "it is an archive ("+d.MediaType+")", "unpack it and attach the documents in it"
	case d.MediaType == "application/octet-stream":
		e.Reason, e.Next = "it is neither text nor a known document format", "convert it to text or PDF"
	default:
		e.Reason, e.Next = fmt.Sprintf("nothing here reads %s", d.MediaType), "convert it to text or PDF"
	}
	return e
}

// zippedKind is the format of a zip container that only the name tells.
func zippedKind(d Detection) string {
	switch d.Extension {
	case ".pages", ".numbers", ".key":
		return mediatype.IWork
	case ".vsdx", ".vsdm", ".vstx":
		return mediatype.VSDX
	}
	return d.MediaType
}

// isArchive reports whether a media type is one of packed files.
func isArchive(mediaType string) bool {
	return slices.Contains([]string{
		"application/zip", "application/gzip", "application/x-tar", "application/x-7z-compressed", "application/vnd.rar", "application/x-rar-compressed",
		"application/x-bzip2", "application/x-xz", "application/zstd", "application/vnd.ms-cab-compressed", "application/java-archive",
	}, mediaType)
}

// oldVersion names the program of a document from before the formats that are read,
// by its first bytes; "" for any other.
func oldVersion(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xDB\xA5")), bytes.HasPrefix(data, []byte("\x9B\xA5")):
		return "Word 1 or 2"
	case bytes.HasPrefix(data, []byte("\xFFWPC")):
		return "WordPerfect"
	case bytes.HasPrefix(data, []byte("\x09\x00\x04\x00")), bytes.HasPrefix(data, []byte("\x09\x02\x06\x00")), bytes.HasPrefix(data, []byte("\x09\x04\x06\x00")):
		return "Excel 2 to 4"
	}
	return ""
}

// about names the file in a parser's error and gives every error a code.
// Cancellation stays what it is.
func about(name string, err error) error {
	e, coded := errors.AsType[*fault.Error](err)
	switch {
	case coded && e.Subject != "":
		return err
	case coded:
		named := *e
		named.Subject = name
		return &named
	case fault.Is(err, fault.Canceled), fault.Is(err, fault.Timeout):
		return fmt.Errorf("parsing %s: %w", name, err)
	}
	return &fault.Error{Code: fault.Corrupt, Subject: name, Reason: "it cannot be read as the format it claims to be", Next: "open and save it again in the program that made it", Err: err}
}

// isRefused reports whether an extension is that of a format which is recognised
// but not read.
func isRefused(extension string) bool {
	return slices.Contains([]string{".pages", ".numbers", ".key", ".vsd", ".vsdx", ".mobi", ".azw3"}, extension)
}
