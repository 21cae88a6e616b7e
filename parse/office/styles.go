package office

import (
	"context"
	"strconv"
	"strings"

	"inlay/internal/xmlscan"
	"inlay/parse/zipfile"
)

// style is what a paragraph style says about structure.
type style struct {
	heading int // 1..6, 0 for running text
	num     listRef
	base    string
}

// readStyles reads the paragraph styles of a Word file, each with what it
// inherits.
func readStyles(ctx context.Context, a *zipfile.Archive, entry string) (map[string]style, error) {
	s := styleScan{styles: map[string]style{}}
	data, err := optional(a, entry)
	if err != nil {
		return nil, err
	}
	if err := xmlscan.Walk(ctx, data, &s); err != nil && ctx.Err() != nil {
		return nil, err
	}
	resolved := make(map[string]style, len(s.styles))
	for id, st := range s.styles {
		resolved[id] = s.resolve(st)
	}
	return resolved, nil
}

type styleScan struct {
	ignoreText
	styles  map[string]style
	current string
}

// Start implements [xmlscan.Handler].
func (s *styleScan) Start(e element) {
	if e.Name.Local == "style" {
		s.current = xmlscan.Attr(e, "styleId")
		s.styles[s.current] = style{}
		return
	}
	st, ok := s.styles[s.current]
	if !ok {
		return
	}
	value := xmlscan.Attr(e, "val")
	switch e.Name.Local {
	case "name":
		st.heading = headingLevel(value)
	case "basedOn":
		st.base = value
	case "outlineLvl":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < 9 && st.heading == 0 {
			st.heading = min(n+1, 6)
		}
	case "numId":
		st.num.id = value
	case "ilvl":
		st.num.level, _ = strconv.Atoi(value)
	}
	s.styles[s.current] = st
}

// headingLevel reads the built-in style names, which are English in every file.
func headingLevel(name string) int {
	name = strings.ToLower(name)
	if name == "title" {
		return 1
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "heading ")); err == nil && strings.HasPrefix(name, "heading ") && n > 0 {
		return min(n, 6)
	}
	return 0
}

// resolve follows the chain of base styles, which may run in a circle.
func (s *styleScan) resolve(st style) style {
	for base, hops := st.base, 0; base != "" && hops < 20; hops++ {
		up, ok := s.styles[base]
		if !ok {
			break
		}
		if st.heading == 0 {
			st.heading = up.heading
		}
		if st.num.id == "" {
			st.num = up.num
		}
		base = up.base
	}
	return st
}
