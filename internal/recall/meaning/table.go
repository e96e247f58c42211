// Package meaning compares English texts by what they mean, with a table of word vectors that is part of the program.
// Words that occur in the same places have similar vectors, and a text has the sum of its words' vectors.
// tests/quality/meaning builds the table. It is read in place: a program that compares nothing pays nothing for it.
package meaning

import (
	_ "embed"
	"encoding/binary"
	"math"
	"sort"
)

// Size is the number of numbers in a vector.
const Size = 128

// The table: the number of words, the number of numbers in a row, and a checksum of what follows (4 bytes each); for each
// word, in alphabetical order, where its name ends (4 bytes); for each word its row's scale (a float of 4 bytes); the rows,
// a signed byte for each number; the names. No number matters more than another: table.py turns the vectors, so that
// their signs alone tell roughly which texts are similar.
//
//go:embed table.bin
var tableData string

const headerBytes = 12

// Version tells tables apart: vectors of two tables cannot be compared.
func Version() uint32 { return numberAt(8) }

// wordCount is the number of words in the table.
func wordCount() int { return int(numberAt(0)) }

func numberAt(at int) uint32 { return binary.LittleEndian.Uint32([]byte(tableData[at : at+4])) }

// wordName is a word of the table.
func wordName(word int) string {
	names := headerBytes + wordCount()*(4+4+Size)
	from := 0
	if word > 0 {
		from = int(numberAt(headerBytes + 4*(word-1)))
	}
	return tableData[names+from : names+int(numberAt(headerBytes+4*word))]
}

// findWord returns the place of a word in the table, or -1; and how many bytes the word has in common with the beginning of
// the word of the table that is most like it: no word of the table begins with more of it.
func findWord(word string) (at, begin int) {
	at = sort.Search(wordCount(), func(i int) bool { return wordName(i) >= word })
	for _, i := range []int{at - 1, at} {
		if i >= 0 && i < wordCount() {
			begin = max(begin, commonPrefix(word, wordName(i)))
		}
	}
	if at == wordCount() || wordName(at) != word {
		at = -1
	}
	return at, begin
}

// commonPrefix is how many bytes two words begin with alike.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// addVector adds the vector of a word of the table, which counts so much, to a sum.
func addVector(sum *[Size]float32, word int, weight float32) {
	scale := weight * math.Float32frombits(numberAt(headerBytes+4*wordCount()+4*word))
	at := headerBytes + 8*wordCount() + Size*word
	for i, x := range []byte(tableData[at : at+Size]) {
		sum[i] += scale * float32(int8(x))
	}
}
