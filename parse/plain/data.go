package plain

import (
	"path/filepath"
	"strings"

	"inlay/parse"
	"inlay/parse/outline"
)

// JSON reads JSON as the text it is; the members of the outermost object or
// list are sections.
func JSON(limits parse.Limits) parse.Parser {
	return textParser{limits: limits, outline: members, info: parse.Info{
		Name: "json", Version: "1", Library: "inlay/plain",
		MediaTypes: []string{"application/json", "text/json"},
		Extensions: []string{".json", ".json5", ".jsonc", ".geojson", ".webmanifest"},
	}}
}

// Lines reads JSON Lines: each line is a section; in very large files, several.
func Lines(limits parse.Limits) parse.Parser {
	return textParser{limits: limits, outline: eachLine, info: parse.Info{
		Name: "jsonl", Version: "1", Library: "inlay/plain",
		MediaTypes: []string{"application/x-ndjson", "application/jsonl"},
		Extensions: []string{".jsonl", ".ndjson"},
	}}
}

func eachLine(_, text string) ([]parse.Section, []parse.Warning) {
	var sections []parse.Section
	least := outline.Least(len(text))
	at := 0
	for line := range strings.Lines(text) {
		trimmed := strings.TrimRight(line, "\r\n")
		end := at + len(trimmed)
		last := len(sections) - 1
		switch {
		case strings.TrimSpace(trimmed) == "":
		case last >= 0 && sections[last].End-sections[last].Start < least:
			sections[last].End = end
		default:
			sections = append(sections, parse.Section{Kind: parse.Code, Start: at, End: end})
		}
		at += len(line)
	}
	return sections, nil
}

// members marks the direct members of the outermost bracket. It looks only at
// brackets, commas and strings, so that broken or commented JSON is text too.
func members(name, text string) ([]parse.Section, []parse.Warning) {
	open := strings.IndexAny(text, "{[")
	if open < 0 {
		return paragraphs(name, text)
	}
	var sections []parse.Section
	depth, start, quoted := 0, 0, false
	emit := func(end int) {
		body := text[start:end]
		lead := len(body) - len(strings.TrimLeft(body, " \t\r\n"))
		if body = strings.TrimSpace(body); body != "" {
			from := start + lead
			sections = grow(sections, parse.Section{Kind: parse.Code, Label: memberName(body), Start: from, End: from + len(body)}, len(text))
		}
	}
	for i := open; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth == 1 {
				start = i + 1
			}
		case c == '}' || c == ']':
			if depth == 1 {
				emit(i)
			}
			depth--
		case c == ',' && depth == 1:
			emit(i + 1)
			start = i + 1
		}
	}
	return sections, nil
}

// grow adds a section, or adds to the last one while that is small beside the
// whole text: a list of a million numbers is not a million sections.
func grow(sections []parse.Section, s parse.Section, size int) []parse.Section {
	last := len(sections) - 1
	if last >= 0 && sections[last].End-sections[last].Start < size/10_000 {
		sections[last].End = s.End
		return sections
	}
	return append(sections, s)
}

// memberName is the key that a member begins with, or "".
func memberName(body string) string {
	if !strings.HasPrefix(body, `"`) {
		return ""
	}
	key, rest, ok := strings.Cut(body[1:], `"`)
	if ok && strings.HasPrefix(strings.TrimLeft(rest, " \t"), ":") && len(key) <= 200 {
		return key
	}
	return ""
}

// topLevelKeys marks the stretches that begin with a line that is not indented:
// a key of YAML, a table of TOML or INI.
func topLevelKeys(_, text string) ([]parse.Section, []parse.Warning) {
	var sections []parse.Section
	at, start, label, begun := 0, 0, "", false
	emit := func(end int) {
		if body := strings.TrimRight(text[start:end], " \t\r\n"); begun && body != "" {
			sections = grow(sections, parse.Section{Kind: parse.Code, Label: label, Start: start, End: start + len(body)}, len(text))
		}
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		top := trimmed != "" && line[0] != ' ' && line[0] != '\t' && line[0] != '#' && line[0] != '}' && line[0] != ']'
		if top && !strings.HasPrefix(trimmed, "- ") || top && !begun {
			emit(at)
			start, label, begun = at, keyName(trimmed), true
		}
		at += len(line)
	}
	emit(len(text))
	return sections, nil
}

func keyName(line string) string {
	if strings.HasPrefix(line, "[") {
		return strings.Trim(line, "[]")
	}
	key, _, ok := strings.Cut(line, ":")
	if !ok {
		key, _, ok = strings.Cut(line, "=")
	}
	if !ok || len(key) > 200 {
		return ""
	}
	return strings.TrimSpace(key)
}

// settingsType names the settings format by its extension.
func settingsType(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".toml":
		return "application/toml"
	case ".yaml", ".yml", "":
		return "application/yaml"
	}
	return "text/x-ini"
}
