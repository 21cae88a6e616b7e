package pdf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
	"inlay/parse/pdf"
)

func TestLayersThatAreOff(t *testing.T) {
	for config, want := range map[string]string{
		"/OFF[5 0 R]":              "A\nB",
		"/BaseState/OFF/ON[4 0 R]": "A\nB",
		"/OFF[4 0 R 5 0 R]":        "A",
		"/OFF[4 0 R]":              "A\n\nC\nmember\nin a form",
		"":                         "A\nB\nC\nmember\nin a form",
	} {
		f := document([]string{
			"<</Type/OCG/Name(on)>>", "<</Type/OCG/Name(off)>>", "<</Type/OCMD/OCGs[5 0 R]>>",
			stream("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/OC 5 0 R/Resources<</Font<</F1 3 0 R>>>>", at(72, 640, "in a form")),
		}, sheet{
			content:   at(72, 700, "A") + "/OC /L1 BDC " + at(72, 685, "B") + "EMC /OC /L2 BDC /Span BMC " + at(72, 670, "C") + "EMC " + "EMC /OC /M BDC " + at(72, 655, "member") + "EMC /X Do",
			resources: "/Font<</F1 3 0 R>>/Properties<</L1 4 0 R/L2 5 0 R/M 6 0 R>>/XObject<</X 7 0 R>>",
		})
		f.objects[0] = "<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[4 0 R 5 0 R]/D<<" + config + ">>>>>>"
		doc, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: f.bytes()}, nil)
		require.NoError(t, err, config)
		require.Equal(t, want, doc.Text, config)
	}
}

func TestActualTextByName(t *testing.T) {
	f := document(nil, sheet{content: "/Span /P BDC " + at(72, 700, "#") + "EMC", resources: "/Font<</F1 3 0 R>>/Properties<</P<</ActualText(ff)>>>>"})
	doc, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: f.bytes()}, nil)
	require.NoError(t, err)
	require.Equal(t, "ff", doc.Text)
}

func TestRemarks(t *testing.T) {
	f := document(nil, sheet{content: at(72, 700, "Text"), entries: `/Annots[<</Subtype/Text/Rect[0 0 9 9]/T(Jane)/Contents(Is this so?)>>
<</Subtype/FreeText/Rect[0 0 9 9]/Contents(typed)>><</Subtype/Highlight/Rect[0 0 9 9]>><</Subtype/Link/Rect[0 0 9 9]/Contents(a link)>>
<</Subtype/Text/F 2/Contents(hidden)>><</Subtype/Text/StateModel/Review/Contents(Accepted by Jane)>>
<</Subtype/Widget/Rect[0 0 9 9]/T(part)/V(Jane Doe)/Parent<</FT/Tx/TU(Your name)>>>><</Subtype/Widget/Rect[0 0 9 9]/FT/Ch/V[(red)(blue)]>><</Subtype/Widget/Rect[0 0 9 9]/FT/Btn/V/Yes>>]`})
	doc, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: f.bytes()}, nil)
	require.NoError(t, err)
	require.Equal(t, "Text\n\nComment [author: Jane]: Is this so?\n\ntyped\n\nYour name: Jane Doe\n\nred blue", doc.Text)
	require.Equal(t, len(doc.Text), doc.Sections[0].End)
	_, err = pdf.Parser{Limits: parse.Limits{Text: 20}}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: f.bytes()}, nil)
	require.Error(t, err)
}
