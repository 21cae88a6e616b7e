package parse

import (
	"encoding/binary"
	"math"
)

// Box says where a word of a document is: bytes [Start, End) of its text are in
// the rectangle from the lower left corner (X0, Y0) to the upper right (X1, Y1) of
// the page. The unit is the point, 1/72 inch; coordinates are those of the PDF's
// user space, which begins at the lower left before the page is turned for show.
type Box struct {
	Page  int     `json:"page"` // from 1
	X0    float64 `json:"x0"`
	Y0    float64 `json:"y0"`
	X1    float64 `json:"x1"`
	Y1    float64 `json:"y1"`
	Start int     `json:"start"`
	End   int     `json:"end"`
}

// BoxedPage is a page and the words on it. The rectangle is what a viewer shows of
// the page, in points of the PDF's user space and before it is turned: the crop box.
// It is empty where the size is not known.
type BoxedPage struct {
	Page   int     `json:"page"` // from 1
	X0     float64 `json:"x0"`
	Y0     float64 `json:"y0"`
	X1     float64 `json:"x1"`
	Y1     float64 `json:"y1"`
	Rotate int     `json:"rotate"` // degrees clockwise by which the page is turned for show: 0, 90, 180 or 270
	Start  int     `json:"start"`  // of the page's text, in bytes of the document's
	End    int     `json:"end"`
	Boxes  []Box   `json:"boxes"` // in the order of the text
}

// Boxes returns the boxes of the words that overlap the bytes [start, end) of the
// text, page by page in the order of the text. Text whose place is not known, as
// that of comments and of formats without pages, has none.
func (d Document) Boxes(start, end int) []Box {
	var out []Box
	for _, p := range d.BoxedPages(start, end) {
		out = append(out, p.Boxes...)
	}
	return out
}

// BoxedPages is [Document.Boxes] by page, with the pages' sizes. Pages without such
// words are left out.
func (d Document) BoxedPages(start, end int) []BoxedPage {
	var out []BoxedPage
	data := d.WordBoxes
	starts := map[int]Section{}
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Kind == Page && s.Start < end && s.End > start {
			starts[s.Number] = *s
		}
	}
	for len(data) > 0 {
		page, words, rest, ok := cutPage(data)
		if !ok {
			return out
		}
		data = rest
		s, wanted := starts[page]
		if !wanted {
			continue
		}
		at := BoxedPage{Page: page, Start: s.Start, End: s.End}
		if words, ok = at.cutFrame(words); !ok {
			return out
		}
		if at.Boxes = appendWords(nil, words, s, start, end); len(at.Boxes) > 0 {
			out = append(out, at)
		}
	}
	return out
}

// Word boxes are kept as one record a page: its number, the bytes that follow, its
// rectangle and rotation, and for each word six small numbers, the differences to
// the word before it. Lengths are in tenths of a point. A word takes 7 to 9 bytes.

// boxUnit is how many units of a stored box are a point.
const boxUnit = 10

// AppendBoxes appends the record of a page to word boxes; without boxes it has none.
// The boxes are in the order of the text, and their Start and End count from the
// start of the page's text; the page's own are not kept.
func AppendBoxes(to []byte, page BoxedPage) []byte {
	if len(page.Boxes) == 0 {
		return to
	}
	words := page.appendFrame(nil)
	var last [4]int64 // left, bottom, height, end of the text
	for _, b := range page.Boxes {
		x, y := unit(b.X0), unit(b.Y0)
		width, height := max(unit(b.X1)-x, 0), max(unit(b.Y1)-y, 0)
		words = binary.AppendUvarint(words, uint64(max(int64(b.Start)-last[3], 0)))
		words = binary.AppendUvarint(words, uint64(max(b.End-b.Start, 0)))
		words = binary.AppendVarint(words, x-last[0])
		words = binary.AppendVarint(words, y-last[1])
		words = binary.AppendUvarint(words, uint64(width))
		words = binary.AppendVarint(words, height-last[2])
		last = [4]int64{x + width, y, height, max(int64(b.Start), last[3]) + int64(max(b.End-b.Start, 0))}
	}
	to = binary.AppendUvarint(to, uint64(max(page.Page, 0)))
	to = binary.AppendUvarint(to, uint64(len(words)))
	return append(to, words...)
}

// appendFrame appends the rectangle and rotation of a page.
func (p *BoxedPage) appendFrame(to []byte) []byte {
	for _, v := range []float64{p.X0, p.Y0, p.X1, p.Y1} {
		to = binary.AppendVarint(to, unit(v))
	}
	return binary.AppendVarint(to, int64(p.Rotate))
}

// cutFrame reads what appendFrame has written off the front of data.
func (p *BoxedPage) cutFrame(data []byte) (rest []byte, ok bool) {
	var v [5]int64
	for i := range v {
		var n int
		if v[i], n = binary.Varint(data); n <= 0 {
			return nil, false
		}
		v[i] = min(max(v[i], math.MinInt32), math.MaxInt32)
		data = data[n:]
	}
	p.X0, p.Y0, p.X1, p.Y1 = float64(v[0])/boxUnit, float64(v[1])/boxUnit, float64(v[2])/boxUnit, float64(v[3])/boxUnit
	p.Rotate = int(v[4])
	return data, true
}

func unit(points float64) int64 {
	if math.IsNaN(points) {
		return 0
	}
	return int64(math.Round(min(max(points, -1e6), 1e6) * boxUnit))
}

// PageBoxes returns the record of a page, nil if it has none, and what comes after
// it; the whole of data is one record after the other.
func PageBoxes(data []byte) map[int][]byte {
	out := map[int][]byte{}
	for len(data) > 0 {
		page, _, rest, ok := cutPage(data)
		if !ok {
			break
		}
		out[page] = data[:len(data)-len(rest)]
		data = rest
	}
	return out
}

// cutPage cuts the record at the front of data off.
func cutPage(data []byte) (page int, words, rest []byte, ok bool) {
	number, n := binary.Uvarint(data)
	if n <= 0 || number > math.MaxInt32 {
		return 0, nil, nil, false
	}
	data = data[n:]
	size, n := binary.Uvarint(data)
	if n <= 0 || size > uint64(len(data)-n) {
		return 0, nil, nil, false
	}
	return int(number), data[n : n+int(size)], data[n+int(size):], true
}

// appendWords appends those of a page's words that overlap [start, end).
func appendWords(out []Box, words []byte, page Section, start, end int) []Box {
	var x, y, height int64
	at := page.Start
	for len(words) > 0 {
		var v [6]int64
		for i := range v {
			var n int
			if i == 0 || i == 1 || i == 4 {
				var u uint64
				u, n = binary.Uvarint(words)
				v[i] = int64(min(u, math.MaxInt32))
			} else {
				v[i], n = binary.Varint(words)
				v[i] = min(max(v[i], math.MinInt32), math.MaxInt32)
			}
			if n <= 0 {
				return out
			}
			words = words[n:]
		}
		from := at + int(v[0])
		at = from + int(v[1])
		if at > page.End {
			return out
		}
		x, y, height = x+v[2], y+v[3], height+v[5]
		if from < end && at > start {
			out = append(out, Box{
				Page: page.Number, Start: from, End: at,
				X0: float64(x) / boxUnit, Y0: float64(y) / boxUnit, X1: float64(x+v[4]) / boxUnit, Y1: float64(y+height) / boxUnit,
			})
		}
		x += v[4]
	}
	return out
}
