package route

import (
	"slices"
	"strings"

	"inlay/chat"
	"inlay/internal/lazy"
)

// Condense is a client's system prompt without its sections about tools: their
// catalogue and how they are called. Everything else stays as it is, who the
// model is said to be above all; a prompt without such sections stays whole, as
// does a section that names one of the tools in keep. Sections are those of
// Markdown headings, of blocks between lines of "====", and of elements such as
// <tools>.
func Condense(system string, keep []string) string {
	var out strings.Builder
	for _, s := range sections(system) {
		if s.aboutTools() && !namesAny(s.text, keep) {
			continue
		}
		out.WriteString(s.text)
	}
	short := strings.TrimSpace(out.String())
	if short == "" {
		return system
	}
	if short == strings.TrimSpace(system) {
		return system
	}
	return short + "\n"
}

// promptSection is a heading with all that is below it.
type promptSection struct {
	title string // empty: what comes before the first heading
	text  string
	level int // of the heading; 0: a block between lines of "===="
}

// aboutTools reports whether a section is about tools alone.
func (s promptSection) aboutTools() bool {
	title := fold(strings.ToLower(strings.Trim(s.title, " \t#*_:-=<>")))
	return title != "" && toolTitle.in(anyLanguage).MatchString(title) || ownFormatting(s)
}

// ownFormatting reports whether a section is the guidance on format that [Build]
// writes.
func ownFormatting(s promptSection) bool {
	return s.title == "Formatting" && strings.TrimSpace(s.text) == strings.TrimSpace(formattingSection)
}

// formattingSection is the guidance on format of system.tmpl.
const formattingSection = "# Formatting\n\nWrite Markdown. Name code, files and commands in backticks; write a file with its path and line as `path:line`."

var (
	toolTitle   = phrases("tool titles")
	headingLine = lazy.Regexp(`^(#{1,6})\s+(\S.*)$`)
	breakLine   = lazy.Regexp(`^={4,}\s*$`)
	openElement = lazy.Regexp(`^<([a-z][a-z_-]*)>\s*$`)
)

// sections takes a prompt apart. A section about tools has its subsections in
// it, so that they go with it; any other is cut where the next heading is.
func sections(system string) (out []promptSection) {
	add := func(s promptSection) {
		if n := len(out); n > 0 && out[n-1].aboutTools() && s.level > out[n-1].level {
			out[n-1].text += s.text
			return
		}
		out = append(out, s)
	}
	current, fenced, block, element := promptSection{level: 1}, false, false, ""
	begin := func(s promptSection) {
		if current.text != "" {
			add(current)
		}
		current = s
	}
	at := 0
	for line := range strings.Lines(system) {
		trim := strings.TrimSpace(line)
		at += len(line)
		switch {
		case element != "":
			current.text += line
			if trim == "</"+element+">" {
				begin(promptSection{level: 1})
				element = ""
			}
			continue
		case strings.HasPrefix(trim, "```"):
			fenced = !fenced
		case fenced:
		case breakLine().MatchString(trim):
			begin(promptSection{level: 0})
			block = true
		case block && trim != "" && headingLine().FindString(trim) == "":
			current.title, block = trim, false
		case headingLine().MatchString(trim):
			m := headingLine().FindStringSubmatch(trim)
			begin(promptSection{title: m[2], level: len(m[1])})
			block = false
		case openElement().MatchString(trim) && elementSection(trim).aboutTools() && strings.Contains(system[at:]+"\n", "</"+trim[1:]+"\n"):
			element = trim[1 : len(trim)-1]
			begin(elementSection(trim))
		}
		current.text += line
	}
	begin(promptSection{})
	return out
}

// elementSection is the section that an opening tag such as <tool_use> begins.
func elementSection(tag string) promptSection {
	return promptSection{title: strings.ReplaceAll(strings.Trim(tag, "<>"), "_", " "), level: 1}
}

// namesAny reports whether a text names one of the tools.
func namesAny(text string, tools []string) bool {
	return slices.ContainsFunc(tools, func(t string) bool { return t != "" && names(text, t) })
}

// condense makes the large model's prompt: the system prompt without its tools,
// and the newest message as it was sent. What was said before and what tools
// returned for the ask is shown as context where it all has room; where it has
// not, the conversation goes on as it is.
func (r Router) condense(req Request, in Input, before past, d *Decision, out *Outcome) error {
	b := *d.Big
	b.UseCondensedPrompt, b.Messages = true, before.newest(in.Ask)
	before.ask = in.Ask
	results := before.results(req.Last, d.Code != Conceptual)
	selected := strings.TrimSpace(in.Context + "\n\n" + results)
	if req.Context == "" && !before.short(in.Context) {
		if before.plain() {
			b.Messages, selected = withoutSystem(req.Messages), ""
		} else {
			selected = strings.TrimSpace(before.whole() + "\n\n" + results)
		}
	}
	system, err := r.condensed(req, selected)
	if err != nil {
		return err
	}
	b.CondensedPrompt = system
	d.Big, out.System, out.Messages = &b, system, b.Messages
	return nil
}

// condensed is the condensed system prompt: the host's or client's own, or where
// there is none, that of the mode. A client that sent none gets none.
func (r Router) condensed(req Request, selected string) (string, error) {
	own := Condense(req.System, foreignNames(req.Client, r.tools()))
	if own == "" && req.Client == nil {
		return Build(Prompt{Mode: req.Mode, Environment: req.Environment, Objective: req.objective(), Context: selected, Condensed: true})
	}
	if o := req.objective(); o != "" && !strings.Contains(own, o) {
		own = strings.TrimRight(own, "\n") + "\n\n# Objective\n\n" + o + "\n"
	}
	if selected != "" {
		f := fence(selected)
		own = strings.TrimRight(own, "\n") + "\n\n# Context\n\n" + f + "\n" + selected + "\n" + f + "\n"
	}
	return strings.TrimLeft(own, "\n"), nil
}

// objective is the task; a client's own prompt needs none that it did not give.
func (r Request) objective() string {
	if r.Objective == "" && r.Client == nil {
		return "Answer the user's latest message."
	}
	return r.Objective
}

func foreignNames(c *Client, known []Tool) (out []string) {
	for _, t := range c.foreign(known) {
		out = append(out, t.Name)
	}
	return out
}

func withoutSystem(messages []chat.Message) []chat.Message {
	return slices.DeleteFunc(slices.Clone(messages), func(m chat.Message) bool { return m.Role == chat.System })
}
