package pdf_test

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/ascii85"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/pdf"
)

// packed encodes data by a writer that has to be closed.
func packed(t *testing.T, data string, to func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var b bytes.Buffer
	w := to(&b)
	_, err := io.WriteString(w, data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func flated(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
func lzwed(w io.Writer) io.WriteCloser  { return lzw.NewWriter(w, lzw.MSB, 8) }
func a85(w io.Writer) io.WriteCloser    { return ascii85.NewEncoder(w) }

func TestFilters(t *testing.T) {
	content := at(72, 700, "filtered")
	var rows strings.Builder
	for i := 0; i < len(content); i += 8 {
		rows.WriteString("\x00" + content[i:min(i+8, len(content))])
	}
	for _, c := range []struct{ entries, data string }{
		{"/Filter/FlateDecode/DecodeParms<</Predictor 1>>", packed(t, content, flated)},
		{"/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 8>>", packed(t, rows.String(), flated)},
		{"/Filter/FlateDecode", "\x00\x00" + packed(t, content, flated)[2:]},
		{"/Filter/LZWDecode", packed(t, content, lzwed)},
		{"/Filter/LZWDecode/DecodeParms<</EarlyChange 0>>", packed(t, content, lzwed)},
		{"/Filter[/ASCII85Decode/LZWDecode]", packed(t, packed(t, content, lzwed), a85) + "~>"},
		{"/Filter[/AHx/Fl]", fmt.Sprintf("%x>", packed(t, content, flated))},
		{"/Filter/RunLengthDecode", string(rune(len(content)-1)) + content + "\x80"},
	} {
		f := document(nil, sheet{})
		f.objects[3] = stream(c.entries, c.data)
		require.Equal(t, "filtered", read(t, f.bytes()).Text, c.entries)
	}
}

// coded builds a page that shows codes in a font of type 3 with the given names of
// glyphs, by code, and advances.
func coded(codes string, names map[byte]string, width func(c byte) int) []byte {
	differences, widths := "", ""
	for c := range 128 {
		if n, ok := names[byte(c)]; ok {
			differences += fmt.Sprintf(" %d/%s", c, n)
		}
		widths += fmt.Sprintf(" %d", width(byte(c)))
	}
	font := "<</Type/Font/Subtype/Type3/FontBBox[0 0 10 10]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 0/LastChar 127/CharProcs<<>>" +
		"/Encoding<</Differences[" + differences + "]>>/Widths[" + widths + "]>>"
	return document([]string{font}, sheet{content: fmt.Sprintf("BT /F2 12 Tf 72 700 Td <%x> Tj ET", codes), resources: "/Font<</F2 4 0 R>>"}).bytes()
}

func TestGlyphsNamedByCode(t *testing.T) {
	text := "mild wit\x0ced"
	width := func(c byte) int {
		if strings.ContainsRune("il t", rune(c)) {
			return 3
		}
		return 7
	}
	names := map[byte]string{}
	for _, c := range []byte(text) {
		names[c] = fmt.Sprintf("a%d", c)
	}
	require.Equal(t, "mild witfied", read(t, coded(text, names, width)).Text, "the names are the codes, one of them TeX's fi")

	moved, codes := map[byte]string{}, ""
	for i, c := range []byte("mild") {
		moved[byte(i+1)] = fmt.Sprint(c)
		codes += string(rune(i + 1))
	}
	at := func(c byte) int { return width("?mild"[min(c, 4)]) }
	require.Equal(t, "mild", read(t, coded(codes, moved, at)).Text, "the names are the codes of another order")

	counted, codes := map[byte]string{}, ""
	for i := range 8 {
		counted[byte(i)] = fmt.Sprintf("a%d", i)
		codes += string(rune(i))
	}
	requireUnmapped(t, coded(codes, counted, width), "the names only count the glyphs")
	requireUnmapped(t, coded(text, names, func(c byte) int { return 10 - width(c) }), "what would be narrow letters is wide")
}

func requireUnmapped(t *testing.T, data []byte, why string) {
	t.Helper()
	_, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: data}, nil)
	require.Equal(t, fault.UnmappedFont, fault.CodeOf(err), why)
}

// A font that gives no advances has those of the standard font it is named for:
// the second string begins where the first one ends.
func TestAdvancesOfStandardFonts(t *testing.T) {
	for font, end := range map[string]float64{"Times-Roman": 56.352, "Helvetica": 53.988, "Courier": 86.4} {
		body := "<</Type/Font/Subtype/Type1/BaseFont/" + font + "/Encoding/WinAnsiEncoding>>"
		content := fmt.Sprintf("BT /F2 12 Tf 72 700 Td (will illumin) Tj %g 0 Td (ate) Tj ET", end)
		doc := read(t, document([]string{body}, sheet{content: content, resources: "/Font<</F2 4 0 R>>"}).bytes())
		require.Equal(t, "will illuminate", doc.Text, font)
	}
}

// inFont shows a string, as hexadecimal digits, in a font that is object 4.
func inFont(hex string, objects ...string) []byte {
	return document(objects, sheet{content: "BT /F2 12 Tf 72 700 Td <" + hex + "> Tj ET", resources: "/Font<</F2 4 0 R>>"}).bytes()
}

func TestFontsThatAreNotEmbedded(t *testing.T) {
	collection := func(ordering, encoding string) []string {
		return []string{
			"<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/" + encoding + "/DescendantFonts[5 0 R]>>",
			"<</Type/Font/Subtype/CIDFontType0/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(" + ordering + ")/Supplement 2>>>>",
		}
	}
	require.Equal(t, "あ亜", read(t, inFont("034b0465", collection("Japan1", "Identity-H")...)).Text)
	require.Equal(t, "啊", read(t, inFont("03ac", collection("GB1", "Identity-H")...)).Text)
	require.Equal(t, "一", read(t, inFont("0253", collection("CNS1", "Identity-H")...)).Text)
	require.Equal(t, "가", read(t, inFont("043e", collection("Korea1", "Identity-H")...)).Text)
	require.Equal(t, "亜", read(t, inFont("3021", collection("Japan1", "H")...)).Text, "JIS X 0208")
	song := "<</Type/Font/Subtype/TrueType/BaseFont/#cb#ce#cc#e5/Encoding/WinAnsiEncoding>>"
	require.Equal(t, "目录1", read(t, inFont("c4bfc2bc31", song)).Text, "the name says GBK")
}

func TestRepeatedText(t *testing.T) {
	stamp := at(72, 600, "Signed by A. Person")
	require.Equal(t, "Text.\nSigned by A. Person", strings.ReplaceAll(read(t, texts(at(72, 700, "Text.")+strings.Repeat(stamp, 5))).Text, "\n\n", "\n"))
	note := "<</Type/Annot/Subtype/Text/Contents(See above)/T(A)/Rect[0 0 9 9]>>"
	doc := read(t, document([]string{note, note}, sheet{content: at(72, 700, "Text."), entries: "/Annots[4 0 R 5 0 R]"}).bytes())
	require.Equal(t, "Text.\n\nComment [author: A]: See above", doc.Text)
}
