package memory

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/memfile"
)

// maxQueryWords caps the words of a query that count.
const maxQueryWords = 32

// The weights of the places where a word can stand.
const (
	weightKey    = 3
	weightTag    = 2.5
	weightValue  = 2
	weightSource = 0.5
	weightPart   = 0.5 // times, where the word only begins one of the item's
)

// wordsOf are the different words of a text, in its order: runs of letters and
// digits in normal form.
func wordsOf(text string) []string {
	var words []string
	for _, w := range fields(text) {
		if !slices.Contains(words, w) && len(words) < maxQueryWords {
			words = append(words, w)
		}
	}
	return words
}

func fields(text string) []string {
	return strings.FieldsFunc(memfile.NormalText(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// score rates the items: each word counts where it weighs most in the item,
// and more the fewer items have it; what has more of the words comes first.
func score(items []Found, words []string) {
	weights := make([][]float64, len(items))
	having := make([]int, len(words))
	for i := range items {
		weights[i] = weigh(&items[i], words)
		for k, w := range weights[i] {
			if w > 0 {
				having[k]++
			}
		}
	}
	for i := range items {
		sum, hits := 0.0, 0
		for k, w := range weights[i] {
			if w > 0 {
				sum += w * math.Log(1+float64(len(items))/float64(having[k]))
				hits++
			}
		}
		items[i].score = sum * float64(hits) / float64(len(words))
	}
}

// weigh is, for each word, the weight of the best place where the item has it.
func weigh(f *Found, words []string) []float64 {
	best := make([]float64, len(words))
	place := func(text string, weight float64) {
		have := fields(text)
		for k, word := range words {
			best[k] = max(best[k], weight*matches(have, word))
		}
	}
	place(f.Key, weightKey)
	for _, tag := range f.Tags {
		place(tag, weightTag)
	}
	for _, t := range f.Value.Strings() {
		place(t.Text, weightValue)
	}
	place(f.Source, weightSource)
	return best
}

// matches is 1 where the word is one of these, less where it begins one of
// them, or stands in one whose script has no spaces between words; else 0.
func matches(have []string, word string) float64 {
	best := 0.0
	for _, h := range have {
		switch {
		case h == word:
			return 1
		case len(word) >= 3 && strings.HasPrefix(h, word), len(h) >= 4 && strings.HasPrefix(word, h):
			best = weightPart
		case utf8.RuneCountInString(word) < len(word) && strings.Contains(h, word):
			best = weightPart
		}
	}
	return best
}
