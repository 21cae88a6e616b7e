package render

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

func keys(m map[string]any) iter.Seq[string] { return maps.Keys(m) }

// Format writes a normalised value as a person reads it: text as it is, numbers
// and booleans as in JSON, nothing for nil, a list as lines "- item", an object
// as YAML with its keys sorted. The same value gives the same bytes.
func Format(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return formatList(v)
	case map[string]any:
		var w writer
		w.object(v, 0)
		return w.String()
	}
	return formatNumber(v)
}

// formatList writes a list for reading: its texts stay as they are, with their
// further lines indented under the first.
func formatList(items []any) string {
	var w writer
	for i, item := range items {
		if i > 0 {
			w.newline(0)
		}
		w.WriteString("- ")
		if text, ok := item.(string); ok {
			w.WriteString(strings.ReplaceAll(text, "\n", "\n  "))
		} else {
			w.value(item, 2)
		}
	}
	return w.String()
}

// writer writes YAML.
type writer struct{ strings.Builder }

func (w *writer) newline(indent int) {
	w.WriteByte('\n')
	for range indent {
		w.WriteByte(' ')
	}
}

// value writes v where the cursor is; its further lines start at indent.
func (w *writer) value(v any, indent int) {
	switch v := v.(type) {
	case nil:
		w.WriteString("null")
	case bool:
		w.WriteString(strconv.FormatBool(v))
	case string:
		w.text(v, indent)
	case []any:
		w.list(v, indent)
	case map[string]any:
		w.object(v, indent)
	default:
		w.WriteString(formatNumber(v))
	}
}

func (w *writer) list(items []any, indent int) {
	if len(items) == 0 {
		w.WriteString("[]")
	}
	for i, item := range items {
		if i > 0 {
			w.newline(indent)
		}
		w.WriteString("- ")
		w.value(item, indent+2)
	}
}

func (w *writer) object(m map[string]any, indent int) {
	if len(m) == 0 {
		w.WriteString("{}")
	}
	for i, key := range slices.Sorted(keys(m)) {
		if i > 0 {
			w.newline(indent)
		}
		w.WriteString(scalar(key))
		w.WriteByte(':')
		switch value := m[key]; {
		case nests(value):
			w.newline(indent + 2)
			w.value(value, indent+2)
		default:
			w.WriteByte(' ')
			w.value(value, indent+2)
		}
	}
}

// nests reports whether a value goes on lines of its own below its key.
func nests(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}

// text writes a string: on one line as it is or quoted, on several as a block.
func (w *writer) text(s string, indent int) {
	if !strings.Contains(s, "\n") || !blockable(s) {
		w.WriteString(scalar(s))
		return
	}
	body := strings.TrimRight(s, "\n")
	switch len(s) - len(body) {
	case 0:
		w.WriteString("|-")
	case 1:
		w.WriteString("|")
	default:
		w.WriteString(scalar(s))
		return
	}
	for line := range strings.SplitSeq(body, "\n") {
		if line == "" {
			w.WriteByte('\n')
			continue
		}
		w.newline(max(indent, 2))
		w.WriteString(line)
	}
}

// blockable reports whether a text of several lines can are as a YAML block:
// its first line starts with something seen and nothing in it needs escaping.
func blockable(s string) bool {
	if s == "" || s[0] == ' ' || s[0] == '\t' || s[0] == '\n' {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if line != "" && strings.TrimSpace(line) == "" {
			return false
		}
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) })
}

// scalar writes a one-line string plainly where YAML reads it back as the same
// string, else in JSON's quotes.
func scalar(s string) string {
	if plain(s) {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// plain reports whether YAML reads s, unquoted, as that very string. It is
// careful rather than complete: quotes do no harm.
func plain(s string) bool {
	if s == "" || strings.TrimSpace(s) != s || !wordStart(s) || special(s) {
		return false
	}
	if strings.Contains(s, ": ") || strings.Contains(s, " #") || strings.HasSuffix(s, ":") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// wordStart reports whether s starts with a letter, an underscore or a slash:
// no indicator of YAML, no number, no date.
func wordStart(s string) bool {
	for _, r := range s {
		return unicode.IsLetter(r) || r == '_' || r == '/'
	}
	return false
}

// special reports whether YAML 1.1 or 1.2 reads the word as something else than text.
func special(s string) bool {
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf":
		return true
	}
	return false
}
