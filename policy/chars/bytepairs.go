package chars

// pairs tells which pairs of neighbouring bytes a text has, letters of either
// case as one. It answers "does this text hold that word" with a no that is
// certain, for the price of two or three bits, where searching would read the
// text again for each of the words that the rules know.
type pairs [16]uint64

func (g *pairs) note(a, b byte) {
	h := uint(a&31)<<5 | uint(b&31)
	g[h>>6&15] |= 1 << (h & 63)
}

// may reports whether the text can hold the word.
func (g *pairs) MayContain(w string) bool {
	for i := 1; i < len(w); i++ {
		h := uint(w[i-1]&31)<<5 | uint(w[i]&31)
		if g[h>>6&15]&(1<<(h&63)) == 0 {
			return false
		}
	}
	return true
}

// MayAny reports whether the text can hold one of the words.
func (g *pairs) MayAny(list ...string) bool {
	for _, w := range list {
		if g.MayContain(w) {
			return true
		}
	}
	return false
}
