package charset

// IsText reports whether data looks like text in some encoding, judged by its
// first 64 KiB: it has a byte order mark, or has the shape of UTF-16, or at
// most one byte in fifty is a control character that text does not use.
func IsText(data []byte) bool {
	if name, _ := mark(data); name != "" {
		return true
	}
	if utf16Shape(data) != "" {
		return true
	}
	sample := data[:min(len(data), sampleSize)]
	odd := 0
	for _, b := range sample {
		if b < ' ' && (b < '\b' || b > '\r') && b != 0x1B || b == 0x7F {
			odd++
		}
	}
	return odd*50 <= len(sample)
}
