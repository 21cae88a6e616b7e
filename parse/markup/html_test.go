package markup_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/markup"
	"inlay/parse/parsetest"
	"inlay/parse/plain"
)

const page = `<!DOCTYPE html><html><head><title>The title</title><style>p{}</style></head><body>
<h1>Head</h1><p>Some <b>bold</b> &amp; <a href="https://x.y/z">linked</a> text.</p><script>alert(1)</script>
<ul><li>one<li>two</ul><table><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table><pre><code>x = 1
y</code></pre><img src="data:image/png;base64,AAAA" alt="a chart"><p hidden>secret</p></body></html>`

func TestConformance(t *testing.T) {
	others := []parse.Parser{plain.Text(parse.Limits{}), plain.XML(parse.Limits{})}
	parsetest.Run(t, markup.HTML(parse.Limits{}), parsetest.Sample{
		Name: "a.html", Data: []byte(page),
		Contains: []string{"# Head", "Some **bold** & [linked](https://x.y/z) text.", "- one\n- two", "| a | b |", "| 1 | 2 |", "```\nx = 1\ny\n```", "a chart"},
		Sections: []parse.Kind{parse.Heading, parse.Paragraph, parse.List, parse.Table, parse.Code}, Others: others,
	})
}

func read(t *testing.T, limits parse.Limits, page string) (parse.Document, error) {
	t.Helper()
	r, err := parse.NewRegistry(markup.HTML(limits))
	require.NoError(t, err)
	return r.Parse(t.Context(), parse.File{Name: "a.html", Data: []byte(page)}, nil)
}

func TestHTMLLeavesOutWhatIsNotText(t *testing.T) {
	d, err := read(t, parse.Limits{}, page)
	require.NoError(t, err)
	for _, unwanted := range []string{"alert", "p{}", "secret", "base64"} {
		require.NotContains(t, d.Text, unwanted)
	}
}

func TestHTMLTitle(t *testing.T) {
	d, err := read(t, parse.Limits{}, "<html><head><title> My\n page </title></head><body><p>text</p></body></html>")
	require.NoError(t, err)
	require.Equal(t, "# My page\n\ntext", d.Text)
}

func TestHTMLFrames(t *testing.T) {
	d, err := read(t, parse.Limits{}, `<html><head><title>Site</title></head><frameset cols="20%,80%"><frame src="nav.html"><frame src="main.html"><noframes><body>See <b>main</b>.</body></noframes></frameset></html>`)
	require.NoError(t, err)
	require.Equal(t, "# Site\n\n[nav.html](nav.html)\n\n[main.html](main.html)\n\nSee **main**.", d.Text)
	require.Contains(t, d.Warnings[0].Message, "attach these too (nav.html, main.html)")
}

func TestHTMLFormulas(t *testing.T) {
	d, err := read(t, parse.Limits{}, `<p>Let <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2 + \frac{a_1}{b}</annotation></semantics></math>,
<math alttext="\alpha_i"><mi>α</mi></math>, <math><mi>y</mi><mo>=</mo><mn>3</mn></math>.</p><table><tr><th>a<th>b<tr><td><math alttext="|x|"></math><td>1</table>`)
	require.NoError(t, err)
	require.Equal(t, `Let $x^2 + \frac{a_1}{b}$, $\alpha_i$, y=3.`+"\n\n| a | b |\n|---|---|\n"+`| $\vert x\vert $ | 1 |`, d.Text)
}

func TestHTMLCharset(t *testing.T) {
	d, err := read(t, parse.Limits{}, "<html><head><meta charset=\"windows-1251\"></head><body>\xcf\xf0\xe8\xe2\xe5\xf2</body></html>")
	require.NoError(t, err)
	require.Equal(t, "Привет", d.Text)
	require.Equal(t, "windows-1251", d.Charset)
}

func TestHTMLHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	for name, page := range map[string]string{
		"spans":        strings.Repeat("<table>"+strings.Repeat("<tr>"+strings.Repeat("<td colspan=9999 rowspan=9999>x</td>", 20)+"</tr>", 20)+"</table>", 50),
		"one wide row": "<table><tr>" + strings.Repeat("<td>x", 20_000) + "</tr>" + strings.Repeat("<tr><td>y</tr>", 20_000) + "</table>",
		"deep div":     strings.Repeat("<div>", 100_000) + "x",
		"deep list":    strings.Repeat("<ul><li>", 50_000) + "x",
		"deep table":   strings.Repeat("<table><tr><td>", 20_000) + "x",
		"deep inline":  strings.Repeat("<b><i><font color=red>", 20_000) + "x",
		"deep quote":   strings.Repeat("<blockquote>", 50_000) + "x",
		"deep svg":     "<svg>" + strings.Repeat("<g>", 50_000) + "</svg>x",
	} {
		t.Run(name, func(t *testing.T) {
			d, err := read(t, parse.Limits{}, "<html><body>"+page+"</body></html>")
			require.NoError(t, err)
			require.Contains(t, d.Text, "x")
			require.Less(t, len(d.Text), 40<<20)
		})
	}
}

func TestHTMLTooLarge(t *testing.T) {
	_, err := read(t, parse.Limits{HTML: 20}, page)
	require.True(t, fault.Is(err, fault.FileTooLarge), "%v", err)
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte(page))
	f.Add([]byte("<table><tr><td colspan=3><ul><li>x<table><td>y"))
	tree, byLines := markup.HTML(parse.Limits{HTML: 1 << 16}), markup.HTML(parse.Limits{HTML: 1 << 16, Tags: 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, p := range []parse.Parser{tree, byLines} {
			r, err := parse.NewRegistry(p)
			require.NoError(t, err)
			_, err = r.Parse(t.Context(), parse.File{Name: "a.html", Data: data}, nil)
			if fault.Is(err, fault.Internal) || err != nil && strings.Contains(err.Error(), "failed on it") {
				t.Fatal(err)
			}
		}
	})
}

// A page of too many tags is read whole, by lines.
func TestHTMLOfTooManyTags(t *testing.T) {
	const page = `<title>Tides</title><script>no</script><h2>Today</h2><p>The <b>ebb</b>tide &amp; the
flood<br>meet.</p><ul><li>one<li>two</ul><table><tr><th>port<th>time<tr><td>Brest<td>9 | 10<tr><td colspan=2>a<p>b</table>after<div>end</div>`
	d, err := read(t, parse.Limits{Tags: 5}, page)
	require.NoError(t, err)
	require.Equal(t, "# Tides\n\n## Today\n\nThe ebbtide & the flood\nmeet.\n\n- one\n- two\n\n"+
		"| port | time |\n| --- | --- |\n| Brest | 9 \\| 10 |\n| a b |\n\nafter\n\nend", d.Text)
	require.Len(t, d.Warnings, 1)
	require.Equal(t, parse.WarnLeftOut, d.Warnings[0].Code)
}

func TestHTMLLeavesOutLinksThatShowNothing(t *testing.T) {
	d, err := read(t, parse.Limits{}, `<p>a <a href="/x"><img src="i.png"></a><a href="/y"> </a>b <a href="/z">c</a>`)
	require.NoError(t, err)
	require.Equal(t, "a b [c](/z)", d.Text)
}

// A table is one that Markdown can hold, or the blocks of its cells; never are
// two cells one word.
func TestHTMLTables(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{
			"list", "<table><caption>Ducks</caption><tr><th>a<th>b</tr><tr><td>1<td><ul><li>x</li> <li>y<ol start=3><li>z</ol></ul></tr></table>",
			"Ducks\n\n| a | b |\n|---|---|\n| 1 | - x<br />- y<br />3. z |",
		},
		{"rule and heading", "<table><tr><th>a<th>b</tr><tr><td>1<hr>2<td><h3>x</h3>y</tr></table>", "| a | b |\n|---|---|\n| 1<br />2 | **x**<br />y |"},
		{"nested", "<table><tr><th>a<th>b</tr> <tr><td>1<td>see <table><tr><td>p</td> <td>q</td></tr> <tr><td>r</td> <td>s</td></tr></table> end</tr></table>", "| a | b |\n|---|---|\n| 1 | see<br />p, q<br />r, s<br />end |"},
		{"layout", "<table><tr><td><h2>Menu</h2><ul><li>x</ul><td><p>one<p>two</tr><tr><td>left<td>right</tr></table>", "## Menu\n\n- x\n\none\n\ntwo\n\nleft\n\nright"},
		{"presentation", "<table role=presentation><tr><td>left<td>right</tr></table>", "left\n\nright"},
		{"a table in the page's table", "<table><tr><td>left<td><table><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table></tr></table>", "left\n\n| a | b |\n|---|---|\n| 1 | 2 |"},
		{"struck out", "<table><tr><th>a<th>b</tr><tr><td>1<td><s>9</s> <del>8</del> 7</tr></table>", "| a | b |\n|---|---|\n| 1 | ~~9~~ ~~8~~ 7 |"},
		{"bold", "<b><table><tr><td>left<td>right</tr></table></b>", "**left**\n\n**right**"},
		{"code", "<pre>| 1\\. x  <br /></pre><p>1. y", "```\n| 1\\. x  \n```\n\n1\\. y"},
	} {
		d, err := read(t, parse.Limits{}, c.page)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, d.Text, c.name)
	}
}
