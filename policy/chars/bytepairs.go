package chars

// bytePairs tells which pairs of neighbouring bytes a text has, letters of either
// case as one. It answers "does this text hold that word" with a no that is
// certain, for the price of two or three bits, where searching would read the
// text again for each of the words that the rules know.
type bytePairs [16]uint64

// pairIndex is the place of a pair among the bits.
func pairIndex(a, b byte) int { return int(a&31)<<5 | int(b&31) }

func (g *bytePairs) set(pair int) { g[pair>>6&15] |= 1 << (pair & 63) }

// MayContain reports whether the text can hold the word.
func (g *bytePairs) MayContain(w string) bool {
	for i := 1; i < len(w); i++ {
		h := pairIndex(w[i-1], w[i])
		if g[h>>6&15]&(1<<(h&63)) == 0 {
			return false
		}
	}
	return true
}

// MayContainAny reports whether the text can hold one of the words.
func (g *bytePairs) MayContainAny(list ...string) bool {
	for _, w := range list {
		if g.MayContain(w) {
			return true
		}
	}
	return false
}

// byteRarity is how seldom a text has a byte, by the last five bits of it: a digit for a space, one for each letter, and some
// for the signs after z.
const byteRarity = "0" + "06330553097240049110375959" + "99998"

// rarestPair is the pair of a word that the fewest texts have; for a word of one byte 0, which every text has.
func rarestPair(w string) (pair int) {
	best := byte(0)
	for i := 1; i < len(w); i++ {
		if rare := byteRarity[w[i-1]&31] + byteRarity[w[i]&31]; rare > best {
			best, pair = rare, pairIndex(w[i-1], w[i])
		}
	}
	return pair
}
