package injection

import (
	"fmt"
	"strconv"
	"strings"

	"inlay/chat"
)

// Where says where in its file a citation stands: "page 3, lines 10-14".
func Where(c chat.Citation) string {
	var parts []string
	if c.Page > 0 {
		parts = append(parts, "page "+strconv.Itoa(c.Page))
	}
	if c.Slide > 0 {
		parts = append(parts, "slide "+strconv.Itoa(c.Slide))
	}
	if c.Sheet != "" {
		parts = append(parts, "sheet "+strconv.Quote(c.Sheet))
	}
	switch {
	case c.LineStart <= 0:
	case c.LineEnd > c.LineStart:
		parts = append(parts, fmt.Sprintf("lines %d-%d", c.LineStart, c.LineEnd))
	default:
		parts = append(parts, "line "+strconv.Itoa(c.LineStart))
	}
	return strings.Join(parts, ", ")
}

// Cite is a citation's marker, file and place on one line: "[1] a.pdf, page 3".
func Cite(c chat.Citation) string {
	line := fmt.Sprintf("[%d] %s", c.Number, inLibrary(c.Library, c.File))
	if where := Where(c); where != "" {
		line += ", " + where
	}
	return line
}
