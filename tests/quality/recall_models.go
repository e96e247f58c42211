package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/index"
)

// embedded holds the vectors of all texts and questions, by text.
type embedded map[string][]float32

// embedRows asks the embedder for every text of the stores and every question.
func embedRows(s *stores, e llm.Endpoint, out io.Writer) (embedded, error) {
	wanted := map[string]bool{}
	for _, x := range s.all {
		for d, err := range x.Docs() {
			if err != nil {
				return nil, err
			}
			wanted[d.Text] = true
		}
	}
	for _, q := range slices.Concat(s.rows.questions, s.rows.asked, s.rows.chatsAsked) {
		wanted[q.text] = true
		for _, other := range s.rows.convs {
			wanted[s.rename(q, other)] = true
		}
	}
	texts := slices.Sorted(maps.Keys(wanted))
	fmt.Fprintf(out, "%d texts to embed\n", len(texts))
	vectors := embedded{}
	for part := range slices.Chunk(texts, 512) {
		list, err := e.Embed(context.Background(), part)
		if err != nil {
			return nil, err
		}
		for i, v := range list {
			vectors[part[i]] = v
		}
	}
	return vectors, nil
}

// near returns the docs nearest to a text by their vectors, as many as the product asks for.
func (v embedded) near(x *index.Index, text string, count int) ([]recall.Similar, error) {
	var list []recall.Similar
	for d, err := range x.Docs() {
		if err != nil {
			return nil, err
		}
		if score := dot(v[text], v[d.Text]); score > 0 {
			list = append(list, recall.Similar{Source: index.Source{Scope: d.Scope, Path: d.Source}, ID: d.ID, Score: score})
		}
	}
	slices.SortStableFunc(list, func(a, b recall.Similar) int { return cmp.Compare(b.Score, a.Score) })
	return list[:min(len(list), count)], nil
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// printModels prints recall's table by words alone, and with an embedder at several weights.
func printModels(data string, e llm.Endpoint, out io.Writer) error {
	rows, err := loadRecall(data)
	if err != nil {
		return err
	}
	s, err := openStores(rows)
	if err != nil {
		return err
	}
	vectors, err := embedRows(s, e, out)
	if err != nil {
		return err
	}
	fmt.Fprint(out, "| weights of words / vectors, least relevance |")
	shown := []int{sessionFirst, sessionIn5, evidenceIn5, evidenceIn10, factsIn5, factsIn10, topicIn5, chatIn5, chatIn10, ownIn5, ownIn10, emptyElsewhere, emptyWrongly}
	for _, i := range shown {
		fmt.Fprintf(out, " %s |", figureRows[i][0])
	}
	fmt.Fprintln(out)
	for _, w := range [][3]float64{{1, 0, 0}, {0.3, 0.7, 0.35}, {0.3, 0.7, 0}, {0.5, 0.5, 0.35}, {0.5, 0.5, 0}, {0.7, 0.3, 0.35}, {0.7, 0.3, 0}, {0.85, 0.15, 0}, {0, 1, 0}} {
		r := recall.DefaultRanking()
		r.Text, r.Vector, r.Relevance = w[0], w[1], w[2]
		if s.near = nil; w[1] > 0 {
			s.near = func(x *index.Index, text string, k int) ([]recall.Similar, error) {
				return vectors.near(x, text, recall.MaxSimilar)
			}
		}
		res, err := s.evaluate(&r)
		if err != nil {
			return err
		}
		f := res.total(always)
		fmt.Fprintf(out, "| %.2f / %.2f, %.2f |", w[0], w[1], w[2])
		for _, i := range shown {
			fmt.Fprintf(out, " %.1f |", f[i].share())
		}
		fmt.Fprintln(out)
	}
	return nil
}
