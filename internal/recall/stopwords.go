package recall

import (
	"math/bits"
	"slices"

	"github.com/memctl/memctl/internal/recall/index"
)

// stopDocs is how many of the best docs have their texts read for stop words.
const stopDocs = 50

// scoreStopWords adds the question's stop words to the scores of the best docs. They count more the fewer of its other words
// the best one has. No index has stop words, so they find nothing alone, and these docs say how rare each one is.
func (s *search) scoreStopWords() error {
	asked := index.StopWords(s.q.Text)
	if s.r.StopWords == 0 || len(asked) == 0 || len(s.candidates) == 0 {
		return nil
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	first := s.candidates[0].doc
	weight := s.r.StopWords * max(1-s.cover(first), 1/float64(max(1, bits.OnesCount64(s.has[first]))))
	best := s.candidates[:min(len(s.candidates), stopDocs)]
	counts := make([][]uint16, len(best))
	having := make([]int, len(asked))
	for i := range best {
		d, err := s.x.Doc(best[i].doc)
		if err != nil {
			return err
		}
		counts[i] = make([]uint16, len(asked))
		for _, word := range index.StopWords(d.Text) {
			if at, ok := slices.BinarySearch(asked, word); ok {
				if counts[i][at]++; counts[i][at] == 1 {
					having[at]++
				}
			}
		}
	}
	mean := float64(max(s.length, 1)) / float64(max(s.docs, 1))
	for i := range best {
		c := &best[i]
		for at, count := range counts[i] {
			gain := weight * index.Rarity(len(best), having[at]) * s.often(index.Posting{Body: count}, float64(s.x.Length(c.doc))/mean)
			c.parts.words += gain
			c.total += gain
		}
	}
	s.sortCands()
	return nil
}
