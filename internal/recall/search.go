// Package recall finds memories again: [Search] answers a [Query] from an index.
package recall

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/meaning"
)

// Query is what to look for. Only Text is needed.
type Query struct {
	Text    string
	MaxHits int // how many hits; 0 is 5

	// Filters: a doc passes where its own value is among them; none lets all pass.
	Tiers         []index.Tier
	Scopes        []string
	Conversations []string
	TurnsOf       string // of turns, only those of this conversation pass; "" lets all pass
	Categories    []string
	Tags          []string  // at least one of them
	Since         time.Time // not older
	WithoutText   uint32    // index.TextHash of a text whose docs are left out; 0 for none
	// Keep, where set, is asked for each doc that would become a hit; false leaves it
	// out (what is expired or withheld by now).
	Keep func(*index.Doc) bool

	// Distinct counts memories that say nearly the same once, and puts the newer of two that are about the same and have nearly the
	// same score first.
	Distinct bool

	// Stale, where set, tells of a doc with anchors whether it may hold no more: it stands below those that fit about as well.
	Stale func(*index.Doc) bool

	// Prompt says that the text is a person's message to an agent and no question to memory: the name of a category in it finds
	// no fact of that category.
	Prompt bool

	// ComesLast, where set, tells which hits come after all others: what the asker has already.
	ComesLast func(*index.Doc) bool

	// CountUses, where set, is how often a doc was handed out before: a doc that was of use counts
	// up to a tenth more.
	CountUses func(*index.Doc) int

	Now     time.Time // what "last week" is measured from; zero: it does not count
	Explain bool      // fill Hit.Parts

	// Similar are docs that an embedder finds similar; none leaves that channel out.
	Similar []Similar

	// HasNoVectors, where set, says of which sources the embedder knows nothing: their words count in full.
	HasNoVectors func(index.Source) bool

	Ranking *Ranking // nil is DefaultRanking

	// Elsewhere, where set, is what another index says of docs that this one does not have, so that words are as rare
	// as in both together.
	Elsewhere *OtherIndex

	Reranked bool // a reranker judges the hits: those without a word of the query stay among them
}

// OtherIndex are counts of docs that may fit a query and are in another index.
type OtherIndex struct {
	Docs         int
	Length       uint64                // of their texts, in terms
	DocsWithTerm func(term string) int // how many of them have a term
}

// Similar is the similarity, 0 to 1, that an embedder gives a doc.
type Similar struct {
	Source index.Source
	ID     string
	Score  float64
}

// Hit is a doc that was found.
type Hit struct {
	index.Doc
	// Score is 0 and up: how well the doc's words fit beside the others, times how much of the question the best one
	// answers; and, where that is little, how similar the doc's meaning is.
	Score float64
	// Weak says that even the best hit matches too little of the query to be an answer, or that only its meaning is similar.
	Weak  bool
	Stale bool // see Query
	// AlsoIn are the other scopes that have the same doc.
	AlsoIn []string
	// Parts are what the score is made of, Matched the question's words that stand in
	// the doc, Missing those that do not; where the query explains.
	Parts            map[string]float64
	Matched, Missing []string
}

const (
	defaultMaxHits = 5
	// maxCandidates is how many of the best docs by words are looked at closely.
	maxCandidates = 300
	// maxTerms bounds the work of a question.
	maxTerms = 64
)

// Search finds the docs that fit the query best, the best first; none where nothing
// fits. The error wraps ErrCorrupt.
func Search(x *index.Index, q Query) ([]Hit, error) {
	r := q.Ranking
	if r == nil {
		d := DefaultRanking()
		r = &d
	}
	if q.MaxHits <= 0 {
		q.MaxHits = defaultMaxHits
	}
	cutter, ok := analyzerPool.Get().(*index.Analyzer)
	if !ok {
		cutter = &index.Analyzer{}
	}
	defer analyzerPool.Put(cutter)
	s := &search{index: x, query: q, ranking: r, analyzer: cutter}
	return s.run()
}

// analyzerPool has the analyzers of former queries: the stems that they worked out stay known.
var analyzerPool sync.Pool

// search is one query under way.
type search struct {
	index   *index.Index
	query   Query
	ranking *Ranking

	allowed       []bool // by doc; nil where all are
	docCount      int    // that may be hits
	length        uint64 // of their texts, in terms
	terms         []term // of the question, then those that were added
	questionTerms int    // how many are the question's
	contentBits   uint64 // a bit for each of these that says what it is about
	phrases       [][2]string
	compoundNames []compoundName // the names among them that have parts

	score       []float32 // by doc: BM25
	hasBits     []uint64  // by doc: a bit for each term of the question
	relatedBits []uint64  // by doc: a bit for each term of the question that it has a related word of
	analyzer    *index.Analyzer
	scored      []int32 // docs with a score
	candidates  []candidate
	candidateOf map[int]int // by doc: its candidate
	weak        bool        // nothing fits well
	reader      meaning.Reader
	answered    float64 // how much of the question the best doc answers by its words, 0 to 1
}

// compoundName is a name of many parts in the question ("GitHub").
type compoundName struct {
	whole int    // its term
	bits  uint64 // a bit for its term, and for each of its parts
}

// candidate is a doc that may become a hit.
type candidate struct {
	doc           int
	record        index.Record
	parts         scoreParts
	total         float64
	onlyByMeaning bool // by its meaning alone
}

// scoreParts are what a score is made of.
type scoreParts struct {
	words, near, group, day, speaker, when, phrase, vector, meaning, answer float64
}

func (p *scoreParts) explain() map[string]float64 {
	m := map[string]float64{}
	for _, v := range []struct {
		name  string
		value float64
	}{{"words", p.words}, {"near", p.near}, {"group", p.group}, {"day", p.day}, {"speaker", p.speaker}, {"when", p.when}, {"phrase", p.phrase}, {"vector", p.vector}, {"meaning", p.meaning}, {"answer", p.answer}} {
		if v.value != 0 {
			m[v.name] = v.value
		}
	}
	return m
}

func (s *search) run() ([]Hit, error) {
	if err := s.filterDocs(); err != nil || s.docCount == 0 {
		return nil, err
	}
	s.parseQuestion()
	for _, step := range []func() error{s.scoreByWords, s.addRelated, s.gatherCandidates, s.addNeighbourScores, s.addBonuses, s.addSimilar, s.rateAnswer, s.addMeaning, s.applyFactors} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return s.collect()
}

// gatherCandidates takes the best docs by words, and their neighbours, as candidates.
func (s *search) gatherCandidates() error {
	list := s.bestScored(maxCandidates)
	s.candidateOf = make(map[int]int, 2*len(list))
	for _, n := range list {
		if _, err := s.candidateFor(int(n)); err != nil {
			return err
		}
	}
	return nil
}

// bestScored are the n docs with the highest scores, the highest first. Of the many
// that a common word touches, most are passed over with one look.
func (s *search) bestScored(n int) []int32 {
	best := make([]int32, 0, 4*n)
	least := float32(0)
	for _, doc := range s.scored {
		if s.score[doc] < least {
			continue
		}
		if best = append(best, doc); len(best) == 4*n {
			if best, least = s.leaveOutLow(best, n); len(best) > 2*n { // nearly all have one score
				best = s.sortByScore(best)[:n]
			}
		}
	}
	if len(best) > n {
		best, _ = s.leaveOutLow(best, n)
	}
	best = s.sortByScore(best)
	return best[:min(n, len(best))]
}

// leaveOutLow leaves out the docs whose score is below that of n others, and gives
// the least score that is left: to look at scores alone is cheaper than to put docs in
// order.
func (s *search) leaveOutLow(list []int32, n int) ([]int32, float32) {
	scores := make([]float32, len(list))
	for i, doc := range list {
		scores[i] = s.score[doc]
	}
	slices.Sort(scores)
	least := scores[len(scores)-n]
	return slices.DeleteFunc(list, func(doc int32) bool { return s.score[doc] < least }), least
}

// sortByScore puts docs with higher scores first.
func (s *search) sortByScore(list []int32) []int32 {
	docs := make([]*tiedDoc, len(list))
	for i, doc := range list {
		docs[i] = s.readTied(int(doc))
	}
	slices.SortFunc(docs, func(a, b *tiedDoc) int {
		return cmp.Or(cmp.Compare(s.score[b.doc], s.score[a.doc]), a.compare(b))
	})
	for i, t := range docs {
		list[i] = int32(t.doc)
	}
	return list
}

// tiedDoc is a doc with what decides its place among docs of one score.
type tiedDoc struct {
	doc int
	rec index.Record
}

func (s *search) readTied(doc int) *tiedDoc {
	rec, err := s.index.Record(doc)
	if err != nil {
		return &tiedDoc{doc: doc} // whoever reads it next says so
	}
	return &tiedDoc{doc, rec}
}

// compare orders docs of one score: the newer first, the parts of a file in the order of their lines, then by a
// hash of the text. Neither ids nor numbers decide between two texts: ids are random, and numbers depend on the segments.
func (t *tiedDoc) compare(with *tiedDoc) int {
	a, b := &t.rec, &with.rec
	later := cmp.Compare(b.Seq, a.Seq)
	if a.Tier == index.TierFile {
		later = -later
	}
	if n := cmp.Compare(b.Seconds, a.Seconds); n != 0 {
		return n
	}
	return cmp.Or(cmp.Compare(a.Tier, b.Tier), later, cmp.Compare(a.TextHash, b.TextHash), cmp.Compare(t.doc, with.doc))
}

// candidateFor is the candidate that a doc is, or now becomes.
func (s *search) candidateFor(n int) (*candidate, error) {
	i, ok := s.candidateOf[n]
	if ok {
		return &s.candidates[i], nil
	}
	rec, err := s.index.Record(n)
	if err != nil {
		return nil, err
	}
	s.candidateOf[n] = len(s.candidates)
	c := candidate{doc: n, record: rec}
	c.parts.words = float64(s.score[n])
	s.candidates = append(s.candidates, c)
	return &s.candidates[len(s.candidates)-1], nil
}

func (s *search) mayBeHit(n int) bool {
	return !s.index.IsDropped(n) && (s.allowed == nil || s.allowed[n])
}

// bestScore is the highest BM25 score.
func (s *search) bestScore() float64 {
	best := 0.0
	for i := range s.candidates {
		best = max(best, s.candidates[i].parts.words)
	}
	return best
}
