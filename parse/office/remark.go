package office

import (
	"context"
	"regexp"
	"strings"

	"inlay/internal/xmlscan"
	"inlay/parse/zipfile"
)

// remark is a comment: where, by whom, when.
type remark struct{ place, author, initials, when, text string }

// label introduces a comment: "Comment on B2 [author: Jane Smith (JS), time:
// 2026-06-18T17:12:57.350]: ".
func (r remark) label() string {
	s := "Comment"
	if r.place != "" {
		s += " on " + r.place
	}
	s += " [author: " + first(r.author, "unknown")
	if r.initials != "" {
		s += " (" + r.initials + ")"
	}
	if t := moment(r.when); t != "" {
		s += ", time: " + t
	}
	return s + "]: "
}

// moment is a time as ISO 8601 with milliseconds where it has any; what is no
// time is left out.
func moment(s string) string {
	m := regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$`).FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return ""
	}
	if strings.Trim(m[2], "0") == "" {
		return m[1] + m[3]
	}
	return m[1] + "." + (m[2] + "00")[:3] + m[3]
}

// threads reads the threaded comments of a sheet, in file order.
func threads(ctx context.Context, a *zipfile.Archive, sheet string) ([]remark, error) {
	links, err := relations(ctx, a, sheet)
	if err != nil {
		return nil, err
	}
	t := threadScan{}
	for _, r := range links {
		if r.kind != "threadedComment" || r.external {
			continue
		}
		if t.people == nil {
			if t.people, err = people(ctx, a); err != nil {
				return nil, err
			}
		}
		data, err := optional(a, r.target)
		if err != nil {
			return nil, err
		}
		if err := xmlscan.Walk(ctx, data, &t); err != nil && ctx.Err() != nil {
			return nil, err
		}
	}
	return t.said, nil
}

// people reads the names of those who commented, by id.
func people(ctx context.Context, a *zipfile.Archive) (personList, error) {
	found := personList{}
	for _, name := range a.Names() {
		if !strings.HasPrefix(name, "xl/persons/") {
			continue
		}
		data, err := optional(a, name)
		if err != nil {
			return nil, err
		}
		if err := xmlscan.Walk(ctx, data, found); err != nil && ctx.Err() != nil {
			return nil, err
		}
	}
	return found, nil
}

// personList gathers person elements: names by id.
type personList map[string]string

// Start implements [xmlscan.Handler].
func (p personList) Start(e element) {
	if e.Name.Local == "person" {
		p[xmlscan.Attr(e, "id")] = xmlscan.Attr(e, "displayName")
	}
}

// End implements [xmlscan.Handler].
func (personList) End(string) {}

// Text implements [xmlscan.Handler].
func (personList) Text([]byte) {}

// threadScan gathers threaded comments.
type threadScan struct {
	people personList
	said   []remark
	inText bool
}

// Start implements [xmlscan.Handler].
func (t *threadScan) Start(e element) {
	switch e.Name.Local {
	case "threadedComment":
		t.said = append(t.said, remark{place: xmlscan.Attr(e, "ref"), author: t.people[xmlscan.Attr(e, "personId")], when: xmlscan.Attr(e, "dT")})
	case "text":
		t.inText = len(t.said) > 0
	}
}

// End implements [xmlscan.Handler].
func (t *threadScan) End(name string) {
	if name == "text" {
		t.inText = false
	}
}

// Text implements [xmlscan.Handler].
func (t *threadScan) Text(data []byte) {
	if t.inText {
		t.said[len(t.said)-1].text += string(data)
	}
}
