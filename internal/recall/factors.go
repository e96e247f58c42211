package recall

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/recall/index"
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
	s.sortCandidates()
	return s.applyUses()
}

const (
	// maxUseBonus is the largest share that uses add to a doc's score, and usesForHalfBonus the number of uses
	// that add half of it.
	maxUseBonus      = 0.1
	usesForHalfBonus = 3
)

// applyUses lifts the best docs by how often they were of use. The bound is small, so that what is
// found often cannot hide what fits better.
func (s *search) applyUses() error {
	if s.query.CountUses == nil {
		return nil
	}
	for i := range s.candidates[:min(len(s.candidates), maxReadForPhrases)] {
		d, err := s.index.Doc(s.candidates[i].doc)
		if err != nil {
			return err
		}
		n := float64(s.query.CountUses(&d))
		s.candidates[i].total *= 1 + maxUseBonus*n/(n+usesForHalfBonus)
	}
	s.sortCandidates()
	return nil
}

// factor is what a doc counts by its weight, confidence, pin and scope.
func (s *search) factor(c *candidate) (float64, error) {
	f := 1.0
	if w := float64(c.record.Weight); w > 0 {
		f *= math.Pow(min(w, 4), s.ranking.Weight)
	}
	if conf := float64(c.record.Confidence); conf > 0 && conf < 1 {
		f *= 1 - s.ranking.Confidence*(1-conf)
	}
	if c.record.Pinned {
		f *= 1 + s.ranking.Pinned
	}
	if s.ranking.Agent > 0 {
		speaker, err := c.record.Speaker.Text()
		if err != nil {
			return 0, err
		}
		if speaker == entry.RoleAssistant {
			f *= 1 - s.ranking.Agent
		}
	}
	if s.ranking.Own > 0 {
		scope, err := c.record.Scope.Text()
		if err != nil {
			return 0, err
		}
		if scope == "private" || scope == "user" {
			f *= 1 + s.ranking.Own
		}
	}
	return f, nil
}

// coveredShare is the share of the question's weight that stands in a doc or beside it.
func (s *search) coveredShare(doc int) float64 {
	has := s.hasBits[doc]
	s.index.VisitNeighbours(doc, maxNeighbourDistance, func(other, _ int) {
		if s.mayBeHit(other) {
			has |= s.hasBits[other]
		}
	})
	return s.shareOfTerms(has)
}

// shareOfTerms is the share of the question's weight that some of its terms have.
func (s *search) shareOfTerms(has uint64) float64 {
	found, all := 0.0, 0.0
	for i, t := range s.terms[:s.questionTerms] {
		w := t.weight * t.idf
		all += w
		if has&(1<<i) != 0 {
			found += w
		}
	}
	return found / max(all, 1e-9)
}

// maxCheckedForNames is how many of the best candidates are looked at for names.
const maxCheckedForNames = 10

// namesAreUnknown reports whether the names in the question that the store has never heard of outweigh what even the best
// candidates match. It is false if people ask about themselves or for advice ("plan my trip to Oslo"): memories can help that
// do not name Oslo.
func (s *search) namesAreUnknown() bool {
	if len(s.query.Similar) > 0 || isAboutOneself(s.query.Text) {
		return false // the embedder's floor is Relevance
	}
	var unknown uint64
	for i, t := range s.terms[:s.questionTerms] {
		if t.isName && t.docCount == 0 {
			unknown |= 1 << i
		}
	}
	for _, n := range s.compoundNames {
		if unknown&n.bits != n.bits {
			unknown &^= n.bits // what is written in another way is not unknown
		}
	}
	least := min(s.ranking.Unknown*s.shareOfTerms(unknown), minEvidence*(1-s.shareOfTerms(unknown)))
	return !slices.ContainsFunc(s.candidates[:min(len(s.candidates), maxCheckedForNames)], func(c candidate) bool { return s.coveredShare(c.doc) >= least })
}

// minEvidence is the share of the question's other words from which a hit is shown although a name
// in the question is unknown.
const minEvidence = 0.8

// isAboutOneself reports whether a question is a request for oneself or for advice.
func isAboutOneself(text string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch word {
		case "i", "me", "my", "mine", "we", "us", "our", "ours", "recommend", "recommended", "suggest", "advice":
			return true
		}
	}
	return false
}

// termsNear are the question's terms that stand in a doc or beside it.
func (s *search) termsNear(doc int) uint64 {
	has := s.hasBits[doc]
	s.index.VisitNeighbours(doc, maxNeighbourDistance, func(other, _ int) {
		if s.mayBeHit(other) {
			has |= s.hasBits[other]
		}
	})
	return has
}

// maxReadForPhrases is how many of the best candidates have their texts read for phrases.
const maxReadForPhrases = 100

// addBonuses adds what a doc is, beside its words: who said it, when, and whether the
// words stand together.
func (s *search) addBonuses() error {
	best := s.bestScore()
	speakers := map[index.SharedText]bool{}
	when := parseTimes(s.query.Text, s.query.Now)
	for i := range s.candidates {
		c := &s.candidates[i]
		named, err := s.isSpeakerNamed(c.record.Speaker, speakers)
		if err != nil {
			return err
		}
		if named {
			c.parts.speaker = s.ranking.Speaker * best
		}
		if len(when) > 0 && s.ranking.When > 0 && c.record.Seconds != math.MinInt64 {
			c.parts.when = s.ranking.When * best * spanScore(when, time.Unix(c.record.Seconds, 0).UTC())
		}
		p := &c.parts
		c.total = p.words + p.near + p.speaker + p.when
	}
	s.sortCandidates()
	if err := s.addPhrases(); err != nil {
		return err
	}
	if err := s.scoreStopWords(); err != nil {
		return err
	}
	s.liftGroups()
	s.liftAnswers()
	return s.liftDays()
}

func (s *search) sortCandidates() {
	slices.SortFunc(s.candidates, func(a, b candidate) int {
		if c := cmp.Compare(b.total, a.total); c != 0 {
			return c
		}
		return (&tiedDoc{a.doc, a.record}).compare(&tiedDoc{b.doc, b.record})
	})
}

// isSpeakerNamed reports whether the question names a speaker; known remembers the answers.
func (s *search) isSpeakerNamed(speaker index.SharedText, known map[index.SharedText]bool) (bool, error) {
	if s.ranking.Speaker == 0 {
		return false, nil
	}
	named, ok := known[speaker]
	if !ok {
		name, err := speaker.Text()
		if err != nil {
			return false, err
		}
		if !index.IsRole(name) {
			s.analyzer.Analyze(name, func(t index.Token) {
				named = named || slices.ContainsFunc(s.terms[:s.questionTerms], func(q term) bool { return q.text == t.Term })
			})
		}
		known[speaker] = named
	}
	return named, nil
}

// addPhrases reads the best candidates for pairs of words that stand together in
// the question.
func (s *search) addPhrases() error {
	if s.ranking.Phrase == 0 || len(s.phrases) == 0 {
		return nil
	}
	weight, bit := map[string]float64{}, map[string]uint64{}
	for i, t := range s.terms[:s.questionTerms] {
		weight[t.text], bit[t.text] = t.idf, 1<<i
	}
	for i := range s.candidates[:min(len(s.candidates), maxReadForPhrases)] {
		c := &s.candidates[i]
		has := s.hasBits[c.doc]
		if bits.OnesCount64(has) < 2 || !slices.ContainsFunc(s.phrases, func(pair [2]string) bool {
			both := bit[pair[0]] | bit[pair[1]]
			return has&both == both
		}) {
			continue
		}
		d, err := s.index.Doc(c.doc)
		if err != nil {
			return err
		}
		last := index.Token{Pos: -2}
		found := map[[2]string]bool{}
		s.analyzer.Analyze(d.Text, func(t index.Token) {
			if pair := [2]string{last.Term, t.Term}; t.Pos == last.Pos+1 && slices.Contains(s.phrases, pair) {
				found[pair] = true
			}
			last = t
		})
		for _, pair := range s.phrases {
			if found[pair] {
				c.parts.phrase += s.ranking.Phrase * (weight[pair[0]] + weight[pair[1]])
			}
		}
		c.total += c.parts.phrase
	}
	s.sortCandidates()
	return nil
}

// Ranking is every number that the order of hits depends on. A part whose number is 0 is off.
type Ranking struct {
	K1        float64 // BM25: how quickly repetitions of a word stop raising the score
	B         float64 // BM25: how much a long text lowers the score, 0 to 1
	Label     float64 // weight of a word in the tags, topics, category, key, path or speaker; a word in the text has 1
	Filler    float64 // weight of a word that only asks for something, such as "recommend"; other words have 1
	StopWords float64 // weight of a stop word in the best docs; the more of the question's words these have, the less it counts
	Common    float64 // share of its weight that the most common word of the language loses; rarer words lose less

	Near     float64 // share of a neighbour's score that a short doc gets; half of it from the second neighbour
	Answer   float64 // how much more of a question's score the turn right after it gets, if another person answers
	Together float64 // weight of the best docs of a group together, compared to the score of its best one
	Day      float64 // the same for the docs of a day that are in no group, as a share of their own scores

	Speaker float64 // bonus if the query names the speaker
	When    float64 // bonus if the doc is from the time that the query names
	Phrase  float64 // bonus for words that are next to each other in both the query and the doc
	Bridge  float64 // weight of words that WordNet relates to words of the query
	Meaning float64 // weight of similar meaning, by word vectors, as far as the words of the best doc leave the question open

	TurnMeaning  float64 // share of it that the meaning of a turn counts, which says little without the turns beside it
	LeastSimilar float64 // cosine from which a doc is found by its meaning alone

	Support float64 // how much the best hit must have of the words of the query and of its meaning; otherwise the hits are weak
	Unknown float64 // weight of names in the query that no doc contains; if they outweigh the match, the hits are weak

	Agent      float64 // share of its score that a turn of an agent loses
	Own        float64 // bonus for docs of the person's own scopes
	Weight     float64 // exponent of the weight that a person gave a doc
	Confidence float64 // share of its score that a doc without any confidence would lose
	Pinned     float64 // bonus for a pinned doc

	Text      float64 // weight of the words' score if there is an embedder
	Vector    float64 // weight of the embedder's score
	Relevance float64 // lowest relevance of a hit, if an embedder or a reranker gives one
}

// DefaultRanking is the ranking that memctl uses. The numbers measured best over LoCoMo, BEAM and PrefEval: tests/quality
// chooses them by cross-validation, and with -parts it prints the figures with each part switched off. Where a
// comment gives another source, those sets do not measure the number.
func DefaultRanking() Ranking {
	return Ranking{
		K1: 0.9, B: 0.3, // a textbook's 1.2 and 0.75 are for longer texts
		Label: 1, Filler: 0.4, StopWords: 0.2, Common: 0.5,
		Near: 0.35, Answer: 3, Together: 0.5, Day: 0.5,
		Speaker: 0.2, When: 0.6, Phrase: 0.3,
		Bridge: 0.2, Meaning: 0.6, TurnMeaning: 0.4, LeastSimilar: 0.2,
		Support: 0.8, Unknown: 0.8,
		Agent:  0.5,                               // agents write ten times as much as people
		Own:    0.2,                               // GoClaw's boost of 1.2
		Weight: 0.5, Confidence: 0.2, Pinned: 0.1, // small, so that they only decide between similar hits
		Text: 0.3, Vector: 0.7, Relevance: 0.35, // GoClaw's weights and agent-cli's threshold, for large embedders
	}
}
