package pdf_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/pdf"
)

// engine is a PDFium whose compiled module is kept between runs.
func engine(t *testing.T) *pdf.PDFium {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = t.TempDir()
	}
	e := &pdf.PDFium{CacheDir: filepath.Join(dir, "inlay", "wasm")}
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func TestSecondEngine(t *testing.T) {
	p := pdf.Parser{Second: engine(t)}
	// So many filters are none of ours; one page of two is left to PDFium.
	content := "BT /F1 12 Tf 72 700 Td (many filters, indeed) Tj ET"
	var filters strings.Builder
	for range 5 {
		content = fmt.Sprintf("%x>", content)
		filters.WriteString("/ASCIIHexDecode")
	}
	f := document(nil, sheet{content: at(72, 700, "plain")}, sheet{content: "placeholder"})
	f.objects[5] = stream("/Filter["+filters.String()+"]", content)
	d, err := p.Parse(t.Context(), parse.File{Name: "a.pdf", Data: f.bytes()}, nil)
	require.NoError(t, err)
	require.Equal(t, "plain\n\nmany filters, indeed", d.Text)
	require.Equal(t, pdf.Library, d.Library)
	require.Equal(t, []string{"", pdf.SecondLibrary}, []string{d.Sections[0].Library, d.Sections[1].Library})

	alone, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: "a.pdf", Data: f.bytes()}, nil)
	require.NoError(t, err)
	require.Equal(t, []int{2}, alone.Coverage.Failed)
	require.NotEqual(t, alone.Parser, d.Parser, "what another parser gave has another key")
}

func TestSecondEngineReadsWholeDocument(t *testing.T) {
	p := pdf.Parser{Second: engine(t)}
	for name, c := range map[string]struct {
		data []byte
		code fault.Code
	}{
		"password": {encrypted("secret", at(72, 700, "hidden")), fault.PasswordRequired},
		"junk":     {[]byte("%PDF-1.4 junk"), fault.Corrupt},
		"empty":    {texts("", ""), fault.NoTextLayer},
	} {
		_, err := p.Parse(t.Context(), parse.File{Name: "a.pdf", Data: c.data}, nil)
		require.Equal(t, c.code, fault.CodeOf(err), "%s: %v", name, err)
	}
	hebrew := "<</Type/Font/Subtype/Type1/BaseFont/Hebrew/Encoding<</Differences[65/afii57664/afii57665/afii57666]>>>>"
	data := document([]string{hebrew}, sheet{content: "BT /F2 12 Tf 72 700 Td (CBA) Tj ET", resources: "/Font<</F2 4 0 R>>"}).bytes()
	d, err := p.Parse(t.Context(), parse.File{Name: "a.pdf", Data: data}, nil)
	require.NoError(t, err)
	require.Equal(t, "אבג", d.Text, "shown from left to right, read from right to left")
	require.Equal(t, pdf.SecondLibrary, d.Library)
	require.Empty(t, d.Sections[0].Library)
}

func TestSecondEngineStops(t *testing.T) {
	e := engine(t)
	require.NoError(t, e.Prepare())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	// Millions of one-letter words: doubtful, and slow in both engines.
	content := "BT /F1 1 Tf 14 TL 1 700 Td " + strings.Repeat("(a) Tj 3 0 Td ", 1<<20) + "ET"
	_, err := pdf.Parser{Second: e}.Parse(ctx, parse.File{Name: "a.pdf", Data: texts(content)}, nil)
	require.True(t, fault.Is(err, fault.Timeout), "%v", err)
}
