// Package cid knows which characters the glyphs of Adobe's four East Asian
// collections show. A PDF may name glyphs by their number in a collection and
// leave the font out.
//
// The maps are made by scripts/cid-maps of Adobe's CMap resources, whose licence
// is in LICENSE-ADOBE.
package cid

import (
	"bytes"
	"compress/flate"
	"embed"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf8"
)

//go:embed *.bin
var files embed.FS

// maxGlyphs bounds the glyphs of a collection.
const maxGlyphs = 1 << 16

// Characters returns the characters of a collection by glyph number, 0 for a glyph
// that is not a single character. The collection is named as in /Ordering: "Japan1",
// "GB1", "CNS1" or "Korea1"; for any other one it returns nil. It decodes a map
// again at each call, which takes about a millisecond.
func Characters(ordering string) []rune {
	packed, err := files.ReadFile(strings.ToLower(ordering) + ".bin")
	if err != nil {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxGlyphs*binary.MaxVarintLen32))
	if err != nil {
		return nil
	}
	var out []rune
	last := int64(0)
	for len(raw) > 0 && len(out) < maxGlyphs {
		step, n := binary.Varint(raw)
		if n <= 0 {
			return nil
		}
		last += step
		if !utf8.ValidRune(rune(last)) {
			return nil
		}
		out, raw = append(out, rune(last)), raw[n:]
	}
	return out
}
