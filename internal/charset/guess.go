package charset

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
)

// sampleSize bounds how many bytes the statistics look at.
const sampleSize = 64 << 10

// utf16Shape recognises UTF-16 without a byte order mark by its zero bytes,
// which Latin letters, blanks and line ends leave on one side of each pair; Han
// characters leave a few on the other.
func utf16Shape(data []byte) string {
	sample := data[:min(len(data), sampleSize)&^1]
	if len(sample) < 2 || len(data)%2 != 0 {
		return ""
	}
	for _, name := range []string{"utf-16le", "utf-16be"} {
		if eastAsianUTF16(sample, name) {
			return name
		}
	}
	var zeros [2]int
	for i, b := range sample {
		if b == 0 {
			zeros[i%2]++
		}
	}
	pairs := len(sample) / 2
	name, few, many := "utf-16le", zeros[0], zeros[1]
	if few > many {
		name, few, many = "utf-16be", many, few
	}
	if many > 0 && many*100 >= pairs && few*3 <= many && plausibleUTF16(sample, name) {
		return name
	}
	return ""
}

// plausibleUTF16 checks that nearly all units decode to characters text has.
func plausibleUTF16(sample []byte, name string) bool {
	text := decodeAs(sample, name).Text
	total, odd := 0, 0
	for _, r := range text {
		total++
		if r == utf8.RuneError || r < ' ' && !strings.ContainsRune("\t\n\r\f\v", r) || r >= 0xE000 && r < 0xF900 {
			odd++
		}
	}
	return total > 0 && odd*50 <= total
}

// nearlyUTF8 reports text that is UTF-8 but for a few damaged bytes.
func nearlyUTF8(data []byte) bool {
	good, bad := 0, 0
	for len(data) > 0 {
		if data[0] < utf8.RuneSelf {
			data = data[1:]
			continue
		}
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			good++
		}
		data = data[size:]
	}
	return good > 10*bad
}

// guess names the most likely encoding by letter statistics. It falls back to
// windows-1252, in which nearly every byte is a character.
func guess(data []byte) string {
	sample := sampleOf(data)
	if name := guessShort(sample); name != "" {
		return name
	}
	if looksThai(sample) {
		return "windows-874"
	}
	if looksShiftJIS(sample) && !decodeAs(sample, "shift_jis").Replaced {
		return "shift_jis"
	}
	all, err := chardet.NewTextDetector().DetectAll(sample)
	if err != nil {
		return "windows-1252"
	}
	// chardet answers in the order its goroutines end: rank ties by name.
	slices.SortStableFunc(all, func(a, b chardet.Result) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(rank(a.Charset), rank(b.Charset)), cmp.Compare(a.Charset, b.Charset))
	})
	for _, r := range all {
		enc, name := Lookup(webName(r.Charset))
		switch {
		case enc == nil || strings.HasPrefix(name, "utf-"):
		default:
			return byAlphabet(sample, name)
		}
	}
	return byAlphabet(sample, "windows-1252")
}

// sampleOf keeps the lines that hold bytes beyond ASCII, up to sampleSize: the
// others say nothing about the encoding, and outvote those that do. Encodings
// that switch by escape sequences are left whole.
func sampleOf(data []byte) []byte {
	if bytes.IndexByte(data[:min(len(data), sampleSize)], 0x1B) >= 0 {
		return data[:min(len(data), sampleSize)]
	}
	var sample []byte
	for line := range bytes.Lines(data) {
		if len(sample) >= sampleSize {
			break
		}
		if slices.ContainsFunc(line, func(b byte) bool { return b >= utf8.RuneSelf }) {
			sample = append(sample, line[:min(len(line), sampleSize)]...)
		}
	}
	return sample
}

// rank prefers, among equals, the encodings met most often.
func rank(name string) int {
	order := []string{"Shift_JIS", "GB-18030", "GB18030", "EUC-JP", "EUC-KR", "Big5", "windows-1252", "ISO-8859-1", "windows-1251", "ISO-8859-2"}
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

// webName maps chardet's names to those of the WHATWG index, where the
// Windows supersets stand for the ISO sets.
func webName(name string) string {
	switch name {
	case "GB-18030":
		return "gb18030"
	case "ISO-8859-8-I":
		return "windows-1255"
	}
	return name
}
