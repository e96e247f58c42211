package meaning

import (
	"math"
	"strings"
	"unicode"
)

// Reader makes the vectors of texts. It remembers words: most of a text are words that were there before.
type Reader struct {
	cachedRows map[string][]int // the rows of words: one, two of a word of two words, none of an unknown word
}

// maxCachedWords bounds what a Reader remembers.
const maxCachedWords = 1 << 16

// byteScale is by how much the numbers of a vector of length 1 are multiplied to become bytes.
const byteScale = 254

// Vector returns the vector of texts that belong together, Size signed bytes: zeros if the table knows none of their words.
func (r *Reader) Vector(texts ...string) []byte {
	var sum [Size]float32
	for _, text := range texts {
		for word := range strings.FieldsFuncSeq(text, isSeparator) {
			rows := r.rowsOfWord(word)
			for _, row := range rows {
				addVector(&sum, row, 1/float32(len(rows)))
			}
		}
	}
	length := 0.0
	for _, x := range sum {
		length += float64(x) * float64(x)
	}
	scale := byteScale / max(math.Sqrt(length), 1e-9)
	vector := make([]byte, Size)
	for i, x := range sum {
		vector[i] = byte(int8(math.Round(min(max(float64(x)*scale, -127), 127))))
	}
	return vector
}

// isSeparator reports whether a letter is in no word.
func isSeparator(r rune) bool {
	return r != '\'' && r != '’' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// Cosine is how similar two vectors are: 1 for the same direction, 0 for unrelated texts and for an unknown text.
func Cosine(a, b []byte) float64 {
	a, b = a[:Size], b[:Size]
	sum := int32(0)
	for i, x := range a {
		sum += int32(int8(x)) * int32(int8(b[i]))
	}
	return float64(sum) / (byteScale * byteScale)
}

// rowsOfWord returns the rows of a word of a text, from memory if it can.
func (r *Reader) rowsOfWord(rowsOfWord string) []int {
	rows, ok := r.cachedRows[rowsOfWord]
	if ok {
		return rows
	}
	if r.cachedRows == nil || len(r.cachedRows) >= maxCachedWords {
		r.cachedRows = map[string][]int{}
	}
	plain, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(rowsOfWord), "’", "'"), "'")
	rows = findRows(plain)
	r.cachedRows[strings.Clone(rowsOfWord)] = rows
	return rows
}

// endings are the endings that an unknown word may lose, each with what takes its place.
var endings = [...][2]string{
	{"ies", "y"}, {"es", ""}, {"s", ""}, {"ing", ""}, {"ing", "e"}, {"ed", ""}, {"ed", "e"}, {"er", ""}, {"er", "e"}, {"ly", ""},
}

const (
	minLetters = 3 // letters of a word without its ending, and of a part of a word
	maxLetters = 40
)

// findRows finds a word, else the word without its ending, else the two words that it consists of ("codebase").
func findRows(word string) []int {
	if len(word) > maxLetters {
		return nil
	}
	at, begin := findWord(word)
	if at >= 0 {
		return []int{at}
	}
	for _, e := range endings {
		if stem, ok := strings.CutSuffix(word, e[0]); ok && len(stem) >= minLetters && len(stem) <= begin {
			if at, _ := findWord(stem + e[1]); at >= 0 {
				return []int{at}
			}
		}
	}
	for n := min(len(word)-minLetters, begin); n >= minLetters; n-- {
		first, _ := findWord(word[:n])
		if first < 0 {
			continue
		}
		if second, _ := findWord(word[n:]); second >= 0 {
			return []int{first, second}
		}
	}
	return nil
}
