package recall

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/entry"
)

// applyFactors multiplies the scores by what a person gave the doc, and its scope.
func (s *search) applyFactors() error {
	for i := range s.candidates {
		c := &s.candidates[i]
		factor, err := s.factor(c)
		if err != nil {
			return err
		}
		c.total *= factor
	}
	s.sortCands()
	return s.applyUses()
}

const (
	// mostUsed is what a doc counts more at most for its uses, and halfUsed the number of uses
	// that bring half of it.
	mostUsed = 0.1
	halfUsed = 3
)

// applyUses lifts the best docs by how often they were of use. The bound is small, so that what is
// found often cannot hide what fits better.
func (s *search) applyUses() error {
	if s.q.Uses == nil {
		return nil
	}
	for i := range s.candidates[:min(len(s.candidates), closely)] {
		d, err := s.x.Doc(s.candidates[i].doc)
		if err != nil {
			return err
		}
		n := float64(s.q.Uses(&d))
		s.candidates[i].total *= 1 + mostUsed*n/(n+halfUsed)
	}
	s.sortCands()
	return nil
}

// factor is what a doc counts by its weight, confidence, pin and scope.
func (s *search) factor(c *candidate) (float64, error) {
	f := 1.0
	if w := float64(c.rec.Weight); w > 0 {
		f *= math.Pow(min(w, 4), s.r.Weight)
	}
	if conf := float64(c.rec.Confidence); conf > 0 && conf < 1 {
		f *= 1 - s.r.Confidence*(1-conf)
	}
	if c.rec.Pinned {
		f *= 1 + s.r.Pinned
	}
	if s.r.Agent > 0 {
		speaker, err := c.rec.Speaker.Text()
		if err != nil {
			return 0, err
		}
		if speaker == entry.RoleAssistant {
			f *= 1 - s.r.Agent
		}
	}
	if s.r.Own > 0 {
		scope, err := c.rec.Scope.Text()
		if err != nil {
			return 0, err
		}
		if scope == "private" || scope == "user" {
			f *= 1 + s.r.Own
		}
	}
	return f, nil
}

// cover is the share of the question's weight that stands in a doc or beside it.
func (s *search) cover(doc int) float64 {
	has := s.has[doc]
	s.x.Around(doc, reach, func(other, _ int) {
		if s.mayHit(other) {
			has |= s.has[other]
		}
	})
	return s.share(has)
}

// share is the share of the question's weight that some of its terms have.
func (s *search) share(has uint64) float64 {
	found, all := 0.0, 0.0
	for i, t := range s.terms[:s.asked] {
		w := t.weight * t.idf
		all += w
		if has&(1<<i) != 0 {
			found += w
		}
	}
	return found / max(all, 1e-9)
}

// covered is how many of the best candidates are looked at for names.
const covered = 10

// namesAreUnknown reports whether the names in the question that the store has never heard of outweigh what even the best
// candidates match. Who speaks of themselves or asks for advice ("plan my trip to Oslo") wants what bears on it, whether or not
// memory knows Oslo.
func (s *search) namesAreUnknown() bool {
	if len(s.q.Similar) > 0 || ofOneself(s.q.Text) {
		return false // the embedder's floor is Relevance
	}
	var unknown uint64
	for i, t := range s.terms[:s.asked] {
		if t.name && t.have == 0 {
			unknown |= 1 << i
		}
	}
	for _, n := range s.wholes {
		if unknown&n.bits != n.bits {
			unknown &^= n.bits // what is written in another way is not unknown
		}
	}
	least := min(s.r.Unknown*s.share(unknown), goodEvidence*(1-s.share(unknown)))
	return !slices.ContainsFunc(s.candidates[:min(len(s.candidates), covered)], func(c candidate) bool { return s.cover(c.doc) >= least })
}

// goodEvidence is the share of all else that the question asks for with which a hit is
// shown although the question names something unknown.
const goodEvidence = 0.8

// ofOneself reports whether a question is a request for oneself or for advice.
func ofOneself(text string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch word {
		case "i", "me", "my", "mine", "we", "us", "our", "ours", "recommend", "recommended", "suggest", "advice":
			return true
		}
	}
	return false
}

// hasNear are the question's terms that stand in a doc or beside it.
func (s *search) hasNear(doc int) uint64 {
	has := s.has[doc]
	s.x.Around(doc, reach, func(other, _ int) {
		if s.mayHit(other) {
			has |= s.has[other]
		}
	})
	return has
}
