package office_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"inlay/fault"
	"inlay/internal/mediatype"
	"inlay/parse"
	"inlay/parse/office"
	"inlay/parse/parsetest"
	"inlay/parse/plain"
)

// parseAs reads data with all parsers of the package.
func parseAs(t *testing.T, name string, data []byte, limits parse.Limits) (parse.Document, error) {
	t.Helper()
	r, err := parse.NewRegistry(append(office.All(limits), plain.Text(limits))...)
	require.NoError(t, err)
	return r.Parse(t.Context(), parse.File{Name: name, Data: data}, nil)
}

const drawNS = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`

// textShape is a shape with a placeholder role and paragraphs.
func textShape(role string, paragraphs ...string) string {
	placeholder := ""
	if role != "" {
		placeholder = `<p:nvSpPr><p:nvPr><p:ph type="` + role + `"/></p:nvPr></p:nvSpPr>`
	}
	return "<p:sp>" + placeholder + "<p:txBody>" + strings.Join(paragraphs, "") + "</p:txBody></p:sp>"
}

func slidePara(text string) string { return "<a:p><a:r><a:t>" + text + "</a:t></a:r></a:p>" }

func pptx(t *testing.T) []byte {
	t.Helper()
	slide := func(body string) string {
		return "<p:sld " + drawNS + "><p:cSld><p:spTree>" + body + "</p:spTree></p:cSld></p:sld>"
	}
	chart := `<c:chartSpace><c:chart><c:title><a:t>Sales</a:t></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:v>East</c:v></c:tx><c:cat><c:pt idx="0"><c:v>Q1</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>7</c:v></c:pt></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`
	return parsetest.Zip(t,
		"_rels/.rels", `<Relationships><Relationship Id="d" Type="`+relType+`officeDocument" Target="ppt/presentation.xml"/></Relationships>`,
		"ppt/presentation.xml", `<p:presentation `+drawNS+`><p:sldIdLst><p:sldId id="256" r:id="two"/><p:sldId id="257" r:id="one"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", `<Relationships><Relationship Id="one" Type="`+relType+`slide" Target="slides/slide1.xml"/><Relationship Id="two" Type="`+relType+`slide" Target="slides/slide2.xml"/></Relationships>`,
		"ppt/slides/slide2.xml", slide(textShape("body", slidePara("point"), `<a:p><a:pPr lvl="1"/><a:r><a:t>deeper</a:t></a:r></a:p>`)+textShape("title", slidePara("Opening"))),
		"ppt/slides/slide1.xml", slide(textShape("", slidePara("free text"))+
			`<a:tbl><a:tr><a:tc gridSpan="2"><a:txBody>`+slidePara("wide")+`</a:txBody></a:tc><a:tc hMerge="1"/></a:tr><a:tr><a:tc><a:txBody>`+slidePara("x")+`</a:txBody></a:tc><a:tc><a:txBody>`+slidePara("y")+`</a:txBody></a:tc></a:tr></a:tbl>`),
		"ppt/slides/_rels/slide1.xml.rels", `<Relationships><Relationship Id="n" Type="`+relType+`notesSlide" Target="../notesSlides/n1.xml"/><Relationship Id="c" Type="`+relType+`chart" Target="../charts/c1.xml"/></Relationships>`,
		"ppt/notesSlides/n1.xml", "<p:notes "+drawNS+">"+textShape("body", slidePara("say this"))+textShape("sldNum", slidePara("99"))+"</p:notes>",
		"ppt/charts/c1.xml", chart,
	)
}

func TestPPTX(t *testing.T) {
	data := pptx(t)
	parsetest.Run(t, office.PPTX(parse.Limits{}), parsetest.Sample{Name: "a.pptx", Data: data, Contains: []string{"# Opening", "- point"}, Sections: []parse.Kind{parse.Slide, parse.List, parse.Table}})
	d, err := parseAs(t, "a.pptx", data, parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "# Opening\n\n- point\n  - deeper\n\nfree text\n\n| wide | wide |\n| --- | --- |\n| x | y |\n\nsay this\n\nSales\n\nBar chart\n\n|  | East |\n| --- | --- |\n| Q1 | 7 |", d.Text)
	require.Equal(t, 2, d.Coverage.Pages)
	m := parse.NewMap(d)
	at := strings.Index(d.Text, "say this")
	require.Equal(t, 2, m.At(at, at+1).Slide)
	require.Equal(t, "notes", m.At(at, at+1).Part)
}

func xlsx(t *testing.T) []byte {
	t.Helper()
	f := excelize.NewFile()
	require.NoError(t, f.SetSheetName("Sheet1", "Prices"))
	for cell, v := range map[string]any{"B2": "item", "C2": "price", "B3": "tea", "C3": 2.5, "B6": "second", "C6": "table", "B7": "a", "C7": true} {
		require.NoError(t, f.SetCellValue("Prices", cell, v))
	}
	_, err := f.NewSheet("Empty")
	require.NoError(t, err)
	_, err = f.NewSheet("Notes")
	require.NoError(t, err)
	require.NoError(t, f.SetCellValue("Notes", "A1", "only this"))
	require.NoError(t, f.AddComment("Notes", excelize.Comment{Cell: "A1", Author: "Ann", Text: "check"}))
	var b bytes.Buffer
	require.NoError(t, f.Write(&b))
	return b.Bytes()
}

func TestXLSX(t *testing.T) {
	data := xlsx(t)
	parsetest.Run(t, office.XLSX(parse.Limits{}), parsetest.Sample{Name: "a.xlsx", Data: data, Contains: []string{"# Prices", "| tea | 2.5 |"}, Sections: []parse.Kind{parse.Sheet, parse.Table}})
	d, err := parseAs(t, "a.xlsx", data, parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "# Prices\n\n| item | price |\n| --- | --- |\n| tea | 2.5 |\n\n| second | table |\n| --- | --- |\n| a | TRUE |\n\n# Empty\n\n# Notes\n\nonly this\n\nComment on A1 [author: Ann]: check", d.Text)
	at := strings.Index(d.Text, "only")
	require.Equal(t, "Notes", parse.NewMap(d).At(at, at+1).Sheet)
	_, err = parseAs(t, "a.xlsx", data, parse.Limits{Cells: 3})
	require.True(t, fault.Is(err, fault.LimitExceeded), "%v", err)
	_, err = parseAs(t, "a.xlsx", data, parse.Limits{ZipTotal: 100})
	require.True(t, fault.Is(err, fault.LimitExceeded), "%v", err)
}

// Programs that write workbooks without calculating leave formulas without results.
func TestXLSXFormulas(t *testing.T) {
	f := excelize.NewFile()
	require.NoError(t, f.SetCellValue("Sheet1", "A1", "n"))
	require.NoError(t, f.SetCellValue("Sheet1", "B1", "double"))
	require.NoError(t, f.SetCellValue("Sheet1", "A2", 4))
	require.NoError(t, f.SetCellFormula("Sheet1", "B2", `IF(A2<9,A2*2,"")`))
	require.NoError(t, f.SetCellFormula("Sheet1", "B5", "SUM(B2:B2)"))
	var b bytes.Buffer
	require.NoError(t, f.Write(&b))
	d, err := parseAs(t, "a.xlsx", b.Bytes(), parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "# Sheet1\n\n| n | double |\n| --- | --- |\n| 4 | =IF(A2<9,A2*2,\"\") |\n\n=SUM(B2:B2)", d.Text)
	require.Contains(t, d.Warnings[0].Message, "2 formulas have no result")
	_, err = parseAs(t, "a.xlsx", b.Bytes(), parse.Limits{Cells: 4})
	require.True(t, fault.Is(err, fault.LimitExceeded), "%v", err)
}

func TestXLSXWithoutCells(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, excelize.NewFile().Write(&b))
	_, err := parseAs(t, "a.xlsx", b.Bytes(), parse.Limits{})
	require.True(t, fault.Is(err, fault.NoTextLayer), "%v", err)
}

// opendocument makes an ODF file of a media type with that body.
func opendocument(t *testing.T, mediaType, body string, more ...string) []byte {
	t.Helper()
	return parsetest.Zip(t, append([]string{"mimetype", mediaType, "content.xml", `<office:document-content><office:body>` + body + `</office:body></office:document-content>`}, more...)...)
}

func TestODT(t *testing.T) {
	body := `<office:text><text:h text:outline-level="2">Head</text:h><text:p>a<text:s text:c="2"/>b<text:tab/>c<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>the note</text:p></text:note-body></text:note></text:p>
<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list></text:list-item></text:list>
<table:table><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>wide</text:p></table:table-cell><table:covered-table-cell/></table:table-row><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table>
<text:tracked-changes><text:p>gone</text:p></text:tracked-changes></office:text>`
	data := opendocument(t, mediatype.ODT, body)
	parsetest.Run(t, office.ODF(parse.Limits{}), parsetest.Sample{
		Name: "a.odt", Data: data, Contains: []string{"## Head", "- one"},
		Sections: []parse.Kind{parse.Heading, parse.List, parse.Table, parse.Paragraph},
	})
	d, err := parseAs(t, "a.odt", data, parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "## Head\n\na  b\tc[^1]\n\n[^1]: the note\n\n- one\n  - deep\n\n| wide | wide |\n| --- | --- |\n| x | y |", d.Text)
	_, err = parseAs(t, "a.odt", opendocument(t, mediatype.ODT, body, "META-INF/manifest.xml", "<m><encryption-data/></m>"), parse.Limits{})
	require.True(t, fault.Is(err, fault.PasswordRequired), "%v", err)
}

// What LibreOffice writes: lists and headings that count, a comment, a link, a
// formula in a file of its own, and the margins of the pages.
func TestODTBesideText(t *testing.T) {
	styles := `<office:document-styles><office:styles><text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/></text:outline-style>
<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix=")"/><text:list-level-style-number text:level="2" style:num-format="a" text:display-levels="2"/></text:list-style></office:styles>
<office:master-styles><style:master-page><style:header><text:p>Company <text:span>paper</text:span></text:p></style:header><style:header-left style:display="false"><text:p>hidden</text:p></style:header-left><style:footer><text:p>1</text:p></style:footer></style:master-page></office:master-styles></office:document-styles>`
	body := `<office:text><text:h text:outline-level="1">Head</text:h>
<text:list text:style-name="L1"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list></text:list-item></text:list><text:p>between</text:p>
<text:list text:style-name="L1" text:continue-numbering="true"><text:list-item><text:p>two</text:p><text:p>more</text:p></text:list-item></text:list><text:list text:style-name="L1"><text:list-item><text:p>anew</text:p></text:list-item></text:list>
<text:p>See<office:annotation><dc:creator>Jane</dc:creator><dc:date>2024-01-02T03:04:05</dc:date><text:p>Is <text:span>this</text:span> so?</text:p><text:p>Yes.</text:p></office:annotation> <text:a xlink:href="https://example.com/">there</text:a>, <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>.</text:p><text:h text:outline-level="1">Next</text:h></office:text>`
	formula := `<math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup><mo>≤</mo><mfrac><mi>a</mi><msqrt><mi>b</mi></msqrt></mfrac></mrow><annotation encoding="StarMath 5.0">x^2 &lt;= a over sqrt b</annotation></semantics></math>`
	d, err := parseAs(t, "a.odt", opendocument(t, mediatype.ODT, body, "styles.xml", styles, "Object 1/content.xml", formula), parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, `# 1. Head

1) one
  1.a deep

between

2) two
  more

1) anew

See [there](https://example.com/), $x^{2}\leq \frac{a}{\sqrt{b}}$.

# 2. Next

Comment [author: Jane, time: 2024-01-02T03:04:05]: Is this so? Yes.

Company paper`, d.Text)
}

func TestODS(t *testing.T) {
	row := func(attributes, cells string) string {
		return "<table:table-row" + attributes + ">" + cells + "</table:table-row>"
	}
	cell := func(attributes, text string) string {
		return "<table:table-cell" + attributes + "><text:p>" + text + "</text:p></table:table-cell>"
	}
	body := `<office:spreadsheet><table:table table:name="One">` + row("", cell("", "a")+cell(` table:number-columns-repeated="2"`, "b")+`<table:table-cell table:number-columns-repeated="16000"/>`) +
		row(` table:number-rows-repeated="2"`, cell("", "c")) + row(` table:number-rows-repeated="1048000"`, "<table:table-cell/>") +
		`</table:table><table:table table:name="Two">` + row("", cell("", "z")) + `</table:table></office:spreadsheet>`
	d, err := parseAs(t, "a.ods", opendocument(t, mediatype.ODS, body), parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "# One\n\n| a | b | b |\n| --- | --- | --- |\n| c |  |  |\n| c |  |  |\n\n# Two\n\nz", d.Text)
	at := strings.Index(d.Text, "z")
	require.Equal(t, "Two", parse.NewMap(d).At(at, at+1).Sheet)
	bomb := `<office:spreadsheet><table:table>` + row(` table:number-rows-repeated="1000000"`, cell(` table:number-columns-repeated="16000"`, "x")) + `</table:table></office:spreadsheet>`
	_, err = parseAs(t, "a.ods", opendocument(t, mediatype.ODS, bomb), parse.Limits{})
	require.True(t, fault.Is(err, fault.LimitExceeded), "%v", err)
}

func TestODP(t *testing.T) {
	page := func(name, body string) string { return `<draw:page draw:name="` + name + `">` + body + `</draw:page>` }
	body := `<office:presentation>` + page("p1", `<draw:frame><text:p>first</text:p></draw:frame><presentation:notes><text:p>spoken</text:p></presentation:notes>`) + page("p2", `<text:p>second</text:p>`) + `</office:presentation>`
	d, err := parseAs(t, "a.odp", opendocument(t, mediatype.ODP, body), parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "first\n\nspoken\n\nsecond", d.Text)
	at := strings.Index(d.Text, "second")
	require.Equal(t, 2, parse.NewMap(d).At(at, at+1).Slide)
}

const rtfSample = `{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}}{\stylesheet{\s0 Normal;}{\s1 heading 1;}}
{\info{\title hidden title}}{\header page head}\pard\s1 Head\par\pard Caf\'e9 \f1\'cf\'f0\f0  and \u8364? \uc1\u-10179?\u-8704?{\v invisible}\par
{\listtext\bullet\tab}item one\par{\pntext 1.\tab}item two\par
\trowd\pard\intbl a\cell b\cell\row\trowd\pard\intbl 1\cell 2\cell\row\pard After {\*\unknown nothing}{\field{\*\fldinst HYPERLINK x}{\fldrslt link}}.\par}`

func TestRTF(t *testing.T) {
	others := []parse.Parser{plain.Text(parse.Limits{})}
	parsetest.Run(t, office.RTF(parse.Limits{}), parsetest.Sample{
		Name: "a.rtf", Data: []byte(rtfSample), Others: others,
		Contains: []string{"# Head", "| a | b |"}, Sections: []parse.Kind{parse.Heading, parse.List, parse.Table, parse.Paragraph},
	})
	d, err := parseAs(t, "a.rtf", []byte(rtfSample), parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "# Head\n\nCafé Пр and € 😀\n\n- item one\n1. item two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nAfter link.\n\npage head", d.Text)
}

func TestRTFBesideText(t *testing.T) {
	d, err := parseAs(t, "a.rtf", []byte(`{\rtf1\ansi{\header\pard Company\par}{\footer\pard Page \chpgn\par}{\footerf\chpgn}`+
		`\pard Before{\super\chftn{\footnote\pard{\super\chftn} The note\par of two lines.\par}} and after{\*\atnid JD}{\*\atnauthor Jane Doe}\chatn{\*\annotation{\*\atndate 1}\pard Is it so?}.\par`+
		`\trowd\cellx1000\intbl in a cell{\footnote second}\cell\row\pard Last\par}`), parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "Before[^1] and after.\n\n[^1]: The note of two lines.\n\nin a cell[^2]\n\nLast\n\n[^2]: second\n\n"+
		"Comment [author: Jane Doe]: Is it so?\n\nCompany\n\nPage", d.Text)
	d, err = parseAs(t, "a.rtf", []byte(`{\rtf1 Text{\footnote cut off`), parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "Text[^1]\n\n[^1]: cut off", d.Text)
}

func TestRTFHostile(t *testing.T) {
	_, err := parseAs(t, "a.rtf", []byte(`{\rtf1 `+strings.Repeat("{", 100_000)), parse.Limits{})
	require.True(t, fault.Is(err, fault.LimitExceeded), "%v", err)
	d, err := parseAs(t, "a.rtf", []byte(`{\rtf1 a\bin999999999999 b\u99999999999 c\'zz`), parse.Limits{})
	require.NoError(t, err)
	require.Contains(t, d.Text, "a")
}

func FuzzRTF(f *testing.F) {
	f.Add([]byte(rtfSample))
	f.Add([]byte(`{\rtf1\mac{\*\shptxt x}\uc5\u1abcde\cell\row}`))
	r, err := parse.NewRegistry(office.RTF(parse.Limits{}))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := r.Parse(t.Context(), parse.File{Name: "a.rtf", Data: append([]byte(`{\rtf1 `), data...)}, nil)
		if fault.Is(err, fault.Internal) || err != nil && strings.Contains(err.Error(), "failed on it") {
			t.Fatal(err)
		}
	})
}

func FuzzSlideAndODF(f *testing.F) {
	f.Add(textShape("title", slidePara("x")), `<text:p>x</text:p>`)
	f.Add(`<a:tbl><a:tr><a:tc hMerge="1"/></a:tr>`, `<table:table><table:covered-table-cell/><table:table-row></draw:page>`)
	r, err := parse.NewRegistry(office.PPTX(parse.Limits{}), office.ODF(parse.Limits{}))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, slide, text string) {
		show := parsetest.Zip(t,
			"ppt/presentation.xml", `<p:presentation><p:sldIdLst><p:sldId r:id="one"/></p:sldIdLst></p:presentation>`,
			"ppt/_rels/presentation.xml.rels", `<Relationships><Relationship Id="one" Type="x/slide" Target="slides/slide1.xml"/></Relationships>`,
			"ppt/slides/slide1.xml", slide)
		for name, data := range map[string][]byte{"a.pptx": show, "a.odt": opendocument(t, mediatype.ODT, text)} {
			_, err := r.Parse(t.Context(), parse.File{Name: name, Data: data}, nil)
			if fault.Is(err, fault.Internal) || err != nil && strings.Contains(err.Error(), "failed on it") {
				t.Fatal(err)
			}
		}
	})
}

func TestXLSXMergedCellsAndCharts(t *testing.T) {
	f := excelize.NewFile()
	for cell, v := range map[string]any{"A1": "Ducks by year", "A3": "year", "B3": "count", "A4": 2024, "B4": 7, "B5": 9} {
		require.NoError(t, f.SetCellValue("Sheet1", cell, v))
	}
	require.NoError(t, f.SetCellValue("Sheet1", "A2", "a title"))
	require.NoError(t, f.MergeCell("Sheet1", "A2", "B2"))
	require.NoError(t, f.MergeCell("Sheet1", "A4", "A5"))
	require.NoError(t, f.AddChart("Sheet1", "D1", &excelize.Chart{
		Type: excelize.Col, Title: excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: "The chart"}}},
		Series: []excelize.ChartSeries{{Name: "Sheet1!$B$3", Categories: "Sheet1!$A$4:$A$5", Values: "Sheet1!$B$4:$B$5"}},
	}))
	var b bytes.Buffer
	require.NoError(t, f.Write(&b))
	d, err := parseAs(t, "a.xlsx", b.Bytes(), parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "# Sheet1\n\nDucks by year\n\na title\n\n| year | count |\n| --- | --- |\n| 2024 | 7 |\n| 2024 | 9 |\n\nThe chart\n\nBar chart", d.Text)
}

func TestODTShowsCharts(t *testing.T) {
	object := `<office:chart><chart:chart chart:class="chart:bar"><chart:title><text:p>Rain</text:p></chart:title><table:table><table:table-row><table:table-cell><text:p>month</text:p></table:table-cell><table:table-cell><text:p>mm</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>May</text:p></table:table-cell><table:table-cell><text:p>30</text:p></table:table-cell></table:table-row></table:table></chart:chart></office:chart>`
	d, err := parseAs(t, "a.odt", opendocument(t, mediatype.ODT,
		`<office:text><text:p>See <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>here.</text:p><text:p>End.</text:p></office:text>`,
		"Object 1/content.xml", object), parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "See here.\n\nBar chart\n\nRain\n\n| month | mm |\n| --- | --- |\n| May | 30 |\n\nEnd.", d.Text)
}

// Threaded comments have names and times; what old programs see of them is left out.
func TestXLSXThreadedComments(t *testing.T) {
	f := excelize.NewFile()
	require.NoError(t, f.SetCellValue("Sheet1", "A1", "ducks"))
	require.NoError(t, f.AddComment("Sheet1", excelize.Comment{Cell: "A1", Author: "tc={1}", Text: "[Threaded comment] Your version of Excel"}))
	require.NoError(t, f.AddComment("Sheet1", excelize.Comment{Cell: "B1", Author: "Ann", Text: "old"}))
	var b bytes.Buffer
	require.NoError(t, f.Write(&b))
	old, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	var parts []string
	for _, e := range old.File {
		r, err := e.Open()
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		text := string(data)
		if strings.HasSuffix(e.Name, "sheet1.xml.rels") {
			text = strings.Replace(text, "</Relationships>", `<Relationship Id="t" Type="http://schemas.microsoft.com/office/2017/10/relationships/threadedComment" Target="../threadedComments/threadedComment1.xml"/></Relationships>`, 1)
		}
		parts = append(parts, e.Name, text)
	}
	parts = append(parts,
		"xl/threadedComments/threadedComment1.xml", `<ThreadedComments><threadedComment ref="A1" dT="2026-06-18T17:12:37.41" personId="{p}"><text>so few?</text></threadedComment><threadedComment ref="A1" dT="2026-06-18T17:15:00" personId="{q}"><text>yes</text></threadedComment></ThreadedComments>`,
		"xl/persons/person.xml", `<personList><person displayName="Jane (J)" id="{p}"/></personList>`)
	d, err := parseAs(t, "a.xlsx", parsetest.Zip(t, parts...), parse.Limits{})
	require.NoError(t, err)
	require.Contains(t, d.Text, "Comment on B1 [author: Ann]: old\n\nComment on A1 [author: Jane (J), time: 2026-06-18T17:12:37.410]: so few?\n\nComment on A1 [author: unknown, time: 2026-06-18T17:15:00]: yes")
	require.NotContains(t, d.Text, "Your version")
}

// Rows are numbered as the spreadsheet numbers them, gaps and titles included.
func TestSheetRows(t *testing.T) {
	book := excelize.NewFile()
	for cell, value := range map[string]any{"A3": "Prices", "A4": "item", "B4": "price", "A5": "pen", "B5": 2, "C9": "code", "D9": "town", "C10": "x", "D10": "Oslo"} {
		require.NoError(t, book.SetCellValue("Sheet1", cell, value))
	}
	var b bytes.Buffer
	require.NoError(t, book.Write(&b))
	body := `<office:spreadsheet><table:table table:name="S"><table:table-row table:number-rows-repeated="2"/>` +
		`<table:table-row><table:table-cell><text:p>Prices</text:p></table:table-cell></table:table-row>` +
		`<table:table-row><table:table-cell><text:p>item</text:p></table:table-cell><table:table-cell><text:p>price</text:p></table:table-cell></table:table-row>` +
		`<table:table-row><table:table-cell><text:p>pen</text:p></table:table-cell><table:table-cell><text:p>2</text:p></table:table-cell></table:table-row>` +
		`<table:table-row table:number-rows-repeated="4"/>` +
		`<table:table-row table:number-rows-repeated="2"><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell><text:p>Oslo</text:p></table:table-cell></table:table-row>` +
		`</table:table></office:spreadsheet>`
	for name, data := range map[string][]byte{"a.xlsx": b.Bytes(), "a.ods": opendocument(t, mediatype.ODS, body)} {
		d, err := parseAs(t, name, data, parse.Limits{})
		require.NoError(t, err)
		m := parse.NewMap(d)
		for word, want := range map[string]int{"Prices": 3, "item": 4, "pen": 5} {
			require.Equal(t, want, m.At(strings.Index(d.Text, word), strings.Index(d.Text, word)+1).RowStart, "%s: %s", name, word)
		}
		last := strings.LastIndex(d.Text, "Oslo")
		require.Equal(t, map[string]int{"a.xlsx": 10, "a.ods": 11}[name], m.At(last, last+1).RowStart, name)
	}
}
