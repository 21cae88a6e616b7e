package markup

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"inlay/fault"
	"inlay/internal/charset"
	"inlay/internal/olefile"
	"inlay/parse"
)

// MSG reads mails that Outlook saved (.msg): header fields, text, attachments that
// a parser of the same registry can read, and mails attached to them.
func MSG(limits parse.Limits) parse.Parser {
	return msgParser{mailParser{limits: limits.WithDefaults()}}
}

// msgParser reads another container than [Mail], and lays out the same.
type msgParser struct{ mail mailParser }

// Within implements [parse.Container].
func (p msgParser) Within(r *parse.Registry) parse.Parser {
	p.mail.registry = r
	return p
}

// Info implements [parse.Parser].
func (p msgParser) Info() parse.Info {
	return parse.Info{
		Name: "msg", Version: "1", Library: "richardlehane/mscfb",
		MediaTypes: []string{"application/vnd.ms-outlook"}, Extensions: []string{".msg", ".oft"},
	}
}

// Parse implements [parse.Parser].
func (p msgParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if err := parse.CheckSize(f, p.mail.limits.File); err != nil {
		return parse.Document{}, err
	}
	ole, err := olefile.Open(f.Data)
	if err != nil {
		return parse.Document{}, err
	}
	m := &mail{parser: p.mail, b: &parse.Builder{Limit: p.mail.limits.Text}}
	if err := m.readMSG(ctx, newMessage(ole, ""), 0); err != nil {
		return parse.Document{}, err
	}
	report.Tell(.9)
	d, err := m.b.Document()
	d.Warnings = m.warnings
	return d, err
}

// Properties of a message, as Outlook numbers them.
const (
	propSubject      = "0037"
	propSubmitted    = "0039"
	propSender       = "0C1A"
	propSenderMail   = "0C1F"
	propSenderSMTP   = "5D01"
	propDelivered    = "0E06"
	propCc           = "0E03"
	propTo           = "0E04"
	propBody         = "1000"
	propRTF          = "1009"
	propHTML         = "1013"
	propContent      = "3701"
	propShortName    = "3704"
	propLongName     = "3707"
	propDisplayName  = "3001"
	propMediaType    = "370E"
	propSMTP         = "39FE"
	propAddress      = "3003"
	propCodepage     = "3FFD"
	propInternetPage = "3FDE"
	propClass        = "001A"
)

// outlookMessage is a message of a container: the file's own, or one attached.
type outlookMessage struct {
	ole      *olefile.File
	dir      string // "" or a path that ends with a slash
	codepage string
	fixed    map[string][]byte // values of eight bytes by property
	whole    bool
}

func newMessage(ole *olefile.File, dir string) *outlookMessage {
	m := &outlookMessage{ole: ole, dir: dir, fixed: map[string][]byte{}, whole: true}
	head := 24
	if dir == "" {
		head = 32
	}
	props, _ := ole.Read(dir + "__properties_version1.0")
	for at := head; at+16 <= len(props); at += 16 {
		m.fixed[fmt.Sprintf("%04X", binary.LittleEndian.Uint16(props[at+2:]))] = props[at+8 : at+16]
	}
	for _, p := range []string{propInternetPage, propCodepage} {
		if v := m.fixed[p]; v != nil && m.codepage == "" {
			m.codepage = codepageOf(int(binary.LittleEndian.Uint32(v)))
		}
	}
	return m
}

// codepageOf is the encoding that a number of Windows means, "" if unknown.
func codepageOf(n int) string {
	for _, name := range []string{"cp" + strconv.Itoa(n), "windows-" + strconv.Itoa(n)} {
		if _, known := charset.Lookup(name); known != "" {
			return known
		}
	}
	switch n {
	case 65001:
		return "utf-8"
	case 932:
		return "shift_jis"
	case 936, 54936:
		return "gb18030"
	case 949, 51949:
		return "euc-kr"
	case 950:
		return "big5"
	case 51932:
		return "euc-jp"
	case 50220, 50221, 50222:
		return "iso-2022-jp"
	case 20866:
		return "koi8-r"
	case 21866:
		return "koi8-u"
	}
	if n > 28590 && n < 28606 {
		return "iso-8859-" + strconv.Itoa(n-28590)
	}
	return ""
}

// bytes returns a binary value, or nil.
func (m *outlookMessage) bytes(dir, property string) []byte {
	data, whole := m.ole.Read(m.dir + dir + "__substg1.0_" + property + "0102")
	m.whole = m.whole && whole
	return data
}

// text returns a value of text in UTF-16 or in the message's encoding.
func (m *outlookMessage) text(dir, property string) string {
	base := m.dir + dir + "__substg1.0_" + property
	if data, whole := m.ole.Read(base + "001F"); data != nil {
		m.whole = m.whole && whole
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = binary.LittleEndian.Uint16(data[2*i:])
		}
		return strings.TrimRight(string(utf16.Decode(units)), "\x00")
	}
	data, whole := m.ole.Read(base + "001E")
	m.whole = m.whole && whole
	return strings.TrimRight(charset.Decode(data, m.codepage).Text, "\x00")
}

// html is the message's HTML, which is mostly stored as bytes.
func (m *outlookMessage) html() string {
	if data := m.bytes("", propHTML); data != nil {
		declared := m.codepage
		if named := declaredCharset(data); named != "" {
			declared = named
		}
		return charset.Decode(data, declared).Text
	}
	return m.text("", propHTML)
}

// date is when the message was sent, else when it arrived.
func (m *outlookMessage) date() string {
	for _, p := range []string{propSubmitted, propDelivered} {
		v := m.fixed[p]
		if v == nil {
			continue
		}
		const toUnix = 116_444_736_000_000_000                                                 // steps of 100 ns from 1601 to 1970
		if ticks := int64(binary.LittleEndian.Uint64(v)); ticks > toUnix && ticks < 4*toUnix { //nolint:gosec // checked here
			return time.Unix(0, 0).UTC().Add(time.Duration(ticks-toUnix) * 100).Format(time.RFC1123Z)
		}
	}
	return ""
}

// sender is who sent the message: name and address.
func (m *outlookMessage) sender() string {
	name, address := m.text("", propSender), first(m.text("", propSenderSMTP), m.text("", propSenderMail))
	if !strings.Contains(address, "@") || address == name {
		return first(name, address)
	}
	return strings.TrimSpace(name + " <" + address + ">")
}

// recipients lists those of a kind (1 To, 2 Cc) by name and address.
func (m *outlookMessage) recipients(kind byte) string {
	var found []string
	for i, dir := range m.children("__recip_version1.0_") {
		if i == maxRecipients {
			break
		}
		props, _ := m.ole.Read(m.dir + dir + "__properties_version1.0")
		is := byte(1)
		for at := 8; at+16 <= len(props); at += 16 {
			if binary.LittleEndian.Uint16(props[at+2:]) == 0x0C15 {
				is = props[at+8]
			}
		}
		if is != kind {
			continue
		}
		name, address := m.text(dir, propDisplayName), first(m.text(dir, propSMTP), m.text(dir, propAddress))
		switch {
		case !strings.Contains(address, "@"), address == name:
			found = append(found, first(name, address))
		case name == "":
			found = append(found, address)
		default:
			found = append(found, name+" <"+address+">")
		}
	}
	return strings.Join(found, "; ")
}

// maxRecipients bounds what is said of recipients.
const maxRecipients = 1000

// children lists the storages in the message whose names begin so, in order.
func (m *outlookMessage) children(prefix string) []string {
	var found []string
	for _, name := range m.ole.Names() {
		rest, inside := strings.CutPrefix(name, m.dir)
		dir, _, deeper := strings.Cut(rest, "/")
		if inside && deeper && strings.HasPrefix(dir, prefix) { // names are sorted: those of a storage are neighbours
			found = append(found, dir+"/")
		}
	}
	return slices.Compact(found)
}

// readMSG adds a message of Outlook: header, text, attachments.
func (m *mail) readMSG(ctx context.Context, o *outlookMessage, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if depth > maxNestedMails {
		return &fault.Error{Code: fault.LimitExceeded, Reason: fmt.Sprintf("mails are attached to mails more than %d deep", maxNestedMails), Next: "save the inner mail on its own"}
	}
	var lines []string
	for _, field := range [][2]string{{"From", o.sender()}, {"To", first(o.recipients(1), o.text("", propTo))}, {"Cc", first(o.recipients(2), o.text("", propCc))}, {"Date", o.date()}} {
		if value := strings.Join(strings.Fields(field[1]), " "); value != "" {
			lines = append(lines, field[0]+": "+value)
		}
	}
	m.b.Heading(1, o.text("", propSubject))
	m.b.Block(parse.Paragraph, "", strings.Join(lines, "\n"))
	t := body{plain: strings.ReplaceAll(o.text("", propBody), "\r\n", "\n"), html: o.html()}
	if strings.HasPrefix(strings.ToUpper(o.text("", propClass)), "IPM.NOTE.SMIME") && t.plain == "" && t.html == "" {
		m.warnings = append(m.warnings, parse.Warning{Code: parse.WarnLeftOut, Message: "the message is encrypted: only its header was read"})
	}
	if err := m.text(ctx, t); err != nil {
		return err
	}
	if rtf := o.bytes("", propRTF); rtf != nil && t.plain == "" && t.html == "" {
		if err := m.rich(ctx, rtf); err != nil {
			return err
		}
	}
	for _, dir := range o.children("__attach_version1.0_") {
		if err := m.attachMSG(ctx, o, dir, depth); err != nil {
			return err
		}
	}
	if !o.whole {
		m.damaged()
	}
	return m.b.Err()
}

// rich adds the text of a message that has it only as RTF.
func (m *mail) rich(ctx context.Context, packed []byte) error {
	data := unpackRTF(packed, m.parser.limits.Text)
	if m.parser.registry == nil || data == nil {
		return nil
	}
	d, err := m.parser.registry.Parse(ctx, parse.File{Name: "message.rtf", Data: data}, nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		m.b.Markdown(d.Text, d.Sections)
	}
	return m.b.Err()
}

// attachMSG adds one attachment: a message as what it is, another file by its parser.
func (m *mail) attachMSG(ctx context.Context, o *outlookMessage, dir string, depth int) error {
	if m.parts++; m.parts > m.parser.limits.MailParts {
		return &fault.Error{Code: fault.LimitExceeded, Reason: fmt.Sprintf("it has more than %d parts", m.parser.limits.MailParts), Next: "save the attachments you need on their own"}
	}
	label := first(o.text(dir, propLongName), o.text(dir, propShortName), o.text(dir, propDisplayName), "attachment")
	if inner := o.dir + dir + "__substg1.0_" + propContent + "000D/"; o.ole.Has(inner + "__properties_version1.0") {
		m.b.Open(parse.Section{Kind: parse.Part, Label: label})
		defer m.b.Close()
		return m.readMSG(ctx, newMessage(o.ole, inner), depth+1)
	}
	mediaType := strings.ToLower(o.text(dir, propMediaType))
	if data := o.bytes(dir, propContent); len(data) > 0 && !strings.HasPrefix(mediaType, "image/") {
		return m.attach(ctx, attachment{name: label, mediaType: mediaType, data: data}, depth)
	}
	return nil
}
