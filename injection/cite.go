package injection

import (
	"fmt"
	"strconv"
	"strings"

	"inlay/chat"
)

// Where says where in its file a citation is: "page 3, lines 10-14", "pages 9-10,
// lines 400-431", "sheet "Orders", rows 1236-1240", "time 0:01:02-0:01:05". Rows
// and times replace lines, which are those of the extracted text.
func Where(c chat.Citation) string {
	var parts []string
	if c.Part != "" {
		parts = append(parts, "in "+strconv.Quote(c.Part))
	}
	if c.Page > 0 {
		parts = append(parts, numbers("page", c.Page, c.PageEnd))
	}
	if c.Slide > 0 {
		parts = append(parts, numbers("slide", c.Slide, c.SlideEnd))
	}
	if c.Sheet != "" {
		parts = append(parts, "sheet "+strconv.Quote(c.Sheet))
	}
	switch {
	case c.RowStart > 0:
		parts = append(parts, numbers("row", c.RowStart, c.RowEnd))
	case c.TimeStart != "":
		parts = append(parts, "time "+c.TimeStart+"-"+c.TimeEnd)
	case c.LineStart > 0:
		parts = append(parts, numbers("line", c.LineStart, c.LineEnd))
	}
	return strings.Join(parts, ", ")
}

// numbers is "page 9" or "pages 9-10".
func numbers(noun string, first, last int) string {
	if last <= first {
		return noun + " " + strconv.Itoa(first)
	}
	return fmt.Sprintf("%ss %d-%d", noun, first, last)
}

// Cite is a citation's marker, file and place on one line: "[1] a.pdf, page 3".
func Cite(c chat.Citation) string {
	line := fmt.Sprintf("[%d] %s", c.Number, inLibrary(c.Library, c.File))
	if where := Where(c); where != "" {
		line += ", " + where
	}
	return line
}
