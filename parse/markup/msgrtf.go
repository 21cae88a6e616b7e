package markup

import "encoding/binary"

// rtfStart is what the dictionary of packed RTF holds before anything is read.
const rtfStart = "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"

// unpackRTF expands the RTF that Outlook packs by references into the last 4,096
// bytes, to at most limit bytes; nil if it is not that.
func unpackRTF(data []byte, limit int) []byte {
	const head, packed, stored = 16, 0x75465A4C, 0x414C454D
	if len(data) < head {
		return nil
	}
	size := min(int(binary.LittleEndian.Uint32(data[4:])), limit)
	switch binary.LittleEndian.Uint32(data[8:]) {
	case stored:
		return data[head:min(len(data), head+size)]
	case packed:
	default:
		return nil
	}
	const window = 4096
	var dict [window]byte
	at := copy(dict[:], rtfStart)
	var out []byte
	put := func(b byte) {
		out = append(out, b)
		dict[at%window] = b
		at++
	}
	for i := head; i < len(data) && len(out) < size; {
		flags := data[i]
		i++
		for bit := 0; bit < 8 && i < len(data) && len(out) < size; bit++ {
			if flags&(1<<bit) == 0 {
				put(data[i])
				i++
				continue
			}
			if i+2 > len(data) {
				return out
			}
			ref := int(binary.BigEndian.Uint16(data[i:]))
			i += 2
			from, n := ref>>4, ref&0xF+2
			if from == at%window {
				return out // the end
			}
			for k := range n {
				put(dict[(from+k)%window])
			}
		}
	}
	return out
}
