package parse_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/parsetest"
	"inlay/parse/plain"
)

// fixed is a parser that answers what it was made with.
type fixed struct {
	info parse.Info
	doc  parse.Document
	err  error
}

func (p *fixed) Info() parse.Info { return p.info }

func (p *fixed) Parse(_ context.Context, _ parse.File, _ parse.Progress) (parse.Document, error) {
	if p.err == nil && p.doc.Text == "panic" {
		panic("broken")
	}
	return p.doc, p.err
}

func fixedRegistry(t *testing.T, doc parse.Document, err error) *parse.Registry {
	t.Helper()
	r, e := parse.NewRegistry(&fixed{info: parse.Info{Name: "fixed", Version: "3", Library: "lib", MediaTypes: []string{"text/plain"}}, doc: doc, err: err})
	require.NoError(t, e)
	return r
}

func TestRegistryRefusesDoubleClaims(t *testing.T) {
	a := &fixed{info: parse.Info{Name: "a", MediaTypes: []string{"text/plain"}, Extensions: []string{".x"}}}
	for name, b := range map[string]parse.Info{
		"media type": {Name: "b", MediaTypes: []string{"text/plain"}},
		"extension":  {Name: "b", Extensions: []string{".x"}},
		"name":       {Name: "a", Extensions: []string{".y"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse.NewRegistry(a, &fixed{info: b})
			require.True(t, fault.Is(err, fault.Usage), "got %v", err)
		})
	}
}

func TestParseFillsAndChecks(t *testing.T) {
	r := fixedRegistry(t, parse.Document{Text: "ab\xffcd", Sections: []parse.Section{
		{Kind: parse.Paragraph, Start: 3, End: 5}, {Kind: parse.Page, Number: 1, Start: 0, End: 5, Status: parse.Scanned},
	}}, nil)
	d, err := r.Parse(t.Context(), parse.File{Name: "n.txt", Path: "/p/n.txt", Data: []byte("x")}, nil)
	require.NoError(t, err)
	require.Equal(t, "ab\uFFFDcd", d.Text)
	require.Equal(t, "fixed/3", d.Parser)
	require.Equal(t, "lib", d.Library)
	require.Equal(t, "text/plain", d.MediaType)
	require.Equal(t, "/p/n.txt", d.Path)
	require.Equal(t, parse.Page, d.Sections[0].Kind)
	require.Equal(t, "cd", d.Text[d.Sections[1].Start:d.Sections[1].End])
	require.Equal(t, parse.Coverage{Pages: 1, Characters: 5, PerPage: []int{5}, Scanned: []int{1}}, d.Coverage)
	require.Equal(t, []parse.Warning{
		{Code: parse.WarnRepairedUTF8, Message: "1 bytes stood for no character and were replaced"},
		{Code: parse.WarnScannedPages, Message: "page 1 looks scanned: no text; run OCR"},
	}, d.Warnings)
}

func TestParseFaults(t *testing.T) {
	file := parse.File{Name: "n.txt", Data: []byte("x")}
	tests := map[string]struct {
		doc  parse.Document
		err  error
		code fault.Code
	}{
		"no text":           {doc: parse.Document{Text: " \n"}, code: fault.NoTextLayer},
		"scanned":           {doc: parse.Document{Coverage: parse.Coverage{Scanned: []int{1, 2, 3}}}, code: fault.NoTextLayer},
		"section outside":   {doc: parse.Document{Text: "abc", Sections: []parse.Section{{Start: 0, End: 4}}}, code: fault.Internal},
		"section in a rune": {doc: parse.Document{Text: "é", Sections: []parse.Section{{Start: 0, End: 1}}}, code: fault.Internal},
		"section reversed":  {doc: parse.Document{Text: "abc", Sections: []parse.Section{{Start: 2, End: 1}}}, code: fault.Internal},
		"panic":             {doc: parse.Document{Text: "panic"}, code: fault.Corrupt},
		"bare error":        {err: fmt.Errorf("odd"), code: fault.Corrupt},
		"coded error":       {err: &fault.Error{Code: fault.PasswordRequired}, code: fault.PasswordRequired},
		"canceled":          {err: context.Canceled, code: fault.Canceled},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := fixedRegistry(t, tt.doc, tt.err).Parse(t.Context(), file, nil)
			require.Equal(t, tt.code, fault.CodeOf(err), "%v", err)
			require.Contains(t, err.Error(), "n.txt")
		})
	}
}

func TestUnsupported(t *testing.T) {
	r := everything(t)
	tests := []struct {
		name, data string
		code       fault.Code
		says       string
	}{
		{"empty.txt", "", fault.NoTextLayer, "the file is empty"},
		{"junk.bin", "\x00\x01\x02\x03\x04\x05\x06\x07\xfe\xff\x00\x10", fault.UnsupportedFormat, "neither text nor"},
		{"photo.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", fault.UnsupportedFormat, "it is an image (image/png)"},
		{"sound.mp3", "ID3\x03\x00\x00\x00\x00\x00\x21TIT2\x00\x00\x00\x17\x00\x00\x00", fault.UnsupportedFormat, "recording"},
		{"old.doc", "\xDB\xA5\x2D\x00" + strings.Repeat("\x00", 500), fault.UnsupportedFormat, "Word 1 or 2"},
		{"old.xls", "\x09\x04\x06\x00\x00\x00\x10\x00" + strings.Repeat("\x00", 500), fault.UnsupportedFormat, "Excel 2 to 4"},
		{"old.wpd", "\xFFWPC" + strings.Repeat("\x00", 500), fault.UnsupportedFormat, "WordPerfect"},
		{"cut.doc", string(parsetest.OLE(t, "WordDocument", "x"))[:600], fault.Corrupt, "container is damaged or cut"},
		{"short.doc", string(parsetest.OLE(t, "WordDocument", "x")), fault.Corrupt, "main part is missing"},
		{"locked.docx", string(parsetest.OLE(t, "EncryptedPackage", "x")), fault.PasswordRequired, "locked by a password"},
		{"plan.vsd", string(parsetest.OLE(t, "VisioDocument", "x")), fault.UnsupportedFormat, "save it there as PDF"},
		{"plan.vsdx", string(parsetest.Zip(t, "visio/document.xml", "x")), fault.UnsupportedFormat, "Microsoft Visio"},
		{"sheet.numbers", "PK\x03\x04\x14\x00\x00", fault.UnsupportedFormat, "export it there as PDF"},
		{"cut.wav", "RIFF\x7c4\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00" + strings.Repeat("\x82\xa0", 900), fault.UnsupportedFormat, "recording"},
		{"cut.docx", "PK\x03\x04\x14\x00\x00", fault.Corrupt, "cut short"},
		{"a.pages", string(parsetest.Zip(t, "Index/Document.iwa", "x")), fault.UnsupportedFormat, "export it there as PDF"},
		{"a.ps", "%!PS-Adobe-3.0\n(x) show\n", fault.UnsupportedFormat, "ps2pdf"},
		{"a.tar.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", fault.UnsupportedFormat, "unpack it"},
		{"empty.zip", "PK\x05\x06" + strings.Repeat("\x00", 18), fault.NoTextLayer, "there is no file in it"},
		{"blank.md", "\n \n", fault.NoTextLayer, "there is no text in it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := r.Parse(t.Context(), parse.File{Name: tt.name, Data: []byte(tt.data)}, nil)
			require.Equal(t, tt.code, fault.CodeOf(err), "%v", err)
			require.Contains(t, err.Error(), tt.says)
			requireExplained(t, err)
		})
	}
}

func TestLookupByContentThenName(t *testing.T) {
	r := everything(t)
	page := "<!DOCTYPE html><html><body><p>x</p></body></html>"
	mail := "From: a@b.c\r\nTo: d@e.f\r\nSubject: s\r\n\r\nbody\r\n"
	tests := []struct{ name, data, parser string }{
		{"a.md", "# T", "markdown"},
		{"a.go", "package a", "code"},
		{"a.txt", "plain words", "text"},
		{"LICENSE", "plain words", "text"},
		{"a.unknown", "plain words", "text"},
		{"a.pdf", "no pdf at all", "text"},
		{"a.csv", "a,b\n1,2", "csv"},
		{"a.csv", page, "html"},
		{"a.txt", page, "html"},
		{"a.md", page, "markdown"},
		{"a", page, "html"},
		{"a", `{"a": 1}`, "json"},
		{"a", "<?xml version='1.0'?><a>x</a>", "xml"},
		{"a.xml", "<?xml version='1.0'?><a>x</a>", "xml"},
		{"a.html", "just words", "html"},
		{"note.txt", "Dear Sir,\nFrom: here", "text"},
		{"mail.eml", mail, "text"},
	}
	if _, err := r.Lookup(parse.File{Name: "m.eml", Data: []byte(mail)}); err == nil && hasParser(r, "mail") {
		tests[len(tests)-1].parser = "mail"
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.parser, func(t *testing.T) {
			p, err := r.Lookup(parse.File{Name: tt.name, Data: []byte(tt.data)})
			require.NoError(t, err)
			require.Equal(t, tt.parser, p.Info().Name)
		})
	}
	p, err := r.Lookup(parse.File{Name: "upload", MediaType: "text/markdown", Data: []byte("# T")})
	require.NoError(t, err)
	require.Equal(t, "markdown", p.Info().Name)
}

func hasParser(r *parse.Registry, name string) bool {
	for _, info := range r.Parsers() {
		if info.Name == name {
			return true
		}
	}
	return false
}

func TestMismatchIsAWarning(t *testing.T) {
	r := everything(t)
	d, err := r.Parse(t.Context(), parse.File{Name: "page.csv", Data: []byte("<html><body><p>x</p></body></html>")}, nil)
	require.NoError(t, err)
	require.Equal(t, "text/html", d.MediaType)
	require.Equal(t, parse.WarnTypeMismatch, d.Warnings[0].Code)
	d, err = r.Parse(t.Context(), parse.File{Name: "old.xls", Data: []byte("a\tb\n1\t2\n")}, nil)
	require.NoError(t, err)
	require.Equal(t, parse.WarnTypeMismatch, d.Warnings[0].Code)
}

func TestRanges(t *testing.T) {
	require.Equal(t, "page 4", parse.Ranges("page", []int{4}))
	require.Equal(t, "pages 1, 3-7, 9", parse.Ranges("page", []int{1, 3, 4, 5, 6, 7, 9}))
}

func Example() {
	registry, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	if err != nil {
		panic(err)
	}
	file := parse.File{Name: "notes.md", Data: []byte("# Leave\n\nTwenty-five days.\n\n## Sick leave\n\nAs long as needed.\n")}
	d, err := registry.Parse(context.Background(), file, nil)
	if err != nil {
		panic(err)
	}
	places := parse.NewMap(d)
	at := strings.Index(d.Text, "As long")
	fmt.Println(d.Library, places.At(at, at+7).HeadingPath, places.At(at, at+7).LineStart)
	// Output: yuin/goldmark [Leave Sick leave] 7
}
