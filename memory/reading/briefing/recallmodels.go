package briefing

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/cache"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/internal/store"
)

// models are what a person configured beside words: an embedder and a reranker.
type models struct {
	name   string // of the embedder, for its cached vectors; "" where there is none
	shared string // of the embedder on every machine, for the vectors of the shared index
	embed  func(ctx context.Context, texts []string) ([][]float32, error)
	rerank *llm.Endpoint
}

// openModels reads the settings. A hook, which uses no network, has no models.
func openModels(ctx context.Context, ss *store.Stores, hook bool) (*models, error) {
	m := &models{}
	if hook {
		return m, nil
	}
	var err error
	get := func(row settings.Setting) string {
		v, e := ss.Setting(ctx, row)
		err = cmp.Or(err, e)
		return v.Text
	}
	if url := get(EmbedURL); url != "" {
		e := llm.Endpoint{URL: url, Model: get(EmbedModel), Key: get(EmbedKey)}
		m.name, m.shared, m.embed = e.Model+" at "+url, e.Model, e.Embed
	}
	if url := get(RerankURL); url != "" {
		m.rerank = &llm.Endpoint{URL: url, Model: get(RerankModel), Key: get(RerankKey)}
	}
	return m, err
}

// nearTo adds to the query what an embedder finds near its text.
func (r *Recaller) nearTo(ctx context.Context, q *recall.Query) error {
	r.vector = nil
	if r.models.embed == nil || r.lib.Len() == 0 && r.shared == nil {
		return nil
	}
	vectors, err := r.models.embed(ctx, []string{q.Text})
	if err != nil || len(vectors) != 1 || vectors[0] == nil {
		return err
	}
	if r.vector = vectors[0]; r.lib.Len() == 0 {
		return nil
	}
	embed := cache.Embedder(func(texts []string) ([][]float32, error) {
		if err := ctx.Err(); err != nil {
			return nil, err // what is embedded by now is kept for the next question
		}
		return r.models.embed(ctx, texts)
	})
	q.Similar, err = r.lib.Embed(r.searched, r.models.name, embed, vectors[0], recall.MaxSimilar, r.opt.Progress)
	return err
}

// search is the library's search, with what the models add. A model that does not
// answer costs a warning and no hit: words find something all the same.
func (r *Recaller) search(ctx context.Context, q recall.Query) (hits []recall.Hit, warnings []string, err error) {
	if r.models == nil {
		if r.models, err = openModels(ctx, r.ss, r.opt.Guarded && !r.opt.Network); err != nil {
			r.notes = append(r.notes, "searching without the embedder: "+err.Error())
			warnings = append(warnings, r.notes[len(r.notes)-1])
		}
	}
	if err := r.nearTo(ctx, &q); err != nil {
		warnings = append(warnings, "the embedder failed, so recall searched without it: "+err.Error())
	}
	x, err := r.withShared(ctx, &q)
	if err != nil && x == nil {
		return nil, warnings, err
	}
	if err != nil {
		warnings = append(warnings, "recall searched the index on this disk alone: "+err.Error())
	}
	if r.models.rerank == nil {
		hits, err = recall.Search(x, q)
		return hits, warnings, err
	}
	wanted := q.MaxHits
	q.MaxHits, q.Reranked = maxReranked, true
	if hits, err = recall.Search(x, q); err != nil || len(hits) == 0 {
		return hits, warnings, err
	}
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = h.Text
	}
	scores, failed := r.models.rerank.Rerank(ctx, q.Text, texts)
	if failed != nil {
		q.MaxHits, q.Reranked = wanted, false
		hits, err = recall.Search(x, q)
		return hits, append(warnings, "the reranker failed, so the hits are in recall's own order: "+failed.Error()), err
	}
	hits = reranked(hits, scores, q.Now)
	return hits[:min(len(hits), wanted)], warnings, nil
}

const (
	// maxReranked is how many hits a reranker orders, whatever the number that is wanted, so that the first ones do not
	// depend on it.
	maxReranked = 50
	// rerankedRecency is the share of recency beside a reranker's relevance, and recencyDays the days after which recency has
	// fallen to 1/e. Both are agent-cli's. Beside the score of words, recency made every set of tests/quality worse.
	rerankedRecency = 0.2
	recencyDays     = 30
)

// reranked orders hits by the reranker's relevance and their recency, and drops those that are not relevant.
func reranked(hits []recall.Hit, scores []float64, now time.Time) []recall.Hit {
	least := recall.DefaultRanking().Relevance
	var kept []recall.Hit
	for i, h := range hits {
		if scores[i] < least {
			continue
		}
		recency := 0.0
		if !h.Time.IsZero() {
			recency = math.Exp(-max(now.Sub(h.Time).Hours()/24, 0) / recencyDays)
		}
		h.Parts = map[string]float64{"rerank": scores[i], "recency": recency, "words": h.Score}
		h.Score, h.Weak = (1-rerankedRecency)*scores[i]+rerankedRecency*recency, false
		kept = append(kept, h)
	}
	slices.SortStableFunc(kept, func(a, b recall.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return kept
}

// guessedShare is how much of its score a hit has that only a guess at the answer found.
const guessedShare = 0.6

// withGuessed adds to the hits of a question those of a guess at its answer, and returns the best k.
func withGuessed(hits, guessed []recall.Hit, k int) []recall.Hit {
	hits = slices.Clone(hits)
	for _, h := range guessed {
		h.Score *= guessedShare
		if i := slices.IndexFunc(hits, func(was recall.Hit) bool { return was.Scope == h.Scope && was.ID == h.ID }); i >= 0 {
			hits[i].Score, hits[i].Weak = max(hits[i].Score, h.Score), hits[i].Weak && h.Weak // so that the order does not depend on k
			continue
		}
		h.Matched, h.Missing = nil, nil // they are words of the guess
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(a, b recall.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(len(hits), k)]
}
