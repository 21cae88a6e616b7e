package pdf_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
	"inlay/parse/pdf"
)

// boxed returns the words of a document with their boxes, by their text.
func boxed(doc parse.Document) map[string]parse.Box {
	out := map[string]parse.Box{}
	for _, b := range doc.Boxes(0, len(doc.Text)) {
		out[doc.Text[b.Start:b.End]] = b
	}
	return out
}

func TestBoxes(t *testing.T) {
	turned := "BT /F1 12 Tf 0 1 -1 0 500 200 Tm (upwards) Tj ET\n"
	data := texts(at(72, 740, "A hyphen-")+at(72, 726, "ated word")+prices()+turned, at(90, 600, "second"))
	for name, p := range map[string]parse.Parser{"own layer": pdf.Parser{}, "with PDFium": pdf.Parser{Second: engine(t)}} {
		doc, err := p.Parse(t.Context(), parse.File{Name: "a.pdf", Data: data}, nil)
		require.NoError(t, err)
		boxes := boxed(doc)
		for _, w := range withoutMarkup(strings.Fields(doc.Text)) {
			if w != "hyphenated" { // is in two lines
				require.Contains(t, boxes, w, name)
			}
		}
		tea := boxes["Tea"]
		require.Equal(t, 1, tea.Page)
		require.InDelta(t, 72, tea.X0, .1)
		require.InDelta(t, 72+12*(.611+.556+.556), tea.X1, .1, "the advances of Helvetica")
		require.InDelta(t, 660, tea.Y0, 3)
		require.InDelta(t, 660+.7*12, tea.Y1, 3)
		require.Equal(t, 2, boxes["second"].Page)
		up := boxes["upwards"]
		require.Greater(t, up.Y1-up.Y0, 40.0, "a word that runs up the page")
		require.Less(t, up.X1-up.X0, 14.0)
	}
}

// PDFium reads text from right to left; its boxes are those of its characters.
func TestBoxesOfPDFium(t *testing.T) {
	data, err := os.ReadFile("testdata/rtl-he.pdf")
	require.NoError(t, err)
	doc, err := pdf.Parser{Second: engine(t)}.Parse(t.Context(), parse.File{Name: "rtl-he.pdf", Data: data}, nil)
	require.NoError(t, err)
	require.Equal(t, pdf.SecondLibrary, doc.Library)
	words, boxes := strings.Fields(doc.Text), doc.Boxes(0, len(doc.Text))
	require.GreaterOrEqual(t, len(boxes), len(words)*9/10)
	require.Greater(t, boxes[0].X0, boxes[1].X1-1, "the second word is to the left of the first")
}
