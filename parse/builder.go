package parse

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"inlay/fault"
	"inlay/internal/mdtable"
	"inlay/parse/internal/advice"
)

// Builder puts a document together: text goes in block by block, and each block
// becomes a section with the offsets it really has. Blocks are separated by one
// blank line. The zero Builder has no limit.
//
// After the text has outgrown Limit, the builder takes no more and Err says so.
type Builder struct {
	Limit int // most bytes of text; 0 means no limit

	text     strings.Builder
	sections []Section
	headings []int // indexes of open headings, outermost first
	groups   []int // indexes of open pages, sheets, slides and parts
	err      error
}

// Len returns how many bytes of text there are so far.
func (b *Builder) Len() int { return b.text.Len() }

// Err returns fault.LimitExceeded once the text has outgrown Limit.
func (b *Builder) Err() error { return b.err }

// Groups returns how many pages, slides, sheets and parts are open.
func (b *Builder) Groups() int { return len(b.groups) }

// Block adds a block of text as a section of the given kind. Surrounding line
// breaks are dropped; a blank block adds nothing.
func (b *Builder) Block(kind Kind, label, text string) {
	text = strings.Trim(text, "\r\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	b.part(len(text))
	if b.err != nil {
		return
	}
	start := b.text.Len()
	b.text.WriteString(text)
	b.sections = append(b.sections, Section{Kind: kind, Label: label, Start: start, End: b.text.Len()})
}

// Table adds rows as a Markdown table; see [mdtable.Render]. Its size is checked
// against the limit before it is rendered.
func (b *Builder) Table(label string, rows [][]string) {
	total := 0
	for _, row := range rows {
		for _, cell := range row {
			total += len(cell) + len(" |")
		}
	}
	if b.Limit > 0 && total > b.Limit {
		b.exceed()
		return
	}
	b.Block(Table, label, mdtable.Render(rows))
}

// Heading adds a Markdown heading. Its section runs to the next heading of its
// level or above, or to the end of the group it is in.
func (b *Builder) Heading(level int, title string) {
	title = strings.Join(strings.Fields(title), " ")
	if title == "" {
		return
	}
	level = min(max(level, 1), 6)
	line := strings.Repeat("#", level) + " " + title
	b.part(len(line))
	if b.err != nil {
		return
	}
	b.closeHeadings(level)
	b.headings = append(b.headings, len(b.sections))
	b.sections = append(b.sections, Section{Kind: Heading, Label: title, Level: level, Start: b.text.Len(), End: -1})
	b.text.WriteString(line)
}

// Markdown adds text that is Markdown already, with the sections found in it;
// their offsets count from the text's start. Headings among them close at the
// text's end.
func (b *Builder) Markdown(text string, sections []Section) { b.markdown(text, sections) }

// Member is Markdown for the text of a file in an open part: its lines are
// counted by themselves.
func (b *Builder) Member(text string, sections []Section) {
	if base, ok := b.markdown(text, sections); ok {
		b.sections[b.groups[len(b.groups)-1]].Own = base
	}
}

func (b *Builder) markdown(text string, sections []Section) (base int, ok bool) {
	if strings.TrimSpace(text) == "" {
		return 0, false
	}
	b.part(len(text))
	if b.err != nil {
		return 0, false
	}
	base = b.text.Len()
	b.text.WriteString(text)
	for _, s := range sections {
		s.Start += base
		s.End += base
		if s.Own > 0 {
			s.Own += base
		}
		b.sections = append(b.sections, s)
	}
	return base, true
}

// Open begins a page, slide, sheet or part; Close ends the innermost one.
func (b *Builder) Open(s Section) {
	b.part(0)
	b.closeHeadings(0)
	s.Start, s.End = b.text.Len(), -1
	b.groups = append(b.groups, len(b.sections))
	b.sections = append(b.sections, s)
}

// Close ends the innermost open group and the headings in it. A page or slide
// without text becomes Empty if it has no status yet, any other one Read.
func (b *Builder) Close() {
	b.closeHeadings(0)
	last := len(b.groups) - 1
	s := &b.sections[b.groups[last]]
	b.groups = b.groups[:last]
	s.End = b.text.Len()
	if s.Status != "" || s.Kind != Page && s.Kind != Slide {
		return
	}
	s.Status = Read
	if s.Start == s.End {
		s.Status = Empty
	}
}

// part puts the blank line between blocks and checks the limit for what follows.
func (b *Builder) part(more int) {
	gap := ""
	if b.text.Len() > 0 && !strings.HasSuffix(b.text.String(), "\n\n") {
		gap = "\n\n"
	}
	if b.err == nil && b.Limit > 0 && b.text.Len()+len(gap)+more > b.Limit {
		b.exceed()
	}
	if b.err == nil {
		b.text.WriteString(gap)
	}
}

// exceed notes that the text has outgrown its limit.
func (b *Builder) exceed() {
	if b.err == nil {
		b.err = &fault.Error{Code: fault.LimitExceeded, Reason: "its text is longer than the limit of " + size(int64(b.Limit)), Next: advice.Raise("text", fmt.Sprintf("%dMiB", max(2*b.Limit>>20, 1)))}
	}
}

// closeHeadings ends the open headings of that level and below it; 0 ends all.
func (b *Builder) closeHeadings(level int) {
	for n := len(b.headings); n > 0; n-- {
		s := &b.sections[b.headings[n-1]]
		if s.Level < level {
			return
		}
		s.End = b.end()
		b.headings = b.headings[:n-1]
	}
}

// end is where the last block ended: before the blank line that parts it.
func (b *Builder) end() int { return len(strings.TrimRight(b.text.String(), "\n")) }

// Document closes what is open and returns text and sections in order.
func (b *Builder) Document() (Document, error) {
	for len(b.groups) > 0 {
		b.Close()
	}
	b.closeHeadings(0)
	if b.err != nil {
		return Document{}, b.err
	}
	text := strings.TrimRight(b.text.String(), "\n")
	for i := range b.sections {
		s := &b.sections[i]
		s.Start, s.End = min(s.Start, len(text)), min(s.End, len(text))
	}
	SortSections(b.sections)
	return Document{Text: text, Sections: b.sections}, nil
}

// SortSections orders sections by start, the longer before the shorter, as
// [Document] wants them; what is equal keeps its order.
func SortSections(sections []Section) {
	slices.SortStableFunc(sections, func(a, b Section) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
}
