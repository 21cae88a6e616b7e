package builtin

import (
	"html"
	"net/url"
	"slices"
	"strings"

	"inlay/internal/lazy"
)

var (
	// target is what is behind the alternative text of an inline image or link.
	target     = lazy.Regexp(`\]\(\s*<?([^\s)>]*)`)
	definition = lazy.Regexp(`(\[[^\[\]]+\]):(\s*<?([^\s>]+))`)
	htmlImage  = lazy.Regexp(`(?i)<(?:img|image)\b[^>]*>`)
	htmlSource = lazy.Regexp(`(?i)(?:src|srcset|href)\s*=\s*["']?([^\s"'>]+)`)
	scheme     = lazy.Regexp(`^[A-Za-z][A-Za-z0-9+.-]+:`)
)

// withoutImages makes images harmless whose address is one of the network, and
// whose host is none of hosts: what stays is their alternative text; a
// definition that an image may refer to becomes plain text. It is stricter than
// CommonMark where that takes a whole parser: what may be an image is one.
func withoutImages(text string, hosts []string) (out string, removed int) {
	text, removed = withoutInline(text, hosts)
	if strings.Contains(text, "![") {
		text = definition().ReplaceAllStringFunc(text, func(s string) string {
			m := definition().FindStringSubmatch(s)
			if !fetched(m[3], hosts) {
				return s
			}
			removed++
			return m[1] + " :" + m[2]
		})
	}
	return htmlImage().ReplaceAllStringFunc(text, func(s string) string {
		for _, m := range htmlSource().FindAllStringSubmatch(s, -1) {
			if fetched(m[1], hosts) {
				removed++
				return "[image]"
			}
		}
		return s
	}), removed
}

func withoutInline(text string, hosts []string) (out string, removed int) {
	var b strings.Builder
	brackets := openBrackets{image: -1}
	from, at, last := 0, 0, strings.LastIndexByte(text, ')')
	for _, m := range target().FindAllStringSubmatchIndex(text, -1) {
		if m[0] < from {
			continue
		}
		brackets.read(text, at, m[0])
		at = m[0]
		start := brackets.image
		if start < from || !fetched(text[m[2]:m[3]], hosts) {
			continue
		}
		b.WriteString(text[from:start] + "[image: " + text[start+2:m[0]] + "]")
		removed++
		from = m[1]
		if from <= last {
			from += strings.IndexByte(text[from:], ')') + 1
		}
		at, brackets = from, openBrackets{image: -1}
	}
	return b.String() + text[from:], removed
}

// openBrackets are those of a paragraph that are not closed.
type openBrackets struct {
	open   int
	image  int  // where the "![" is that may be open; -1: none
	hidden bool // code or a tag may hide brackets from the count
}

// reset begins again at a bracket before which nothing is open.
func (o *openBrackets) reset(image int) {
	if o.image < 0 || o.open <= 0 && !o.hidden {
		*o = openBrackets{image: image}
	}
}

// read goes on from one offset to another.
func (o *openBrackets) read(text string, from, to int) {
	for i := from; i < to; i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], "\n\n"):
			*o = openBrackets{image: -1}
		case strings.HasPrefix(text[i:], "!["):
			o.reset(i)
			o.open++
			i++
		case text[i] == '[':
			o.reset(-1)
			o.open++
		case text[i] == '`', text[i] == '<':
			o.hidden = true
		case text[i] == ']':
			o.open--
		}
	}
}

// fetched reports whether showing an image of this address asks a host that is
// none of hosts. Entities, backslashes and control characters are read as
// Markdown and browsers read them.
func fetched(address string, hosts []string) bool {
	address = strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return -1
		}
		return r
	}, html.UnescapeString(address))
	for _, slash := range []string{"", "/"} {
		a := strings.ReplaceAll(address, `\`, slash)
		if !scheme().MatchString(a) && !strings.HasPrefix(a, "//") || strings.HasPrefix(strings.ToLower(a), "data:") {
			continue
		}
		if u, err := url.Parse(a); err != nil || !slices.Contains(hosts, u.Hostname()) {
			return true
		}
	}
	return false
}
