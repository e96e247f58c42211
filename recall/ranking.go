package recall

import "math"

// Ranking is every number that ranking depends on.
type Ranking struct {
	K1, B float64 // BM25: how soon repeating a word stops helping; how much a long text is held against it
	Label float64 // what a word in the labels (tags, topics, category, key, path) counts beside one in the text
}

// DefaultRanking is what docs/recall.md measures.
func DefaultRanking() Ranking {
	return Ranking{K1: 0.9, B: 0.4, Label: 1}
}

// bm25 scores every doc that has a term of the question.
func (s *search) bm25() {
	s.score = make([]float32, s.x.docs)
	mean := float64(s.body) / float64(max(s.docs, 1))
	for i := range s.terms {
		t := &s.terms[i]
		df := float64(len(t.posts))
		t.idf = math.Log(1 + (float64(s.docs)-df+0.5)/(df+0.5))
		for _, p := range t.posts {
			n := int(p.doc)
			seg := s.x.segmentOf(n)
			body, _ := seg.length(n - seg.first)
			tf := float64(p.body) + s.r.Label*float64(p.head)
			gain := t.weight * t.idf * tf * (s.r.K1 + 1) / (tf + s.r.K1*(1-s.r.B+s.r.B*float64(body)/max(mean, 1)))
			if s.score[n] == 0 {
				s.touched = append(s.touched, n)
			}
			s.score[n] += float32(gain)
		}
	}
}
