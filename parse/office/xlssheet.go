package office

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf16"

	"inlay/fault"
	"inlay/parse/internal/littleendian"
)

func itoa(n int) string { return strconv.Itoa(n) }

// segments are the parts of a continued record. Strings may go on in the next part,
// which then begins with their flags.
type segments struct {
	parts [][]byte
	part  int
	at    int
}

// take returns the next n bytes as far as there are any, over the ends of parts.
func (s *segments) take(n int) []byte {
	var out []byte
	for n > 0 && s.part < len(s.parts) {
		rest := s.parts[s.part][s.at:]
		if len(rest) == 0 {
			s.part, s.at = s.part+1, 0
			continue
		}
		m := min(n, len(rest))
		out = append(out, rest[:m]...)
		s.at += m
		n -= m
	}
	return out
}

// done reports whether all was read.
func (s *segments) done() bool {
	for s.part < len(s.parts) && s.at >= len(s.parts[s.part]) {
		s.part, s.at = s.part+1, 0
	}
	return s.part >= len(s.parts)
}

// skip passes n bytes.
func (s *segments) skip(n int) {
	for n > 0 && !s.done() {
		m := min(n, len(s.parts[s.part])-s.at)
		s.at += m
		n -= m
	}
}

// Flags of strings.
const (
	stringWide    = 1
	stringForeign = 4
	stringRich    = 8
)

// text reads the flags and characters of a string of n characters, and passes what
// is said of their fonts.
func (s *segments) text(n int) string {
	head := s.take(1)
	if len(head) == 0 {
		return ""
	}
	flags := head[0]
	fonts, foreign := 0, 0
	if flags&stringRich != 0 {
		fonts = littleendian.Uint16(s.take(2), 0)
	}
	if flags&stringForeign != 0 {
		foreign = int(littleendian.Uint32(s.take(4), 0))
	}
	units := s.units(n, flags&stringWide != 0)
	s.skip(4*fonts + foreign)
	return string(utf16.Decode(units))
}

// units reads n characters of one or two bytes.
func (s *segments) units(n int, wide bool) []uint16 {
	var units []uint16
	for n > 0 && !s.done() {
		if s.at == 0 && s.part > 0 { // the string goes on here
			wide = s.parts[s.part][0]&stringWide != 0
			s.at++
		}
		rest := s.parts[s.part][s.at:]
		if wide {
			m := min(n, len(rest)/2)
			for i := range m {
				units = append(units, uint16(littleendian.Uint16(rest, 2*i))) //nolint:gosec // two bytes
			}
			s.at += 2 * m
			n -= m
			if m == 0 { // half a character
				s.at = len(s.parts[s.part])
			}
			continue
		}
		m := min(n, len(rest))
		for _, b := range rest[:m] {
			units = append(units, uint16(b))
		}
		s.at += m
		n -= m
	}
	return units
}

// sharedStrings reads the strings that cells refer to.
func (x *xls) sharedStrings(ctx context.Context, r record) error {
	s := segments{parts: r.parts}
	s.skip(8)
	size := 0
	for !s.done() {
		if len(x.k.strings)%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		text := s.text(littleendian.Uint16(s.take(2), 0))
		if size += len(text); size > x.k.limits.Text || len(x.k.strings) >= x.k.limits.Cells {
			return tooManyCells(x.k.limits.Cells)
		}
		x.k.strings = append(x.k.strings, text)
	}
	return nil
}

// sheet reads the cells of a sheet and adds it to the document.
func (x *xls) sheet(ctx context.Context, number int, where xlsSheet) error {
	s := &binarySheet{name: where.name}
	if where.at > 0 && littleendian.Uint16(x.data, where.at) == recBegin {
		var formula [3]int // row, column, style of a formula whose text follows
		err := x.records(ctx, where.at, func(r record) error {
			switch r.kind {
			case recPassword:
				return &fault.Error{Code: fault.PasswordRequired, Reason: "a sheet is locked by a password", Next: "remove the password in Excel and attach it again"}
			case recFormula:
				formula = [3]int{littleendian.Uint16(r.data, 0), littleendian.Uint16(r.data, 2), littleendian.Uint16(r.data, 4)}
			case recString:
				text := x.text(r.data, 0, 2)
				if x.unicode {
					text = (&segments{parts: continued(r, 2)}).text(littleendian.Uint16(r.data, 0))
				}
				return x.k.set(s, formula[0], formula[1], clean(text))
			}
			return x.cell(s, r)
		})
		if err != nil {
			return err
		}
	}
	return x.k.emit(number, s)
}

// continued are the parts of a record after its first n bytes.
func continued(r record, n int) [][]byte {
	return append([][]byte{r.data[min(n, len(r.data)):]}, r.parts[1:]...)
}

// clean drops control characters that cells hold but do not show.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

// cell takes one record of a sheet.
func (x *xls) cell(s *binarySheet, r record) error {
	row, column, style := littleendian.Uint16(r.data, 0), littleendian.Uint16(r.data, 2), littleendian.Uint16(r.data, 4)
	put := func(text string) error { return x.k.set(s, row, column, clean(text)) }
	switch r.kind {
	case recNumber:
		return put(x.k.number(littleendian.Float64(r.data, 6), style))
	case recRK:
		return put(x.k.number(rk(littleendian.Uint32(r.data, 6)), style))
	case recMulRK:
		for at := 4; at+6 <= len(r.data)-2; at += 6 {
			if err := x.k.set(s, row, column, x.k.number(rk(littleendian.Uint32(r.data, at+2)), littleendian.Uint16(r.data, at))); err != nil {
				return err
			}
			column++
		}
	case recShared:
		return put(x.k.shared(int(littleendian.Uint32(r.data, 6))))
	case recLabel, recRichString:
		return put(x.text(r.data, 6, 2))
	case recFormula:
		return put(x.result(r.data, style))
	case recBoolError:
		return put(boolOrError(r.data, 6))
	case recMerged:
		for i := range min(littleendian.Uint16(r.data, 0), (len(r.data)-2)/8) {
			at := 2 + 8*i
			s.ranges = append(s.ranges, merged{
				top: littleendian.Uint16(r.data, at) + 1, bottom: littleendian.Uint16(r.data, at+2) + 1,
				left: littleendian.Uint16(r.data, at+4) + 1, right: littleendian.Uint16(r.data, at+6) + 1,
			})
		}
	case recTextBox:
		if text := x.box(r); text != "" {
			s.boxes = append(s.boxes, text)
		}
	case recHeader, recFooter:
		if text := x.pageLine(r.data); text != "" {
			s.boxes = append(s.boxes, text)
		}
	case recNote:
		if !x.unicode {
			s.boxes = append(s.boxes, x.text(r.data, 4, 2))
		}
	}
	return nil
}

func boolOrError(data []byte, at int) string {
	switch {
	case at+2 > len(data):
		return ""
	case data[at+1] != 0:
		return cellError(data[at])
	}
	return cellBool(data[at])
}

// result is what a formula last gave. A text follows in a record of its own.
func (x *xls) result(data []byte, style int) string {
	if littleendian.Uint16(data, 12) != 0xFFFF {
		return x.k.number(littleendian.Float64(data, 6), style)
	}
	switch data[6] {
	case 1:
		return cellBool(data[8])
	case 2:
		return cellError(data[8])
	}
	return ""
}

// box is the text of a text box or comment, which is in the continuations.
func (x *xls) box(r record) string {
	if len(r.parts) < 2 || !x.unicode {
		return ""
	}
	s := segments{parts: r.parts[1:]}
	return strings.TrimSpace(clean(s.text(littleendian.Uint16(r.data, 10))))
}

// pageLine is the text of a page's header or footer without its codes ("&L", "&P").
func (x *xls) pageLine(data []byte) string {
	size := x.lengthSize()
	if len(data) == 0 {
		return ""
	}
	raw := []rune(x.text(data, 0, size))
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '&' {
			b.WriteRune(raw[i])
			continue
		}
		i++
		if i < len(raw) && raw[i] == '"' { // a font's name
			i++
			for i < len(raw) && raw[i] != '"' {
				i++
			}
			continue
		}
		for i+1 < len(raw) && raw[i] >= '0' && raw[i] <= '9' && raw[i+1] >= '0' && raw[i+1] <= '9' {
			i++
		}
		if i < len(raw) && raw[i] == '&' {
			b.WriteByte('&')
		} else {
			b.WriteByte(' ')
		}
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	if strings.Trim(text, "0123456789 -/Pageof") == "" {
		return ""
	}
	return text
}
