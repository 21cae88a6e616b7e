package plain

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"inlay/parse"
	"inlay/parse/outline"
)

// language is what is known of a programming language: its name and the lines
// that begin a top-level declaration, with the declared name as last group.
type language struct {
	name  string
	media string
	decl  func() *regexp.Regexp // nil: not known
}

// Code reads source code. The text is the file; top-level declarations are
// sections, each with the comment above it.
func Code(limits parse.Limits) parse.Parser {
	known := map[string]language{}
	info := parse.Info{Name: "code", Version: "1", Library: "inlay/plain"}
	for _, l := range languages() {
		known[l.name] = l
		info.MediaTypes = append(info.MediaTypes, l.media)
	}
	byExtension := map[string]language{}
	for ext, name := range extensions() {
		byExtension[ext] = known[name]
		info.Extensions = append(info.Extensions, ext)
	}
	slices.Sort(info.Extensions)
	of := func(name string) language {
		if l, ok := byExtension[strings.ToLower(filepath.Ext(name))]; ok {
			return l
		}
		return known["source"]
	}
	return textParser{
		limits: limits, info: info,
		outline: func(name, text string) ([]parse.Section, []parse.Warning) {
			return of(name).declarations(text), nil
		},
		media: func(name string) string { return of(name).media },
	}
}

// declarations marks the stretches between top-level declarations; without a
// pattern for them, the stretches between blank lines.
func (l language) declarations(text string) []parse.Section {
	if l.decl == nil {
		return outline.Paragraphs(text)
	}
	s := scan{decl: l.decl(), lead: -1, size: len(text)}
	for line := range strings.Lines(text) {
		s.line(line)
		s.at += len(line)
	}
	s.finish(s.at)
	for i := range s.sections {
		r := &s.sections[i]
		r.End = r.Start + len(strings.TrimRight(text[r.Start:r.End], " \t\r\n"))
	}
	return s.sections
}

// scan walks over lines and keeps where the current declaration began.
type scan struct {
	decl     *regexp.Regexp
	sections []parse.Section
	size     int    // of the whole text
	at       int    // offset of the line
	start    int    // of the current stretch
	label    string // its declaration
	lead     int    // start of the comment lines just above; -1 when there are none
	begun    bool   // the current stretch has a line that is not blank
}

func (s *scan) line(line string) {
	trimmed := strings.TrimSpace(line)
	indented := line != "" && (line[0] == ' ' || line[0] == '\t')
	m := s.decl.FindStringSubmatch(line[:min(len(line), 400)])
	switch {
	case m != nil:
		from := s.at
		if s.lead >= 0 {
			from = s.lead
		}
		s.finish(from)
		s.start, s.label, s.begun, s.lead = from, m[len(m)-1], true, -1
	case trimmed == "":
		s.lead = -1
	case !indented && leads(trimmed), strings.HasPrefix(trimmed, "*") && s.lead >= 0:
		if s.lead < 0 {
			s.lead = s.at
		}
	default:
		s.lead = -1
	}
	if trimmed != "" && !s.begun {
		s.start, s.begun = s.at, true
	}
}

// leads recognises comments, decorators and attributes, which belong to what follows.
func leads(line string) bool {
	for _, mark := range []string{"//", "#", "/*", "*", "--", "@", `"""`} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

func (s *scan) finish(at int) {
	if s.begun && at > s.start {
		s.sections = grow(s.sections, parse.Section{Kind: parse.Code, Label: s.label, Start: s.start, End: at}, s.size)
	}
	s.begun = false
}
