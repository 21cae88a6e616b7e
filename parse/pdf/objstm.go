package pdf

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
)

// maxPacked bounds how many objects one object stream may hold.
const maxPacked = 1 << 18

// unpack takes the objects out of an object stream and records them as plain
// ones. A stream that cannot be read marks the scan opaque: its objects are
// missing, and the next engine may do better.
func (s *scan) unpack(h header, raw []byte) error {
	data, err := s.expand(h, raw)
	if errors.Is(err, errBudget) {
		return err
	}
	if len(data) <= h.First || h.N <= 0 {
		s.opaque = true
		return nil
	}
	index := &lexer{src: data[:h.First]}
	objects := data[h.First:]
	type entry struct{ id, offset int }
	var entries []entry
	for range min(h.N, maxPacked) {
		id, offset := index.next(), index.next()
		if id.kind != number || offset.kind != number {
			break
		}
		entries = append(entries, entry{int(id.num), int(offset.num)})
	}
	s.opaque = s.opaque || len(entries) == 0
	for i, e := range entries {
		stop := len(objects)
		if i+1 < len(entries) && entries[i+1].offset > e.offset {
			stop = min(stop, entries[i+1].offset)
		}
		if e.id <= 0 || e.id > maxObjectID || e.offset < 0 || e.offset >= stop {
			continue
		}
		if s.budget -= stop - e.offset; s.budget < 0 {
			return streamTooLong(s.limit)
		}
		s.pack(e.id, objects[e.offset:stop])
	}
	return nil
}

// pack records one unpacked object.
func (s *scan) pack(id int, body []byte) {
	s.objects[id] = object{offset: s.unpacked.Len(), packed: true}
	s.last = max(s.last, id)
	writeObject(&s.unpacked, id, body)
	if h, _ := readHeader(body, 0); h.Type == "Catalog" {
		s.catalog = reference{id: id}
	}
}

// expand undoes the filters of an object stream: none, or Flate with or without
// a PNG predictor.
func (s *scan) expand(h header, raw []byte) ([]byte, error) {
	if len(h.Filters) == 0 {
		return raw, nil
	}
	if len(h.Filters) > 1 || h.Filters[0] != "FlateDecode" && h.Filters[0] != "Fl" {
		return nil, nil
	}
	z, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	// What came before an error is kept: a damaged tail loses its own objects only.
	data, _ := io.ReadAll(io.LimitReader(z, int64(s.budget)+1))
	if s.budget -= len(data); s.budget < 0 {
		return nil, streamTooLong(s.limit)
	}
	if h.Predict >= 10 {
		data = unpredict(data, h.Columns)
	}
	return data, nil
}

// unpredict undoes the PNG predictors over rows of columns bytes (RFC 2083, 6).
func unpredict(data []byte, columns int) []byte {
	columns = max(columns, 1)
	var out []byte
	above := make([]byte, min(columns, len(data)))
	for len(data) > 1 {
		row := data[1:min(columns+1, len(data))]
		filterRow(data[0], row, above)
		out = append(out, row...)
		copy(above, row)
		data = data[1+len(row):]
	}
	return out
}

// filterRow undoes one row in place; bytes per pixel is 1.
func filterRow(filter byte, row, above []byte) {
	var left, corner byte
	for i := range row {
		up := above[i]
		switch filter {
		case 1:
			row[i] += left
		case 2:
			row[i] += up
		case 3:
			row[i] += byte((int(left) + int(up)) / 2)
		case 4:
			row[i] += paeth(left, up, corner)
		}
		left, corner = row[i], up
	}
}

// paeth picks the neighbour that is nearest to left + up - corner.
func paeth(left, up, corner byte) byte {
	p := int(left) + int(up) - int(corner)
	a, b, c := distance(p, left), distance(p, up), distance(p, corner)
	switch {
	case a <= b && a <= c:
		return left
	case b <= c:
		return up
	}
	return corner
}

func distance(p int, v byte) int { return max(p-int(v), int(v)-p) }
