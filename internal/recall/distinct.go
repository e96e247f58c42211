package recall

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/recall/index"
)

// near is the share of the best score of a group of hits within which the newer one is first.
const near = 0.9

// alikeShare is how much of the longer one of two texts the shorter one must have.
const alikeShare = 2.0 / 3

// Alike reports whether two texts say nearly the same: one has all words of the other that say something, and few more.
// Texts with different numbers are not alike.
func Alike(a, b string) bool { return alike(termSet(a), termSet(b)) }

func termSet(text string) []string {
	terms := index.Terms(text)
	slices.Sort(terms)
	return slices.Compact(terms)
}

// alike is Alike for sorted terms.
func alike(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 || float64(len(a)) < alikeShare*float64(len(b)) {
		return false
	}
	for _, t := range a {
		if _, ok := slices.BinarySearch(b, t); !ok {
			return false
		}
	}
	return !slices.ContainsFunc(b, func(t string) bool {
		_, both := slices.BinarySearch(a, t)
		return !both && strings.ContainsAny(t, "0123456789")
	})
}

// join counts a hit together with one that says nearly the same, and reports whether there is one. The newer of the two stays,
// unless the other one is more certain.
func (c *collector) join(h *Hit) bool {
	terms := termSet(h.Text)
	for i := range c.hits {
		first := &c.hits[i]
		if first.Tier != h.Tier || !alike(c.terms[i], terms) {
			continue
		}
		if h.Time.After(first.Time) && h.Confidence >= first.Confidence {
			h.Score = first.Score
			*first, c.terms[i] = *h, terms
		}
		return true
	}
	c.terms = append(c.terms, terms)
	return false
}

// NewerFirst puts the newer first among hits of nearly the same score.
func NewerFirst(hits []Hit) {
	for from := 0; from < len(hits); {
		to := from + 1
		for to < len(hits) && hits[to].Score >= near*hits[from].Score && hits[to].Weak == hits[from].Weak {
			to++
		}
		slices.SortStableFunc(hits[from:to], func(a, b Hit) int { return cmp.Compare(b.Time.Unix(), a.Time.Unix()) })
		from = to
	}
}
