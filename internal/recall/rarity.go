package recall

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/recall/index"
)

// isNumber reports whether a term says nothing about a topic: a number.
func isNumber(term string) bool {
	return !strings.ContainsFunc(term, func(r rune) bool { return r != '=' && r != '.' && !unicode.IsDigit(r) })
}

// idleWords lists words that say nothing about a topic in 14 languages beside English, in the order of bytes. One with a
// question mark means something in English.
//
//go:embed idlewords.txt
var idleWords string

// withoutIdleWords is a text without such words, and whether it has more of them than of those of English.
func withoutIdleWords(text string) (rest string, foreign bool) {
	idle := 0
	rest = keepWords(text, func(word string) bool {
		english, is := findInTable(idleWords, strings.ToLower(word))
		if is = is && english == ""; is {
			idle++
		}
		return !is
	})
	if foreign = idle > len(index.StopWords(text)); foreign {
		rest = keepWords(rest, func(word string) bool { _, is := findInTable(idleWords, strings.ToLower(word)); return !is })
	}
	return rest, foreign
}

// keepWords is the text with only the words for which keep is true.
func keepWords(text string, keep func(word string) bool) string {
	var b strings.Builder
	start := -1
	end := func(at int) {
		if start >= 0 && keep(text[start:at]) {
			b.WriteString(text[start:at])
		}
		start = -1
	}
	for i, r := range text {
		if unicode.IsLetter(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		end(i)
		b.WriteRune(r)
	}
	end(len(text))
	return b.String()
}

// promptTerms lists the terms of 1,250 ordinary prompts of many projects, each with the number of prompts that have it, in
// the order of bytes. They are messages of people to coding agents in public repositories, and Analyzer made the terms.
//
//go:embed promptterms.txt
var promptTerms string

const promptCount = 1250

// rarityInPrompts is how rare a term is in prompts of all projects: ln(1251/(n+0.5)) where n of 1,250 have it.
func rarityInPrompts(term string) float64 {
	return math.Log((promptCount + 1) / (float64(numberInTable(promptTerms, term)) + 0.5))
}

// maxRarityInStore is how rare a term is at most that so many of a store's docs have. That one doc has it says nothing, and a few say
// little: the square of the share of the others is taken for the share of prompts.
func maxRarityInStore(having, docs int) float64 {
	share := float64(max(having-1, 0)) / float64(max(docs, minDocs))
	return max(0, math.Log((promptCount+1)/(promptCount*share*share+0.5)))
}

// numberInTable is the number behind a term in a table of lines that are in the order of their bytes; 0 without one.
func numberInTable(table, term string) int {
	count, _ := findInTable(table, term)
	n, _ := strconv.Atoi(count)
	return n
}

// findInTable returns what stands behind a term in such a table; ok is false where the term is not there.
func findInTable(table, term string) (rest string, ok bool) {
	low, high := 0, len(table)
	for low < high {
		at := low + (high-low)/2
		start := strings.LastIndexByte(table[:at], '\n') + 1
		end := start + strings.IndexByte(table[start:], '\n')
		name, rest, _ := strings.Cut(table[start:end], " ")
		switch strings.Compare(term, name) {
		case 0:
			return rest, true
		case -1:
			high = start
		default:
			low = end + 1
		}
	}
	return "", false
}
