package skills

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// The parameters of the search: BM25 over name and description.
const (
	k1 = 1.2
	b  = 0.75
	// MaxHits is how many skills a search returns.
	MaxHits = 5
	// The weights of words and vectors where there is an embedder.
	wordsWeight  = 0.3
	vectorWeight = 0.7
)

// Hit is a skill that a search found.
type Hit struct {
	Skill
	Score float64
}

// Search returns the skills that fit the query best, at most MaxHits. similar gives each skill's
// cosine to the query, in the order of the skills; nil where there is no embedder. A skill that
// passes refuses is left out; only those that would be returned are asked about.
func Search(list []Skill, query string, similar []float64, passes func(Skill) bool) []Hit {
	scores := wordScores(list, query)
	if best := slices.Max(append(scores, 0)); similar != nil && best > 0 {
		for i := range scores {
			scores[i] = wordsWeight*scores[i]/best + vectorWeight*max(similar[i], 0)
		}
	} else if similar != nil { // vectors alone count in full
		scores = slices.Clone(similar)
	}
	var order []int
	for i, score := range scores {
		if score > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(list[a].Name, list[b].Name))
	})
	var hits []Hit
	for _, i := range order {
		if len(hits) == MaxHits {
			break
		}
		if passes(list[i]) {
			hits = append(hits, Hit{list[i], scores[i]})
		}
	}
	return hits
}

// Text is what a skill is found by.
func (s Skill) Text() string { return s.Name + " " + s.Description }

// wordScores are the BM25 scores of the skills.
func wordScores(list []Skill, query string) []float64 {
	var terms []string
	for w := range words(query) {
		terms = append(terms, strings.Clone(w))
	}
	slices.Sort(terms)
	terms = slices.Compact(terms)
	lengths := make([]float64, len(list))
	counts := make([][]float64, len(terms)) // by term, then by skill
	for t := range terms {
		counts[t] = make([]float64, len(list))
	}
	total := 0.0
	for i := range list {
		for w := range words(list[i].Text()) {
			lengths[i]++
			for t := range terms { // few, and most differ in length
				if terms[t] == w {
					counts[t][i]++
				}
			}
		}
		total += lengths[i]
	}
	scores := make([]float64, len(list))
	average := total / float64(max(len(list), 1))
	for t := range terms {
		having := 0.0
		for _, n := range counts[t] {
			if n > 0 {
				having++
			}
		}
		idf := math.Log((float64(len(list))-having+0.5)/(having+0.5) + 1)
		for i, n := range counts[t] {
			if n > 0 {
				scores[i] += idf * n * (k1 + 1) / (n + k1*(1-b+b*lengths[i]/average))
			}
		}
	}
	return scores
}

// words gives a text's words in small letters, without those of one letter.
func words(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		text = strings.ToLower(text)
		from := -1
		for i, r := range text {
			letter := 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r >= 0x80 && (unicode.IsLetter(r) || unicode.IsNumber(r))
			switch {
			case letter && from < 0:
				from = i
			case !letter && from >= 0:
				if i-from > 1 && !yield(text[from:i]) {
					return
				}
				from = -1
			}
		}
		if from >= 0 && len(text)-from > 1 {
			yield(text[from:])
		}
	}
}
