package secret

import (
	_ "embed" // the word list
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/policy/chars"
)

// bip39 is the English word list of BIP-39: 2048 words in alphabetical order.
//
//go:embed bip39.txt
var bip39 string

var seedWords = sync.OnceValue(func() []string { return strings.Fields(bip39) })

// minSeedWords is how many words of the list, one after the other, a wallet's phrase has at least.
const minSeedWords = 12

// FindSeedPhrases appends the seed phrases of wallets that the text holds: no sentence has so many words of the list in a row, because small
// words are not in it. The words may be numbered, and may have commas between them. Words in the list's order are the list.
func FindSeedPhrases(hits []Hit, lower string) []Hit {
	var room [32]Hit
	run := room[:0] // the words of three to eight letters that follow one another
	flush := func() {
		for len(run) >= minSeedWords {
			n := 0
			for n < len(run) && isSeedWord(lower[run[n].Start:run[n].End]) {
				n++
			}
			if n >= minSeedWords && isRandomOrder(lower, run[:n]) {
				hits = append(hits, Hit{run[0].Start, run[n-1].End, "seed-phrase"})
			}
			run = run[n+min(1, len(run)-n):]
		}
		run = room[:0]
	}
	for i := 0; i < len(lower); {
		n := chars.SpanLen(lower[i:], chars.Alnum, len(lower))
		switch {
		case n == 0:
			if strings.IndexByte(" ,.)/-\n\r\t\"'", lower[i]) < 0 {
				flush()
			}
			i++
			continue
		case n <= 2 && chars.SpanLen(lower[i:], chars.Digits, n) == n: // a number before the word
		case n >= 3 && n <= 8 && chars.SpanLen(lower[i:], chars.Lowers, n) == n:
			run = append(run, Hit{Start: i, End: i + n})
		default:
			flush()
		}
		i += n
	}
	flush()
	return hits
}

func isSeedWord(word string) bool {
	_, ok := slices.BinarySearch(seedWords(), word)
	return ok
}

// isRandomOrder reports whether most words stand there once and in no order, as words drawn by chance do.
func isRandomOrder(lower string, run []Hit) bool {
	var words []string
	for _, h := range run {
		words = append(words, lower[h.Start:h.End])
	}
	sorted := slices.Sorted(slices.Values(words))
	return !slices.Equal(sorted, words) && len(slices.Compact(sorted))*4 >= len(words)*3
}
