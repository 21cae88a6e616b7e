package pdf_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/parsetest"
	"inlay/parse/pdf"
)

func read(t *testing.T, data []byte) parse.Document {
	t.Helper()
	d, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: data}, nil)
	require.NoError(t, err)
	return d
}

func TestConformance(t *testing.T) {
	parsetest.Run(t, pdf.Parser{}, parsetest.Sample{
		Name:     "three.pdf",
		Data:     texts(at(72, 700, "The first page."), at(72, 700, "The second page."), at(72, 700, "The third page.")),
		Contains: []string{"The first page.", "The second page.", "The third page."},
		Sections: []parse.Kind{parse.Page},
	})
}

func TestText(t *testing.T) {
	wide := "BT /F1 12 Tf 72 700 Td [(Words) -600 (apart, ker) 20 (ned)] TJ ET"
	form := stream("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F9 3 0 R>>>>", "BT /F9 12 Tf 72 650 Td (inside the form) Tj ET")
	cmap := "1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <41> <03b1> endbfchar 1 beginbfrange <42> <44> <03b2> endbfrange 1 beginbfrange <45> <46> [<03b5> <00660069>] endbfrange"
	unicode := "<</Type/Font/Subtype/Type1/BaseFont/Custom/ToUnicode 4 0 R/Encoding/WinAnsiEncoding>>"
	differences := "<</Type/Font/Subtype/Type1/BaseFont/Custom/Encoding<</Differences[65/alpha/f_i/uni00E9/a.alt/nothingknown]>>>>"
	wideFont := "<</Type/Font/Subtype/Type0/BaseFont/Wide/Encoding/90ms-RKSJ-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)>>>>]>>"
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"words by gap", texts(wide), "Words apart, kerned"},
		{"lines", texts("BT /F1 12 Tf 14 TL 72 700 Td (one) Tj T* (two) Tj (three) ' ET"), "one\ntwo\nthree"},
		{"paragraphs", texts(at(72, 700, "one") + at(72, 686, "two") + at(72, 650, "three")), "one\ntwo\n\nthree"},
		{"hyphen", texts(at(72, 700, "a long infor-") + at(72, 686, "mation ends well-") + at(72, 672, "Known")), "a long information\nends well-\nKnown"},
		{"two columns", texts(at(72, 700, "left one") + at(72, 686, "left two") + at(320, 700, "right one") + at(320, 686, "right two")), "left one\nleft two\n\nright one\nright two"},
		{"rotated", document(nil, sheet{content: "BT /F1 12 Tf 0 1 -1 0 300 100 Tm (turned by) Tj ET BT /F1 12 Tf 0 1 -1 0 314 100 Tm (ninety degrees) Tj ET", entries: "/Rotate 90"}).bytes(), "turned by\nninety degrees"},
		{"form object", document([]string{form}, sheet{content: at(72, 700, "before") + "/X1 Do\n" + at(72, 600, "after"), resources: "/XObject<</X1 4 0 R>>"}).bytes(), "before\n\ninside the form\n\nafter"},
		{"to unicode", document([]string{stream("", cmap), unicode}, sheet{content: "BT /F2 12 Tf 72 700 Td (ABCDEFG) Tj ET", resources: "/Font<</F2 5 0 R>>"}).bytes(), "αβγδεfiG"},
		{"glyph names", document([]string{differences}, sheet{content: "BT /F2 12 Tf 72 700 Td (ABCDE) Tj ET", resources: "/Font<</F2 4 0 R>>"}).bytes(), "αfiéa"},
		{"shift-jis", document([]string{wideFont}, sheet{content: "BT /F2 12 Tf 72 700 Td <93fa967b> Tj ET", resources: "/Font<</F2 4 0 R>>"}).bytes(), "日本"},
		{"printed twice", texts(at(72, 700, "B") + at(72, 700, "B")), "B"},
		{"actual text", texts("/Span<</ActualText<FEFF00660066>>>BDC\n" + at(72, 700, "#") + "EMC\n" + at(80, 700, "ort")), "ffort"},
		{"inline image", texts("BI /W 2 /H 2 /BPC 8 /CS /G ID \xff(EI\x00\xff EI\n" + at(72, 700, "after")), "after"},
		{"off the page", texts(at(72, 700, "seen") + at(900, 700, "unseen")), "seen"},
		{"comments and names", texts("BT % (not this)\n/F#31 12 Tf 72 700 Td <48 69> Tj (\\050\\) \\\n!) Tj ET"), "Hi() !"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, read(t, c.data).Text) })
	}
}

func TestFieldsAndStamps(t *testing.T) {
	look := stream("/Type/XObject/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F1 3 0 R>>>>", "BT /F1 12 Tf 2 5 Td (a field's value) Tj ET")
	on := "<</Type/Annot/Subtype/Widget/Rect[72 600 172 620]/AS/On/AP<</N<</On 4 0 R/Off 3 0 R>>>>>>"
	hidden := "<</Type/Annot/Subtype/Widget/F 2/Rect[72 500 172 520]/AP<</N 4 0 R>>>>"
	d := read(t, document([]string{look, on, hidden}, sheet{content: at(72, 700, "Name:"), entries: "/Annots[5 0 R 6 0 R]"}).bytes())
	require.Equal(t, "Name:\n\na field's value", d.Text)
}

// Damage that readers are expected to get over.
func TestRepairs(t *testing.T) {
	whole := texts(at(72, 700, "still here"))
	for name, data := range map[string][]byte{
		"junk before the header": append([]byte("mail header\r\n\r\n"), whole...),
		"version 2.0":            bytes.Replace(whole, []byte("%PDF-1.4"), []byte("%PDF-2.0"), 1),
		"no end of file":         whole[:bytes.LastIndex(whole, []byte("startxref"))],
		"junk after the end":     append(append([]byte(nil), whole...), bytes.Repeat([]byte("\x00"), 3000)...),
		"wrong offsets":          bytes.ReplaceAll(whole, []byte("00000 n"), []byte("00009 n")),
		"no table":               whole[:bytes.Index(whole, []byte("xref"))],
		"endless table chain":    bytes.Replace(whole, []byte("/Root"), []byte("/Prev 9/Root"), 1),
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, "still here", read(t, data).Text) })
	}
}

func TestObjectStreams(t *testing.T) {
	var packed bytes.Buffer
	catalog, pages := "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 612 792]>>"
	page := "<</Type/Page/Contents 6 0 R/Resources<</Font<</F1 4 0 R>>>>>>"
	font := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
	index := fmt.Sprintf("1 0 2 %d 3 %d 4 %d ", len(catalog), len(catalog+pages), len(catalog+pages+page))
	z := zlib.NewWriter(&packed)
	_, err := z.Write([]byte(index + catalog + pages + page + font))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	data := "%PDF-1.5\n5 0 obj\n" + stream(fmt.Sprintf("/Type/ObjStm/N 4/First %d/Filter/FlateDecode", len(index)), packed.String()) +
		"\nendobj\n6 0 obj\n" + stream("", at(72, 700, "unpacked")) + "\nendobj\n"
	require.Equal(t, "unpacked", read(t, []byte(data)).Text)
}

func TestPages(t *testing.T) {
	scan := sheet{content: "q 612 0 0 792 0 0 cm /I Do Q", resources: "/XObject<</I 4 0 R>>"}
	image := stream("/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", "x")
	broken := sheet{content: "BT /F2 12 Tf (\x00\x01) Tj ET", resources: "/Font<</F2<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[<<>>]>>>>"}
	data := document([]string{image}, sheet{content: at(72, 700, "first")}, scan, sheet{content: ""}, scan, scan, broken, sheet{content: at(72, 700, "end")}).bytes()
	var progress []float64
	d, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: data}, func(f float64) { progress = append(progress, f) })
	require.NoError(t, err)
	require.Equal(t, "first\n\nend", d.Text)
	require.Equal(t, parse.Coverage{Pages: 7, Characters: 10, PerPage: []int{5, 0, 0, 0, 0, 0, 3}, Scanned: []int{2, 4, 5}, Empty: []int{3}, Failed: []int{6}}, d.Coverage)
	require.Equal(t, []parse.Warning{
		{Code: "scanned_pages", Message: "pages 2, 4-5 look scanned: no text; run OCR (inlay's --ocr with tesseract installed, or a tool such as ocrmypdf)"},
		{Code: "failed_pages", Message: "page 6 could not be read: save or print the file to a new PDF"},
	}, d.Warnings)
	require.Len(t, progress, 7)
	require.IsIncreasing(t, progress)
	last := d.Sections[6]
	require.Equal(t, parse.Section{Kind: parse.Page, Number: 7, Status: parse.Read, Start: 7, End: 10}, last)
	require.Equal(t, parse.Empty, d.Sections[2].Status)
}

func TestCutOff(t *testing.T) {
	whole := texts(at(72, 700, "first"), at(72, 700, "second"))
	updated := append(slices.Clone(whole), "99 0 obj <<>> endobj\n"...)
	for _, data := range [][]byte{beforeTable(whole), updated} {
		d := read(t, data)
		require.Equal(t, "first\n\nsecond", d.Text)
		require.Equal(t, parse.Warning{
			Code: parse.WarnDamaged, Message: "the end of the file is missing, so pages and words can be missing too: download or copy it again",
		}, d.Warnings[0])
	}
	require.Empty(t, read(t, whole).Warnings)
	require.Empty(t, read(t, append(whole, "rubbish after the end"...)).Warnings)
}

func TestNoText(t *testing.T) {
	image := stream("/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", "x")
	scan := sheet{content: "q 612 0 0 792 0 0 cm /I Do Q", resources: "/XObject<</I 4 0 R>>"}
	unmapped := sheet{content: "BT /F2 12 Tf (\x00\x01) Tj ET", resources: "/Font<</F2<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[<<>>]>>>>"}
	for _, c := range []struct {
		name string
		data []byte
		code fault.Code
		says string
	}{
		{"scanned", document([]string{image}, scan, scan).bytes(), fault.NoTextLayer, "2 of its 2 pages look scanned"},
		{"empty", texts("", ""), fault.NoTextLayer, "all 2 pages are empty"},
		{"cut off", beforeTable(texts("", "")), fault.Corrupt, "it is cut off: the end of the file is missing"},
		{"unmapped", document(nil, unmapped).bytes(), fault.UnmappedFont, "fonts do not say"},
		{"password", encrypted("secret", at(72, 700, "hidden")), fault.PasswordRequired, "password"},
		{"junk", []byte("%PDF-1.4\njunk"), fault.Corrupt, "damaged"},
		{"page loop", []byte("%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj 2 0 obj <</Kids[2 0 R 2 0 R]>> endobj"), fault.Corrupt, "no page"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: c.data}, nil)
			require.Equal(t, c.code, fault.CodeOf(err), "%v", err)
			require.ErrorContains(t, err, "a.pdf: ")
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestEmptyPasswordOpens(t *testing.T) {
	require.Equal(t, "for everyone", read(t, encrypted("", at(72, 700, "for everyone"))).Text)
}

func TestLimits(t *testing.T) {
	data := texts(strings.Repeat(at(72, 700, "some text"), 100), at(72, 700, "more"))
	for name, c := range map[string]struct {
		limits parse.Limits
		code   fault.Code
	}{
		"file":       {parse.Limits{File: 10}, fault.FileTooLarge},
		"pages":      {parse.Limits{Pages: 1}, fault.LimitExceeded},
		"operations": {parse.Limits{Operations: 50}, fault.LimitExceeded},
		"text":       {parse.Limits{Text: 20}, fault.LimitExceeded},
		"stream":     {parse.Limits{Stream: 100}, fault.LimitExceeded},
		"time":       {parse.Limits{Time: time.Nanosecond}, fault.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := pdf.Parser{Limits: c.limits}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: data}, nil)
			require.Equal(t, c.code, fault.CodeOf(err), "%v", err)
		})
	}
}

func TestCanceledWhileReading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	pages := 0
	_, err := pdf.Parser{}.Parse(ctx, parse.File{Name: "a.pdf", Data: texts("", at(9, 9, "b"), at(9, 9, "c"))}, func(float64) {
		pages++
		cancel()
	})
	require.True(t, fault.Is(err, fault.Canceled), "%v", err)
	require.Equal(t, 1, pages)
}

// Every hostile file ends as text or as an error with a code; a hang or the end
// of the process would be the failure.
func TestHostileFiles(t *testing.T) {
	for _, path := range documents(t) {
		if !strings.Contains(path, "hostile") {
			continue
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		d, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: data}, nil)
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.CodeOf(err), "%s: %v", path, err)
			continue
		}
		require.NotEmpty(t, d.Text, path)
	}
}

func TestLimitsKeepWhatWasRead(t *testing.T) {
	file := parse.File{Name: "a.pdf", Data: texts(at(72, 700, "kept"), strings.Repeat(at(72, 700, "too much"), 1000), at(72, 700, "after"))}
	d, err := pdf.Parser{Limits: parse.Limits{Operations: 2000}}.Parse(t.Context(), file, nil)
	require.NoError(t, err)
	require.Equal(t, "kept", d.Text)
	require.True(t, d.Partial)
	require.Equal(t, []int{2, 3}, d.Coverage.Failed)
	require.Equal(t, []parse.Warning{{
		Code:    parse.WarnPartial,
		Message: "only 1 of 3 pages was read: it has more content operations than the limit of 2000 (split the document, or raise the limit: --parse-limits operations=8000)",
	}}, d.Warnings)

	for name, c := range map[string]struct {
		limits parse.Limits
		code   fault.Code
	}{
		"pages": {parse.Limits{Pages: 2}, fault.LimitExceeded}, "operations": {parse.Limits{Operations: 1}, fault.LimitExceeded},
		"text": {parse.Limits{Text: 3}, fault.LimitExceeded}, "stream": {parse.Limits{Stream: 20}, fault.LimitExceeded}, "time": {parse.Limits{Time: 1}, fault.Timeout},
	} {
		_, err := pdf.Parser{Limits: c.limits}.Parse(t.Context(), file, nil)
		require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
		require.ErrorContains(t, err, "--parse-limits "+name+"=", "%s", name)
	}
}

// beforeTable is a PDF whose download broke off before its table of objects.
func beforeTable(data []byte) []byte { return data[:bytes.LastIndex(data, []byte("\nxref"))+1] }
