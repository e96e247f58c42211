package recall

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/memctl/memctl/recall/index"
)

// answers are all that a ranking answers to questions in which every number counts.
func answers(t *testing.T, x *index.Index, r Ranking) string {
	t.Helper()
	var b strings.Builder
	for _, q := range []Query{
		{Text: "When did Ann buy the violin in August 2023?"},
		{Text: "recommend a violin teacher"},
		{Text: "scary marathon training starts"},
		{Text: "deploy script token", K: 2},
		{Text: "deploy script"},
		{Text: "Which Kubernetes team sells?"},
		{Text: "car"},
		{Text: "formatting spaces of the parser"},
		{Text: "indentation", Similar: []Similar{{index.Source{Scope: "user", Path: "memories.md"}, "editor.tabs", 0.4}, {index.Source{Scope: "project", Path: "go.md"}, "go", 0.2}}},
		{Text: "four violins", Similar: []Similar{{index.Source{Scope: "user", Path: "memories.md"}, "editor.tabs", 0.7}, {index.Source{Scope: "private", Path: "t4.md"}, "t4", 0.8}}},
		{Text: "Is the violin of Oslo, or was Oslo not of the violin?"},
		{Text: "noodle umami"},
	} {
		q.Ranking, q.Explain, q.Now = &r, true, day("2024-06-01")
		hits, err := Search(x, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			fmt.Fprintln(&b, q.Text, h.ID, h.Score, h.Parts)
		}
	}
	return b.String()
}

func TestEachSettingChangesAnAnswer(t *testing.T) {
	docs := append(talk(),
		index.Doc{ID: "p1", Scope: "project", Source: "p1", Text: "deploy script with a token from the vault", Weight: 2, Time: day("2024-05-30")},
		index.Doc{ID: "p2", Scope: "project", Source: "p2", Text: "deploy script with a token from the vault of the team", Pinned: true, Time: day("2024-01-30")},
		index.Doc{ID: "p3", Scope: "user", Source: "p3", Text: "the deploy waits for Friday, whatever the script says", Confidence: 0.6, Time: day("2024-04-30")},
		index.Doc{ID: "p4", Scope: "project", Source: "p4", Text: "tea is made in a kettle, in a kitchen with a window to the yard where nobody walks"})
	docs = append(docs, index.Doc{ID: "p5", Scope: "project", Source: "p5", Speaker: "assistant", Text: "the deploy script wants a token", Time: day("2024-05-20")})
	docs = append(docs, kinds(40)...)
	x := indexOf(t, docs)
	changed := map[string]float64{
		"k1": 2, "b": 1, "label": 3, "filler": 1, "common": 0, "thesaurus": 0, "latent": 0, "phrase": 0,
		"floor": 1, "unknown": 0, "near": 0, "together": 0, "day": 0, "speaker": 0, "when": 0, "timely": 0,
		"agent": 0, "own": 0, "weight": 0, "confidence": 1, "pinned": 0, "recency": 0.5, "diversity": 0.6, "text": 1, "vector": 0.1, "relevance": 0,
	}
	with := map[string]func(*Ranking){ // what must be on for a number to count
		"recencyDays": func(r *Ranking) { r.Recency = 0.5 }, "candidates": func(r *Ranking) { r.Diverse = 0.6 },
	}
	changed["recencyDays"], changed["candidates"] = 3, 1
	elsewhere := "rerankRecency" // counts where a reranker orders the hits: memory
	for _, k := range Knobs() {
		name := strings.TrimPrefix(k.Name, "memctl.recall.")
		if name == elsewhere {
			continue
		}
		value, ok := changed[name]
		if !ok {
			t.Errorf("%s: no value to try", name)
			continue
		}
		r := DefaultRanking()
		if with[name] != nil {
			with[name](&r)
		}
		before := answers(t, x, r)
		if before == "" || before != answers(t, x, r) {
			t.Fatalf("%s: the same ranking gives two answers, or none", name)
		}
		if value < k.Number.Least || value > k.Number.Most || *k.Of(&r) == value {
			t.Errorf("%s: %g is no other value that is allowed", name, value)
		}
		*k.Of(&r) = value
		if before == answers(t, x, r) {
			t.Errorf("%s: %g changes no answer", name, value)
		}
		delete(changed, name)
	}
	if len(changed) > 0 {
		t.Errorf("no settings: %v", changed)
	}
}

func TestKnobsHaveTheDefaultsOfTheRanking(t *testing.T) {
	def := DefaultRanking()
	seen := map[string]bool{}
	for _, k := range Knobs() {
		v := *k.Of(&def)
		if fmt.Sprint(v) != k.Default || v < k.Number.Least || v > k.Number.Most || math.IsNaN(v) || k.Help == "" || k.Personal {
			t.Errorf("%s: default %q, the ranking's %g, range %v", k.Name, k.Default, v, k.Number)
		}
		if seen[k.Name] || seen[k.Env] {
			t.Errorf("%s, %s: stands twice", k.Name, k.Env)
		}
		seen[k.Name], seen[k.Env] = true, true
	}
	if len(seen) < 50 || !seen["MEMCTL_RECALL_RECENCY_DAYS"] || !seen["MEMCTL_RECALL_K1"] {
		t.Errorf("names: %v", seen)
	}
}
