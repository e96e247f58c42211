package secret

import (
	"unicode/utf8"

	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/policy/chars"
)

// folded rewrites characters that look like ASCII as ASCII: full-width forms,
// letters and digits of mathematics, and letters of other scripts in a word that has Latin
// letters too. offsets has the place in text of each byte of the result. ok is
// false if nothing changed.
func folded(text string) (plain string, offsets []int, ok bool) {
	if !foldable(text) {
		return "", nil, false
	}
	b := make([]byte, 0, len(text))
	offsets = make([]int, 0, len(text)+1)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		c := asciiForm(r)
		if c == 0 && r >= 0x80 && besideLatin(text, i, n) {
			c = spelling.Lookalike(r)
		}
		if c != 0 {
			b = append(b, c)
			offsets = append(offsets, i)
			ok = ok || r >= 0x80
		} else {
			for k := range n {
				b = append(b, text[i+k])
				offsets = append(offsets, i+k)
			}
		}
		i += n
	}
	return string(b), append(offsets, len(text)), ok
}

// foldable reports whether some character may have to be rewritten, at the
// price of one look at each first byte.
func foldable(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == 0xef && i+1 < len(text) && (text[i+1] == 0xbc || text[i+1] == 0xbd), // full-width
			c == 0xf0 && i+1 < len(text) && text[i+1] == 0x9d, // mathematics
			c >= 0xcd && c <= 0xd5:                            // Greek, Cyrillic, Armenian
			return true
		}
	}
	return false
}

// asciiForm is the ASCII character that a full-width or mathematical one stands for, 0 for
// none.
func asciiForm(r rune) byte {
	switch {
	case r < utf8.RuneSelf:
		return byte(r)
	case r >= 0xff01 && r <= 0xff5e:
		return byte(r - 0xff01 + '!')
	case r >= 0x1d400 && r <= 0x1d6a3:
		k := byte((r - 0x1d400) % 52)
		if k < 26 {
			return 'A' + k
		}
		return 'a' + k - 26
	case r >= 0x1d7ce && r <= 0x1d7ff:
		return '0' + byte((r-0x1d7ce)%10)
	}
	return 0
}

// besideLatin reports whether the word around a character has a Latin letter.
func besideLatin(text string, at, n int) bool {
	const most = 40
	for i := at - 1; i >= 0 && at-i < most; i-- {
		if c := text[i]; c < utf8.RuneSelf {
			if chars.Class(c)&(chars.Letters) != 0 {
				return true
			}
			if chars.Class(c)&chars.Word == 0 {
				break
			}
		}
	}
	for i := at + n; i < len(text) && i-at < most; i++ {
		if c := text[i]; c < utf8.RuneSelf {
			if chars.Class(c)&chars.Letters != 0 {
				return true
			}
			if chars.Class(c)&chars.Word == 0 {
				break
			}
		}
	}
	return false
}
