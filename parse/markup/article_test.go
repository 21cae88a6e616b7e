package markup_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
)

const menu = `<header class="masthead"><a href="/">Home</a> <a href="/a">About us</a></header><nav><ul><li><a href="/1">First section</a></li><li><a href="/2">Second section</a></li></ul></nav>`

// articlePage has an article with a table, code and a caption among menus and offers.
func articlePage() string {
	long := strings.Repeat("The tide rises twice a day, and the harbour master writes down how high it stood, because the ships that come in with coal need all the water there is. ", 3)
	return `<html><head><title>Tides of the harbour</title></head><body>` + menu + `<main><article><h1>Tides of the harbour</h1><p>` + long + `</p>
<div class="share"><a href="/s">Share this story</a></div>
<figure><img src="x.png" alt="a gauge"><figcaption>The gauge at the pier.</figcaption></figure>
<table><tr><th>port</th><th>height</th></tr><tr><td>Oslo</td><td>12</td></tr></table>
<p>` + long + `</p><pre><code>height = mean + range / 2</code></pre><p>` + long + `</p></article>
<div class="related"><h3>More stories</h3><a href="/b">Ten boats you must see this year</a></div></main>
<aside><p>Subscribe to our letter.</p></aside><footer><p>Copyright of the harbour office.</p></footer></body></html>`
}

func TestArticle(t *testing.T) {
	r := mailRegistry(t, parse.Limits{})
	d, err := r.Parse(t.Context(), parse.File{Name: "a.html", Data: []byte(articlePage())}, nil)
	require.NoError(t, err)
	for _, want := range []string{"# Tides of the harbour", "harbour master", "The gauge at the pier.", "| Oslo | 12 |", "height = mean + range / 2"} {
		require.Contains(t, d.Text, want)
	}
	for _, clutter := range []string{"About us", "Second section", "Share this", "Ten boats", "Subscribe", "Copyright"} {
		require.NotContains(t, d.Text, clutter)
	}
	require.Len(t, d.Warnings, 1)
	require.Equal(t, parse.WarnLeftOut, d.Warnings[0].Code)
	require.Contains(t, d.Warnings[0].Message, "--html all")

	whole, err := mailRegistry(t, parse.Limits{WholePages: true}).Parse(t.Context(), parse.File{Name: "a.html", Data: []byte(articlePage())}, nil)
	require.NoError(t, err)
	require.Contains(t, whole.Text, "Second section")
	require.Contains(t, whole.Text, "Copyright")
	require.Empty(t, whole.Warnings)
	require.NotEqual(t, parse.Limits{}.Fingerprint(), parse.Limits{WholePages: true}.Fingerprint())
}

// A page that is an index has no article, and one that is all text no menus.
func TestPagesWithoutArticleStayWhole(t *testing.T) {
	teaser := `<div><h3><a href="/x">A boat came in today with news of the north</a></h3><p>The crew tell of ice, of whales and of a long night on the water before they saw the lights of the town.</p></div>`
	for name, page := range map[string]string{
		"index": "<html><body>" + menu + strings.Repeat(teaser, 12) + "<footer>Imprint of the office</footer></body></html>",
		"links": "<html><body>" + menu + "<ul>" + strings.Repeat(`<li><a href="/y">A document about the harbour and its tides</a></li>`, 40) + "</ul><footer>Imprint of the office</footer></body></html>",
		"short": "<html><body>" + menu + "<p>Closed today.</p><footer>Imprint of the office</footer></body></html>",
	} {
		t.Run(name, func(t *testing.T) {
			d, err := mailRegistry(t, parse.Limits{}).Parse(t.Context(), parse.File{Name: "a.html", Data: []byte(page)}, nil)
			require.NoError(t, err)
			require.Equal(t, strings.Count(page, "whales"), strings.Count(d.Text, "whales"))
			require.Equal(t, strings.Count(page, "its tides"), strings.Count(d.Text, "its tides"))
			if name != "index" {
				require.Contains(t, d.Text, "Imprint of the office")
			}
		})
	}
}

// A page that nests too deeply for the search stays whole.
func TestDeepPageStaysWhole(t *testing.T) {
	page := strings.Replace(articlePage(), "<p>", strings.Repeat("<div>", 100)+strings.Repeat("<p>high water</p>", 12_000)+strings.Repeat("</div>", 100)+"<p>", 1)
	d, err := mailRegistry(t, parse.Limits{}).Parse(t.Context(), parse.File{Name: "a.html", Data: []byte(page)}, nil)
	require.NoError(t, err)
	require.Contains(t, d.Text, "Second section")
}
