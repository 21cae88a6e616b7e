package office_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/office"
	"inlay/parse/parsetest"
)

const (
	wordNS     = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`
	relType    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	wordStyles = `<w:styles ` + wordNS + `><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style><w:style w:styleId="Own"><w:name w:val="My style"/><w:basedOn w:val="H2"/></w:style>
<w:style w:styleId="A"><w:name w:val="a"/><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:name w:val="b"/><w:basedOn w:val="A"/></w:style></w:styles>`
	wordNumbers = `<w:numbering ` + wordNS + `><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>`
)

// docx makes a Word file with that body; more are further entries.
func docx(t *testing.T, body string, more ...string) []byte {
	t.Helper()
	links := `<Relationship Id="s" Type="` + relType + `styles" Target="styles.xml"/><Relationship Id="n" Type="` + relType + `numbering" Target="numbering.xml"/>
<Relationship Id="f" Type="` + relType + `footnotes" Target="footnotes.xml"/><Relationship Id="h1" Type="` + relType + `header" Target="header1.xml"/>
<Relationship Id="h2" Type="` + relType + `header" Target="header2.xml"/><Relationship Id="web" Type="` + relType + `hyperlink" Target="https://x.y/" TargetMode="External"/>`
	entries := []string{
		"_rels/.rels", `<Relationships><Relationship Id="d" Type="` + relType + `officeDocument" Target="/word/document.xml"/></Relationships>`,
		"word/_rels/document.xml.rels", `<Relationships>` + links + `</Relationships>`,
		"word/styles.xml", wordStyles, "word/numbering.xml", wordNumbers,
		"word/document.xml", `<?xml version="1.0" encoding="UTF-8"?><w:document ` + wordNS + `><w:body>` + body + `</w:body></w:document>`,
	}
	return parsetest.Zip(t, append(entries, more...)...)
}

// para is a paragraph with properties and a run of text.
func para(properties, text string) string {
	return "<w:p><w:pPr>" + properties + "</w:pPr><w:r><w:t>" + text + "</w:t></w:r></w:p>"
}

func styled(id string) string { return `<w:pStyle w:val="` + id + `"/>` }

func listed(id, level string) string {
	return `<w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + id + `"/></w:numPr>`
}

func parseDOCX(t *testing.T, data []byte) (parse.Document, error) {
	t.Helper()
	r, err := parse.NewRegistry(office.All(parse.Limits{})...)
	require.NoError(t, err)
	return r.Parse(t.Context(), parse.File{Name: "a.docx", Data: data}, nil)
}

func TestDOCXConformance(t *testing.T) {
	body := para(styled("H1"), "Head") + para("", "Text") + para(listed("2", "0"), "item") +
		"<w:tbl><w:tr><w:tc>" + para("", "a") + "</w:tc><w:tc>" + para("", "b") + "</w:tc></w:tr></w:tbl>"
	parsetest.Run(t, office.DOCX(parse.Limits{}), parsetest.Sample{
		Name: "a.docx", Data: docx(t, body), Contains: []string{"# Head", "Text", "- item", "| a | b |"},
		Sections: []parse.Kind{parse.Heading, parse.Paragraph, parse.List, parse.Table},
	})
}

func TestDOCXBody(t *testing.T) {
	tests := map[string]struct{ body, want string }{
		"headings":      {para(styled("H1"), "One") + para(styled("Own"), "Two") + para("", "x"), "# One\n\n## Two\n\nx"},
		"outline level": {para(`<w:outlineLvl w:val="2"/>`, "Three"), "### Three"},
		"style circle":  {para(styled("A"), "x"), "x"},
		"numbered": {para(listed("1", "0"), "a") + para(listed("1", "1"), "b") + para(listed("1", "1"), "c") + para(listed("1", "0"), "d") +
			para(listed("1", "1"), "e"), "1. a\n  1.a) b\n  1.b) c\n2. d\n  2.a) e"},
		"bullets apart":  {para(listed("2", "0"), "a") + para("", "x") + para(listed("2", "0"), "b"), "- a\n\nx\n\n- b"},
		"numbered title": {para(styled("H1")+listed("1", "0"), "Scope"), "# 1. Scope"},
		"runs and tabs":  {`<w:p><w:r><w:t xml:space="preserve">a </w:t></w:r><w:r><w:t>b</w:t><w:tab/><w:t>c</w:t><w:br/><w:t>d</w:t></w:r></w:p>`, "a b\tc\nd"},
		"entities":       {para("", "a &amp; b &lt;c&gt; &#233;"), "a & b <c> é"},
		"deleted":        {`<w:p><w:del><w:r><w:delText>no</w:delText></w:r></w:del><w:ins><w:r><w:t>yes</w:t></w:r></w:ins></w:p>`, "yes"},
		"field":          {`<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>7</w:t></w:r></w:p>`, "7"},
		"link":           {`<w:p><w:hyperlink r:id="web"><w:r><w:t>site</w:t></w:r></w:hyperlink></w:p>`, "[site](https://x.y/)"},
		"text box": {`<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>` + para("", "boxed") +
			`</w:txbxContent></mc:Choice><mc:Fallback><w:p><w:r><w:t>boxed</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent><w:t>around</w:t></w:r></w:p>`, "boxed\n\naround"},
		"table": {
			"<w:tbl><w:tr><w:tc>" + para("", "a|b") + "</w:tc><w:tc>" + para("", "c") + para("", "d") +
				"</w:tc></w:tr><w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr>" + para("", "wide") + "</w:tc></w:tr></w:tbl>",
			"| a\\|b | c<br>d |\n| --- | --- |\n| wide | wide |",
		},
		"row set in": {
			"<w:tbl><w:tr><w:tc>" + para("", "a") + "</w:tc><w:tc>" + para("", "b") +
				"</w:tc></w:tr><w:tr><w:trPr><w:gridBefore w:val=\"1\"/></w:trPr><w:tc>" + para("", "c") + "</w:tc></w:tr></w:tbl>",
			"| a | b |\n| --- | --- |\n|  | c |",
		},
		"frame": {"<w:tbl><w:tr><w:tc>" + para("", "only") + "</w:tc></w:tr></w:tbl>", "only"},
		"nested table": {"<w:tbl><w:tr><w:tc>" + para("", "a") + "</w:tc><w:tc><w:tbl><w:tr><w:tc>" + para("", "b") + "</w:tc><w:tc>" +
			para("", "c") + "</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>", "| a | b; c |\n| --- | --- |"},
		"math": {`<w:p><m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath></w:p>`, "$E=mc$"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d, err := parseDOCX(t, docx(t, tt.body))
			require.NoError(t, err)
			require.Equal(t, tt.want, d.Text)
		})
	}
}

func TestDOCXSideParts(t *testing.T) {
	notes := `<w:footnotes ` + wordNS + `><w:footnote w:type="separator" w:id="0">` + para("", "---") + `</w:footnote><w:footnote w:id="2">` + para("", "The note.") + `</w:footnote></w:footnotes>`
	header := `<w:hdr ` + wordNS + `>` + para("", "Contract 17") + `</w:hdr>`
	body := `<w:p><w:r><w:t>Claim</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`
	d, err := parseDOCX(t, docx(t, body, "word/footnotes.xml", notes, "word/header1.xml", header, "word/header2.xml", header))
	require.NoError(t, err)
	require.Equal(t, "Claim[^1]\n\n[^1]: The note.\n\nContract 17", d.Text)
	at := strings.Index(d.Text, "Contract")
	require.Equal(t, "headers and footers", parse.NewMap(d).At(at, at+1).Part)
}

func TestDOCXDamagedBodyIsAWarning(t *testing.T) {
	d, err := parseDOCX(t, docx(t, para("", "before")+"<w:p <<< "+para("", "after")))
	require.NoError(t, err)
	require.Equal(t, "before", d.Text)
	require.Equal(t, parse.WarnDamaged, d.Warnings[0].Code)
}

func TestDOCXFaults(t *testing.T) {
	_, err := parseDOCX(t, docx(t, strings.Repeat("<w:p>", 20_000)))
	require.True(t, fault.Is(err, fault.LimitExceeded), "%v", err)
	_, err = parseDOCX(t, docx(t, ""))
	require.True(t, fault.Is(err, fault.NoTextLayer), "%v", err)
	r, err := parse.NewRegistry(office.All(parse.Limits{Text: 10})...)
	require.NoError(t, err)
	_, err = r.Parse(t.Context(), parse.File{Name: "a.docx", Data: docx(t, para("", "more than ten bytes"))}, nil)
	require.True(t, fault.Is(err, fault.LimitExceeded), "%v", err)
}

// Some programs write a Word file around a web page and leave it to Word to read that.
func TestDOCXHoldsOtherFiles(t *testing.T) {
	_, err := parseAs(t, "a.docx", docx(t, `<w:altChunk r:id="rId1"/>`), parse.Limits{})
	require.True(t, fault.Is(err, fault.UnsupportedFormat), "%v", err)
	d, err := parseAs(t, "a.docx", docx(t, `<w:p><w:r><w:t>Own text</w:t></w:r></w:p><w:altChunk r:id="rId1"/>`), parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, "Own text", d.Text)
	require.Contains(t, d.Warnings[0].Message, "open and save it in Word")
}

func FuzzWordBody(f *testing.F) {
	f.Add(para(styled("H1"), "Head") + para(listed("1", "1"), "x"))
	f.Add("<w:tbl><w:tr><w:tc>" + para("", "a") + "</w:tc></w:tr></w:tbl></w:p></w:tbl>")
	f.Add(`<w:p><m:oMathPara><m:oMath><m:f><m:num><m:t>π</m:t></m:num><m:den><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub/></m:nary></m:den></m:f><m:d><m:e/></m:d></m:oMath></w:p>`)
	r, err := parse.NewRegistry(office.DOCX(parse.Limits{}))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body string) {
		_, err := r.Parse(t.Context(), parse.File{Name: "a.docx", Data: docx(t, body)}, nil)
		if fault.Is(err, fault.Internal) || err != nil && strings.Contains(err.Error(), "failed on it") {
			t.Fatal(err)
		}
	})
}
