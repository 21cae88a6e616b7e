package markup_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
	"inlay/parse/markup"
	"inlay/parse/parsetest"
)

const sampleFB2 = `<?xml version="1.0" encoding="UTF-8"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">
<description><title-info><genre>prose</genre><author><first-name>Jane</first-name><last-name>Smith</last-name></author><book-title>Tides</book-title>
<annotation><p>About the sea.</p></annotation></title-info><document-info><program-used>x</program-used></document-info></description>
<body><title><p>Tides</p><p>A novel</p></title><section><title><p>One</p></title><epigraph><p>Low water.</p><text-author>Anon</text-author></epigraph>
<section><title><p>Deeper</p></title><p>The <emphasis>sea</emphasis> rose<a l:href="#n1">1</a>.</p><poem><stanza><v>Line one</v><v>line two</v></stanza></poem>
<table><tr><th>port</th><th>depth</th></tr><tr><td>Oslo</td><td><p>12</p></td></tr></table></section></section></body>
<body name="notes"><section id="n1"><title><p>1</p></title><p>A note.</p></section></body>
<binary id="c" content-type="image/png">iVBORw0KGgo=</binary></FictionBook>`

func TestFB2(t *testing.T) {
	parsetest.Run(t, markup.FB2(parse.Limits{}), parsetest.Sample{
		Name: "a.fb2", Data: []byte(sampleFB2), Sections: []parse.Kind{parse.Heading, parse.Paragraph, parse.Table},
		Contains: []string{"Jane Smith", "# Tides", "About the sea.", "## One", "Low water.", "Anon", "### Deeper", "The sea rose1.", "Line one\nline two", "| Oslo | 12 |", "A note."},
	})
	d, err := mailRegistry(t, parse.Limits{}).Parse(t.Context(), parse.File{Name: "book", Data: []byte(sampleFB2)}, nil)
	require.NoError(t, err)
	require.NotContains(t, d.Text, "iVBOR")
	require.NotContains(t, d.Text, "prose")
}

// FuzzFB2 reads any bytes as a book.
func FuzzFB2(f *testing.F) {
	f.Add([]byte(sampleFB2))
	p := markup.FB2(parse.Limits{Text: 1 << 20})
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := p.Parse(t.Context(), parse.File{Name: "a.fb2", Data: data}, nil)
		if err == nil {
			for _, s := range d.Sections {
				require.True(t, s.Start >= 0 && s.Start <= s.End && s.End <= len(d.Text))
			}
		}
	})
}
