package charset

// eastAsianUTF16 recognises Chinese and Japanese UTF-16 that holds no Latin
// letter, blank or line end: nearly all units are Han characters, kana or their
// punctuation, and some are not Han, which no other encoding gives when misread.
func eastAsianUTF16(sample []byte, name string) bool {
	han, other, total := 0, 0, 0
	high, low := 0, 1
	if name == "utf-16le" {
		high, low = 1, 0
	}
	for ; len(sample) >= 2; sample = sample[2:] {
		u := uint16(sample[high])<<8 | uint16(sample[low])
		switch {
		case u >= 0xDC00 && u <= 0xDFFF: // the second half of a character
			continue
		case u >= 0x4E00 && u <= 0x9FFF:
			han++
		case u >= 0x3000 && u <= 0x30FF, u >= 0xFF00 && u <= 0xFF60:
			other++
		}
		total++
	}
	return total >= 8 && (han+other)*20 >= total*19 && other*50 >= total
}

// looksThai recognises windows-874, of which letter statistics know nothing: all
// bytes beyond ASCII are Thai, and its marks are on consonants.
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
// that is over or under a letter.
func thaiMark(b byte) bool { return b == 0xD1 || b >= 0xD4 && b <= 0xDA || b >= 0xE7 && b <= 0xEE }

// looksShiftJIS recognises Japanese text too short for statistics: all bytes
// beyond ASCII are in valid pairs, most of which begin where Western encodings
// keep punctuation, and whose second bytes are often beyond ASCII too, as those
// of kana are.
func looksShiftJIS(sample []byte) bool {
	pairs, low, high := 0, 0, 0
	for i := 0; i < len(sample); i++ {
		lead := sample[i]
		if lead < 0x80 || lead >= 0xA1 && lead <= 0xDF { // ASCII, kana of half width
			continue
		}
		i++
		if lead == 0x80 || lead == 0xA0 || lead > 0xFC || i == len(sample) || sample[i] < 0x40 || sample[i] == 0x7F || sample[i] > 0xFC {
			return false
		}
		pairs++
		if lead < 0xA0 {
			low++
		}
		if sample[i] >= 0x80 {
			high++
		}
	}
	return pairs >= 4 && low*10 >= pairs*6 && high*10 >= pairs*4
}
