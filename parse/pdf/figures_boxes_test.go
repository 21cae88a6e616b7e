package pdf_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
	"inlay/parse/pdf"
)

// TestBoxFigures prints how many words have a box that shares half of its area
// with that of PDFium's characters: go test -run TestBoxFigures ./parse/pdf -figures -v
func TestBoxFigures(t *testing.T) {
	if !*figures {
		t.Skip("run with -figures")
	}
	p := parser(t)
	files, err := filepath.Glob(filepath.Join(refdata.Path(t, "retrieval/filings/docs"), "*K_*.pdf"))
	require.NoError(t, err)
	words, boxed, bytes, half, judged := 0, 0, 0, 0, 0
	for _, path := range slices.Concat(files, documents(t)) {
		if strings.Contains(path, "hostile") {
			continue
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		doc, err := p.Parse(context.Background(), parse.File{Name: filepath.Base(path), Data: data}, nil)
		if err != nil {
			continue
		}
		boxes := doc.Boxes(0, len(doc.Text))
		n := len(withoutMarkup(strings.Fields(doc.Text)))
		theirs := pdfiumWords(t, data, 40)
		h, j := overlapping(boxes, doc, theirs)
		if *each && n > 0 {
			t.Logf("%-60s words %6d boxed %.3f bytes a word %.1f, half overlaps %d of %d (%.3f)", filepath.Base(path), n, ratio(len(boxes), n), float64(len(doc.WordBoxes))*4/3/float64(max(len(boxes), 1)), h, j, ratio(h, j))
		}
		words, boxed, bytes, half, judged = words+n, boxed+len(boxes), bytes+len(doc.WordBoxes), half+h, judged+j
	}
	t.Logf("words %d, with a box %.4f, bytes a word in memory %.1f, as JSON %.1f; of %d words that PDFium has on the page too, %.4f overlap by half",
		words, ratio(boxed, words), float64(bytes)/float64(boxed), float64(bytes)*4/3/float64(boxed), judged, ratio(half, judged))
}

// pageWord is a word on a page.
type pageWord struct {
	page int
	text string
}

// pdfiumWords returns the boxes of the characters of words, as PDFium sees them,
// for the first pages of a document.
func pdfiumWords(t *testing.T, data []byte, most int) map[pageWord][]parse.Box {
	t.Helper()
	out := map[pageWord][]parse.Box{}
	err := pdf.WithPDFium(t.Context(), data, most, func(page int, chars *pdf.Chars) {
		word, around := "", parse.Box{}
		end := func() {
			if word != "" {
				out[pageWord{page, word}] = append(out[pageWord{page, word}], around)
			}
			word = ""
		}
		for _, c := range chars.Chars {
			if strings.TrimSpace(c.Text) == "" || c.Text == "\uFFFE" || c.Text == "\x02" {
				end()
				continue
			}
			p := c.PointPosition
			if word == "" {
				around = parse.Box{X0: p.Left, Y0: p.Bottom, X1: p.Right, Y1: p.Top}
			}
			word += c.Text
			around.X0, around.Y0, around.X1, around.Y1 = min(around.X0, p.Left), min(around.Y0, p.Bottom), max(around.X1, p.Right), max(around.Y1, p.Top)
		}
		end()
	})
	if err != nil {
		return nil
	}
	return out
}

// overlapping counts our boxes of words that PDFium has on the same page, and
// those of which half of the area of both is shared.
func overlapping(boxes []parse.Box, doc parse.Document, theirs map[pageWord][]parse.Box) (half, judged int) {
	for _, b := range boxes {
		others := theirs[pageWord{b.Page, doc.Text[b.Start:b.End]}]
		if len(others) == 0 {
			continue
		}
		judged++
		best := 0.0
		for _, o := range others {
			best = max(best, shared(b, o))
		}
		half += int(best + .5)
	}
	return half, judged
}

// shared is the area that two boxes share, of that of both.
func shared(a, b parse.Box) float64 {
	w, h := min(a.X1, b.X1)-max(a.X0, b.X0), min(a.Y1, b.Y1)-max(a.Y0, b.Y0)
	if w <= 0 || h <= 0 {
		return 0
	}
	area := func(b parse.Box) float64 { return (b.X1 - b.X0) * (b.Y1 - b.Y0) }
	return w * h / (area(a) + area(b) - w*h)
}
