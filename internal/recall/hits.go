package recall

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/recall/index"
)

// half is the share of the question from which a hit answers it, so that those without a word of it are not shown.
const half = 0.5

// cutoff is the share of the best hit's score under which a hit is not shown.
const cutoff = 0.1

// collector takes hits from the candidates, the best first.
type collector struct {
	s *search
	distinct
	last []Hit           // those that Query.Last puts behind the others
	weak []Hit           // those that have no word of the question, for where no other is
	seen map[string]bool // the entries and the words of both
	keys map[uint32]bool // the hashes of their texts
}

// collect reads the best candidates. Once there are enough hits, it looks for these in other scopes alone.
func (s *search) collect() ([]Hit, error) {
	c := &collector{s: s, distinct: distinct{cutter: s.cutter}, seen: map[string]bool{}, keys: map[uint32]bool{}}
	for i := range s.candidates {
		cand := &s.candidates[i]
		if cand.total <= cutoff*s.candidates[0].total {
			break
		}
		if c.isTooLow(cand.total) && !c.keys[cand.rec.TextHash] || s.wordless(cand) {
			continue
		}
		if err := c.take(cand); err != nil {
			return nil, err
		}
	}
	if c.hits = append(c.hits, c.last...); len(c.hits) == 0 {
		c.hits = c.weak
	}
	return c.hits[:min(len(c.hits), s.q.K)], nil
}

// isTooLow reports whether a candidate of that score can be no hit, as there are enough. One about the same as a hit may stand before it.
func (c *collector) isTooLow(score float64) bool {
	k := c.s.q.K
	return len(c.hits) >= k && (!c.s.q.Distinct || len(c.hits) >= 2*k || score < near*c.hits[k-1].Score)
}

// take makes the candidate a hit, or names its scope in the hit that it repeats.
func (c *collector) take(cand *candidate) error {
	d, err := c.s.x.Doc(cand.doc)
	if err != nil {
		return err
	}
	if c.s.q.Keep != nil && !c.s.q.Keep(&d) || c.repeats(&d) || c.isTooLow(cand.total) {
		return nil
	}
	if len(c.keys) == 0 && !c.s.weak {
		enough, err := c.s.supports(cand, &d)
		if err != nil {
			return err
		}
		c.s.weak = !enough
	}
	h := Hit{Doc: d, Score: cand.total, Weak: c.s.weak || cand.byMeaning, Stale: isStale(&d, c.s.q.Stale)}
	if c.s.q.Explain {
		h.Parts = cand.parts.explain()
		h.Parts["share"] = c.s.cover(cand.doc)
		h.Matched, h.Missing = c.s.words(cand.doc)
	}
	c.keys[cand.rec.TextHash] = true
	switch {
	case cand.byMeaning && c.s.answered >= half && !c.s.weak && !c.s.q.Judged:
		c.weak = append(c.weak, h)
	case c.s.q.Last != nil && c.s.q.Last(&d):
		c.last = append(c.last, h)
	case c.s.q.Distinct:
		c.add(h)
	default:
		c.hits = append(c.hits, h)
	}
	return nil
}

// wordless reports whether a doc is a part of a person's file without a word that the question is about. Each file has so many
// parts that one always seems to be near.
func (s *search) wordless(c *candidate) bool {
	words := s.content
	if words == 0 {
		words = ^words
	}
	return c.rec.Tier == index.TierFile && s.has[c.doc]&words == 0 && len(s.q.Similar) == 0 && !s.q.Judged
}

// repeats reports whether the doc is a hit already, in another scope, as another chunk, or in the same words, and
// otherwise notes the doc. Each chunk of a Markdown file is a hit of its own.
func (c *collector) repeats(d *index.Doc) bool {
	for _, list := range [][]Hit{c.hits, c.last, c.weak} {
		for i := range list {
			if h := &list[i]; h.Tier == d.Tier && h.ID == d.ID && h.Text == d.Text && h.Scope != d.Scope {
				if !slices.Contains(h.AlsoIn, d.Scope) {
					h.AlsoIn = append(h.AlsoIn, d.Scope)
				}
				return true
			}
		}
	}
	words := d.Tier.String() + "\n" + d.Scope + "\n" + strings.Join(strings.FieldsFunc(strings.ToLower(d.Text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
	id := words
	if d.Tier != index.TierFile {
		id, _, _ = strings.Cut(d.Scope+"\n"+d.ID, "#L")
	}
	if c.seen[id] || c.seen[words] {
		return true
	}
	c.seen[id], c.seen[words] = true, true
	return false
}

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
		s.docs, s.length = s.x.Len(), s.x.TextTerms()
		return nil
	}
	s.allowed = make([]bool, s.x.NumberCount())
	texts := map[index.SharedText]string{}
	for n := range s.allowed {
		if s.x.IsDropped(n) {
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
func (s *search) passes(n int, texts map[index.SharedText]string) (bool, error) {
	q := &s.q
	r, err := s.x.Record(n)
	if err != nil {
		return false, err
	}
	if len(q.Tiers) > 0 && !slices.Contains(q.Tiers, r.Tier) || q.Without != 0 && r.TextHash == q.Without {
		return false, nil
	}
	if !q.Since.IsZero() && (r.Seconds == math.MinInt64 || r.Seconds < q.Since.Unix()) {
		return false, nil
	}
	text := func(name index.SharedText) string {
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
		name index.SharedText
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
