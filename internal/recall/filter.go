package recall

import (
	"math"
	"slices"

	"github.com/memctl/memctl/internal/recall/index"
)

// filter finds which docs may be hits, and counts them: what BM25 knows of the
// store is of those alone.
func (s *search) filter() error {
	q := &s.q
	if q.Elsewhere != nil {
		defer func() {
			s.docs, s.length = s.docs+q.Elsewhere.Docs, s.length+q.Elsewhere.Length
		}()
	}
	all := len(q.Tiers) == 0 && len(q.Scopes) == 0 && len(q.Conversations) == 0 && len(q.Categories) == 0 && len(q.Tags) == 0 && q.Since.IsZero() && q.Without == 0
	if all && q.TurnsOf == "" {
		s.docs, s.length = s.x.Len(), s.x.Terms()
		return nil
	}
	s.allowed = make([]bool, s.x.Numbers())
	texts := map[index.Name]string{}
	for n := range s.allowed {
		if s.x.Gone(n) {
			continue
		}
		ok := false
		tier, err := s.x.Tier(n)
		if ok = all && tier != index.TierTurn; !ok && err == nil { // a record costs more than its tier
			ok, err = s.passes(n, texts)
		}
		if err != nil {
			return err
		}
		if ok {
			s.allowed[n] = true
			s.docs++
			s.length += uint64(s.x.Length(n))
		}
	}
	return nil
}

// passes reports whether doc n passes the filters; texts remembers those of names.
func (s *search) passes(n int, texts map[index.Name]string) (bool, error) {
	q := &s.q
	r, err := s.x.Record(n)
	if err != nil {
		return false, err
	}
	if len(q.Tiers) > 0 && !slices.Contains(q.Tiers, r.Tier) || q.Without != 0 && r.Key == q.Without {
		return false, nil
	}
	if !q.Since.IsZero() && (r.Seconds == math.MinInt64 || r.Seconds < q.Since.Unix()) {
		return false, nil
	}
	text := func(name index.Name) string {
		known, ok := texts[name]
		if !ok && err == nil {
			known, err = name.Text()
			texts[name] = known
		}
		return known
	}
	if q.TurnsOf != "" && r.Tier == index.TierTurn && text(r.Conversation) != q.TurnsOf {
		return false, err
	}
	for _, f := range []struct {
		list []string
		name index.Name
	}{{q.Scopes, r.Scope}, {q.Conversations, r.Conversation}, {q.Categories, r.Category}} {
		if len(f.list) > 0 && !slices.Contains(f.list, text(f.name)) || err != nil {
			return false, err
		}
	}
	if len(q.Tags) == 0 {
		return true, nil
	}
	d, err := s.x.Doc(n)
	return slices.ContainsFunc(d.Tags, func(tag string) bool { return slices.Contains(q.Tags, tag) }), err
}
