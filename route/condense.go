package route

import (
	"slices"
	"strings"

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

// promptSection is a heading with all that stands below it.
type promptSection struct {
	title string // empty: what comes before the first heading
	text  string
	level int // of the heading; 0: a block between lines of "===="
}

// aboutTools reports whether a section is about tools alone.
func (s promptSection) aboutTools() bool {
	title := fold(strings.ToLower(strings.Trim(s.title, " \t#*_:-=<>")))
	return title != "" && toolTitle().MatchString(title) || ownFormatting(s)
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
