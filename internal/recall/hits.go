package recall

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/recall/index"
)

// minAnswerShare is the share of the question from which a hit answers it, so that those without a word of it are not shown.
const minAnswerShare = 0.5

// minScoreShare is the share of the best hit's score under which a hit is not shown.
const minScoreShare = 0.1

// collector takes hits from the candidates, the best first.
type collector struct {
	search *search
	distinctHits
	putLast      []Hit           // those that Query.ComesLast puts behind the others
	withoutWords []Hit           // those that have no word of the question, for where no other is
	seen         map[string]bool // the entries and the words of both
	textHashes   map[uint32]bool // the hashes of their texts
}

// collect reads the best candidates. Once there are enough hits, it looks for these in other scopes alone.
func (s *search) collect() ([]Hit, error) {
	c := &collector{search: s, distinctHits: distinctHits{analyzer: s.analyzer}, seen: map[string]bool{}, textHashes: map[uint32]bool{}}
	for i := range s.candidates {
		cand := &s.candidates[i]
		if cand.total <= minScoreShare*s.candidates[0].total {
			break
		}
		if c.isTooLow(cand.total) && !c.textHashes[cand.record.TextHash] || s.isWordlessFile(cand) {
			continue
		}
		if err := c.addHit(cand); err != nil {
			return nil, err
		}
	}
	if c.hits = append(c.hits, c.putLast...); len(c.hits) == 0 {
		c.hits = c.withoutWords
	}
	return c.hits[:min(len(c.hits), s.query.MaxHits)], nil
}

// isTooLow reports whether a candidate of that score can be no hit, as there are enough. One about the same as a hit may stand before it.
func (c *collector) isTooLow(score float64) bool {
	k := c.search.query.MaxHits
	return len(c.hits) >= k && (!c.search.query.Distinct || len(c.hits) >= 2*k || score < nearScoreShare*c.hits[k-1].Score)
}

// addHit makes the candidate a hit, or names its scope in the hit that it repeats.
func (c *collector) addHit(cand *candidate) error {
	d, err := c.search.index.Doc(cand.doc)
	if err != nil {
		return err
	}
	if c.search.query.Keep != nil && !c.search.query.Keep(&d) || c.isRepeat(&d) || c.isTooLow(cand.total) {
		return nil
	}
	if len(c.textHashes) == 0 && !c.search.weak {
		enough, err := c.search.hasSupport(cand, &d)
		if err != nil {
			return err
		}
		c.search.weak = !enough
	}
	h := Hit{Doc: d, Score: cand.total, Weak: c.search.weak || cand.onlyByMeaning, Stale: isStale(&d, c.search.query.Stale)}
	if c.search.query.Explain {
		h.Parts = cand.parts.explain()
		h.Parts["share"] = c.search.coveredShare(cand.doc)
		h.Matched, h.Missing = c.search.matchedWords(cand.doc)
	}
	c.textHashes[cand.record.TextHash] = true
	switch {
	case cand.onlyByMeaning && c.search.answered >= minAnswerShare && !c.search.weak && !c.search.query.Reranked:
		c.withoutWords = append(c.withoutWords, h)
	case c.search.query.ComesLast != nil && c.search.query.ComesLast(&d):
		c.putLast = append(c.putLast, h)
	case c.search.query.Distinct:
		c.add(h)
	default:
		c.hits = append(c.hits, h)
	}
	return nil
}

// isWordlessFile reports whether a doc is a part of a person's file without a word that the question is about. Each file has so many
// parts that one always seems to be near.
func (s *search) isWordlessFile(c *candidate) bool {
	words := s.contentBits
	if words == 0 {
		words = ^words
	}
	return c.record.Tier == index.TierFile && s.hasBits[c.doc]&words == 0 && len(s.query.Similar) == 0 && !s.query.Reranked
}

// isRepeat reports whether the doc is a hit already, in another scope, as another chunk, or in the same words, and
// otherwise notes the doc. Each chunk of a Markdown file is a hit of its own.
func (c *collector) isRepeat(d *index.Doc) bool {
	for _, list := range [][]Hit{c.hits, c.putLast, c.withoutWords} {
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

// filterDocs finds which docs may be hits, and counts them: what BM25 knows of the
// store is of those alone.
func (s *search) filterDocs() error {
	q := &s.query
	if q.Elsewhere != nil {
		defer func() {
			s.docCount, s.length = s.docCount+q.Elsewhere.Docs, s.length+q.Elsewhere.Length
		}()
	}
	all := len(q.Tiers) == 0 && len(q.Scopes) == 0 && len(q.Conversations) == 0 && len(q.Categories) == 0 && len(q.Tags) == 0 && q.Since.IsZero() && q.WithoutText == 0
	if all && q.TurnsOf == "" {
		s.docCount, s.length = s.index.Len(), s.index.TextTerms()
		return nil
	}
	s.allowed = make([]bool, s.index.NumberCount())
	texts := map[index.SharedText]string{}
	for n := range s.allowed {
		if s.index.IsDropped(n) {
			continue
		}
		ok := false
		tier, err := s.index.Tier(n)
		if ok = all && tier != index.TierTurn; !ok && err == nil { // a record costs more than its tier
			ok, err = s.passesFilters(n, texts)
		}
		if err != nil {
			return err
		}
		if ok {
			s.allowed[n] = true
			s.docCount++
			s.length += uint64(s.index.Length(n))
		}
	}
	return nil
}

// passesFilters reports whether doc n passes the filters; texts remembers those of names.
func (s *search) passesFilters(n int, texts map[index.SharedText]string) (bool, error) {
	q := &s.query
	r, err := s.index.Record(n)
	if err != nil {
		return false, err
	}
	if len(q.Tiers) > 0 && !slices.Contains(q.Tiers, r.Tier) || q.WithoutText != 0 && r.TextHash == q.WithoutText {
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
	d, err := s.index.Doc(n)
	return slices.ContainsFunc(d.Tags, func(tag string) bool { return slices.Contains(q.Tags, tag) }), err
}
