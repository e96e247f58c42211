package recall

import (
	"cmp"
	"slices"
	"time"
)

// Query is what to look for. Only Text is needed.
type Query struct {
	Text string
	K    int // how many hits; 0 is 5

	// Filters: a doc passes where its own value is among them; none lets all pass.
	Tiers         []Tier
	Scopes        []string
	Conversations []string
	Categories    []string
	Tags          []string  // at least one of them
	Since         time.Time // not older
	// Keep, where set, is asked for each doc that would become a hit; false leaves it
	// out (what is expired or withheld by now).
	Keep func(*Doc) bool

	Now     time.Time // what recency is measured from; zero: no recency
	Explain bool      // fill Hit.Parts

	// Vectors are the similarities, 0 to 1, that an embedder gave docs, by
	// [VectorKey]; the channel is left out where there are none.
	Vectors map[string]float64

	Ranking *Ranking // nil is DefaultRanking
}

// VectorKey names a doc in Query.Vectors.
func VectorKey(d *Doc) string { return d.Scope + "\x00" + d.ID }

// Hit is a doc that was found.
type Hit struct {
	Doc
	Score float64            // 0 and up; comparable within one answer
	Parts map[string]float64 // what the score is made of, where the query explains
}

const defaultK = 5

// Search finds the docs that fit the query best, the best first; none where nothing
// fits. The error wraps ErrCorrupt.
func (x *Index) Search(q Query) ([]Hit, error) {
	r := q.Ranking
	if r == nil {
		d := DefaultRanking()
		r = &d
	}
	s := &search{x: x, q: q, r: r}
	return s.run()
}

// search is one query under way.
type search struct {
	x *Index
	q Query
	r *Ranking

	allowed []bool // by doc; nil where all are
	docs    int    // that may be hits
	body    uint64 // terms in their texts
	head    uint64
	terms   []queryTerm
	score   []float32
	touched []int
	groups  map[int]*groupScore
}

// queryTerm is one term of the question and where it stands in the index.
type queryTerm struct {
	term   string
	weight float64
	name   bool // written as a name
	posts  []post
	idf    float64
}

// post is a term in a doc.
type post struct {
	doc        int32
	body, head uint16
}

type groupScore struct{ counts []int }

func (s *search) run() ([]Hit, error) {
	if err := s.filter(); err != nil {
		return nil, err
	}
	if s.docs == 0 {
		return nil, nil
	}
	s.parse()
	if err := s.lookUp(); err != nil {
		return nil, err
	}
	s.bm25()
	return s.collect()
}

// parse cuts the question into terms.
func (s *search) parse() {
	at := map[string]int{}
	analyze(s.q.Text, func(t token) {
		if i, ok := at[t.term]; ok {
			s.terms[i].weight++
			return
		}
		if len(s.terms) >= maxQueryTerms {
			return
		}
		at[t.term] = len(s.terms)
		s.terms = append(s.terms, queryTerm{term: t.term, weight: 1})
	})
}

// maxQueryTerms bounds the work of a question.
const maxQueryTerms = 64

// lookUp reads the postings of the terms.
func (s *search) lookUp() error {
	for i := range s.terms {
		if err := s.read(&s.terms[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) read(t *queryTerm) error {
	for _, seg := range s.x.segments {
		posts, docs, err := seg.find(t.term)
		if err != nil {
			return err
		}
		t.posts = slices.Grow(t.posts, docs)
		err = seg.each(posts, func(doc, body, head int) {
			doc += seg.first
			if !s.x.isGone(doc) && (s.allowed == nil || s.allowed[doc]) {
				t.posts = append(t.posts, post{int32(doc), uint16(body), uint16(head)})
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// collect makes hits of the best docs.
func (s *search) collect() ([]Hit, error) {
	slices.SortFunc(s.touched, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.score[b], s.score[a]), cmp.Compare(a, b))
	})
	k := s.q.K
	if k <= 0 {
		k = defaultK
	}
	var hits []Hit
	for _, n := range s.touched {
		if len(hits) == k {
			break
		}
		d, err := s.x.doc(n)
		if err != nil {
			return nil, err
		}
		if s.q.Keep != nil && !s.q.Keep(&d) {
			continue
		}
		hits = append(hits, Hit{Doc: d, Score: float64(s.score[n])})
	}
	return hits, nil
}
