package secret

import (
	"crypto/sha256"
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

// A seed phrase has 12, 15, 18, 21 or 24 words of three to eight letters.
const (
	fewestSeedWords = 12
	mostSeedWords   = 24
	shortestSeed    = 12*3 + 11
)

// Seeds appends the seed phrases of wallets that the text holds. The last bits of
// a phrase are a checksum, so twelve ordinary words in a row are not one. The words
// may be numbered, and may have commas between them.
func Seeds(hits []Hit, lower string) []Hit {
	if len(lower) < shortestSeed {
		return hits
	}
	var room [mostSeedWords]Hit // where the words of the current run are; Kind is the word
	run := room[:0]
	flush := func() {
		if h, ok := seedIn(run); ok {
			hits = append(hits, h)
		}
		run = room[:0]
	}
	for i := 0; i < len(lower); {
		if lower[i] == ' ' {
			i++
			continue
		}
		n := chars.Span(lower[i:], chars.Alnum, len(lower))
		switch {
		case n == 0:
			if strings.IndexByte(" ,.)\n\r\t\"'", lower[i]) < 0 {
				flush()
			}
			i++
			continue
		case n <= 2 && chars.Span(lower[i:], chars.Digits, n) == n: // a number before the word
		case n >= 3 && n <= 8 && chars.Span(lower[i:], chars.Lowers, n) == n && (len(run) < fewestSeedWords || seedNumber(lower[i:i+n]) >= 0):
			if len(run) == mostSeedWords {
				if h, ok := seedIn(run); ok {
					hits = append(hits, h)
					run = room[:0]
				} else {
					run = run[:copy(run, run[1:])]
				}
			}
			run = append(run, Hit{i, i + n, lower[i : i+n]})
			if len(run) == fewestSeedWords {
				run = run[:copy(run, run[listedFrom(run):])]
			}
		default:
			flush()
		}
		i += n
	}
	flush()
	return hits
}

// seedNumber is the number of a word in the list, or -1.
func seedNumber(word string) int {
	k, ok := slices.BinarySearch(seedWords(), word)
	if !ok {
		return -1
	}
	return k
}

// listedFrom is where the words at the end of a run begin that are all in the list. It looks from the end, since most
// texts have few of these words.
func listedFrom(run []Hit) int {
	for i, w := range slices.Backward(run) {
		if seedNumber(w.Kind) < 0 {
			return i + 1
		}
	}
	return 0
}

// seedIn finds the longest phrase with a valid checksum in a run of words. If there are enough for a phrase, all are in
// the list.
func seedIn(run []Hit) (Hit, bool) {
	if len(run) < fewestSeedWords {
		return Hit{}, false
	}
	var numbers [mostSeedWords]int
	for i, w := range run {
		numbers[i] = seedNumber(w.Kind)
	}
	for n := mostSeedWords; n >= fewestSeedWords; n -= 3 {
		for from := 0; from+n <= len(run); from++ {
			if p := numbers[from : from+n]; varied(p) && validSeed(p) {
				return Hit{run[from].Start, run[from+n-1].End, "seed-phrase"}, true
			}
		}
	}
	return Hit{}, false
}

// varied reports whether most words stand there once, as words drawn by chance do.
func varied(numbers []int) bool {
	repeated := 0
	for i, k := range numbers {
		if slices.Contains(numbers[:i], k) {
			repeated++
		}
	}
	return repeated*4 <= len(numbers)
}

// validSeed checks a phrase: of the eleven bits of each word, the last one in
// thirty-three is the beginning of the digest of the others.
func validSeed(numbers []int) bool {
	var bits [33]byte
	for i, k := range numbers {
		for b := range 11 {
			if k>>(10-b)&1 == 1 {
				at := i*11 + b
				bits[at/8] |= 1 << (7 - at%8)
			}
		}
	}
	entropy := len(numbers) * 11 * 32 / 33 / 8
	sum := sha256.Sum256(bits[:entropy])
	shift := 8 - len(numbers)/3
	return bits[entropy]>>shift == sum[0]>>shift
}
