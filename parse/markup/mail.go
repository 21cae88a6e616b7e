package markup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"

	"github.com/emersion/go-message"

	"inlay/fault"
	"inlay/internal/charset"
	"inlay/parse"
	"inlay/parse/outline"
)

// Mail reads mails (.eml), web pages saved as such (.mhtml) and mailboxes (.mbox):
// main header fields, the text, and each attachment that a parser of the same
// registry can read as a part of its own. Attachments that nothing reads are named
// in warnings. Each mail of a mailbox of several is a part.
func Mail(limits parse.Limits) parse.Parser { return mailParser{limits: limits.WithDefaults()} }

type mailParser struct {
	limits   parse.Limits
	registry *parse.Registry
}

// Within implements [parse.Container].
func (p mailParser) Within(r *parse.Registry) parse.Parser {
	p.registry = r
	return p
}

// Info implements [parse.Parser].
func (p mailParser) Info() parse.Info {
	return parse.Info{
		Name: "mail", Version: "5", Library: "emersion/go-message",
		MediaTypes: []string{"message/rfc822", "application/mbox"}, Extensions: []string{".eml", ".mht", ".mhtml", ".mbox"},
	}
}

// Parse implements [parse.Parser].
func (p mailParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if err := parse.CheckSize(f, p.limits.File); err != nil {
		return parse.Document{}, err
	}
	m := &mail{parser: p, b: &parse.Builder{Limit: p.limits.Text}}
	mails := mailbox(singleBytes(f.Data))
	if err := m.all(ctx, mails, report); err != nil {
		return parse.Document{}, err
	}
	d, err := m.b.Document()
	d.Warnings = m.warnings
	if len(mails) > 1 {
		d.MediaType = "application/mbox"
	}
	return d, err
}

// maxNestedMails bounds mails attached to mails.
const maxNestedMails = 50

// mail is one that is being read, with those attached to it.
type mail struct {
	parser   mailParser
	b        *parse.Builder
	parts    int
	warnings []parse.Warning
}

// body is the text of a mail in its alternative forms, and what is attached.
type body struct {
	plain, html string
	attached    []attachment
}

type attachment struct {
	name, mediaType string
	data            []byte
}

// read adds a mail: header, text, attachments.
func (m *mail) read(ctx context.Context, data []byte, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if depth > maxNestedMails {
		return &fault.Error{Code: fault.LimitExceeded, Reason: fmt.Sprintf("mails are attached to mails more than %d deep", maxNestedMails), Next: "save the inner mail on its own"}
	}
	e, err := message.Read(bytes.NewReader(data))
	if e == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
		return &fault.Error{Code: fault.Corrupt, Reason: "its mail header is damaged", Next: "save the mail again", Err: err}
	}
	m.header(e.Header)
	var t body
	if err := m.collect(ctx, e, &t, 0); err != nil {
		return err
	}
	if err := m.text(ctx, t); err != nil {
		return err
	}
	for _, a := range t.attached {
		if err := m.attach(ctx, a, depth); err != nil {
			return err
		}
	}
	return m.b.Err()
}

// header adds the fields that people read.
func (m *mail) header(h message.Header) {
	var lines []string
	for _, name := range []string{"From", "To", "Cc", "Date"} {
		if value := decodeField(h.Get(name)); value != "" && !strings.HasPrefix(value, "<Saved by ") { // the browser that saved a page
			lines = append(lines, name+": "+value)
		}
	}
	m.b.Heading(1, decodeField(h.Get("Subject")))
	m.b.Block(parse.Paragraph, "", strings.Join(lines, "\n"))
}

// decodeField reads encoded words and raw bytes of any encoding.
func decodeField(raw string) string {
	d := mime.WordDecoder{CharsetReader: func(name string, r io.Reader) (io.Reader, error) {
		data, err := io.ReadAll(r)
		return strings.NewReader(charset.Decode(data, name).Text), err
	}}
	value, err := d.DecodeHeader(raw)
	if err != nil {
		value = raw
	}
	return strings.Join(strings.Fields(charset.Decode([]byte(value), "").Text), " ")
}

// collect walks the parts of a mail in order.
func (m *mail) collect(ctx context.Context, e *message.Entity, t *body, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.parts++; m.parts > m.parser.limits.MailParts || depth > maxNestedMails {
		return &fault.Error{
			Code:   fault.LimitExceeded,
			Reason: fmt.Sprintf("it has more than %d parts, or they nest more than %d deep", m.parser.limits.MailParts, maxNestedMails),
			Next:   "save the attachments you need on their own",
		}
	}
	parts := e.MultipartReader()
	if parts == nil {
		return m.leaf(e, t)
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if part == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
			m.damaged()
			return nil
		}
		if err := m.collect(ctx, part, t, depth+1); err != nil {
			return err
		}
	}
}

func (m *mail) damaged() {
	m.warnings = append(m.warnings, parse.Warning{Code: parse.WarnDamaged, Message: "the mail is damaged or cut short: only a part of it was read"})
}

// leaf files a part without parts as text or as attachment.
func (m *mail) leaf(e *message.Entity, t *body) error {
	data, err := io.ReadAll(io.LimitReader(e.Body, m.parser.limits.File))
	if err != nil {
		m.damaged()
	}
	mediaType, params, err := e.Header.ContentType()
	if err != nil {
		mediaType = "text/plain"
	}
	disposition, dparams, err := e.Header.ContentDisposition()
	if err != nil {
		disposition = ""
	}
	name := decodeField(first(dparams["filename"], params["name"]))
	decoded := func() string { return charset.Decode(data, params["charset"]).Text }
	switch {
	case disposition == "attachment" || name != "" && disposition != "inline" || mediaType == "message/rfc822":
		t.attached = append(t.attached, attachment{name, mediaType, data})
	case mediaType == "text/plain":
		t.plain = strings.TrimSpace(t.plain + "\n\n" + strings.ReplaceAll(decoded(), "\r\n", "\n"))
	case mediaType == "text/html":
		t.html += decoded()
	case strings.HasPrefix(mediaType, "image/"), ofPage(e.Header, mediaType):
	default:
		t.attached = append(t.attached, attachment{name, mediaType, data})
	}
	return nil
}

// ofPage reports whether a part is what a saved web page is drawn with.
func ofPage(h message.Header, mediaType string) bool {
	return h.Get("Content-Location") != "" &&
		(mediaType == "text/css" || strings.HasPrefix(mediaType, "font/") || strings.Contains(mediaType, "font-") || strings.HasSuffix(mediaType, "javascript"))
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// text adds the mail's own words: plain text, unless the HTML says much more.
func (m *mail) text(ctx context.Context, t body) error {
	if t.html != "" {
		if int64(len(t.html)) > m.parser.limits.HTML {
			return &fault.Error{Code: fault.LimitExceeded, Reason: "its HTML text is too large", Next: "raise the limit"}
		}
		rich, err := toMarkdown(ctx, t.html, m.parser.limits)
		if err != nil {
			return err
		}
		if len(t.plain)*2 < len(rich) {
			sections, _ := outline.Markdown(rich)
			m.b.Markdown(rich, sections)
			return m.b.Err()
		}
	}
	for _, s := range outline.Paragraphs(t.plain) {
		m.b.Block(parse.Paragraph, "", t.plain[s.Start:s.End])
	}
	return m.b.Err()
}

// isMail reports whether the registry would read a file as a mail: those are
// read here, where their depth is counted.
func (m *mail) isMail(f parse.File) bool {
	if m.parser.registry == nil {
		return false
	}
	p, err := m.parser.registry.Lookup(f)
	return err == nil && p.Info().Name == m.parser.Info().Name
}

// attach adds an attachment as a part, or says why not.
func (m *mail) attach(ctx context.Context, a attachment, depth int) error {
	label := first(a.name, "attachment")
	file := parse.File{Name: label, MediaType: a.mediaType, Data: a.data}
	if a.mediaType == "message/rfc822" || m.isMail(file) {
		m.b.Open(parse.Section{Kind: parse.Part, Label: label})
		defer m.b.Close()
		return m.read(ctx, a.data, depth+1)
	}
	if m.parser.registry == nil {
		m.warnings = append(m.warnings, parse.Warning{Code: parse.WarnLeftOut, Message: "an attachment was not read: " + label})
		return nil
	}
	d, err := m.parser.registry.Parse(ctx, file, nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		message := "an attachment was not read: " + err.Error()
		if fault.Is(err, fault.NoTextLayer) {
			message += "; OCR does not reach into mails: save the attachment on its own first"
		}
		m.warnings = append(m.warnings, parse.Warning{Code: parse.WarnLeftOut, Message: message})
		return nil
	}
	m.b.Open(parse.Section{Kind: parse.Part, Label: label})
	m.b.Heading(2, label)
	m.b.Markdown(d.Text, d.Sections)
	m.b.Close()
	m.warnings = append(m.warnings, d.Warnings...)
	return m.b.Err()
}
