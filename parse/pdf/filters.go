package pdf

import (
	"bytes"
	"compress/flate"
	"compress/lzw"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"io"
	"strconv"
	"strings"

	lib "github.com/ledongthuc/pdf"
	tiff "golang.org/x/image/tiff/lzw"
)

// filter is one step of decoding a stream (PDF 32000-1, 7.4).
type filter struct {
	name           string
	predictor, row int // row: bytes of one row of samples
	lateChange     bool
}

// raw returns the bytes of a stream before its filters are undone, at most limit
// of an encrypted one; ok is false where they are not to be found.
func (d *document) raw(v lib.Value, limit int64) (raw []byte, ok bool) {
	if d.encrypted {
		r := v.Reader()                  // knows no filters, see hideFilters
		defer func() { _ = r.Close() }() // it reads from memory
		raw, err := io.ReadAll(io.LimitReader(r, limit))
		return raw, err == nil || len(raw) > 0
	}
	written := v.String() // its dictionary, an @, and where its data begins
	at, err := strconv.ParseInt(written[strings.LastIndexByte(written, '@')+1:], 10, 64)
	length := v.Key("Length").Int64()
	if err != nil || at < 0 || length < 0 || length > d.file.size() || at+length > d.file.size() {
		return nil, false
	}
	raw = make([]byte, length)
	n, _ := d.file.ReadAt(raw, at) // a short read is what there is
	return raw[:n], true
}

// The object reader decrypts streams and undoes their filters in one, and knows
// two filters. In encrypted files their names are hidden from it.
const (
	filterKey = "/Filter"
	hiddenKey = "/Filtre"
)

// hideFilters renames the entries that name the filters of streams, in a copy.
func hideFilters(data []byte) []byte {
	out := bytes.Clone(data)
	for at := 0; ; {
		i := bytes.Index(out[at:], []byte(filterKey))
		if i < 0 {
			return out
		}
		at += i
		if value := bytes.TrimLeft(out[at+len(filterKey):], " \t\r\n\f\x00"); !bytes.HasPrefix(value, []byte("/Standard")) {
			copy(out[at:], hiddenKey)
		}
		at += len(filterKey)
	}
}

// filtersOf reads the filters of a stream and their parameters.
func filtersOf(v lib.Value) []filter {
	names, params := v.Key(filterKey[1:]), v.Key("DecodeParms")
	if names.IsNull() {
		names = v.Key(hiddenKey[1:])
	}
	if names.Kind() == lib.Name {
		if params.Kind() == lib.Array {
			params = params.Index(0)
		}
		return []filter{readFilter(names.Name(), params)}
	}
	var out []filter
	for i := range min(names.Len(), maxFilters+1) {
		out = append(out, readFilter(names.Index(i).Name(), params.Index(i)))
	}
	return out
}

func readFilter(name string, params lib.Value) filter {
	number := func(key string, standard int64) int64 {
		if v := params.Key(key); v.Kind() == lib.Integer {
			return v.Int64()
		}
		return standard
	}
	bits := min(max(number("Columns", 1), 1), maxColumns) * min(max(number("Colors", 1), 1), 32) * min(max(number("BitsPerComponent", 8), 1), 16)
	return filter{name: name, predictor: int(number("Predictor", 1)), row: int(bits+7) / 8, lateChange: number("EarlyChange", 1) == 0}
}

// decode undoes the filters of a stream, none of which may give more than limit
// bytes. Of a damaged stream, what came before the damage is kept.
func decode(data []byte, filters []filter, limit int64) ([]byte, error) {
	if len(filters) > maxFilters {
		return nil, errStream
	}
	for _, f := range filters {
		r, err := f.reader(data)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		n, err := io.Copy(&b, io.LimitReader(r, limit+1))
		switch {
		case n > limit:
			return nil, streamTooLong(limit)
		case n == 0 && err != nil:
			return nil, errStream
		}
		if data = b.Bytes(); f.predictor >= 10 {
			data = unpredict(data, f.row)
		}
	}
	if int64(len(data)) > limit {
		return nil, streamTooLong(limit)
	}
	return data, nil
}

// reader decodes data by one filter.
func (f filter) reader(data []byte) (io.Reader, error) {
	switch f.name {
	case "FlateDecode", "Fl":
		if z, err := zlib.NewReader(bytes.NewReader(data)); err == nil {
			return z, nil
		}
		return flate.NewReader(bytes.NewReader(data[min(2, len(data)):])), nil // whatever its first bytes say
	case "LZWDecode", "LZW":
		if f.lateChange {
			return lzw.NewReader(bytes.NewReader(data), lzw.MSB, 8), nil
		}
		return tiff.NewReader(bytes.NewReader(data), tiff.MSB, 8), nil
	case "ASCII85Decode", "A85":
		data, _, _ = bytes.Cut(bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~")), []byte("~"))
		return ascii85.NewDecoder(bytes.NewReader(data)), nil
	case "ASCIIHexDecode", "AHx":
		return hex.NewDecoder(bytes.NewReader(hexDigits(data))), nil
	case "RunLengthDecode", "RL":
		return bytes.NewReader(runs(data)), nil
	case "Crypt":
		return bytes.NewReader(data), nil
	}
	return nil, errStream
}

// hexDigits keeps the digits before the end mark, an even number of them.
func hexDigits(data []byte) []byte {
	data, _, _ = bytes.Cut(data, []byte(">"))
	out := make([]byte, 0, len(data)+1)
	for _, c := range data {
		if strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 {
			out = append(out, c)
		}
	}
	if len(out)%2 == 1 {
		out = append(out, '0')
	}
	return out
}

// runs undoes run lengths: a byte n below 128 is followed by n+1 bytes, one
// above by a byte that is 257-n times. 128 ends the data.
func runs(data []byte) []byte {
	var out []byte
	for len(data) > 1 && data[0] != 128 {
		n := int(data[0])
		if n < 128 {
			end := min(n+2, len(data))
			out, data = append(out, data[1:end]...), data[end:]
			continue
		}
		out, data = append(out, bytes.Repeat(data[1:2], 257-n)...), data[2:]
	}
	return out
}
