package memfile

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// looksWide is how many bytes tell whether a text without a byte order mark is UTF-16.
const looksWide = 256

// FromUTF16 is a text that a Windows shell wrote in its own encoding as UTF-8; ok is false
// for any other. It shows in the byte order mark, or in a NUL beside every letter.
func FromUTF16(src []byte) (text []byte, ok bool) {
	order, ok := wideOrder(src)
	if !ok {
		return nil, false
	}
	src = src[:min(len(src), 2*MaxFileBytes)]
	units := make([]uint16, 0, len(src)/2)
	for i := 0; i+1 < len(src); i += 2 {
		units = append(units, order.Uint16(src[i:]))
	}
	return bytes.TrimPrefix([]byte(string(utf16.Decode(units))), []byte("\ufeff")), true
}

// wideOrder is the order of the bytes in a text in UTF-16.
func wideOrder(src []byte) (order binary.ByteOrder, ok bool) {
	switch {
	case bytes.HasPrefix(src, []byte("\xff\xfe")):
		return binary.LittleEndian, true
	case bytes.HasPrefix(src, []byte("\xfe\xff")):
		return binary.BigEndian, true
	}
	start := src[:min(len(src), looksWide)&^1]
	var nuls [2]int
	for i, c := range start {
		if c == 0 {
			nuls[i%2]++
		}
	}
	most := len(start) / 2 * 3 / 4 // the others may be letters of another script
	switch {
	case len(start) < 8:
	case nuls[0] == 0 && nuls[1] >= most:
		return binary.LittleEndian, true
	case nuls[1] == 0 && nuls[0] >= most:
		return binary.BigEndian, true
	}
	return nil, false
}
