package pdf_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
	"inlay/parse/pdf"
)

// A font as TeX makes it: accents and strokes are glyphs of their own, and the
// names of signs are those of its mathematical fonts.
const texFont = `<</Type/Font/Subtype/Type1/BaseFont/AAAAAA+CMR10/FirstChar 1/LastChar 16
/Widths[500 500 1000 0 778 1000 667 1056 389 500 278 0 1000 500 875 875]
/Encoding<</Differences[1/acute/e/W/negationslash/equal/arrowright/element/summationdisplay/angbracketleft/dieresis/dotlessi/mapsto/m/parenleftbigg/parenlefttp/parenleftex]>>>>`

func TestAccentsAndTeXSigns(t *testing.T) {
	for show, want := range map[string]string{
		"(m\x01) 500 (\x02)":                 "mé",  // TeX: the accent first, then back over it the letter
		"(\x02) 500 (\x01)":                  "é",   // the accent after its letter
		"(\x0D) -50 (\x0A) 500 (\x0B)":       "mï",  // a dotless i below dots
		"(\x0D) -250 (\x0A) 750 (\x03)":      "mẄ",  // an accent in the middle of a wide letter parts no word
		"(\x02\x01\x02)":                     "e´e", // beside letters it is itself
		"(\x02) -300 (\x04\x05) -300 (\x02)": "e ≠ e",
		"(/) 600 (\x07)":                     "∉",
		"(\x02/\x02)":                        "e/e",
		"(\x0C\x06)":                         "↦",
		"(\x08\x09\x02\x0E)":                 "∑⟨e(",
		"(\x0F\x10\x02)":                     "(e", // the pieces of one tall bracket
		"(\x02\x01)":                         "e´", // the last glyph of a page
	} {
		show = strings.NewReplacer("m", `\015`, "\x0D", `\015`, "\x0A", `\012`).Replace(show)
		file := document([]string{texFont}, sheet{
			content:   "BT /F2 10 Tf 100 700 Td [" + show + "] TJ ET",
			resources: "/Font<</F1 3 0 R/F2 4 0 R>>",
		})
		doc, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: file.bytes()}, nil)
		require.NoError(t, err, "%q", show)
		require.Equal(t, want, doc.Text, "%q", show)
	}
}

func TestFilesInsideAreNamed(t *testing.T) {
	f := document(nil, sheet{content: at(72, 700, "Cover page")})
	f.objects[0] = "<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Kids[<</Names[(k)<</Type/Filespec/F(plan.docx)>>(l)<</UF(\\376\\377\\000\\344)>>]>>]>>>>>>"
	doc, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: f.bytes()}, nil)
	require.NoError(t, err)
	require.Equal(t, "Cover page", doc.Text)
	require.Equal(t, parse.WarnLeftOut, doc.Warnings[0].Code)
	require.Contains(t, doc.Warnings[0].Message, "2 other files, not read here (plan.docx, ä)")
	f.objects[0] = "<</Type/Catalog/Pages 2 0 R/NeedsRendering true/AcroForm<</XFA(x)>>>>"
	doc, err = pdf.Parser{}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: f.bytes()}, nil)
	require.NoError(t, err)
	require.Contains(t, doc.Warnings[0].Message, "dynamic form (XFA)")
}
