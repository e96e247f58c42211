package memfile

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// looksWide is how many bytes tell whether a text without a byte order mark is in UTF-16
// or UTF-32.
const looksWide = 256

// FromWide is a text that a Windows shell wrote in its own encoding, UTF-16 or UTF-32, as
// UTF-8; ok is false for any other. It shows in the byte order mark, or in the NULs beside
// the letters or the line ends.
func FromWide(src []byte) (text []byte, ok bool) {
	if order, ok := wideOrder32(src); ok {
		return fromUnits(src, 4, func(b []byte) rune { return rune(order.Uint32(b)) }), true
	}
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

// wideName is what FromWide would read the text from; "" for any other text.
func wideName(src []byte) string {
	if _, ok := wideOrder32(src); ok {
		return "UTF-32"
	}
	if _, ok := wideOrder(src); ok && len(src) > len("\xff\xfe") {
		return "UTF-16"
	}
	return ""
}

// fromUnits is a text of units of that size, each a character.
func fromUnits(src []byte, size int, character func([]byte) rune) (text []byte) {
	src = src[:min(len(src), size*MaxFileBytes)]
	for ; len(src) >= size; src = src[size:] {
		text = utf8.AppendRune(text, character(src))
	}
	return bytes.TrimPrefix(text, []byte("\ufeff"))
}

// wideOrder32 is the order of the bytes in a text in UTF-32.
func wideOrder32(src []byte) (order binary.ByteOrder, ok bool) {
	start := src[:min(len(src), looksWide)&^3]
	little, big := len(start) >= 8, len(start) >= 8
	said := false
	for i := 0; i < len(start); i += 4 {
		u := start[i : i+4]
		little = little && u[3] == 0 && u[2] <= 0x10
		big = big && u[0] == 0 && u[1] <= 0x10
		said = said || u[0] != 0 && little || u[3] != 0 && big
	}
	switch {
	case bytes.HasPrefix(src, []byte("\x00\x00\xfe\xff")), said && big && !little:
		return binary.BigEndian, true
	case said && little && !big:
		return binary.LittleEndian, true
	}
	return nil, false
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
		return nil, false
	case nuls[0] == 0 && nuls[1] >= most:
		return binary.LittleEndian, true
	case nuls[1] == 0 && nuls[0] >= most:
		return binary.BigEndian, true
	}
	return orderByLines(src)
}

// orderByLines tells the order by the line ends, whatever script the letters are of. Lines
// of UTF-8 before them are another text, to which a shell has appended.
func orderByLines(src []byte) (order binary.ByteOrder, ok bool) {
	narrow, _, found := bytes.Cut(src, []byte{0})
	if !found || bytes.Count(narrow, []byte("\n")) > 1 && utf8.Valid(narrow) {
		return nil, false
	}
	little, big := 0, 0
	for at := 0; ; at++ {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			break
		}
		at += i
		switch {
		case at%2 == 0 && at+1 < len(src) && src[at+1] == 0:
			little++
		case at%2 == 1 && src[at-1] == 0:
			big++
		}
	}
	most := max(3, bytes.Count(src, []byte("\n"))*3/4) // a letter may have the byte of one, and binary data have few
	switch {
	case little >= most && big == 0:
		return binary.LittleEndian, true
	case big >= most && little == 0:
		return binary.BigEndian, true
	}
	return nil, false
}
