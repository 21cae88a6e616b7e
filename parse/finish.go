package parse

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"inlay/fault"
)

// The codes of warnings.
const (
	WarnTypeMismatch = "type_mismatch"   // the name says another format than the bytes
	WarnScannedPages = "scanned_pages"   // pages that are images
	WarnFailedPages  = "failed_pages"    // pages that could not be read
	WarnRepairedUTF8 = "repaired_utf8"   // bytes that stood for no character were replaced
	WarnDamaged      = "damaged"         // only a part could be read
	WarnLeftOut      = "left_out"        // a part was left out on purpose
	WarnPartial      = "partial"         // reading was ended from outside before the last page
	WarnRepeated     = "repeated_lines"  // headers and footers that repeat on pages, which passages leave out
	WarnNoOutline    = "outline_skipped" // too large or too deep to look for headings and blocks
)

// finish fills in what every document carries and checks what every document promises.
func finish(d *Document, f File, info Info, detected Detection) error {
	d.FileID, d.Name, d.Path = FileID(f.Data), f.Name, f.Path
	d.Parser = info.Name + "/" + info.Version
	if d.Library == "" {
		d.Library = info.Library
	}
	if d.MediaType == "" {
		d.MediaType = mediaType(info, detected)
	}
	repair(d)
	if d.Partial { // what is derived from it must not be taken for the whole
		d.Parser += "/" + FileID([]byte(d.Text))
	}
	SortSections(d.Sections)
	for _, s := range d.Sections {
		if !inside(d.Text, s) {
			return &fault.Error{Code: fault.Internal, Reason: fmt.Sprintf("parser %s marked a %s at %d-%d of %d bytes", info.Name, s.Kind, s.Start, s.End, len(d.Text)), Next: "report this as a defect"}
		}
	}
	cover(d)
	if strings.TrimSpace(d.Text) == "" {
		return noText(*d)
	}
	return nil
}

// mediaType is the detected one where the parser claims it, else the parser's first.
func mediaType(info Info, detected Detection) string {
	for _, t := range info.MediaTypes {
		if t == detected.MediaType {
			return t
		}
	}
	if len(info.MediaTypes) > 0 {
		return info.MediaTypes[0]
	}
	return detected.MediaType
}

func inside(text string, s Section) bool {
	return s.Start >= 0 && s.Start <= s.End && s.End <= len(text) && boundary(text, s.Start) && boundary(text, s.End)
}

func boundary(text string, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }

// cover completes the coverage report from the sections and warns of pages
// that gave no text.
func cover(d *Document) {
	c := &d.Coverage
	c.Characters = utf8.RuneCountInString(d.Text)
	if c.PerPage == nil {
		countPages(d)
	}
	if len(c.Scanned) > 0 && !warned(d, WarnScannedPages) {
		d.Warnings = append(d.Warnings, Warning{WarnScannedPages, fmt.Sprintf("%s %s scanned: no text; run OCR", ranges("page", c.Scanned), looks(c.Scanned))})
	}
	if len(c.Failed) > 0 && !warned(d, WarnFailedPages) {
		d.Warnings = append(d.Warnings, Warning{WarnFailedPages, ranges("page", c.Failed) + " could not be read"})
	}
}

func countPages(d *Document) {
	c := &d.Coverage
	for _, s := range d.Sections {
		if s.Kind != Page && s.Kind != Slide {
			continue
		}
		c.PerPage = append(c.PerPage, utf8.RuneCountInString(d.Text[s.Start:s.End]))
		switch s.Status {
		case Scanned:
			c.Scanned = append(c.Scanned, s.Number)
		case Empty:
			c.Empty = append(c.Empty, s.Number)
		case Failed:
			c.Failed = append(c.Failed, s.Number)
		case Read:
		}
	}
	c.Pages = max(c.Pages, len(c.PerPage))
}

func warned(d *Document, code string) bool {
	for _, w := range d.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

func looks(pages []int) string {
	if len(pages) == 1 {
		return "looks"
	}
	return "look"
}

// ranges lists ascending numbers as "page 4" or "pages 3-7, 9".
func ranges(noun string, numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := fmt.Sprint(numbers[i])
		if j > i {
			part += "-" + fmt.Sprint(numbers[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	if len(numbers) != 1 {
		noun += "s"
	}
	return noun + " " + strings.Join(parts, ", ")
}

// noText is the error for a document without any text.
func noText(d Document) error {
	e := &fault.Error{Code: fault.NoTextLayer, Reason: "there is no text in it", Next: "check that it is the right file"}
	if len(d.Coverage.Scanned) > 0 {
		e.Reason = fmt.Sprintf("%s %s scanned: there is no text in it", ranges("page", d.Coverage.Scanned), looks(d.Coverage.Scanned))
		e.Next = "run OCR on it and attach the result"
	}
	return e
}

// repair replaces bytes that are no UTF-8 by U+FFFD and moves the sections with
// them, so that everything later can rely on valid text.
func repair(d *Document) {
	if utf8.ValidString(d.Text) {
		return
	}
	var b strings.Builder
	moved := make([]int, len(d.Text)+1)
	bad := 0
	for i := 0; i < len(d.Text); {
		r, n := utf8.DecodeRuneInString(d.Text[i:])
		for k := range n {
			moved[i+k] = b.Len()
		}
		if r == utf8.RuneError && n == 1 {
			bad++
		}
		b.WriteRune(r)
		i += n
	}
	moved[len(d.Text)] = b.Len()
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Start >= 0 && s.Start <= s.End && s.End < len(moved) {
			s.Start, s.End = moved[s.Start], moved[s.End]
		}
	}
	d.Text = b.String()
	d.Warnings = append(d.Warnings, Warning{WarnRepairedUTF8, fmt.Sprintf("%d bytes stood for no character and were replaced", bad)})
}
