package chars

import (
	"iter"
	"math/bits"
)

// WordIndex finds the things of a list that have one of their words in a text. It looks only for words whose rarest pair
// of bytes the text has: the thousands of others cost nothing.
type WordIndex[T any] struct {
	List        []T
	rarestPairs bytePairs // the rarest of each word
	wordsByPair [1 << 10][]indexedWord
}

type indexedWord struct {
	word      string
	listIndex int
}

// NewIndex makes an index of a list by the words of each thing in it.
func NewIndex[T any](list []T, words func(*T) []string) *WordIndex[T] {
	x := &WordIndex[T]{List: list}
	for i := range list {
		for _, w := range words(&list[i]) {
			pair := rarestPair(w)
			x.rarestPairs.set(pair)
			x.wordsByPair[pair] = append(x.wordsByPair[pair], indexedWord{w, i})
		}
	}
	return x
}

// FindIn gives the things that have a word in the text, in small letters, in the order of the list.
func (x *WordIndex[T]) FindIn(p *Part) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		var found [8]uint64 // a bit for each thing
		for i, pairs := range x.rarestPairs {
			for both := pairs & p.Pairs[i]; both != 0; both &= both - 1 {
				for _, w := range x.wordsByPair[i<<6|bits.TrailingZeros64(both)] {
					if at, bit := w.listIndex>>6, uint64(1)<<(w.listIndex&63); found[at]&bit == 0 && p.ContainsAny(w.word) {
						found[at] |= bit
					}
				}
			}
		}
		for i, left := range found {
			for ; left != 0; left &= left - 1 {
				if !yield(&x.List[i<<6|bits.TrailingZeros64(left)]) {
					return
				}
			}
		}
	}
}

// HasWord reports whether one of the things has a word in the text.
func (x *WordIndex[T]) HasWord(p *Part) bool {
	for range x.FindIn(p) {
		return true
	}
	return false
}
