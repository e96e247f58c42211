package chars

import "strings"

// Part is one string of a candidate, with facts about it that several rules need, each found once.
type Part struct {
	Where                string
	Text                 string
	Lower                string // as text, with ASCII letters in lower case: same length, same offsets
	Pairs                bytePairs
	ASCII                bool
	HasDigit             bool // holds a digit
	HasMark              bool // holds a mark that sets a value apart: = : " ' ` - / @ < and the like
	IsPlainWord          bool // one word of small letters
	LongestRun           int  // the longest run of bytes that a credential could be
	HasLongRun           bool // LongestRun is at least MinCredential
	HasControlOrNonASCII bool // holds a control character, or what is no ASCII
}

// NewPart reads a text that stands at a place of the candidate, such as "value".
func NewPart(where, text string) Part {
	var p Part
	p.Read(where, text)
	return p
}

// Read makes a part of a text, in one pass.
func (p *Part) Read(where, text string) {
	p.Where, p.Text, p.Lower = where, text, text
	seen, run, last := uint32(0), 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		k := ClassOf(c)
		seen |= k
		if k&Opaque != 0 {
			run++
		} else {
			p.LongestRun, run = max(p.LongestRun, run), 0
		}
		p.Pairs.set(pairIndex(last, c))
		last = c
	}
	p.Pairs.set(0)
	p.LongestRun = max(p.LongestRun, run)
	p.HasLongRun = p.LongestRun >= MinCredential
	p.ASCII = seen&nonASCII == 0
	p.HasDigit = seen&Digits != 0
	p.HasMark = seen&separator != 0
	p.HasControlOrNonASCII = seen&controlOrNonASCII != 0
	p.IsPlainWord = seen&^Lowers == 0 && seen != 0 || text == ""
	if seen&Uppers != 0 {
		p.Lower = LowerASCII(text)
	}
}

// MinCredential is the least length of a credential with a shape.
const MinCredential = 16

// LowerASCII keeps every offset, which strings.ToLower does not: some letters change their length
// with their case.
func LowerASCII(s string) string {
	b := make([]byte, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b[i] = c
	}
	return string(b)
}

// InValue reports whether the part belongs to the value itself.
func (p *Part) InValue() bool {
	return p.Where == "value" || strings.HasPrefix(p.Where, "value.") || strings.HasPrefix(p.Where, "value[")
}

// ContainsAny reports whether the text has one of the words. A word of small letters stands for any case.
func (p *Part) ContainsAny(words ...string) bool {
	for _, w := range words {
		if p.Pairs.MayContain(w) && (strings.Contains(p.Lower, w) || strings.Contains(p.Text, w)) {
			return true
		}
	}
	return false
}
