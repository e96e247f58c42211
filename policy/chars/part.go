package chars

import "strings"

// Part is one string of a candidate, with facts about it that several rules need, each found once.
type Part struct {
	Where  string
	Text   string
	Lower  string // as text, with ASCII letters in lower case: same length, same offsets
	Pairs  pairs
	ASCII  bool
	Digit  bool // holds a digit
	Mark   bool // holds a mark that sets a value apart: = : " ' ` - / @ < and the like
	Plain  bool // one word of small letters
	Run    int  // the longest run of bytes that a credential could be
	Long   bool // Run is at least Shortest
	Unseen bool // holds a control character, or what is no ASCII
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
		k := Class(c)
		seen |= k
		if k&Opaque != 0 {
			run++
		} else {
			p.Run, run = max(p.Run, run), 0
		}
		p.Pairs.set(pairOf(last, c))
		last = c
	}
	p.Pairs.set(0)
	p.Run = max(p.Run, run)
	p.Long = p.Run >= Shortest
	p.ASCII = seen&high == 0
	p.Digit = seen&Digits != 0
	p.Mark = seen&marks != 0
	p.Unseen = seen&unseen != 0
	p.Plain = seen&^Lowers == 0 && seen != 0 || text == ""
	if seen&Uppers != 0 {
		p.Lower = LowerASCII(text)
	}
}

// Shortest is the least length of a credential with a shape.
const Shortest = 16

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

// HoldsAny reports whether the text has one of the words. A word of small letters stands for any case.
func (p *Part) HoldsAny(words ...string) bool {
	for _, w := range words {
		if p.Pairs.MayContain(w) && (strings.Contains(p.Lower, w) || strings.Contains(p.Text, w)) {
			return true
		}
	}
	return false
}
