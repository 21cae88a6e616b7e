package ignore

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"inlay/fault"
)

// Globs are patterns with the meaning they have in a .gitignore file: "*.pdf" is
// every PDF below a folder, "drafts/" a folder anywhere, "/notes/*.md" the Markdown
// files of one folder. The zero value matches nothing.
type Globs []gitignore.Pattern

// ParseGlobs reads patterns. An empty one and one that begins with "!" are
// fault.Usage about subject.
func ParseGlobs(subject string, patterns []string) (Globs, error) {
	var out Globs
	for _, p := range patterns {
		p = strings.TrimPrefix(strings.TrimSpace(p), "./")
		if p == "" || strings.HasPrefix(p, "!") {
			return nil, &fault.Error{Code: fault.Usage, Subject: subject, Reason: "must be a pattern such as *.pdf or drafts/", Next: "use --include and --exclude instead of !"}
		}
		out = append(out, gitignore.ParsePattern(p, nil))
	}
	return out, nil
}

// Match reports whether a pattern matches the path (slash-separated, relative to
// the folder) or a folder above it.
func (g Globs) Match(name string, dir bool) bool {
	parts := strings.Split(name, "/")
	for _, p := range g {
		for n := 1; n <= len(parts); n++ {
			if p.Match(parts[:n], dir || n < len(parts)) == gitignore.Exclude {
				return true
			}
		}
	}
	return false
}
