package source

import (
	"bytes"
	"strings"
)

// Limits of a strategy file.
const (
	MaxFront = 64 << 10 // bytes of front matter
	MaxFile  = 64 << 20 // bytes of a file
)

// Front is a file split into its front matter and its body.
type Front struct {
	Found   bool   // the file starts with a "---" line
	Closed  bool   // and a second one ends the front matter
	YAML    string // between the two lines
	Line    int    // the file's line on which YAML starts
	Body    string // all bytes after the closing line
	HasBody bool   // there are any, be it an empty line
}

// Split parts a file. A leading byte order mark belongs to neither part; the
// body is kept byte for byte. Without front matter everything is body.
func Split(data []byte) Front {
	text := string(bytes.TrimPrefix(data, []byte("\uFEFF")))
	first, rest, _ := strings.Cut(text, "\n")
	if !fence(first) {
		return Front{Body: text, HasBody: text != ""}
	}
	f := Front{Found: true, Line: 2, YAML: rest}
	for start := 0; start < len(rest); {
		line, _, more := strings.Cut(rest[start:], "\n")
		end := start + len(line)
		if more {
			end++
		}
		if fence(line) {
			f.Closed, f.YAML, f.Body = true, rest[:start], rest[end:]
			f.HasBody = f.Body != ""
			return f
		}
		start = end
	}
	return f
}

func fence(line string) bool { return strings.TrimRight(line, " \t\r") == "---" }
