package office

import "encoding/xml"

type element = xml.StartElement

// ignoreText is the part of a handler that looks at start tags only.
type ignoreText struct{}

// End implements [xmlscan.Handler].
func (ignoreText) End(string) {}

// Text implements [xmlscan.Handler].
func (ignoreText) Text([]byte) {}

// skipper ignores an element with everything in it.
type skipper struct{ depth int }

// start reports whether a start tag is to be ignored; begin says that it is
// the first one of what is to be skipped.
func (s *skipper) start(begin bool) bool {
	if s.depth > 0 || begin {
		s.depth++
	}
	return s.depth > 0
}

// end reports whether an end tag is to be ignored.
func (s *skipper) end() bool {
	if s.depth == 0 {
		return false
	}
	s.depth--
	return true
}

// active reports whether text is to be ignored.
func (s *skipper) active() bool { return s.depth > 0 }
