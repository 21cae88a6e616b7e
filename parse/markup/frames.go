package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxFrames bounds the frames that a warning names.
const maxFrames = 20

// isFrame reports whether a tag parts a page into frames. Such tags are dropped:
// a tree keeps what is between <noframes> as one text with its tags.
func isFrame(tag atom.Atom) bool {
	return tag == atom.Frameset || tag == atom.Frame || tag == atom.Noframes
}

// unnested reports whether a tag opens and closes nothing that flatten counts.
func unnested(tag atom.Atom) bool { return isFrame(tag) || closesItself(tag) }

// frameless returns the raw bytes of a tag, but for those of frames.
func frameless(z *html.Tokenizer, tag atom.Atom, kind html.TokenType, raw []byte) []byte {
	if isFrame(tag) {
		return []byte(frameLink(z, tag, kind))
	}
	return raw
}

// frameLink writes a frame as a link to its file, and the other tags of frames
// as nothing.
func frameLink(z *html.Tokenizer, tag atom.Atom, kind html.TokenType) string {
	if tag != atom.Frame || kind == html.EndTagToken {
		return " "
	}
	source := html.EscapeString(tagAttribute(z, "src"))
	if source == "" {
		return " "
	}
	return `<p><a href="` + source + `">` + source + "</a></p>"
}

// tagAttribute returns the value of the token's attribute of that name.
func tagAttribute(z *html.Tokenizer, name string) string {
	for {
		key, value, more := z.TagAttr()
		if string(key) == name {
			return string(value)
		}
		if !more {
			return ""
		}
	}
}

// frameFiles lists the files that the frames of a page show, each once.
func frameFiles(page string) (files []string) {
	if !strings.Contains(strings.ToLower(page), "<frameset") {
		return nil
	}
	z := html.NewTokenizer(strings.NewReader(page))
	for kind := z.Next(); kind != html.ErrorToken && len(files) < maxFrames; kind = z.Next() {
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		if name, more := z.TagName(); more && atom.Lookup(name) == atom.Frame {
			if source := tagAttribute(z, "src"); source != "" && !slices.Contains(files, source) {
				files = append(files, source)
			}
		}
	}
	return files
}
