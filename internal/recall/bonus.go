package recall

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
)

// closely is how many of the best candidates have their texts read for phrases.
const closely = 100

// bonuses adds what a doc is, beside its words: who said it, when, and whether the
// words stand together.
func (s *search) bonuses() error {
	best := s.best()
	speakers := map[index.Name]bool{}
	when := parseWhen(s.q.Text, s.q.Now)
	for i := range s.candidates {
		c := &s.candidates[i]
		named, err := s.named(c.rec.Speaker, speakers)
		if err != nil {
			return err
		}
		if named {
			c.parts.speaker = s.r.Speaker * best
		}
		if len(when) > 0 && s.r.When > 0 && c.rec.Seconds != math.MinInt64 {
			c.parts.when = s.r.When * best * fits(when, time.Unix(c.rec.Seconds, 0).UTC())
		}
		p := &c.parts
		c.total = p.words + p.near + p.speaker + p.when
	}
	s.sortCands()
	if err := s.addPhrases(); err != nil {
		return err
	}
	if err := s.scoreStopWords(); err != nil {
		return err
	}
	s.addGroups()
	s.addAnswers()
	return s.addDays()
}

func (s *search) sortCands() {
	slices.SortFunc(s.candidates, func(a, b candidate) int {
		if c := cmp.Compare(b.total, a.total); c != 0 {
			return c
		}
		return tied{a.doc, a.rec}.compare(tied{b.doc, b.rec})
	})
}

// named reports whether the question names a speaker; known remembers the answers.
func (s *search) named(speaker index.Name, known map[index.Name]bool) (bool, error) {
	if s.r.Speaker == 0 {
		return false, nil
	}
	named, ok := known[speaker]
	if !ok {
		name, err := speaker.Text()
		if err != nil {
			return false, err
		}
		if !index.IsRole(name) {
			s.cutter.Analyze(name, func(t index.Token) {
				named = named || slices.ContainsFunc(s.terms[:s.asked], func(q term) bool { return q.text == t.Term })
			})
		}
		known[speaker] = named
	}
	return named, nil
}

// addPhrases reads the best candidates for pairs of words that stand together in
// the question.
func (s *search) addPhrases() error {
	if s.r.Phrase == 0 || len(s.phrases) == 0 {
		return nil
	}
	weight, bit := map[string]float64{}, map[string]uint64{}
	for i, t := range s.terms[:s.asked] {
		weight[t.text], bit[t.text] = t.idf, 1<<i
	}
	for i := range s.candidates[:min(len(s.candidates), closely)] {
		c := &s.candidates[i]
		has := s.has[c.doc]
		if bits.OnesCount64(has) < 2 || !slices.ContainsFunc(s.phrases, func(pair [2]string) bool {
			both := bit[pair[0]] | bit[pair[1]]
			return has&both == both
		}) {
			continue
		}
		d, err := s.x.Doc(c.doc)
		if err != nil {
			return err
		}
		last := index.Token{Pos: -2}
		found := map[[2]string]bool{}
		s.cutter.Analyze(d.Text, func(t index.Token) {
			if pair := [2]string{last.Term, t.Term}; t.Pos == last.Pos+1 && slices.Contains(s.phrases, pair) {
				found[pair] = true
			}
			last = t
		})
		for _, pair := range s.phrases {
			if found[pair] {
				c.parts.phrase += s.r.Phrase * (weight[pair[0]] + weight[pair[1]])
			}
		}
		c.total += c.parts.phrase
	}
	s.sortCands()
	return nil
}
