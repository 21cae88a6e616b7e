package legacy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/legacy"
	"inlay/parse/parsetest"
)

func read(t *testing.T, name string, data []byte) (parse.Document, error) {
	t.Helper()
	r, err := parse.NewRegistry(legacy.All(parse.Limits{})...)
	require.NoError(t, err)
	return r.Parse(t.Context(), parse.File{Name: name, Data: data}, nil)
}

func TestWord(t *testing.T) {
	parsetest.Run(t, legacy.Word(parse.Limits{}), parsetest.Sample{
		Name: "a.doc", Data: sampleDoc(t), Contains: []string{"# Plans for “spring”", "See [our page](http://x.y) for café prices.", "| item | price |", "| pen |", "After\nthe table", "A note."},
		Sections: []parse.Kind{parse.Heading, parse.Paragraph, parse.Table},
	})
	d, err := read(t, "a.doc", sampleDoc(t))
	require.NoError(t, err)
	require.NotContains(t, d.Text, "HYPERLINK")
	_, err = read(t, "a.doc", wordDocument(t, 0x0100, []wordParagraph{{"x\r", 0, nil}}, ""))
	require.True(t, fault.Is(err, fault.PasswordRequired), "%v", err)
}

func TestWord6(t *testing.T) {
	text, err := charmap.Windows1251.NewEncoder().String(lines("Настоящий договор вступает в силу с момента его подписания.", "имя\x07цена\x07\x07ручка\x0712\x07\x07Конец."))
	require.NoError(t, err)
	d, err := read(t, "a.doc", word6(t, text))
	require.NoError(t, err)
	require.Equal(t, "Настоящий договор вступает в силу с момента его подписания.\n\n| имя | цена |\n| --- | --- |\n| ручка | 12 |\n\nКонец.", d.Text)
}

func TestPowerPoint(t *testing.T) {
	parsetest.Run(t, legacy.PowerPoint(parse.Limits{}), parsetest.Sample{
		Name: "a.ppt", Data: samplePPT(t, 0), Contains: []string{"# Opening", "First point\nÜber 深圳", "Say hello.", "Footer line"},
		Sections: []parse.Kind{parse.Slide, parse.Heading, parse.Paragraph},
	})
	d, err := read(t, "a.ppt", samplePPT(t, 0))
	require.NoError(t, err)
	at := strings.Index(d.Text, "hello")
	require.Equal(t, 1, parse.NewMap(d).At(at, at+1).Slide)
	_, err = read(t, "a.ppt", samplePPT(t, 0xF3D1C4DF))
	require.True(t, fault.Is(err, fault.PasswordRequired), "%v", err)
}

// FuzzWord reads any bytes as the streams of a Word document.
func FuzzWord(f *testing.F) {
	f.Add(sampleDoc(f))
	f.Add(word6(f, lines("a", "b\x07\x07")))
	fuzz(f, "a.doc", legacy.Word(parse.Limits{Text: 1 << 20, Cells: 10_000}))
}

// FuzzPowerPoint reads any bytes as a presentation.
func FuzzPowerPoint(f *testing.F) {
	f.Add(samplePPT(f, 0))
	fuzz(f, "a.ppt", legacy.PowerPoint(parse.Limits{Text: 1 << 20}))
}

// fuzz checks that any file ends as a document or an error with a code.
func fuzz(f *testing.F, name string, p parse.Parser) {
	f.Helper()
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := p.Parse(t.Context(), parse.File{Name: name, Data: data}, nil)
		if err != nil {
			require.NotEmpty(t, fault.CodeOf(err))
			return
		}
		for _, s := range d.Sections {
			require.True(t, s.Start >= 0 && s.Start <= s.End && s.End <= len(d.Text))
		}
	})
}
