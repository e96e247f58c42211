package pgclient

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/recall/postgres"
)

// since is the moment that a filter names; nil for none.
func since(q *postgres.Query) *time.Time {
	if q.Since.IsZero() {
		return nil
	}
	return &q.Since
}

const (
	// mostCandidates is how many chunks are looked at closely, as on the local index.
	mostCandidates = 300
	// budget is how many chunks the server reads for a question, by estimate. Reading every chunk that has a
	// common word would cost most of the time.
	budget = 1000
	// narrowed is how many times the budget a question with filters has: the server filters what it reads.
	narrowed = 4
	// step is how many entries of the index on words cost as much as a chunk that is read.
	step = 16
	// joined is how many terms are tried together where one alone is in too many chunks.
	joined = 8
	// scored is how many terms the server weighs.
	scored = 12
	// closely is how many of the best chunks are read with those before and after them, up to reach.
	closely = 100
	reach   = 2
)

// Candidates finds what may fit. The caller ranks it.
func (s *Server) Candidates(ctx context.Context, q postgres.Query) (c postgres.Candidates, err error) {
	if len(q.Stores) == 0 {
		return c, nil
	}
	if q.All == nil {
		q.All = q.Stores
	}
	stores := map[int64]*postgres.Store{}
	for i := range q.Stores {
		st := &q.Stores[i]
		stores[st.ID] = st
		c.Docs, c.Length = c.Docs+st.Chunks, c.Length+st.Length
	}
	var all int64
	for i := range q.All {
		all += q.All[i].Chunks
	}
	if c.Having, err = s.countTerms(ctx, slices.Concat(q.Terms, q.Related), float64(c.Docs)/float64(max(all, 1))); err != nil {
		return c, err
	}
	if err := s.byWords(ctx, q, stores, &c); err != nil || q.Vector == nil {
		return c, err
	}
	return c, s.near(ctx, q, stores, &c)
}

// within says which stores are searched: their numbers, or those of the few others that are not.
func within(q *postgres.Query, stores map[int64]*postgres.Store) (wanted, unwanted []int64) {
	if len(stores) <= len(q.All)/2 {
		return slices.Collect(maps.Keys(stores)), nil
	}
	for i := range q.All {
		if stores[q.All[i].ID] == nil {
			unwanted = append(unwanted, q.All[i].ID)
		}
	}
	return nil, unwanted
}

// foundColumns are what scanFound reads.
const foundColumns = `store, document, path, name, tier, conversation, session, speaker, category, tags, topics, coalesce(written, 'epoch'), written IS NULL,
	seq, weight, confidence, pinned, text`

// byWords finds chunks by the terms of a question.
func (s *Server) byWords(ctx context.Context, q postgres.Query, stores map[int64]*postgres.Store, c *postgres.Candidates) error {
	anyOf, each, weights := queryOf(q, c.Having, int(c.Docs))
	if anyOf == "" {
		return nil
	}
	wanted, unwanted := within(&q, stores)
	rows, err := s.conn.Query(ctx, "SELECT "+foundColumns+" FROM memctl.find_words($1, $2, $3::text::tsquery, $4::text[]::tsquery[], $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
		pgx.QueryExecModeExec, wanted, unwanted, anyOf, each, weights, orNull(q.Tiers), orNull(q.Conversations), orNull(q.Categories), orNull(q.Tags), since(&q), float32(max(c.Length, 1))/float32(max(c.Docs, 1)), mostCandidates, closely, reach)
	if err != nil {
		return s.failed(err)
	}
	c.Chunks, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (postgres.Found, error) {
		f, id, err := scanFound(row)
		f.Store = stores[id]
		return f, err
	})
	return s.failed(err)
}

func scanFound(row pgx.CollectableRow, more ...any) (f postgres.Found, store int64, err error) {
	var tier string
	var undated bool
	var seq int64
	var weight, confidence float32
	err = row.Scan(append([]any{&store, &f.Source, &f.Path, &f.ID, &tier, &f.Conversation, &f.Session, &f.Speaker, &f.Category, &f.Tags, &f.Topics, &f.Time, &undated,
		&seq, &weight, &confidence, &f.Pinned, &f.Text}, more...)...)
	f.Tier, _ = index.ParseTier(tier)
	f.Seq, f.Weight, f.Confidence = int(seq), float64(weight), float64(confidence)
	if f.Time = f.Time.UTC(); undated {
		f.Time = time.Time{}
	}
	return f, store, err
}

// orNull is a filter's list; nil, which is null, lets all pass.
func orNull(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

// countTerms is in how many chunks each term is, of the share of those that the person may read.
func (s *Server) countTerms(ctx context.Context, terms []index.Weighted, share float64) (map[string]int, error) {
	names := make([]string, len(terms))
	for i, t := range terms {
		names[i] = storable(t.Term)
	}
	rows, err := s.conn.Query(ctx, "SELECT term, chunks FROM memctl.count_terms($1)", pgx.QueryExecModeExec, names)
	if err != nil {
		return nil, s.failed(err)
	}
	having := map[string]int{}
	var term string
	var chunks int64
	_, err = pgx.ForEachRow(rows, []any{&term, &chunks}, func() error {
		having[term] = int(math.Ceil(float64(chunks) * share))
		return nil
	})
	return having, s.failed(err)
}

// queryOf chooses what a chunk must have, and weighs the terms of the question. A chunk must have one of the terms: the
// rarest of the question first, then related ones, as long as the budget lasts. With what is left of it, or where no term is
// rare enough, terms are tried together, first two of them, then three, and so on. The other terms only order the chunks.
func queryOf(q postgres.Query, having map[string]int, docs int) (anyOf string, each []string, weights []float32) {
	chunksOf := func(t index.Weighted) float64 { return float64(max(having[t.Term], 1)) } // a new one may not be counted yet
	var needed, common []string
	var commonly []float64
	left := float64(budget)
	if len(q.Tiers)+len(q.Conversations)+len(q.Categories)+len(q.Tags) > 0 || !q.Since.IsZero() {
		left *= narrowed
	}
	for i, list := range [][]index.Weighted{q.Terms, q.Related} {
		list = slices.DeleteFunc(slices.Clone(list), func(t index.Weighted) bool { return t.Weight == 0 })
		slices.SortStableFunc(list, func(a, b index.Weighted) int { return cmp.Compare(chunksOf(a), chunksOf(b)) })
		for _, t := range list {
			quoted := quoteTerm(t.Term)
			if len(each) < scored {
				each, weights = append(each, quoted), append(weights, float32(t.Weight*index.Rarity(docs, having[t.Term])))
			}
			if n := chunksOf(t); n <= left {
				needed, left = append(needed, quoted), left-n
			} else if i == 0 && len(common) < joined {
				common, commonly = append(common, quoted), append(commonly, n)
			}
		}
	}
	return strings.Join(append(needed, together(common, commonly, float64(docs), left, len(needed) > 0)...), " | "), each, weights
}

// together joins terms that are in having chunks each, the rarest first, as the budget allows; all of them where it
// allows nothing and there is nothing else.
func together(terms []string, having []float64, docs, budget float64, others bool) (list []string) {
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
			joins = append(joins, join{set, found + least/step})
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

// quoteTerm is a term as a tsquery has it.
func quoteTerm(term string) string {
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(storable(term)) + "'"
}
