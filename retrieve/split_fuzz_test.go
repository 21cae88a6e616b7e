package retrieve_test

import (
	"strings"
	"testing"

	"inlay/parse"
	"inlay/retrieve"
)

// Whatever the text, the sections and the settings, the chunks are what Split
// promises.
func FuzzSplit(f *testing.F) {
	for _, text := range oddTexts() {
		f.Add(text[:min(len(text), 300)], uint8(20), uint8(5), uint16(10), uint16(50), uint8(3))
	}
	kinds := []parse.Kind{parse.Page, parse.Heading, parse.Paragraph, parse.List, parse.Table, parse.Code, parse.Sheet}
	f.Fuzz(func(t *testing.T, text string, size, overlap uint8, start, end uint16, kind uint8) {
		if len(text) > 5000 {
			t.Skip("a longer text shows nothing more and takes long to check")
		}
		text = strings.ToValidUTF8(text, "\uFFFD") // as a Document promises; what cut-off runes join with is anyone's guess
		d := document(text, parse.Section{Kind: kinds[int(kind)%len(kinds)], Level: int(kind) / 16, Start: int(start), End: int(end)})
		s := retrieve.Splitter{Size: max(int(size), 1), Overlap: int(overlap), Measure: retrieve.Words{}}
		s.Overlap = min(s.Overlap, s.Size/2)
		checkChunks(t, s, retrieve.Words{}, d, s.Split(d))
	})
}
