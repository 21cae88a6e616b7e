package markup_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/markup"
	"inlay/parse/parsetest"
	"inlay/parse/plain"
)

func utf16le(text string) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return string(out)
}

// sampleMSG has a sender, a text in a code page, a table and a mail attached.
func sampleMSG(tb testing.TB) []byte {
	tb.Helper()
	le := binary.LittleEndian
	props := make([]byte, 32)
	property := func(id uint16, value uint64) {
		p := make([]byte, 16)
		le.PutUint16(p[2:], id)
		le.PutUint64(p[8:], value)
		props = append(props, p...)
	}
	property(0x3FFD, 1251)
	property(0x0039, 133_485_408_000_000_000) // 2024-01-01
	const inner = "__attach_version1.0_#00000001/__substg1.0_3701000D/"
	return parsetest.OLE(tb,
		"__properties_version1.0", string(props),
		"__substg1.0_0037001F", utf16le("Größe"), "__substg1.0_0C1A001F", utf16le("Jürgen"), "__substg1.0_5D01001F", utf16le("j@x.y"), "__substg1.0_0E04001F", utf16le("a@b.c"),
		"__substg1.0_1000001E", "\xcf\xf0\xe8\xe2\xe5\xf2.\r\n\r\n\xcf\xee\xea\xe0.",
		"__attach_version1.0_#00000000/__substg1.0_3707001F", utf16le("t.csv"), "__attach_version1.0_#00000000/__substg1.0_37010102", "a,b\n1,2\n",
		"__attach_version1.0_#00000001/__substg1.0_3001001F", utf16le("Forwarded"),
		inner+"__properties_version1.0", string(make([]byte, 24)), inner+"__substg1.0_0037001F", utf16le("Inner"), inner+"__substg1.0_10130102", "<p>Inner <b>text</b>.</p>",
	)
}

func TestMSG(t *testing.T) {
	parsetest.Run(t, markup.MSG(parse.Limits{}), parsetest.Sample{
		Name: "a.msg", Data: sampleMSG(t), Others: plain.All(parse.Limits{}),
		Contains: []string{"# Größe", "From: Jürgen <j@x.y>\nTo: a@b.c\nDate: Mon, 01 Jan 2024", "Привет.", "Пока.", "## t.csv", "| 1 | 2 |", "# Inner", "Inner **text**."},
		Sections: []parse.Kind{parse.Part, parse.Heading, parse.Paragraph, parse.Table},
	})
	d, err := mailRegistry(t, parse.Limits{}).Parse(t.Context(), parse.File{Name: "a.msg", Data: sampleMSG(t)}, nil)
	require.NoError(t, err)
	at := strings.Index(d.Text, "Inner **")
	require.Equal(t, "Forwarded", parse.NewMap(d).At(at, at+1).Part)
}

// FuzzMSG reads any bytes as a mail of Outlook.
func FuzzMSG(f *testing.F) {
	f.Add(sampleMSG(f))
	p := markup.MSG(parse.Limits{Text: 1 << 20})
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := p.Parse(t.Context(), parse.File{Name: "a.msg", Data: data}, nil)
		if err != nil {
			require.NotEmpty(t, fault.CodeOf(err))
			return
		}
		for _, s := range d.Sections {
			require.True(t, s.Start >= 0 && s.Start <= s.End && s.End <= len(d.Text))
		}
	})
}
