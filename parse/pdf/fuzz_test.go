package pdf

import (
	"context"
	"fmt"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
)

// small are limits that let the fuzzer try many files.
func small() parse.Limits {
	return parse.Limits{File: 1 << 16, Pages: 20, Stream: 1 << 16, Operations: 20_000, Text: 1 << 16, Time: 5 * time.Second}
}

func FuzzLexer(f *testing.F) {
	f.Add([]byte("BT /F1 12 Tf 1 0 0 -1.5 .5 +7 Tm [(a\\(b) -250 <48 6>] TJ % c\nET"))
	f.Add([]byte("<</A[1 0 R/B#20c(un(balan)ced]>>"))
	f.Fuzz(func(t *testing.T, src []byte) {
		l := &lexer{src: src}
		for at := 0; ; at = l.pos {
			token := l.next()
			require.LessOrEqual(t, l.pos, len(src))
			if token.kind == end {
				return
			}
			require.Greater(t, l.pos, at, "every token moves on")
		}
	})
}

func FuzzCMap(f *testing.F) {
	f.Add([]byte("1 begincodespacerange <00> <ffff> endcodespacerange 2 beginbfchar <41> <03b1> <42> <d83dde00> endbfchar"), []byte("AB"))
	f.Add([]byte("1 beginbfrange <0000> <ffff> <0041> endbfrange 1 beginbfrange <01> <02> [<41> <42>] endbfrange 1 begincidrange <00> <ff> 7 endcidrange"), []byte("\x00\x41"))
	f.Fuzz(func(t *testing.T, src, codes []byte) {
		m := parseCMap(src)
		require.LessOrEqual(t, len(m.text), len(src))
		for len(codes) > 0 {
			size := max(m.size(codes), 1)
			s, _ := m.lookup(bigEndian(codes[:size]))
			require.LessOrEqual(t, len(s), 2*maxDestination)
			codes = codes[size:]
		}
	})
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Length 3>>stream\nabc\nendstream endobj trailer<</Root 1 0 R/ID[(a)(b)]>>"))
	f.Add([]byte("1 0 obj<</Type/ObjStm/N 1/First 4>>stream\n2 0 <</Type/Catalog>>endstream"))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := scanFile(src, 1<<16)
		if err != nil {
			return
		}
		for id, o := range s.objects {
			require.LessOrEqual(t, id, s.last)
			require.GreaterOrEqual(t, o.offset, 0)
			if o.packed {
				require.Less(t, o.offset, s.unpacked.Len())
			} else {
				require.Less(t, o.offset, len(src))
			}
		}
	})
}

func FuzzCFF(f *testing.F) {
	f.Add([]byte("\x01\x00\x04\x01\x00\x01\x01\x01\x02a\x00\x01\x01\x01\x06\x8b\x0f\x8c\x10\x95\x11\x00\x00"))
	f.Fuzz(func(_ *testing.T, src []byte) {
		var table codeTable
		new(glyphNames).cffTable(&table, src)
	})
}

// FuzzContent shows what a page's content makes of text, rules and tables,
// without a file around it that has to be right first.
func FuzzContent(f *testing.F) {
	f.Add([]byte("0 0 90 60 re S 0 20 m 90 20 l 0 40 m 90 40 l 30 0 m 30 60 l 60 0 m 60 60 l S BT /F 6 Tf 1 41 Td (Item) Tj 30 0 Td (Unit) Tj 30 0 Td (Price) Tj -60 -20 Td (Tea) Tj 30 0 Td (cup) Tj 30 0 Td (2.00) Tj ET"))
	f.Add([]byte("BT /F 6 Tf 1 80 Td (TOTAL 1000) Tj 60 0 Td (145) Tj -60 -7 Td (MEAN) Tj 30 0 Td (32) Tj 30 0 Td (48) Tj -60 -7 Td (MAX) Tj 30 0 Td (63) Tj 30 0 Td (91) Tj 0 1 -1 0 50 50 Tm (turned) Tj ET"))
	f.Add([]byte("0 60 90 .1 re f 0 40 90 .1 re f 0 0 90 .1 re f BT /F 6 Tf 1 50 Td (Name) Tj 40 0 Td (Value) Tj -40 -20 Td (one) Tj 40 0 Td (1) Tj -40 -8 Td (two) Tj 40 0 Td (2) Tj ET"))
	f.Fuzz(func(t *testing.T, src []byte) {
		file := fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]/MediaBox[0 0 99 99]>>endobj 3 0 obj<</Type/Page/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj 5 0 obj<</Type/Font/Subtype/Type1>>endobj 4 0 obj<</Length %d>>stream\n%s\nendstream endobj", len(src), src)
		d, err := Parser{Limits: small()}.Parse(context.Background(), parse.File{Name: "a.pdf", Data: file}, nil)
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.CodeOf(err), "%v", err)
			return
		}
		sound(t, d)
	})
}

// sound holds what is true of every document.
func sound(t *testing.T, d parse.Document) {
	t.Helper()
	require.NotEmpty(t, d.Text)
	for _, s := range d.Sections {
		require.True(t, 0 <= s.Start && s.Start <= s.End && s.End <= len(d.Text))
	}
	require.True(t, utf8.ValidString(d.Text))
}

func FuzzParser(f *testing.F) {
	page := "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]/MediaBox[0 0 9 9]>>endobj 3 0 obj<</Type/Page/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 4 0 R>>>>>>endobj "
	f.Add([]byte(page + "4 0 obj<</Length 28/Subtype/Form>>stream\nBT /F 1 Tf 1 1 Td (ab) Tj ET /X Do\nendstream endobj 5 0 obj<</Type/Font/Subtype/Type1/Encoding<</Differences[97/alpha]>>>>endobj"))
	f.Add([]byte(page + "4 0 obj<</Length 23>>stream\n/F 1 Tf <0041> Tj BI ID EI\nendstream endobj 5 0 obj<</Subtype/Type0/Encoding/EUC-H/DescendantFonts[<</W[1 2 3 4[5]]>>]>>endobj"))
	f.Add([]byte(page + "4 0 obj<</Length 230>>stream\n0 0 9 6 re S 0 2 m 9 2 l 3 0 m 3 6 l S 6 0 .1 4 re f BT /F 1 Tf 1 1 Td (ab) Tj 3 0 Td (cd) Tj 3 0 Td (ef) Tj -6 2 Td (gh) Tj 3 0 Td (ij) Tj 3 0 Td (kl) Tj -6 2 Td (mn) Tj 3 0 Td (op) Tj ET BT /F 3 Tf 0 7 Td (Title) Tj ET\nendstream endobj 5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Bold>>endobj"))
	f.Fuzz(func(t *testing.T, src []byte) {
		d, err := Parser{Limits: small()}.Parse(context.Background(), parse.File{Name: "a.pdf", Data: src}, nil)
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.CodeOf(err), "%v", err)
			return
		}
		sound(t, d)
	})
}
