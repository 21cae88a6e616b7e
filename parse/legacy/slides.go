package legacy

import (
	"context"
	"slices"
	"strings"
	"unicode/utf16"

	"inlay/parse"
	"inlay/parse/internal/littleendian"
)

// read adds the slides of the document at an offset.
func (s *slideShow) read(ctx context.Context, at int, report parse.Progress) error {
	document, _, ok := recordAt(s.data, at)
	if !ok || document.kind != pptDocument {
		return s.scan(ctx)
	}
	s.notes = map[int]slideRef{}
	walk(document.data, 0, func(r pptRecord) bool {
		switch r.kind {
		case pptSlideList:
			s.list(r)
		case pptHeaders:
			s.footer(r.data)
		}
		return false
	})
	for i, ref := range s.slides {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.b.Open(parse.Section{Kind: parse.Slide, Number: i + 1})
		s.slide(ref)
		s.b.Close()
		if err := s.b.Err(); err != nil {
			return err
		}
		report.Tell(float64(i+1) / float64(len(s.slides)))
	}
	for _, text := range s.footers {
		s.b.Block(parse.Paragraph, "", text)
	}
	return s.b.Err()
}

// scan reads slides in the order of the file, where its list of them is damaged.
func (s *slideShow) scan(ctx context.Context) error {
	s.lost = true
	number := 0
	for at := 0; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, next, ok := recordAt(s.data, at)
		if !ok {
			return s.b.Err()
		}
		at = next
		if r.kind == pptSlide {
			number++
			s.b.Open(parse.Section{Kind: parse.Slide, Number: number})
			s.emit(s.texts(r.data, nil), false)
			s.b.Close()
		}
	}
}

// list reads the list of slides or of notes: for each its place and its outline.
func (s *slideShow) list(list pptRecord) {
	var refs []slideRef
	role := 0
	walk(list.data, 0, func(r pptRecord) bool {
		switch r.kind {
		case pptPersist:
			refs = append(refs, slideRef{place: int(littleendian.Uint32(r.data, 0)), id: int(littleendian.Uint32(r.data, 12))})
		case pptTextHead:
			role = int(littleendian.Uint32(r.data, 0))
		case pptTextChars, pptTextBytes:
			if n := len(refs); n > 0 {
				refs[n-1].texts = append(refs[n-1].texts, pptText{role, textOf(r)})
			}
		}
		return false
	})
	switch list.instance {
	case 0:
		s.slides = append(s.slides, refs...)
	case 2:
		for _, ref := range refs {
			s.notes[ref.id] = ref
		}
	}
}

// footer keeps what the slides' footers say.
func (s *slideShow) footer(data []byte) {
	walk(data, 0, func(r pptRecord) bool {
		if text := strings.TrimSpace(textOf(r)); r.kind == pptString && text != "" && !slices.Contains(s.footers, text) {
			s.footers = append(s.footers, text)
		}
		return false
	})
}

// slide adds a slide and its notes.
func (s *slideShow) slide(ref slideRef) {
	at, known := s.places[ref.place]
	r, _, ok := recordAt(s.data, at)
	if !known || !ok || r.kind != pptSlide {
		s.lost = true
		s.emit(ref.texts, false)
		return
	}
	s.emit(s.texts(r.data, ref.texts), false)
	notes := 0
	walk(r.data, 0, func(r pptRecord) bool {
		if r.kind == pptSlideAtom {
			notes = int(littleendian.Uint32(r.data, 16))
		}
		return false
	})
	note, has := s.notes[notes]
	if !has || notes == 0 {
		return
	}
	page, _, ok := recordAt(s.data, s.places[note.place])
	if ok && page.kind == pptNotes {
		s.emit(s.texts(page.data, note.texts), true)
	}
}

// texts gathers what the shapes of a slide say, titles first. A shape of the outline
// has its text there; what no shape refers to comes last.
func (s *slideShow) texts(data []byte, outline []pptText) []pptText {
	var found []pptText
	used := map[int]bool{}
	role := 0
	walk(data, 0, func(r pptRecord) bool {
		switch r.kind {
		case pptTextHead:
			role = int(littleendian.Uint32(r.data, 0))
		case pptTextChars, pptTextBytes:
			found = append(found, pptText{role, textOf(r)})
		case pptOutlineRef:
			if i := int(littleendian.Uint32(r.data, 0)); i < len(outline) && !used[i] {
				used[i] = true
				found = append(found, outline[i])
			}
		}
		return r.kind == pptDrawing || r.kind >= 0xF000
	})
	for i, t := range outline {
		if !used[i] {
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, func(a, b pptText) int { return rank(a) - rank(b) })
	return found
}

func rank(t pptText) int {
	if t.role == 0 || t.role == 6 {
		return 0
	}
	return 1
}

// emit adds texts: titles as headings, paragraphs of bodies as lists. Fields that
// PowerPoint fills in, such as the page number "*", are left out.
func (s *slideShow) emit(texts []pptText, notes bool) {
	label := ""
	if notes {
		label = "notes"
	}
	for _, t := range texts {
		text := strings.TrimSpace(t.text)
		if text == "" || text == "*" {
			continue
		}
		if rank(t) == 0 && !notes {
			s.b.Heading(1, strings.ReplaceAll(text, "\n", " "))
			continue
		}
		s.b.Block(parse.Paragraph, label, text)
	}
}

// textOf is the text of a record: UTF-16, or the low bytes of it.
func textOf(r pptRecord) string {
	var units []uint16
	if r.kind == pptTextBytes {
		for _, b := range r.data {
			units = append(units, uint16(b))
		}
	} else {
		for at := 0; at+2 <= len(r.data); at += 2 {
			units = append(units, uint16(littleendian.Uint16(r.data, at))) //nolint:gosec // two bytes
		}
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r' || r == 0x0B:
			return '\n'
		case r < ' ' && r != '\t':
			return -1
		}
		return r
	}, string(utf16.Decode(units)))
}
