package pdf

import (
	"bytes"
	"strconv"
)

// header holds the few entries of a dictionary that the scan needs. Everything
// else is read later, through the object reader.
type header struct {
	Type    string
	Length  int // 0 when absent or indirect
	N       int // object streams: how many objects
	First   int // object streams: where the first one begins
	Filters []string
	Columns int // of the predictor
	Predict int
	Root    reference
	Encrypt string // as written: a reference, or a dictionary
	ID      []byte // the first of the two strings
	stream  bool
}

// maxHeader bounds how far a dictionary is followed, in tokens.
const maxHeader = 4096

// readHeader reads the dictionary at pos, if one is there, and returns the
// position after it; after the keyword stream and its line end if it is one.
func readHeader(data []byte, pos int) (h header, after int) {
	l := &lexer{src: data, pos: pos}
	if l.next().kind != dictOpen {
		return h, pos
	}
	for range maxHeader {
		t := l.next()
		switch t.kind {
		case end:
			return h, l.pos
		case dictShut:
			h.stream, l.pos = streamStart(l)
			return h, l.pos
		case name:
			h.entry(l, string(t.data))
		case keyword:
			if structural(t) {
				return h, l.pos - len(t.data)
			}
		default:
		}
	}
	return h, l.pos
}

// structural reports whether t is a keyword that cannot be inside an object:
// where one does, the object was never closed.
func structural(t token) bool {
	switch string(t.data) {
	case "obj", "endobj", "stream", "endstream", "xref", "trailer", "startxref":
		return t.kind == keyword
	}
	return false
}

// streamStart looks for the keyword stream and returns where its data begins;
// without the keyword, the position stays.
func streamStart(l *lexer) (stream bool, pos int) {
	pos = l.pos
	l.skipSpace()
	if !bytes.HasPrefix(l.src[l.pos:], []byte("stream")) {
		return false, pos
	}
	pos = l.pos + len("stream")
	for pos < len(l.src) && (l.src[pos] == ' ' || l.src[pos] == '\t') {
		pos++
	}
	if pos < len(l.src) && l.src[pos] == '\r' {
		pos++
	}
	if pos < len(l.src) && l.src[pos] == '\n' {
		pos++
	}
	return true, pos
}

// entry reads the value of key.
func (h *header) entry(l *lexer, key string) {
	start := l.pos
	first := l.next()
	switch key {
	case "Type":
		h.Type = string(first.data)
	case "Length":
		h.Length = directInt(l, first)
	case "N":
		h.N = directInt(l, first)
	case "First":
		h.First = directInt(l, first)
	case "Filter":
		h.Filters = names(l, first)
		return
	case "DecodeParms":
		h.predictor(l, first)
		return
	case "Root":
		h.Root, _ = readReference(l, first)
		return
	case "Encrypt":
		h.Encrypt = rawValue(l, first, start)
		return
	case "ID":
		h.ID = idString(l, first)
	}
	skipValue(l, first)
}

// directInt returns a direct integer, 0 for a reference.
func directInt(l *lexer, t token) int {
	save := l.pos
	_, isRef := readReference(l, t)
	l.pos = save
	if isRef || t.kind != number || t.num < 0 || t.num > 1<<40 {
		return 0
	}
	return int(t.num)
}

// names reads one name or an array of names.
func names(l *lexer, t token) []string {
	if t.kind == name {
		return []string{string(t.data)}
	}
	var out []string
	for t.kind == open && len(out) < 16 {
		e := l.next()
		if e.kind != name {
			break
		}
		out = append(out, string(e.data))
	}
	return out
}

// predictor reads /Predictor and /Columns of the decode parameters.
func (h *header) predictor(l *lexer, t token) {
	if t.kind == open {
		t = l.next()
	}
	if t.kind != dictOpen {
		skipValue(l, t)
		return
	}
	for range maxHeader {
		key := l.next()
		if key.kind != name {
			return
		}
		v := l.next()
		switch string(key.data) {
		case "Predictor":
			h.Predict = directInt(l, v)
		case "Columns":
			h.Columns = directInt(l, v)
		}
		skipValue(l, v)
	}
}

// readReference reads "id gen R" whose first token is t. If it is none the
// position stays.
func readReference(l *lexer, t token) (reference, bool) {
	save := l.pos
	gen := l.next()
	r := l.next()
	if t.kind != number || gen.kind != number || !r.is("R") {
		l.pos = save
		return reference{}, false
	}
	return reference{int(t.num), int(gen.num)}, true
}

// skipValue moves past the value whose first token is t.
func skipValue(l *lexer, t token) {
	switch t.kind {
	case number:
		readReference(l, t)
	case open, dictOpen:
		for depth := 1; depth > 0; {
			next := l.next()
			switch next.kind {
			case open, dictOpen:
				depth++
			case shut, dictShut:
				depth--
			case end:
				return
			case keyword:
				if structural(next) {
					l.pos -= len(next.data)
					return
				}
			default:
			}
		}
	default:
	}
}

// idString returns the first string of an array.
func idString(l *lexer, t token) []byte {
	save := l.pos
	first := l.next()
	l.pos = save
	if t.kind != open || first.kind != text {
		return nil
	}
	return first.data
}

// rawValue returns the bytes of the value that begins at start.
func rawValue(l *lexer, t token, start int) string {
	skipValue(l, t)
	return string(bytes.TrimSpace(l.src[start:l.pos]))
}

// writeObject writes a plain indirect object.
func writeObject(b *bytes.Buffer, id int, body []byte) {
	b.WriteString(strconv.Itoa(id))
	b.WriteString(" 0 obj\n")
	b.Write(body)
	b.WriteString("\nendobj\n")
}
