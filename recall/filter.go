package recall

import (
	"math"
	"slices"
)

// filter finds which docs may be hits, and counts them: what BM25 knows of the
// store is of those alone.
func (s *search) filter() error {
	q := &s.q
	whole := len(q.Tiers) == 0 && len(q.Scopes) == 0 && len(q.Conversations) == 0 && len(q.Categories) == 0 && len(q.Tags) == 0 && q.Since.IsZero()
	if !whole {
		s.allowed = make([]bool, s.x.docs)
	}
	for _, seg := range s.x.segments {
		if whole && s.x.gone == nil {
			s.docs += seg.docs
			s.length += seg.words
			continue
		}
		if err := s.filterSegment(seg, whole); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) filterSegment(seg *segment, whole bool) error {
	cache := map[uint32]string{}
	among := func(list []string, id uint32) (bool, error) {
		if len(list) == 0 {
			return true, nil
		}
		text, ok := cache[id]
		if !ok {
			var err error
			if text, err = seg.str(id); err != nil {
				return false, err
			}
			cache[id] = text
		}
		return slices.Contains(list, text), nil
	}
	for n := range seg.docs {
		if s.x.isGone(seg.first + n) {
			continue
		}
		if !whole {
			ok, err := s.passes(seg, n, among)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			s.allowed[seg.first+n] = true
		}
		s.docs++
		s.length += uint64(seg.length(n))
	}
	return nil
}

func (s *search) passes(seg *segment, n int, among func([]string, uint32) (bool, error)) (bool, error) {
	q := &s.q
	r, err := seg.record(n)
	if err != nil {
		return false, err
	}
	if len(q.Tiers) > 0 && !slices.Contains(q.Tiers, r.tier) {
		return false, nil
	}
	if !q.Since.IsZero() && (r.seconds == math.MinInt64 || r.seconds < q.Since.Unix()) {
		return false, nil
	}
	for _, f := range []struct {
		list []string
		id   uint32
	}{{q.Scopes, r.scope}, {q.Conversations, r.conversation}, {q.Categories, r.category}} {
		if ok, err := among(f.list, f.id); !ok || err != nil {
			return false, err
		}
	}
	if len(q.Tags) == 0 {
		return true, nil
	}
	d, err := seg.doc(n)
	return slices.ContainsFunc(d.Tags, func(tag string) bool { return slices.Contains(q.Tags, tag) }), err
}
