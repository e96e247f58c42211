package briefing

import (
	"cmp"
	"slices"

	"github.com/memctl/memctl/recall"
)

// guessedShare is how much of its score a hit has that only a guess at the answer found.
const guessedShare = 0.6

// withGuessed adds to the hits of a question those of a guess at its answer, and returns the best k.
func withGuessed(hits, guessed []recall.Hit, k int) []recall.Hit {
	hits = slices.Clone(hits)
	for _, h := range guessed {
		h.Score *= guessedShare
		if i := slices.IndexFunc(hits, func(was recall.Hit) bool { return was.Scope == h.Scope && was.ID == h.ID }); i >= 0 {
			hits[i].Score = max(hits[i].Score, h.Score) // so that the order does not depend on k
			continue
		}
		h.Matched, h.Missing = nil, nil // they are words of the guess
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(a, b recall.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(len(hits), k)]
}
