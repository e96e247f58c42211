package recall

import (
	"errors"
	"math"

	"github.com/memctl/memctl/internal/recall/index"
)

// maxNeighbourDistance is how many neighbours on either side count.
const maxNeighbourDistance = 2

// selfContainedTerms is the length in terms at which a doc needs its neighbours half as
// much: a turn of ten words is read with those beside it, a page is not.
const selfContainedTerms = 40

// addNeighbourScores gives a doc a share of its neighbours' scores: an answer often stands
// beside the words of the question, not among them.
func (s *search) addNeighbourScores() error {
	var failed error
	for i, n := 0, len(s.candidates); i < n; i++ {
		c := s.candidates[i]
		s.index.VisitNeighbours(c.doc, maxNeighbourDistance, func(other, distance int) {
			if s.ranking.Near == 0 || failed != nil || !s.mayBeHit(other) {
				return
			}
			o, err := s.candidateFor(other)
			if err != nil {
				failed = err
				return
			}
			share := s.ranking.Near * selfContainedTerms / (selfContainedTerms + float64(s.index.Length(other)))
			gain := share * c.parts.words / math.Abs(float64(distance))
			o.parts.near += gain
			if c.record.EndsWithQuestion && distance == 1 && o.record.Tier == index.TierTurn {
				asked, err := c.record.Speaker.Text()
				answered, failedToo := o.record.Speaker.Text()
				if failed = errors.Join(err, failedToo); asked != answered && !index.IsRole(answered) {
					o.parts.answer += s.ranking.Answer * gain
				}
			}
		})
	}
	return failed
}

// liftAnswers lifts the turns that answer a question with words of the query: those have none of its words themselves. No
// answer is lifted above the best doc of its group, so that the groups keep their order.
func (s *search) liftAnswers() {
	if s.ranking.Answer == 0 {
		return
	}
	best := map[uint64]float64{}
	for i := range s.candidates {
		g := s.index.Group(s.candidates[i].doc)
		best[g] = max(best[g], s.candidates[i].total)
	}
	for i := range s.candidates {
		c := &s.candidates[i]
		c.parts.answer = min(c.parts.answer, best[s.index.Group(c.doc)]-c.total)
		c.total += c.parts.answer
	}
	s.sortCandidates()
}

// liftGroups lifts the docs of a group whose best docs are good together: three that
// fit well say more than one that fits a little better.
func (s *search) liftGroups() {
	if s.ranking.Together == 0 || len(s.candidates) == 0 {
		return
	}
	sums := map[uint64]float64{}
	counts := map[uint64]int{}
	best := 0.0
	for i := range s.candidates { // the best first
		c := &s.candidates[i]
		g := s.index.Group(c.doc)
		if n := counts[g]; n < maxDocsAddedUp && g != 0 {
			counts[g]++
			sums[g] += c.total / float64(n+1)
			best = max(best, sums[g])
		}
	}
	if best == 0 {
		return
	}
	scale := s.ranking.Together * s.candidates[0].total / best
	for i := range s.candidates {
		c := &s.candidates[i]
		g := s.index.Group(c.doc)
		c.parts.group = scale * sums[g]
		c.total += scale * sums[g]
	}
	s.sortCandidates()
}

// maxDocsAddedUp is how many of a group's best docs are added up.
const maxDocsAddedUp = 4

// liftDays lifts docs that stand in no group by the best of their conversation and
// day, as liftGroups does the docs of a group; in proportion to their own scores, since
// what was brought in on one day has little more in common than the day.
func (s *search) liftDays() error {
	if s.ranking.Day == 0 || len(s.candidates) == 0 {
		return nil
	}
	type day struct {
		number       int64 // from 1970 on
		conversation string
	}
	const seconds = 24 * 60 * 60
	sums := map[day]float64{}
	counts := map[day]int{}
	of := make([]day, len(s.candidates))
	best := 0.0
	for i := range s.candidates { // the best first
		c := &s.candidates[i]
		if c.record.Seconds == math.MinInt64 || s.index.Group(c.doc) != 0 {
			continue
		}
		conversation, err := c.record.Conversation.Text()
		if err != nil {
			return err
		}
		of[i] = day{c.record.Seconds/seconds + 1, conversation} // the zero one is no day
		if n := counts[of[i]]; n < maxDocsAddedUp {
			counts[of[i]]++
			sums[of[i]] += c.total / float64(n+1)
			best = max(best, sums[of[i]])
		}
	}
	if best == 0 {
		return nil
	}
	for i := range s.candidates {
		c := &s.candidates[i]
		c.parts.day = s.ranking.Day * c.total * sums[of[i]] / best
		c.total += c.parts.day
	}
	s.sortCandidates()
	return nil
}
