package pdf

import (
	"bytes"
	"strings"

	lib "github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// Old Windows programs show East Asian text with fonts of single-byte codes, two
// codes a character, and name the font in the charset that the codes are in.

// national returns the charset that a font of single-byte codes was made for, by
// its name; nil if the name says none.
func national(v lib.Value) encoding.Encoding {
	name := []byte(faceName(v))
	if bytes.HasSuffix(name, []byte("_GB2312")) {
		return simplifiedchinese.GBK
	}
	if !bytes.ContainsFunc(name, func(r rune) bool { return r > 0x7F }) {
		return nil
	}
	for _, c := range []struct {
		enc   encoding.Encoding
		parts []string
	}{
		{simplifiedchinese.GBK, []string{"宋体", "黑体", "楷体", "仿宋", "隶书", "幼圆", "华文", "方正", "雅黑", "文鼎"}},
		{japanese.ShiftJIS, []string{"明朝", "ゴシック"}},
		{traditionalchinese.Big5, []string{"明體", "楷體", "黑體", "華康"}},
		{korean.EUCKR, []string{"굴림", "바탕", "돋움", "궁서", "명조", "고딕"}},
	} {
		text, err := c.enc.NewDecoder().Bytes(name)
		for _, part := range c.parts {
			if err == nil && strings.Contains(string(text), part) {
				return c.enc
			}
		}
	}
	return nil
}

// inNational makes a font of two-byte characters of one of single-byte codes.
func inNational(enc encoding.Encoding, widths [256]float64) *composite {
	return &composite{charset: enc, bytes: &widths, seen: map[uint32]glyph{}}
}
