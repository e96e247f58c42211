package chars

import (
	"iter"
	"math/bits"
)

// Index finds the things of a list that have one of their words in a text. It looks only for words whose rarest pair
// of bytes the text has: the thousands of others cost nothing.
type Index[T any] struct {
	List  []T
	pairs pairs // the rarest of each word
	words [1 << 10][]indexed
}

type indexed struct {
	word  string
	thing int
}

// NewIndex makes an index of a list by the words of each thing in it.
func NewIndex[T any](list []T, words func(*T) []string) *Index[T] {
	x := &Index[T]{List: list}
	for i := range list {
		for _, w := range words(&list[i]) {
			pair := rarest(w)
			x.pairs.set(pair)
			x.words[pair] = append(x.words[pair], indexed{w, i})
		}
	}
	return x
}

// In gives the things that have a word in the text, in small letters, in the order of the list.
func (x *Index[T]) In(p *Part) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		var found [8]uint64 // a bit for each thing
		for i, pairs := range x.pairs {
			for both := pairs & p.Pairs[i]; both != 0; both &= both - 1 {
				for _, w := range x.words[i<<6|bits.TrailingZeros64(both)] {
					if at, bit := w.thing>>6, uint64(1)<<(w.thing&63); found[at]&bit == 0 && p.HoldsAny(w.word) {
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
func (x *Index[T]) HasWord(p *Part) bool {
	for range x.In(p) {
		return true
	}
	return false
}
