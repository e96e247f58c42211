package llm

import (
	"context"
	"fmt"
	"math"

	"github.com/memctl/memctl/internal/fault"
)

// Embed returns one vector of length 1 for each text, in their order. Texts go
// out in batches; the first failure ends the call. An empty text is sent as one
// space, since some servers refuse an empty one.
// Errors: fault.ModelAddress, *StatusError, fault.ModelAnswer, and those of the network.
func (e Endpoint) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	batch := e.Batch
	if batch <= 0 {
		batch = DefaultBatch
	}
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(batch, len(texts))
		vectors, err := e.embedBatch(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		out, texts = append(out, vectors...), texts[n:]
	}
	for _, v := range out {
		if len(v) != len(out[0]) {
			return nil, fault.New(fault.ModelAnswer, e.name("embeddings"), fmt.Sprintf("one answer has vectors of %d and of %d numbers", len(out[0]), len(v)))
		}
	}
	return out, nil
}

func (e Endpoint) embedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	input := make([]string, len(texts))
	for i, t := range texts {
		if input[i] = t; t == "" {
			input[i] = " "
		}
	}
	body := struct {
		Model  string   `json:"model,omitempty"`
		Input  []string `json:"input"`
		Format string   `json:"encoding_format"`
	}{e.Model, input, "float"}
	var answer struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := e.post(ctx, "embeddings", body, &answer); err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, d := range answer.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= len(out) || out[at] != nil || !scaleToUnit(d.Embedding) {
			return nil, fault.New(fault.ModelAnswer, e.name("embeddings"), fmt.Sprintf("vector %d is out of order, empty or not numeric", i))
		}
		out[at] = d.Embedding
	}
	if len(answer.Data) != len(texts) {
		return nil, fault.New(fault.ModelAnswer, e.name("embeddings"), fmt.Sprintf("%d vectors for %d texts", len(answer.Data), len(texts)))
	}
	return out, nil
}

// name is the call's address as it may be printed.
func (e Endpoint) name(call string) string {
	u, err := e.address(call)
	if err != nil {
		return "the model's address"
	}
	return shown(u)
}

// scaleToUnit scales the vector to length 1 in place; false where it has no direction.
func scaleToUnit(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * scale)
	}
	return true
}

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
