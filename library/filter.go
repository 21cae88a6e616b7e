package library

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"inlay/fault"
	"inlay/options"
	"inlay/retrieve"
)

// Filter chooses paths of a library. Its zero value leaves all; fields that are
// set must all hold.
type Filter struct {
	Paths []string   // globs, one of which must match: *.md, docs/**, a/?.txt
	Types []string   // extensions or media types, one of which must match: pdf, text/html, image/*
	Tags  []string   // all of which the path must have
	Title string     // must be part of the title, in any letter case
	After time.Time  // modified then or later
	Until time.Time  // modified before then
	Where *Condition // of the attributes; nil: any
}

// Empty reports that the filter leaves everything.
func (f Filter) Empty() bool {
	return len(f.Paths) == 0 && len(f.Types) == 0 && len(f.Tags) == 0 && f.Title == "" && f.After.IsZero() && f.Until.IsZero() && f.Where == nil
}

// Matcher returns a function that reports whether an entry is left.
func (f Filter) Matcher() (func(Entry) bool, error) {
	if f.Where != nil {
		if err := f.Where.Check("filters"); err != nil {
			return nil, err
		}
	}
	globs := make([]*regexp.Regexp, len(f.Paths))
	for i, p := range f.Paths {
		var err error
		if globs[i], err = glob(p); err != nil {
			return nil, err
		}
	}
	title := strings.ToLower(f.Title)
	return func(e Entry) bool {
		return (len(globs) == 0 || slices.ContainsFunc(globs, func(g *regexp.Regexp) bool { return g.MatchString(e.Path) })) &&
			(len(f.Types) == 0 || slices.ContainsFunc(f.Types, e.is)) &&
			!slices.ContainsFunc(f.Tags, func(tag string) bool { return !slices.Contains(e.Tags, tag) }) &&
			strings.Contains(strings.ToLower(e.Title), title) &&
			(f.After.IsZero() || !e.Modified.Before(f.After)) && (f.Until.IsZero() || e.Modified.Before(f.Until)) &&
			(f.Where == nil || f.Where.Holds(e.Attributes))
	}, nil
}

// is reports whether the entry is of a type: an extension or a media type.
func (e Entry) is(kind string) bool {
	kind = strings.ToLower(kind)
	if !strings.Contains(kind, "/") {
		return strings.EqualFold(path.Ext(e.Path), "."+strings.TrimPrefix(kind, "."))
	}
	if family, ok := strings.CutSuffix(kind, "/*"); ok {
		return strings.HasPrefix(e.MediaType, family+"/")
	}
	media, _, _ := strings.Cut(e.MediaType, ";")
	return media == kind
}

// glob compiles a pattern over slash-separated paths: * and ? stay within a
// name, ** spans folders, [a-z] is a class. A pattern may begin at any folder of a
// path; one with a slash before it begins at the first.
func glob(pattern string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("^")
	if !strings.HasPrefix(pattern, "/") {
		b.WriteString("(?:.*/)?")
	}
	for rest := strings.TrimPrefix(pattern, "/"); rest != ""; {
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			rest = rest[3:]
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			rest = rest[2:]
		case rest[0] == '*':
			b.WriteString("[^/]*")
			rest = rest[1:]
		case rest[0] == '?':
			b.WriteString("[^/]")
			rest = rest[1:]
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if end < 2 {
				return nil, badGlob(pattern)
			}
			b.WriteString("[" + strings.NewReplacer("!", "^", `\`, `\\`, "[", `\[`).Replace(rest[1:end]) + "]")
			rest = rest[end+1:]
		default:
			n := strings.IndexAny(rest[1:], "*?[") + 1
			if n == 0 {
				n = len(rest)
			}
			b.WriteString(regexp.QuoteMeta(rest[:n]))
			rest = rest[n:]
		}
	}
	re, err := regexp.Compile(b.String() + "$")
	if err != nil {
		return nil, badGlob(pattern)
	}
	return re, nil
}

func badGlob(pattern string) error {
	return &fault.Error{Code: fault.Usage, Subject: "path pattern " + pattern, Reason: "is invalid", Next: "use names with *, ?, ** and [a-z]"}
}

// FilterOf reads a filter from decoded options: library_path, library_type,
// library_tag, library_title, library_after and library_until.
func FilterOf(values options.Values) (Filter, error) {
	list := func(key string) []string {
		l, _ := values[key].([]string)
		return l
	}
	f := Filter{Paths: list("library_path"), Types: list("library_type"), Tags: list("library_tag"), Title: values.Text("library_title")}
	var err error
	if f.After, err = when(values, "library_after"); err != nil {
		return f, err
	}
	if f.Until, err = when(values, "library_until"); err != nil {
		return f, err
	}
	_, err = f.Matcher()
	return f, err
}

// when reads a day (2026-03-31) or a moment (2026-03-31T12:00:00Z).
func when(values options.Values, key string) (time.Time, error) {
	text := values.Text(key)
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, &fault.Error{Code: fault.Usage, Subject: key, Reason: "must be a day such as 2026-03-31 or a moment such as 2026-03-31T12:00:00Z"}
}

// Collection is a library, or what a filter leaves of it, as a retriever searches it.
type Collection struct {
	Index   Searcher
	Owner   string
	Library string
	Filter  Filter
}

// Candidates implements [retrieve.Collection].
func (c Collection) Candidates(ctx context.Context, q retrieve.Question) (retrieve.Candidates, error) {
	return c.Index.Candidates(ctx, c.Owner, c.Library, q, c.Filter)
}
