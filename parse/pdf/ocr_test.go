package pdf

import (
	"context"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
)

// ocr is a parser with tesseract; it skips the test where that is missing.
func ocr(t *testing.T) OCR {
	t.Helper()
	if _, err := exec.LookPath("tesseract"); err != nil {
		t.Skip("tesseract is not installed: scripts/install-tesseract")
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = t.TempDir()
	}
	e := &PDFium{CacheDir: filepath.Join(dir, "inlay", "wasm"), Instances: 1}
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return OCR{Inner: Parser{}, Engine: e}
}

func scanned(t *testing.T) parse.File {
	t.Helper()
	data, err := os.ReadFile("testdata/scanned.pdf")
	require.NoError(t, err)
	return parse.File{Name: "scanned.pdf", Data: data}
}

func TestOCR(t *testing.T) {
	p := ocr(t)
	var progress []float64
	d, err := p.Parse(t.Context(), scanned(t), func(done float64) { progress = append(progress, done) })
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(d.Text, "This page has a text layer.\n\n"), d.Text)
	require.True(t, strings.HasSuffix(d.Text, "\n\nAnd so has this one."), d.Text)
	require.Contains(t, d.Text, "Three sailing boats passed the harbour wall before noon, and the supply ship brought oil, bread\nand letters.")
	require.Len(t, d.Sections, 3)
	require.Equal(t, Library, d.Library)
	require.Equal(t, OCRLibrary, d.Sections[1].Library)
	require.Equal(t, "ledongthuc/pdf, tesseract (page 2)", d.ReadBy())
	require.Equal(t, parse.Read, d.Sections[1].Status)
	require.Equal(t, "And so has this one.", d.Text[d.Sections[2].Start:d.Sections[2].End])
	require.Empty(t, d.Coverage.Scanned)
	require.Empty(t, d.Warnings)
	require.Len(t, d.Coverage.PerPage, 3)
	require.InDelta(t, 1, progress[len(progress)-1], 1e-9)
	require.NotEqual(t, Parser{}.Info().Version, p.Info().Version, "what it gave has a key of its own")
	page := d.Sections[1]
	boxes := d.Boxes(page.Start, page.End)
	require.GreaterOrEqual(t, len(boxes), len(strings.Fields(d.Text[page.Start:page.End]))*9/10)
	at := strings.Index(d.Text, "harbour wall")
	words := d.Boxes(at, at+len("harbour wall"))
	require.Len(t, words, 2)
	require.Equal(t, 2, words[0].Page)
	require.Less(t, words[0].X1, words[1].X0, "side by side")
	require.InDelta(t, words[0].Y0, words[1].Y0, 4)
	require.Greater(t, words[0].Y0, d.Boxes(strings.Index(d.Text, "letters."), strings.Index(d.Text, "letters.")+3)[0].Y1, "above the next line")
	require.Len(t, d.Boxes(0, 4), 1, "those of the text layer are kept")
}

func TestOCRWithoutAnyText(t *testing.T) {
	p := ocr(t)
	f := scanned(t)
	f.Data = []byte(strings.ReplaceAll(strings.ReplaceAll(string(f.Data), "This page has a text layer.", strings.Repeat(" ", 27)), "And so has this one.", strings.Repeat(" ", 20)))
	d, err := p.Parse(t.Context(), f, nil)
	require.NoError(t, err)
	require.Contains(t, d.Text, "Lighthouse log")
	require.Equal(t, OCRLibrary, d.Library)
	require.Equal(t, []int{1, 3}, d.Coverage.Empty)
	require.Equal(t, 2, d.Sections[0].Number)
	require.Equal(t, parse.Read, d.Sections[0].Status)
}

func TestOCREnds(t *testing.T) {
	p := ocr(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := p.Parse(ctx, scanned(t), func(done float64) {
		if done >= innerShare {
			time.AfterFunc(20*time.Millisecond, cancel)
		}
	})
	require.True(t, fault.Is(err, fault.Canceled), "%v", err)

	p.Tesseract.PageTime = time.Millisecond
	d, err := p.Parse(t.Context(), scanned(t), nil)
	require.NoError(t, err, "the other pages are kept")
	require.Equal(t, []int{2}, d.Coverage.Scanned)

	p.Tesseract.Language = "eng+xyz"
	_, err = p.Parse(t.Context(), scanned(t), nil)
	require.True(t, fault.Is(err, fault.Usage), "%v", err)
	require.ErrorContains(t, err, "tesseract-ocr-xyz")
}

func TestOCRMissing(t *testing.T) {
	p := OCR{Inner: Parser{}, Tesseract: Tesseract{Program: filepath.Join(t.TempDir(), "tesseract")}}
	_, err := p.Parse(t.Context(), scanned(t), nil)
	require.True(t, fault.Is(err, fault.Usage), "%v", err)
	require.ErrorContains(t, err, "apt install tesseract-ocr")
}

func TestSpliced(t *testing.T) {
	doc := parse.Document{Text: "ab\n\nx\n\ncdef", Sections: []parse.Section{
		{Kind: parse.Page, Number: 2, Status: parse.Read, Start: 0, End: 2},
		{Kind: parse.Heading, Label: "b", Start: 1, End: 10},
		{Kind: parse.Page, Number: 1, Status: parse.Scanned, Start: 0, End: 0},
		{Kind: parse.Page, Number: 3, Status: parse.Scanned, Start: 4, End: 5},
		{Kind: parse.Page, Number: 4, Status: parse.Read, Start: 7, End: 11},
		{Kind: parse.Heading, Label: "d", Start: 8, End: 11},
	}}
	got := spliced(doc, map[int]recognizedPage{1: {text: "first"}, 3: {text: "third"}})
	require.Equal(t, "first\n\nab\n\nthird\n\ncdef", got.Text)
	places := map[string]string{}
	for _, s := range got.Sections {
		places[string(s.Kind)+s.Label+string(rune('0'+s.Number))] = got.Text[s.Start:s.End]
	}
	require.Equal(t, map[string]string{
		"page1": "first", "page2": "ab", "page3": "third", "page4": "cdef",
		"headingb0": "b\n\nthird\n\ncde", "headingd0": "def",
	}, places)
	require.Equal(t, []int{5, 2, 5, 4}, got.Coverage.PerPage)
}

func TestTurning(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 3, 2))
	copy(img.Pix, []byte{1, 2, 3, 4, 5, 6})
	require.Equal(t, []byte{4, 1, 5, 2, 6, 3}, turned90(img, 1).Pix)
	require.Equal(t, []byte{6, 5, 4, 3, 2, 1}, turned90(img, 2).Pix)
	dot := box{0, 0, 1, 1} // the first of the image, three wide and two high
	for turns, seen := range []box{dot, {1, 0, 2, 1}, {2, 1, 3, 2}, {0, 2, 1, 3}} {
		require.Equal(t, box{0, 1, 1, 2}, seen.turnedBack(turns, 3, 2), "%d quarters", turns)
	}
	require.Equal(t, 3, quarters("Page number: 0\nRotate: 270\nOrientation confidence: 3.5\n"))
	require.Zero(t, quarters("Rotate: 90\nOrientation confidence: 0.2\n"))
}
