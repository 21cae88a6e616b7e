package pdf

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
)

func TestParseNumber(t *testing.T) {
	for in, want := range map[string]float64{"1": 1, "-1.5": -1.5, "+.25": .25, "--7": -7, "5-3": 5, "4.": 4, "00.10": .1} {
		got, ok := parseNumber([]byte(in))
		require.True(t, ok, in)
		require.InDelta(t, want, got, 1e-12, in)
	}
	for _, in := range []string{"", "-", "1.2.3", "1e5", "abc"} {
		_, ok := parseNumber([]byte(in))
		require.False(t, ok, in)
	}
}

func TestGlyphNames(t *testing.T) {
	var g glyphNames
	names := []string{"A", "eacute", "uni20AC", "u1F600", "f_f_i", "a.sc", "T_h.liga", "g123", ".notdef", "space", "a_unknown"}
	g.learn(names)
	var got []string
	for _, n := range names {
		got = append(got, g.text(n))
	}
	require.Equal(t, []string{"A", "é", "€", "😀", "ffi", "a", "Th", "", "", " ", "a"}, got)
}

func TestPredictors(t *testing.T) {
	// One row of each filter over three columns; the rows all decode to 1 2 3.
	in := []byte{0, 1, 2, 3, 1, 1, 1, 1, 2, 0, 0, 0, 3, 1, 1, 1, 4, 0, 0, 0}
	in[13], in[14], in[15] = 1, 1, 1
	require.Equal(t, []byte{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}, unpredict(in, 3))
	require.Empty(t, unpredict([]byte{2}, 3))
}

func TestLaterObjectsWin(t *testing.T) {
	src := "1 0 obj<</Type/Catalog/A 1>>endobj\n2 0 obj<</Length 22>>stream\n1 0 obj(not an object)\nendstream endobj\n1 0 obj<</Type/Catalog/A 2>>endobj\n"
	s, err := scanFile([]byte(src), 1000)
	require.NoError(t, err)
	require.Equal(t, 1, s.catalog.id)
	require.Greater(t, s.objects[1].offset, 80)
	require.Len(t, s.objects, 2)
}

func TestTrailerKeepsWhatAnotherLeavesOut(t *testing.T) {
	s, err := scanFile([]byte("trailer<</Root 7 0 R/Encrypt 8 0 R/ID[<41>(b)]>> trailer<</Root 9 0 R>> trailer<</Size 3>>"), 1000)
	require.NoError(t, err)
	require.Equal(t, reference{9, 0}, s.trailer.Root)
	require.Equal(t, "8 0 R", s.trailer.Encrypt)
	require.Equal(t, []byte("A"), s.trailer.ID)
}

func TestPageList(t *testing.T) {
	require.Equal(t, "page 4 looks", pageList([]int{4}, "looks", "look"))
	require.Equal(t, "pages 1, 3-5, 9 look", pageList([]int{1, 3, 4, 5, 9}, "looks", "look"))
}

func TestStandardTables(t *testing.T) {
	standard := standardTable()
	require.Equal(t, []string{"’", "‘", "¡", "ﬂ", "•", "…", "—", "Æ", "ß"}, []string{standard['\''], standard['`'], standard[0xA1], standard[0xAF], standard[0xB7], standard[0xBC], standard[0xD0], standard[0xE1], standard[0xFB]})
	texts := standardText()
	require.Len(t, texts, 229)
	require.Equal(t, []string{" ", "A", "ß", "¹", "ž"}, []string{texts[1], texts[34], texts[149], texts[150], texts[228]})
	require.Equal(t, "Ω", symbolTable()['W'])
}

func TestInfoNamesWhatItReads(t *testing.T) {
	info := Parser{}.Info()
	require.Equal(t, "pdf", info.Name)
	require.Contains(t, info.MediaTypes, "application/pdf")
	_, err := parse.NewRegistry(Parser{})
	require.NoError(t, err)
}

func TestGarbled(t *testing.T) {
	for text, want := range map[string]bool{
		"㩈ِا⤶ ǎ اورⰚ˄ٱ䋔᧽࠘اĴ ĴǎƶơǎƹŎķٱ䆀ឮᑽاو ٳ㶜ຝ䆀䩱ط 䜫ور石ᄹ㈉ⰰẍو䆀 عⵇ ᒒᓧ⸗ع⪖د":      true,
		"English, العربية, 中文, 日本語, 한국어, עברית, ไทย, हिन्दी, தமிழ், ქართული": false,
		"iPhone版 のPDFを読む PDFファイル 漢字かな交じり文 한국어漢字 テスト":                         false,
		"": false,
	} {
		require.Equal(t, want, garbled(text), text)
	}
}
