package charset

import "bytes"

// eastAsianUTF16 recognises Chinese and Japanese UTF-16 that holds no Latin
// letter, blank or line end: nearly all units are Han characters, kana or their
// punctuation, and some are not Han, which no other encoding gives when misread.
func eastAsianUTF16(sample []byte, name string) bool {
	han, other, total := 0, 0, 0
	for _, r := range decodeAs(sample, name).Text {
		total++
		switch {
		case r >= 0x4E00 && r <= 0x9FFF:
			han++
		case r >= 0x3000 && r <= 0x30FF, r >= 0xFF00 && r <= 0xFF60:
			other++
		}
	}
	return total >= 8 && (han+other)*20 >= total*19 && other*50 >= total
}

// looksThai recognises windows-874, of which letter statistics know nothing: all
// bytes beyond ASCII are Thai, and its marks stand on consonants.
func looksThai(sample []byte) bool {
	high, marks, astray := 0, 0, 0
	carried := false // the byte before can carry a mark
	for _, b := range sample {
		if b >= 0x80 && (b < 0xA1 || b > 0xDA && b < 0xDF || b > 0xFB) {
			return false
		}
		if b >= 0x80 {
			high++
		}
		mark := thaiMark(b)
		if mark {
			marks++
		}
		if mark && !carried {
			astray++
		}
		carried = b >= 0xA1 && b <= 0xDA || mark
	}
	return high >= 8 && marks*10 >= high && astray*20 <= marks
}

// thaiMark reports whether a byte of windows-874 is a vowel sign or tone mark
// that stands over or under a letter.
func thaiMark(b byte) bool { return b == 0xD1 || b >= 0xD4 && b <= 0xDA || b >= 0xE7 && b <= 0xEE }

// looksBaltic tells windows-1257 from windows-1252, which share most of their
// signs: all letters are among those of Lithuanian and Latvian, and at least
// two are those that Western languages hardly have.
func looksBaltic(sample []byte) bool {
	letters := []byte{0xE0, 0xE1, 0xE2, 0xE6, 0xE7, 0xE8, 0xEB, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF2, 0xF8, 0xFB, 0xFE}
	telling := map[byte]bool{}
	for _, b := range sample {
		if b < 0xC0 || b == 0xD7 || b == 0xF7 {
			continue
		}
		b |= 0x20
		if bytes.IndexByte(letters, b) < 0 {
			return false
		}
		if b == 0xF0 || b == 0xFE || b == 0xEB || b == 0xF8 {
			telling[b] = true
		}
	}
	return len(telling) >= 2
}
