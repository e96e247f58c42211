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

// withoutIdle is a text without such words, and whether it has more of them than of those of English.
func withoutIdle(text string) (rest string, foreign bool) {
	idle := 0
	rest = eachWord(text, func(word string) bool {
		english, is := find(idleWords, strings.ToLower(word))
		if is = is && english == ""; is {
			idle++
		}
		return !is
	})
	if foreign = idle > len(index.StopWords(text)); foreign {
		rest = eachWord(rest, func(word string) bool { _, is := find(idleWords, strings.ToLower(word)); return !is })
	}
	return rest, foreign
}

// eachWord is a text without the words that are not to be kept.
func eachWord(text string, keep func(word string) bool) string {
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

const prompts = 1250

// commonRarity is how rare a term is in prompts of all projects: ln(1251/(n+0.5)) where n of 1,250 have it.
func commonRarity(term string) float64 {
	return math.Log((prompts + 1) / (float64(lookUp(promptTerms, term)) + 0.5))
}

// rarityIn is how rare a term is at most that so many of a store's docs have. That one doc has it says nothing, and a few say
// little: the square of the share of the others is taken for the share of prompts.
func rarityIn(having, docs int) float64 {
	share := float64(max(having-1, 0)) / float64(max(docs, leastDocs))
	return max(0, math.Log((prompts+1)/(prompts*share*share+0.5)))
}

// lookUp is the number behind a term in a table of lines that are in the order of their bytes; 0 without one.
func lookUp(table, term string) int {
	count, _ := find(table, term)
	n, _ := strconv.Atoi(count)
	return n
}

// find is what stands behind a term in such a table; ok is false where the term is not there.
func find(table, term string) (rest string, ok bool) {
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
