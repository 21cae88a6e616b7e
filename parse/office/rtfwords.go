package office

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// word takes a control word.
func (r *rtf) word(t rtfToken) {
	if r.enter(t.word) {
		return
	}
	if text := spoken(t.word); text != "" {
		r.write(text)
		return
	}
	switch t.word {
	case "par", "sect", "page":
		r.endParagraph()
	case "cell", "nestcell":
		r.endCell()
	case "row", "nestrow":
		r.endRow()
	case "intbl":
		r.inTable()
	case "pard":
		if r.state.into == toBody {
			r.level = 0
		}
	case "outlinelevel":
		if t.value >= 0 && t.value < 9 {
			r.level = min(t.value+1, 6)
		}
	case "s":
		r.style = t.value
		if r.state.into == toBody {
			r.level = max(r.level, r.styles[t.value])
		}
	case "u":
		r.unicode(t.value)
	case "uc":
		r.state.skip = max(t.value, 0)
	case "v":
		r.state.hidden = !t.given || t.value != 0
	case "plain":
		r.state.hidden, r.state.font = false, 0
	default:
		r.fontWord(t)
	}
}

// inTable says that the paragraph is in a cell.
func (r *rtf) inTable() {
	if r.state.into != toBody {
		return
	}
	if r.table == nil {
		r.flushList()
		r.table = &grid{}
		r.table.row()
	}
	if !r.table.open {
		r.table.cell()
	}
}

// fontWord handles the words that choose an encoding.
func (r *rtf) fontWord(t rtfToken) {
	switch t.word {
	case "ansicpg":
		r.codepage = codepage(t.value)
	case "mac":
		r.codepage = codepage(10000)
	case "pc":
		r.codepage = codepage(437)
	case "pca":
		r.codepage = codepage(850)
	case "f":
		if r.state.into == toFonts {
			r.font = t.value
		} else {
			r.state.font = t.value
		}
	case "fcharset":
		if r.state.into == toFonts {
			r.fonts[r.font] = codepageOf(t.value)
		}
	case "cpg":
		if r.state.into == toFonts {
			r.fonts[r.font] = codepage(t.value)
		}
	}
}

// enter follows the words that send a group's text somewhere else. Groups that
// begin with \* are for programs that know them: all but a few go nowhere.
func (r *rtf) enter(word string) bool {
	if r.state.into == toNowhere && word != "shptxt" {
		return true
	}
	if r.aside(word) {
		r.state.star = false
		return true
	}
	switch word {
	case "fonttbl":
		r.state.into = toFonts
	case "stylesheet":
		r.state.into = toStyles
	case "listtext", "pntext":
		r.state.into = toMark
		r.mark = r.mark[:0]
	case "shptxt":
		r.state.into = toBody
	case "colortbl", "info", "pict", "objdata",
		"themedata", "datastore", "fldinst", "filetbl", "revtbl", "nonshppict", "bkmkstart", "bkmkend", "xe", "tc", "sp", "deleted":
		r.state.into = toNowhere
	case "shpinst", "shppict", "ud", "cs", "ds", "ts":
	default:
		if !r.state.star {
			return false
		}
		r.state.into = toNowhere
	}
	r.state.star = false
	return true
}

// spoken is the text that a control word stands for.
func spoken(word string) string {
	switch word {
	case "tab":
		return "\t"
	case "line":
		return "\n"
	case "emdash":
		return "—"
	case "endash":
		return "–"
	case "bullet":
		return "•"
	case "lquote":
		return "‘"
	case "rquote":
		return "’"
	case "ldblquote":
		return "“"
	case "rdblquote":
		return "”"
	case "emspace", "enspace", "qmspace":
		return " "
	}
	return ""
}

// codepage finds the encoding of a Windows code page number.
func codepage(n int) encoding.Encoding {
	pages := map[int]encoding.Encoding{
		437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 866: charmap.CodePage866,
		874: charmap.Windows874, 932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR,
		950: traditionalchinese.Big5, 10000: charmap.Macintosh, 1250: charmap.Windows1250, 1251: charmap.Windows1251,
		1253: charmap.Windows1253, 1254: charmap.Windows1254, 1255: charmap.Windows1255, 1256: charmap.Windows1256,
		1257: charmap.Windows1257, 1258: charmap.Windows1258,
	}
	if enc, ok := pages[n]; ok {
		return enc
	}
	return charmap.Windows1252
}

// codepageOf finds the encoding that a font's \fcharset stands for; nil is the file's.
func codepageOf(charset int) encoding.Encoding {
	pages := map[int]int{
		0: 1252, 77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254,
		163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250,
	}
	if page, ok := pages[charset]; ok {
		return codepage(page)
	}
	return nil
}
