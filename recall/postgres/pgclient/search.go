package pgclient

import (
	"cmp"
	"context"
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
	// wideEnough is how many chunks the rarest terms must have together before the commoner ones count only
	// towards the order: reading every chunk with a common word would cost most of the time.
	wideEnough = 2000
	// closely is how many of the best chunks are read with those before and after them, up to reach.
	closely = 100
	reach   = 2
)

// Candidates finds what may fit. The caller ranks it.
func (s *Server) Candidates(ctx context.Context, q postgres.Query) (c postgres.Candidates, err error) {
	stores := map[int64]*postgres.Store{}
	ids := make([]int64, len(q.Stores))
	for i := range q.Stores {
		st := &q.Stores[i]
		stores[st.ID], ids[i] = st, st.ID
		c.Docs, c.Length = c.Docs+st.Chunks, c.Length+st.Length
	}
	if len(ids) == 0 {
		return c, nil
	}
	if c.Having, err = s.countTerms(ctx, ids, slices.Concat(q.Terms, q.Related)); err != nil {
		return c, err
	}
	if err := s.byWords(ctx, q, ids, stores, &c); err != nil || q.Vector == nil {
		return c, err
	}
	return c, s.near(ctx, q, stores, &c)
}

// foundColumns are what scanFound reads.
const foundColumns = `store, document, path, name, tier, conversation, session, speaker, category, tags, topics, coalesce(written, 'epoch'), written IS NULL,
	seq, weight, confidence, pinned, text`

// byWords finds chunks by the terms of a question.
func (s *Server) byWords(ctx context.Context, q postgres.Query, ids []int64, stores map[int64]*postgres.Store, c *postgres.Candidates) error {
	anyOf, each, weights := queryOf(q, c.Having, int(c.Docs))
	if anyOf == "" {
		return nil
	}
	rows, err := s.conn.Query(ctx, "SELECT "+foundColumns+" FROM memctl.find_words($1, $2::text::tsquery, $3::text[]::tsquery[], $4, $5, $6, $7, $8, $9, $10, $11, $12)",
		ids, anyOf, each, weights, orNull(q.Tiers), orNull(q.Conversations), orNull(q.Categories), orNull(q.Tags), since(&q), mostCandidates, closely, reach)
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

func (s *Server) countTerms(ctx context.Context, stores []int64, terms []index.Weighted) (map[string]int, error) {
	names := make([]string, len(terms))
	for i, t := range terms {
		names[i] = storable(t.Term)
	}
	rows, err := s.conn.Query(ctx, "SELECT term, chunks FROM memctl.count_terms($1, $2)", stores, names)
	if err != nil {
		return nil, s.failed(err)
	}
	having := map[string]int{}
	var term string
	var chunks int64
	_, err = pgx.ForEachRow(rows, []any{&term, &chunks}, func() error {
		having[term] = int(chunks)
		return nil
	})
	return having, s.failed(err)
}

// queryOf chooses the terms of which a chunk must have one, the rarest of the question first and then related ones, and weighs
// those of the question.
func queryOf(q postgres.Query, having map[string]int, docs int) (anyOf string, each []string, weights []float32) {
	var needed []string
	sum := 0
	for i, list := range [][]index.Weighted{q.Terms, q.Related} {
		list = slices.DeleteFunc(slices.Clone(list), func(t index.Weighted) bool { return having[t.Term] == 0 || t.Weight == 0 })
		slices.SortStableFunc(list, func(a, b index.Weighted) int { return cmp.Compare(having[a.Term], having[b.Term]) })
		for _, t := range list {
			quoted := quoteTerm(t.Term)
			if i == 0 {
				each, weights = append(each, quoted), append(weights, float32(t.Weight*index.Rarity(docs, having[t.Term])))
			}
			if sum < wideEnough {
				needed = append(needed, quoted)
			}
			sum += having[t.Term]
		}
	}
	return strings.Join(needed, " | "), each, weights
}

// quoteTerm is a term as a tsquery has it.
func quoteTerm(term string) string {
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(storable(term)) + "'"
}
