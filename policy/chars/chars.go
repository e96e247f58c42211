// Package chars tells what a text is made of: the classes of its bytes, which pairs of
// bytes it has, and the characters in it that a reader does not see. Each string that the
// policy judges is read once, as a Part.
package chars

import "strings"

// What a byte is, as bits, so that an alphabet is a mask.
const (
	Digits    = 1 << iota // 0-9
	lowHex                // a-f
	lowRest               // g-z
	upHex                 // A-F
	upRest                // G-Z
	Underline             // _
	Dash                  // -
	Dot                   // .
	Slash                 // /
	Plus                  // +
	Equals                // =
	Tilde                 // ~
	Colon                 // :
)

// The alphabets that credentials are written in.
const (
	Lowers   = lowHex | lowRest
	Uppers   = upHex | upRest
	Letters  = Lowers | Uppers
	Alnum    = Letters | Digits
	HexLow   = Digits | lowHex
	HexAny   = Digits | lowHex | upHex
	LowAlnum = Lowers | Digits
	UpAlnum  = Uppers | Digits
	Word     = Alnum | Underline
	URLSafe  = Alnum | Underline | Dash
	Dotted   = URLSafe | Dot
	Base64   = Alnum | Plus | Slash | Equals
	AnyToken = URLSafe | Dot | Plus | Slash | Equals
	Opaque   = AnyToken | Tilde
)

// Further bits, for the pass that every text is read by once.
const (
	separator         = 1 << (13 + iota) // sets a value apart: = : " ' ` - / @ < and the like
	controlOrNonASCII                    // a control character, or no ASCII
	nonASCII                             // no ASCII
	Breaks                               // ends a word: a control character, a space, a comma, a bracket, a quotation mark and the like
	Hash                                 // #

	control = separator | controlOrNonASCII | Breaks
)

// ClassOf is the class of a byte, as bits.
func ClassOf(c byte) uint32 {
	if c >= 0x80 {
		return controlOrNonASCII | nonASCII
	}
	return classOf[c]
}

// IsAlnum reports whether the byte is an ASCII letter or digit.
func IsAlnum(c byte) bool { return ClassOf(c)&Alnum != 0 }

// SpanLen is how many of the first bytes of s belong to the alphabet, at most max.
func SpanLen(s string, alphabet uint32, max int) int {
	n := 0
	for n < len(s) && n < max && ClassOf(s[n])&alphabet != 0 {
		n++
	}
	return n
}

// ByteCounts counts what a token is made of.
type ByteCounts struct {
	Digits, Lowers, Uppers, Others int
	Distinct                       int
	Hex                            bool
	LongestRun                     int // of one byte
}

// CountBytes counts what a token is made of.
func CountBytes(s string) ByteCounts {
	c := ByteCounts{Hex: true}
	var seen [4]uint64
	run := 0
	for i := 0; i < len(s); i++ {
		b := s[i]
		switch k := ClassOf(b); {
		case k&Digits != 0:
			c.Digits++
		case k&Lowers != 0:
			c.Lowers++
		case k&Uppers != 0:
			c.Uppers++
		default:
			c.Others++
		}
		if ClassOf(b)&HexAny == 0 {
			c.Hex = false
		}
		if seen[b>>6]&(1<<(b&63)) == 0 {
			seen[b>>6] |= 1 << (b & 63)
			c.Distinct++
		}
		if i > 0 && s[i-1] == b {
			run++
		} else {
			run = 1
		}
		c.LongestRun = max(c.LongestRun, run)
	}
	return c
}

// ContainsAny reports whether the text has one of the words.
func ContainsAny(s string, list ...string) bool {
	for _, w := range list {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// MatchesPicture compares a word with a picture of it: A an upper-case letter, 9 a digit.
func MatchesPicture(w, picture string) bool {
	if len(w) != len(picture) {
		return false
	}
	for i := 0; i < len(w); i++ {
		want := uint32(Uppers)
		if picture[i] == '9' {
			want = Digits
		}
		if ClassOf(w[i])&want == 0 {
			return false
		}
	}
	return true
}
