package legacy

import (
	"context"

	"inlay/parse"
	"inlay/parse/internal/littleendian"
)

// PowerPoint reads presentations of PowerPoint 97 to 2003: slides in their order
// with titles, text, notes, and the footer once.
func PowerPoint(limits parse.Limits) parse.Parser { return pptParser{limits.WithDefaults()} }

type pptParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p pptParser) Info() parse.Info {
	return parse.Info{
		Name: "ppt", Version: "1", Library: library,
		MediaTypes: []string{"application/vnd.ms-powerpoint"}, Extensions: []string{".ppt", ".pps", ".pot"},
	}
}

// Parse implements [parse.Parser].
func (p pptParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	ole, err := open(f, p.limits)
	if err != nil {
		return parse.Document{}, err
	}
	data, whole := ole.Read("PowerPoint Document")
	user, _ := ole.Read("Current User")
	if int(littleendian.Uint32(user, 12)) == lockedToken || ole.Has("EncryptedSummary") {
		return parse.Document{}, locked()
	}
	if len(data) < headSize {
		return parse.Document{}, corrupt("its slides are missing or damaged")
	}
	s := &slideShow{data: data, b: &parse.Builder{Limit: p.limits.Text}, places: map[int]int{}}
	document := s.findDocument(int(littleendian.Uint32(user, 16)))
	if s.locked {
		return parse.Document{}, locked()
	}
	if err := s.read(ctx, document, report); err != nil {
		return parse.Document{}, err
	}
	d, err := s.b.Document()
	if !whole || s.lost {
		d.Warnings = append(d.Warnings, damaged("the file is damaged or cut short: only a part of it was read"))
	}
	return d, err
}

// Records of a presentation that matter for its text.
const (
	pptDocument   = 0x03E8
	pptSlide      = 0x03EE
	pptSlideAtom  = 0x03EF
	pptNotes      = 0x03F0
	pptPersist    = 0x03F3
	pptDrawing    = 0x040C
	pptOutlineRef = 0x0F9E
	pptTextHead   = 0x0F9F
	pptTextChars  = 0x0FA0
	pptTextBytes  = 0x0FA8
	pptString     = 0x0FBA
	pptHeaders    = 0x0FD9
	pptSlideList  = 0x0FF0
	pptEdit       = 0x0FF5
	pptDirectory  = 0x1772
	pptTextBox    = 0xF00D
)

// lockedToken is what the stream "Current User" of an encrypted presentation says.
const lockedToken = 0xF3D1C4DF

// headSize is the length of a record's head.
const headSize = 8

// pptRecord is one record of a presentation.
type pptRecord struct {
	kind, instance int
	container      bool
	data           []byte
}

// recordAt reads the record at an offset, and where the next one begins. ok is false
// at the end of the data.
func recordAt(data []byte, at int) (r pptRecord, next int, ok bool) {
	if at < 0 || at+headSize > len(data) {
		return r, at, false
	}
	head := littleendian.Uint16(data, at)
	r = pptRecord{kind: littleendian.Uint16(data, at+2), instance: head >> 4}
	r.container = head&0xF == 0xF || r.kind == pptTextBox // a container, whatever its head says
	r.data = cut(data, at+headSize, int(littleendian.Uint32(data, at+4)))
	return r, at + headSize + len(r.data), true
}

// maxRecordDepth bounds containers in containers.
const maxRecordDepth = 64

// walk calls f with the records of data, and with those in containers that f wants
// to be opened.
func walk(data []byte, depth int, f func(r pptRecord) (open bool)) {
	for at := 0; ; {
		r, next, ok := recordAt(data, at)
		if !ok {
			return
		}
		at = next
		if f(r) && r.container && depth < maxRecordDepth {
			walk(r.data, depth+1, f)
		}
	}
}

// pptText is a text of a slide with its role.
type pptText struct {
	role int // as the record before it says: 0 and 6 are titles
	text string
}

// slideRef is a slide or page of notes as the document's list has it.
type slideRef struct {
	place int // number of its place
	id    int
	texts []pptText
}

// slideShow is a presentation being read.
type slideShow struct {
	data    []byte
	b       *parse.Builder
	places  map[int]int // offset by number
	locked  bool
	lost    bool // a slide was not where it should be
	slides  []slideRef
	notes   map[int]slideRef // by id
	footers []string
}

// findDocument follows the edits of a file from the last one back, and returns the
// offset of its document. Where they are damaged, the first document counts.
func (s *slideShow) findDocument(edit int) int {
	document := -1
	for range 10_000 {
		r, _, ok := recordAt(s.data, edit)
		if !ok || r.kind != pptEdit {
			break
		}
		s.locked = s.locked || len(r.data) >= 32
		if document < 0 {
			document = int(littleendian.Uint32(r.data, 16))
		}
		s.directory(int(littleendian.Uint32(r.data, 12)))
		back := int(littleendian.Uint32(r.data, 8))
		if back == 0 || back >= edit {
			break
		}
		edit = back
	}
	if at, ok := s.places[document]; ok {
		return at
	}
	for at := 0; ; {
		r, next, ok := recordAt(s.data, at)
		if !ok {
			return -1
		}
		if r.kind == pptDocument {
			return at
		}
		at = next
	}
}

// directory reads where slides are. What a later edit said holds.
func (s *slideShow) directory(at int) {
	r, _, ok := recordAt(s.data, at)
	if !ok || r.kind != pptDirectory {
		return
	}
	for i := 0; i+4 <= len(r.data); {
		entry := int(littleendian.Uint32(r.data, i))
		i += 4
		for n := range entry >> 20 {
			if i+4 > len(r.data) {
				return
			}
			number := entry&0xFFFFF + n
			if _, known := s.places[number]; !known {
				s.places[number] = int(littleendian.Uint32(r.data, i))
			}
			i += 4
		}
	}
}
