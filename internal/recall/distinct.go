package recall

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/spelling"
)

const (
	// nearScoreShare is the share of a hit's score from which a newer one about the same stands before it.
	nearScoreShare = 0.9
	// minAlikeShare is how much of the longer one of two texts the shorter one must have to say nearly the same, and minAboutShare how much
	// of the shorter one both must have to be about the same.
	minAlikeShare = 2.0 / 3
	minAboutShare = 0.5
)

// distinctHits is a list of hits, the best first, in which near-equals count once.
type distinctHits struct {
	hits     []Hit
	terms    [][]string // of each
	analyzer *index.Analyzer
}

// add adds the next hit, which has no higher score. A newer one stands before those of nearly its score that are about the same:
// it may correct them. One that says nearly the same as a hit, and denies nothing that the hit says, counts together with it: the
// newer of the two stays, unless the other one is more certain.
func (l *distinctHits) add(h Hit) {
	terms := sortedTerms(l.analyzer, h.Text)
	at, end := len(l.hits), len(l.hits)
	for i := range l.hits {
		first := &l.hits[i]
		if first.Tier == h.Tier && sayNearlySame(l.terms[i], terms) && spelling.HasNegation(first.Text) == spelling.HasNegation(h.Text) {
			if h.Time.After(first.Time) && h.Confidence >= first.Confidence {
				h.Score = first.Score
				*first, l.terms[i] = h, terms
			}
			return
		}
		if at == end && h.Score >= nearScoreShare*l.bestScoreFrom(i) && h.Weak == first.Weak && (first.Stale && !h.Stale || first.Stale == h.Stale && l.mayCorrect(&h, terms, i)) {
			at = i
		}
	}
	l.hits, l.terms = slices.Insert(l.hits, at, h), slices.Insert(l.terms, at, terms)
}

// bestScoreFrom is the highest score of the hits from an index on: a newer hit that add moved up may not have it.
func (l *distinctHits) bestScoreFrom(from int) (score float64) {
	for _, h := range l.hits[from:] {
		score = max(score, h.Score)
	}
	return score
}

// mayCorrect reports whether a hit may correct hit i: only items and facts do, an older one of their kind.
func (l *distinctHits) mayCorrect(h *Hit, terms []string, i int) bool {
	first := &l.hits[i]
	return (h.Tier == index.TierItem || h.Tier == index.TierFact) && h.Tier == first.Tier && h.Time.After(first.Time) && areAboutSame(l.terms[i], terms)
}

// isStale asks about a doc that is tied to files.
func isStale(d *index.Doc, stale func(*index.Doc) bool) bool {
	return stale != nil && len(d.Anchors) > 0 && stale(d)
}

func sortedTerms(cutter *index.Analyzer, text string) (terms []string) {
	cutter.Analyze(text, func(t index.Token) { terms = append(terms, strings.Clone(t.Term)) })
	slices.Sort(terms)
	return slices.Compact(terms)
}

// sayNearlySame reports whether two texts, as sorted terms, say nearly the same: one has all words of the other that say something, and
// few more. Texts with different numbers are not alike.
func sayNearlySame(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 || float64(len(a)) < minAlikeShare*float64(len(b)) || countCommon(a, b) < len(a) {
		return false
	}
	return !slices.ContainsFunc(b, func(t string) bool {
		_, both := slices.BinarySearch(a, t)
		return !both && strings.ContainsAny(t, "0123456789")
	})
}

// areAboutSame reports whether two texts, as sorted terms, have much in common.
func areAboutSame(a, b []string) bool {
	return float64(countCommon(a, b)) >= minAboutShare*float64(max(1, min(len(a), len(b))))
}

func countCommon(a, b []string) (n int) {
	for _, t := range a {
		if _, ok := slices.BinarySearch(b, t); ok {
			n++
		}
	}
	return n
}
