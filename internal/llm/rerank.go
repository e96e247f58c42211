package llm

import (
	"context"
	"fmt"
	"math"

	"github.com/memctl/memctl/internal/fault"
)

// Rerank scores each document against the query, in the documents' order. A
// score of 0..1 is the server's own; one outside that range is a logit, and
// all go through the logistic function, so that the scores are comparable to a
// threshold. A document that the server left out scores 0.
// Errors: as Embed.
func (e Endpoint) Rerank(ctx context.Context, query string, documents []string) ([]float64, error) {
	scores := make([]float64, len(documents))
	if len(documents) == 0 {
		return scores, nil
	}
	body := struct {
		Model     string   `json:"model,omitempty"`
		Query     string   `json:"query"`
		Documents []string `json:"documents"`
		TopN      int      `json:"top_n"`
	}{e.Model, query, documents, len(documents)}
	var answer struct {
		Results []struct {
			Index int      `json:"index"`
			Score *float64 `json:"relevance_score"`
		} `json:"results"`
	}
	if err := e.post(ctx, "rerank", body, &answer); err != nil {
		return nil, err
	}
	logits, seen := false, make([]bool, len(documents))
	for i, r := range answer.Results {
		if r.Index < 0 || r.Index >= len(documents) || seen[r.Index] || r.Score == nil || math.IsNaN(*r.Score) {
			return nil, fault.New(fault.ModelAnswer, e.name("rerank"), fmt.Sprintf("result %d is out of order or has no score", i))
		}
		scores[r.Index], seen[r.Index] = *r.Score, true
		logits = logits || *r.Score < 0 || *r.Score > 1
	}
	if len(answer.Results) == 0 {
		return nil, fault.New(fault.ModelAnswer, e.name("rerank"), "no results")
	}
	for i := range scores {
		if logits && seen[i] {
			scores[i] = 1 / (1 + math.Exp(-scores[i]))
		}
	}
	return scores, nil
}
