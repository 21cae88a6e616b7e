package markup_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/markup"
	"inlay/parse/parsetest"
	"inlay/parse/plain"
)

func epub(t *testing.T, more ...string) []byte {
	t.Helper()
	return parsetest.Zip(t, append([]string{
		"mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`,
		"OPS/book.opf", `<package><manifest><item id="b" href="two.xhtml"/><item id="a" href="one%20file.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
		"OPS/one file.xhtml", `<?xml version="1.0"?><html><head><title/></head><body><h1>First</h1><p>Once.</p></body></html>`,
		"OPS/two.xhtml", `<html><body><h1>Second</h1><p>Twice.</p></body></html>`,
	}, more...)...)
}

func TestEPUB(t *testing.T) {
	parsetest.Run(t, markup.EPUB(parse.Limits{}), parsetest.Sample{
		Name: "a.epub", Data: epub(t), Contains: []string{"# First", "Once.", "# Second", "Twice."},
		Sections: []parse.Kind{parse.Part, parse.Heading, parse.Paragraph},
	})
	r, err := parse.NewRegistry(markup.EPUB(parse.Limits{}))
	require.NoError(t, err)
	d, err := r.Parse(t.Context(), parse.File{Name: "a.epub", Data: epub(t)}, nil)
	require.NoError(t, err)
	at := strings.Index(d.Text, "Twice")
	require.Equal(t, "Second", parse.NewMap(d).At(at, at+1).Part)
	_, err = r.Parse(t.Context(), parse.File{Name: "a.epub", Data: epub(t, "META-INF/encryption.xml", `<e><CipherReference URI="OPS/two.xhtml"/></e>`)}, nil)
	require.True(t, fault.Is(err, fault.PasswordRequired), "%v", err)
}

const mailSample = "From: =?utf-8?q?J=C3=BCrgen?= <j@x.y>\r\nTo: a@b.c\r\nSubject: =?koi8-r?B?8NLJ18XU?=\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000\r\nMIME-Version: 1.0\r\n" +
	"Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Type: multipart/alternative; boundary=A\r\n\r\n" +
	"--A\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe aus K=F6ln.\r\n\r\nZweiter Absatz.\r\n" +
	"--A\r\nContent-Type: text/html\r\n\r\n<p>html form</p>\r\n--A--\r\n" +
	"--B\r\nContent-Type: text/csv; name=t.csv\r\nContent-Disposition: attachment; filename=t.csv\r\n\r\na,b\r\n1,2\r\n" +
	"--B\r\nContent-Type: image/png\r\nContent-Disposition: attachment; filename=p.png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n" +
	"--B\r\nContent-Type: message/rfc822\r\n\r\nFrom: inner@x.y\r\nSubject: Attached\r\n\r\nInner text.\r\n--B--\r\n"

func mailRegistry(t *testing.T, limits parse.Limits) *parse.Registry {
	t.Helper()
	r, err := parse.NewRegistry(append(plain.All(limits), markup.All(limits)...)...)
	require.NoError(t, err)
	return r
}

func TestMail(t *testing.T) {
	parsetest.Run(t, markup.Mail(parse.Limits{}), parsetest.Sample{
		Name: "a.eml", Data: []byte(mailSample), Others: plain.All(parse.Limits{}),
		Contains: []string{"# Привет", "From: Jürgen <j@x.y>", "Grüße aus Köln.", "Zweiter Absatz.", "## t.csv", "| a | b |", "# Attached", "Inner text."},
		Sections: []parse.Kind{parse.Heading, parse.Paragraph, parse.Part, parse.Table},
	})
	d, err := mailRegistry(t, parse.Limits{}).Parse(t.Context(), parse.File{Name: "a.eml", Data: []byte(mailSample)}, nil)
	require.NoError(t, err)
	require.NotContains(t, d.Text, "html form")
	at := strings.Index(d.Text, "| 1 |")
	require.Equal(t, "t.csv", parse.NewMap(d).At(at, at+1).Part)
	require.Len(t, d.Warnings, 1)
	require.Contains(t, d.Warnings[0].Message, "p.png: it is an image")
}

func TestMailHTMLOnly(t *testing.T) {
	d, err := mailRegistry(t, parse.Limits{}).Parse(t.Context(),
		parse.File{Name: "a.eml", Data: []byte("From: a@b.c\nSubject: S\nMIME-Version: 1.0\nContent-Type: text/html\n\n<h2>Head</h2><ul><li>x</ul>")}, nil)
	require.NoError(t, err)
	require.Equal(t, "# S\n\nFrom: a@b.c\n\n## Head\n\n- x", d.Text)
}

func TestSavedPage(t *testing.T) {
	page := "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.com/\r\nSubject: Example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; boundary=B\r\n\r\n" +
		"--B\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: https://example.com/\r\n\r\n<meta charset=3Dutf-8><h2>Gr=C3=BC=C3=9Fe</h2><p>Some te=\r\nxt.\r\n" +
		"--B\r\nContent-Type: text/css\r\nContent-Location: cid:a.css\r\n\r\nbody{}\r\n--B--\r\n"
	for _, name := range []string{"page.mhtml", "page.mht", "page"} {
		d, err := mailRegistry(t, parse.Limits{}).Parse(t.Context(), parse.File{Name: name, Data: []byte(page)}, nil)
		require.NoError(t, err)
		require.Equal(t, "# Example\n\n## Grüße\n\nSome text.", d.Text, name)
		require.Empty(t, d.Warnings)
	}
}

func TestMailLimits(t *testing.T) {
	nested := "From: a@b.c\nSubject: s\nMIME-Version: 1.0\n\nend"
	for range 12 {
		nested = "From: a@b.c\nSubject: s\nMIME-Version: 1.0\nContent-Type: application/octet-stream; name=m.eml\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(nested))
	}
	d, err := mailRegistry(t, parse.Limits{}).Parse(t.Context(), parse.File{Name: "a.eml", Data: []byte(nested)}, nil)
	require.NoError(t, err)
	require.Contains(t, d.Text, "end")
	_, err = mailRegistry(t, parse.Limits{MailParts: 10}).Parse(t.Context(), parse.File{Name: "a.eml", Data: []byte(nested)}, nil)
	require.True(t, fault.Is(err, fault.LimitExceeded), "%v", err)
}

func FuzzMail(f *testing.F) {
	f.Add([]byte(mailSample))
	r, err := parse.NewRegistry(append(plain.All(parse.Limits{}), markup.All(parse.Limits{})...)...)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := r.Parse(t.Context(), parse.File{Name: "a.eml", Data: data}, nil)
		if fault.Is(err, fault.Internal) || err != nil && strings.Contains(err.Error(), "failed on it") {
			t.Fatal(err)
		}
	})
}
