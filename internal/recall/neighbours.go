package recall

import (
	"errors"
	"math"

	"github.com/memctl/memctl/internal/recall/index"
)

// reach is how many neighbours on either side count.
const reach = 2

// selfContained is the length in terms at which a doc needs its neighbours half as
// much: a turn of ten words is read with those beside it, a page is not.
const selfContained = 40

// addNeighbours gives a doc a share of its neighbours' scores: an answer often stands
// beside the words of the question, not among them.
func (s *search) addNeighbours() error {
	var failed error
	for i, n := 0, len(s.candidates); i < n; i++ {
		c := s.candidates[i]
		s.x.VisitNeighbours(c.doc, reach, func(other, distance int) {
			if s.r.Near == 0 || failed != nil || !s.mayHit(other) {
				return
			}
			o, err := s.candidate(other)
			if err != nil {
				failed = err
				return
			}
			share := s.r.Near * selfContained / (selfContained + float64(s.x.Length(other)))
			gain := share * c.parts.words / math.Abs(float64(distance))
			o.parts.near += gain
			if c.rec.EndsWithQuestion && distance == 1 && o.rec.Tier == index.TierTurn {
				asked, err := c.rec.Speaker.Text()
				answered, failedToo := o.rec.Speaker.Text()
				if failed = errors.Join(err, failedToo); asked != answered && !index.IsRole(answered) {
					o.parts.answer += s.r.Answer * gain
				}
			}
		})
	}
	return failed
}

// addAnswers lifts the turns that answer a question with words of the query: those have none of its words themselves. No
// answer is lifted above the best doc of its group, so that the groups keep their order.
func (s *search) addAnswers() {
	if s.r.Answer == 0 {
		return
	}
	best := map[uint64]float64{}
	for i := range s.candidates {
		g := s.x.Group(s.candidates[i].doc)
		best[g] = max(best[g], s.candidates[i].total)
	}
	for i := range s.candidates {
		c := &s.candidates[i]
		c.parts.answer = min(c.parts.answer, best[s.x.Group(c.doc)]-c.total)
		c.total += c.parts.answer
	}
	s.sortCands()
}

// addGroups lifts the docs of a group whose best docs are good together: three that
// fit well say more than one that fits a little better.
func (s *search) addGroups() {
	if s.r.Together == 0 || len(s.candidates) == 0 {
		return
	}
	sums := map[uint64]float64{}
	counts := map[uint64]int{}
	best := 0.0
	for i := range s.candidates { // the best first
		c := &s.candidates[i]
		g := s.x.Group(c.doc)
		if n := counts[g]; n < togetherDocs && g != 0 {
			counts[g]++
			sums[g] += c.total / float64(n+1)
			best = max(best, sums[g])
		}
	}
	if best == 0 {
		return
	}
	scale := s.r.Together * s.candidates[0].total / best
	for i := range s.candidates {
		c := &s.candidates[i]
		g := s.x.Group(c.doc)
		c.parts.group = scale * sums[g]
		c.total += scale * sums[g]
	}
	s.sortCands()
}

// togetherDocs is how many of a group's best docs are added up.
const togetherDocs = 4

// addDays lifts docs that stand in no group by the best of their conversation and
// day, as addGroups does the docs of a group; in proportion to their own scores, since
// what was brought in on one day has little more in common than the day.
func (s *search) addDays() error {
	if s.r.Day == 0 || len(s.candidates) == 0 {
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
		if c.rec.Seconds == math.MinInt64 || s.x.Group(c.doc) != 0 {
			continue
		}
		conversation, err := c.rec.Conversation.Text()
		if err != nil {
			return err
		}
		of[i] = day{c.rec.Seconds/seconds + 1, conversation} // the zero one is no day
		if n := counts[of[i]]; n < togetherDocs {
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
		c.parts.day = s.r.Day * c.total * sums[of[i]] / best
		c.total += c.parts.day
	}
	s.sortCands()
	return nil
}
