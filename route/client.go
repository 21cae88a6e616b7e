package route

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Client is what the sender of a turn brought along, of which the router may
// know nothing and which it leaves as it is (RTE-11).
type Client struct {
	Tools      []ClientTool // every tool of the request, in order
	ToolChoice string       // "", "auto", "none", "required", or the name of the tool that must be called
}

// ClientTool is one tool of a client.
type ClientTool struct {
	Name        string
	Description string
	Schema      json.RawMessage // of its parameters; empty: the router's own
	Definition  string          // as it was sent, for the accounting; empty: not counted
}

// forced reports whether the client left no choice of tools to decide about.
func (c *Client) forced() bool {
	return c != nil && c.ToolChoice != "" && c.ToolChoice != "auto"
}

// has reports whether the client has a tool. A host without a Client has them all.
func (c *Client) has(name string) bool {
	return c == nil || slices.ContainsFunc(c.Tools, func(t ClientTool) bool { return t.Name == name })
}

// foreign are the client's tools that are not among the known ones.
func (c *Client) foreign(known []Tool) (out []ClientTool) {
	if c == nil {
		return nil
	}
	for _, t := range c.Tools {
		if !slices.ContainsFunc(known, func(k Tool) bool { return k.Name == t.Name }) {
			out = append(out, t)
		}
	}
	return out
}

// known are the router's tools that the client has, with the client's schemas.
func (c *Client) known(tools []Tool) (out []Tool) {
	for _, t := range c.Tools {
		i := slices.IndexFunc(tools, func(k Tool) bool { return k.Name == t.Name })
		if i < 0 {
			continue
		}
		tool := tools[i]
		if len(t.Schema) > 0 {
			tool.Schema = t.Schema
		}
		out = append(out, tool)
	}
	return out
}

// mayNeed reports whether an ask may be one for a tool that the router does not
// know: they share a word that does not also describe a tool which it knows.
func mayNeed(text string, tools []ClientTool) bool {
	if len(tools) == 0 {
		return false
	}
	var ordinary []string
	for _, t := range Tools() {
		ordinary = append(ordinary, stems(t.Name+" "+t.Description)...)
	}
	asked, common := stems(text), stems(strings.Join(entries("common words", anyLanguage), " "))
	for _, t := range tools {
		for _, s := range stems(t.Name + " " + sentence(t.Description)) {
			if slices.Contains(asked, s) && !slices.Contains(ordinary, s) && !slices.Contains(common, s) {
				return true
			}
		}
	}
	return false
}

// sentence is the first sentence of a description, which says what a tool is for.
func sentence(s string) string {
	first, _, _ := strings.Cut(s, ". ")
	first, _, _ = strings.Cut(first, "\n")
	return first
}

// stemLetters are what is compared of a word: inflected, it is the same tool's.
const stemLetters = 5

// stems are the beginnings of the words of four letters or more, with names of
// code taken apart.
func stems(s string) (out []string) {
	words := strings.FieldsFunc(strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			r = ' '
		}
		return r
	}, spaceCamel(s)), unicode.IsSpace)
	for _, w := range words {
		if runes := []rune(fold(strings.ToLower(w))); len(runes) >= 4 {
			out = append(out, string(runes[:min(len(runes), stemLetters)]))
		}
	}
	return out
}

// spaceCamel parts the words of a name such as getWeather.
func spaceCamel(s string) string {
	var b strings.Builder
	var before rune
	for _, r := range s {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// attachedFile reports whether a path is that of a file which came with the message:
// its name, or the end of its path.
func attachedFile(attached []string, p string) bool {
	return slices.ContainsFunc(attached, func(name string) bool {
		return strings.EqualFold(path.Base(path.Clean(name)), path.Base(path.Clean(p))) && (path.Base(p) == p || same(name, p))
	})
}
