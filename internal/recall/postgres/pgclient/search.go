package pgclient

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/postgres"
)

const (
	// maxCandidates is how many chunks the server sends, maxWithNeighbours how many of them with those before and after, up to maxNeighbourDistance.
	maxCandidates        = 300
	maxWithNeighbours    = 200
	maxNeighbourDistance = 2
	// maxWeightedTerms is how many terms the server weighs.
	maxWeightedTerms = 12
	// chunkBudget is how many chunks the server reads for a question, by estimate. Reading every chunk that has a
	// common word would cost most of the time.
	chunkBudget = 1000
	// filteredBudgetFactor is how many times the budget a question with filters has: the server filters what it reads.
	filteredBudgetFactor = 4
	// entriesPerChunk is how many entries of the index on words cost as much as a chunk that is read.
	entriesPerChunk = 16
	// maxCombinedTerms is how many terms are tried together where one alone is in too many chunks.
	maxCombinedTerms = 8
)

// Candidates finds what may fit. The caller ranks it.
func (s *Server) Candidates(ctx context.Context, q postgres.Query) (c postgres.Candidates, err error) {
	if err := s.countTerms(ctx, &q, &c); err != nil || c.Docs == 0 {
		return c, err
	}
	if anyOf, each, weights := chooseTerms(&q, c.ChunksWithTerm, float64(c.Docs)); anyOf != "" {
		args := append(append(storeArguments(&q), anyOf, each, weights), filterArguments(&q)...)
		c.Chunks, err = s.readFound(ctx, "SELECT f.*, 0::float8 FROM memctl.find_words($1, $2, $3, $4::text::tsquery, $5::text[]::tsquery[], $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) f",
			append(args, float32(max(c.Length, 1))/float32(c.Docs), maxCandidates, maxWithNeighbours, maxNeighbourDistance)...)
		if err != nil {
			return c, err
		}
	}
	if q.Vector == nil {
		return c, nil
	}
	return c, s.addNearest(ctx, &q, &c)
}

// storeArguments says which stores a question is asked of, as memctl.asked takes it.
func storeArguments(q *postgres.Query) []any {
	var scope *string
	if q.Scope != "" {
		scope = &q.Scope
	}
	elsewhere := []string{}
	for _, t := range q.Elsewhere {
		elsewhere = append(elsewhere, t.Scope+" "+t.Root+" "+t.Remote)
	}
	return []any{scope, elsewhere, q.Trusted}
}

// filterArguments are the question's filters; null lets all pass.
func filterArguments(q *postgres.Query) []any {
	list := make([]any, 0, 5)
	for _, values := range [][]string{q.Tiers, q.Conversations, q.Categories, q.Tags} {
		if len(values) == 0 {
			values = nil
		}
		list = append(list, values)
	}
	if q.Since.IsZero() {
		return append(list, nil)
	}
	return append(list, q.Since)
}

// countTerms finds how many chunks the stores have that are asked, and the share of them that has each term.
func (s *Server) countTerms(ctx context.Context, q *postgres.Query, c *postgres.Candidates) error {
	var names, terms []string
	var counts []int64
	var all int64
	for _, t := range slices.Concat(q.Terms, q.Related) {
		names = append(names, storable(t.Term))
	}
	err := s.conn.QueryRow(ctx, "SELECT chunks, length, everything, terms, counts FROM memctl.begin_search($1, $2, $3, $4)", append(storeArguments(q), names)...).
		Scan(&c.Docs, &c.Length, &all, &terms, &counts)
	if err != nil {
		return s.statementFault(err)
	}
	share := float64(c.Docs) / float64(max(all, 1))
	c.ChunksWithTerm = map[string]int{}
	for i, t := range terms {
		c.ChunksWithTerm[t] = int(math.Ceil(float64(counts[i]) * share))
	}
	return nil
}

// readFound reads the chunks that a query gives, as memctl.found has them, and the nearness of each.
func (s *Server) readFound(ctx context.Context, query string, args ...any) ([]postgres.FoundChunk, error) {
	stores := map[int64]*postgres.Store{}
	read := func(row pgx.CollectableRow) (f postgres.FoundChunk, err error) {
		var seq int64
		var st postgres.Store
		var tier string
		var written *time.Time
		var weight, confidence float32
		err = row.Scan(nil, &st.ID, &st.Scope, &st.Root, &st.Remote, &st.Name, &st.Owner, &st.Model, &f.Source, &f.Path, &f.ID, &tier,
			&f.Conversation, &f.Session, &f.Speaker, &f.Category, &f.Tags, &f.Topics, &written, &seq, &weight, &confidence, &f.Pinned, &f.Text, &f.Nearness)
		if stores[st.ID] == nil {
			stores[st.ID] = &st
		}
		f.Store = stores[st.ID]
		f.Tier, _ = index.ParseTier(tier)
		f.Seq, f.Weight, f.Confidence = int(seq), float64(weight), float64(confidence)
		if written != nil {
			f.Time = written.UTC()
		}
		return f, err
	}
	return queryRows(ctx, s, read, query, append([]any{pgx.QueryExecModeExec}, args...)...)
}

// chooseTerms chooses what a chunk must have. It must have one of the terms: the rarest of the question first, then related ones,
// as long as the budget lasts. With what is left of it, or where no term is rare enough, terms are tried together, first two
// of them, then three, and so on. The other terms only order the chunks: each has a weight.
func chooseTerms(q *postgres.Query, having map[string]int, docs float64) (anyOf string, each []string, weights []float32) {
	chunksOf := func(t index.WeightedTerm) float64 { return float64(max(having[t.Term], 1)) } // a new one may not be counted yet
	var needed, common []string
	var commonly []float64
	left := float64(chunkBudget)
	if len(q.Tiers)+len(q.Conversations)+len(q.Categories)+len(q.Tags) > 0 || !q.Since.IsZero() {
		left *= filteredBudgetFactor
	}
	for i, list := range [][]index.WeightedTerm{q.Terms, q.Related} {
		list = slices.DeleteFunc(slices.Clone(list), func(t index.WeightedTerm) bool { return t.Weight == 0 })
		slices.SortStableFunc(list, func(a, b index.WeightedTerm) int { return cmp.Compare(chunksOf(a), chunksOf(b)) })
		for _, t := range list {
			quoted := quoteTerm(t.Term)
			if len(each) < maxWeightedTerms {
				each, weights = append(each, quoted), append(weights, float32(t.Weight*index.Rarity(int(docs), having[t.Term])))
			}
			if n := chunksOf(t); n <= left {
				needed, left = append(needed, quoted), left-n
			} else if i == 0 && len(common) < maxCombinedTerms {
				common, commonly = append(common, quoted), append(commonly, n)
			}
		}
	}
	return strings.Join(append(needed, combineTerms(common, commonly, docs, left, len(needed) > 0)...), " | "), each, weights
}

// combineTerms joins terms that are in having chunks each, the rarest first, as the budget allows; all of them where it
// allows nothing and there is nothing else.
func combineTerms(terms []string, having []float64, docs, budget float64, others bool) (list []string) {
	type join struct {
		set  uint
		cost float64
	}
	var taken []uint
	for size := 2; size <= len(terms); size++ {
		var joins []join
		for set := range uint(1) << len(terms) {
			if bits.OnesCount(set) != size || slices.ContainsFunc(taken, func(t uint) bool { return t&set == t }) {
				continue
			}
			found, least := docs, docs
			for i, n := range having {
				if set&(1<<i) != 0 {
					found, least = found*n/docs, min(least, n)
				}
			}
			joins = append(joins, join{set, found + least/entriesPerChunk})
		}
		slices.SortStableFunc(joins, func(a, b join) int { return cmp.Compare(a.cost, b.cost) })
		for _, j := range joins {
			if j.cost > budget {
				break
			}
			budget -= j.cost
			taken = append(taken, j.set)
		}
	}
	if len(taken) == 0 && !others && len(terms) > 0 {
		taken = append(taken, 1<<len(terms)-1)
	}
	for _, set := range taken {
		var all []string
		for i, t := range terms {
			if set&(1<<i) != 0 {
				all = append(all, t)
			}
		}
		list = append(list, "("+strings.Join(all, " & ")+")")
	}
	return list
}

// termEscaper escapes what a term of a tsquery may not have as it is. Making it for each term costs more than the rest of a push.
var termEscaper = strings.NewReplacer(`'`, `''`, `\`, `\\`)

// quoteTerm is a term as a tsquery has it.
func quoteTerm(term string) string { return "'" + termEscaper.Replace(storable(term)) + "'" }
