package plain

import (
	"context"
	"strings"
	"time"

	"inlay/fault"
	"inlay/parse"
)

// Calendar reads calendars (.ics): each event, task and note with its time, place,
// people and description, in the order of the file.
func Calendar(limits parse.Limits) parse.Parser { return calendarParser{limits} }

type calendarParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p calendarParser) Info() parse.Info {
	return parse.Info{
		Name: "ics", Version: "1", Library: "inlay/plain",
		MediaTypes: []string{"text/calendar"}, Extensions: []string{".ics", ".ifb", ".ical"},
	}
}

// Parse implements [parse.Parser].
func (p calendarParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	d, err := decode(ctx, f, p.limits)
	if err != nil {
		return parse.Document{}, err
	}
	c := calendar{b: &parse.Builder{}}
	for n, line := range unfold(d.Text) {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return parse.Document{}, err
			}
		}
		c.line(line)
	}
	if !c.begun {
		return parse.Document{}, &fault.Error{Code: fault.Corrupt, Reason: "it does not begin with BEGIN:VCALENDAR", Next: "export the calendar again, or attach it as .txt"}
	}
	cutShort := len(c.open) > 0
	c.end("")
	report.Tell(.9)
	out, err := c.b.Document()
	out.Charset, out.Warnings = d.Charset, d.Warnings
	if cutShort {
		out.Warnings = append(out.Warnings, parse.Warning{Code: parse.WarnDamaged, Message: "the calendar is cut short: its last entry may lack something"})
	}
	return out, err
}

// unfold returns the lines of a calendar; long ones go on after a line break and a blank.
func unfold(text string) []string {
	text = strings.NewReplacer("\r\n ", "", "\r\n\t", "", "\n ", "", "\n\t", "").Replace(text)
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
}

// calendar is one that is being read.
type calendar struct {
	b       *parse.Builder
	begun   bool
	open    []string   // components begun and not ended
	fields  [][]string // of the open entry: label and value
	title   string
	details string
}

// line takes one line: a component's begin or end, or a property of it.
func (c *calendar) line(line string) {
	head, value, ok := strings.Cut(line, ":")
	if quote := strings.IndexByte(head, '"'); ok && quote >= 0 { // a parameter may hold a colon
		if end := strings.Index(line[quote+1:], `":`); end >= 0 {
			head, value = line[:quote+end+2], line[quote+end+3:]
		}
	}
	name, parameters, _ := strings.Cut(head, ";")
	switch name = strings.ToUpper(strings.TrimSpace(name)); {
	case name == "BEGIN":
		c.open = append(c.open, strings.ToUpper(strings.TrimSpace(value)))
		c.begun = c.begun || c.open[0] == "VCALENDAR"
	case name == "END":
		c.end(strings.ToUpper(strings.TrimSpace(value)))
	case ok && len(c.open) > 0:
		c.property(name, parameters, unescape(value))
	}
}

// end closes a component; an entry goes to the document.
func (c *calendar) end(component string) {
	for len(c.open) > 0 {
		last := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		if isEntry(last) {
			c.flush()
		}
		if last == component {
			return
		}
	}
}

func isEntry(component string) bool {
	return component == "VEVENT" || component == "VTODO" || component == "VJOURNAL" || component == "VFREEBUSY"
}

// flush adds the open entry: title, a line for each field, description.
func (c *calendar) flush() {
	if c.title == "" && len(c.fields) > 0 {
		c.title = c.fields[0][1]
	}
	c.b.Heading(2, c.title)
	var lines []string
	for _, f := range c.fields {
		lines = append(lines, f[0]+": "+f[1])
	}
	c.b.Block(parse.Paragraph, "", strings.Join(lines, "\n"))
	for block := range strings.SplitSeq(c.details, "\n\n") {
		c.b.Block(parse.Paragraph, "", block)
	}
	c.title, c.details, c.fields = "", "", nil
}

// property keeps what people read of an entry, and the calendar's name.
func (c *calendar) property(name, parameters, value string) {
	value = strings.TrimSpace(value)
	component := c.open[len(c.open)-1]
	switch {
	case value == "":
	case !isEntry(component):
		if component == "VCALENDAR" && (name == "X-WR-CALNAME" || name == "NAME") {
			c.b.Heading(1, value)
		}
	case name == "SUMMARY":
		c.title = value
	case name == "DESCRIPTION":
		c.details = value
	case name == "COMMENT":
		c.details = strings.TrimSpace(c.details + "\n\n" + value)
	default:
		if label := fieldLabel(name); label != "" {
			c.fields = append(c.fields, []string{label, shown(name, parameters, value)})
		}
	}
}

// fieldLabel is what a property is called; "" for those that only programs read.
func fieldLabel(name string) string {
	switch name {
	case "DTSTART":
		return "Start"
	case "DTEND":
		return "End"
	case "DUE":
		return "Due"
	case "COMPLETED":
		return "Completed"
	case "DURATION", "LOCATION", "ORGANIZER", "ATTENDEE", "STATUS", "CATEGORIES", "URL", "PRIORITY", "CONTACT", "RESOURCES", "FREEBUSY":
		return name[:1] + strings.ToLower(name[1:])
	case "RRULE":
		return "Repeats"
	case "ATTACH":
		return "Attachment"
	}
	return ""
}

// shown writes times as ISO 8601 with their zone, and people by name and address.
func shown(name, parameters, value string) string {
	switch name {
	case "DTSTART", "DTEND", "DUE", "COMPLETED":
		text := isoTime(value)
		if zone := parameter(parameters, "TZID"); zone != "" {
			text += " " + zone
		}
		return text
	case "ORGANIZER", "ATTENDEE":
		address := value
		if len(value) > 7 && strings.EqualFold(value[:7], "mailto:") {
			address = value[7:]
		}
		if person := parameter(parameters, "CN"); person != "" && person != address {
			return person + " <" + address + ">"
		}
		return address
	}
	return value
}

func isoTime(value string) string {
	for layout, out := range map[string]string{"20060102T150405Z": "2006-01-02 15:04 UTC", "20060102T150405": "2006-01-02 15:04", "20060102": "2006-01-02"} {
		if t, err := time.Parse(layout, value); err == nil {
			return t.Format(out)
		}
	}
	return value
}

// parameter finds a parameter of a property: ;CN="Jane Smith";ROLE=CHAIR.
func parameter(parameters, name string) string {
	for part := range strings.SplitSeq(parameters, ";") {
		if key, value, ok := strings.Cut(part, "="); ok && strings.EqualFold(key, name) {
			return strings.Trim(value, `"`)
		}
	}
	return ""
}

func unescape(value string) string {
	return strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\\`, `\`).Replace(value)
}
