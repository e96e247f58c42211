package briefing_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// storesAt opens the stores of a folder without git, with the settings in env.
func storesAt(t *testing.T, dir string, env map[string]string) *store.Stores {
	t.Helper()
	ss, err := store.Open(context.Background(), store.Env{
		Dir: dir, StoreDir: dir, Getenv: func(name string) string { return env[name] },
		Now: func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return ss
}

func rememberAll(t *testing.T, dir string, texts ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, memfile.FileName), []byte(memfile.Template), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		w, err := edit.Add(context.Background(), storesAt(t, dir, nil), edit.Request{Options: memory.Options{Origin: memory.Origin{Kind: memory.Explicit}}, Text: text, Role: "memory"})
		if err != nil || w.Verdict != "accept" {
			t.Fatalf("remember %q: %+v, %v", text, w, err)
		}
	}
}

// meanings is a stand-in for an embedder: it speaks the real protocol, and knows
// two meanings.
func meanings(t *testing.T, texts *atomic.Int32) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		data := []map[string]any{}
		for i, text := range body.Input {
			texts.Add(1)
			v := []float64{0.1, 0.1, 1}
			if strings.Contains(text, "Redis") || strings.Contains(text, "in-memory") {
				v = []float64{1, 0, 0}
			}
			if strings.Contains(text, "Friday") {
				v = []float64{0, 1, 0}
			}
			data = append(data, map[string]any{"index": i, "embedding": v})
		}
		json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(s.Close)
	return s
}

func recallTexts(t *testing.T, dir string, env map[string]string, opt briefing.RecallOptions, query string) (texts []string, warnings []string) {
	t.Helper()
	res, err := briefing.Recall(context.Background(), storesAt(t, dir, env), opt, briefing.RecallRequest{Query: query, K: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range res.Hits {
		texts = append(texts, h.Text)
	}
	return texts, res.Warnings
}

func TestRecallByMeaning(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, ".data"))
	rememberAll(t, dir, "Sessions are kept in Redis.", "Deploys run on Friday.", "The parser is written by hand.")
	const question = "which in-memory database?"
	env := map[string]string{}
	var texts atomic.Int32
	s := meanings(t, &texts)
	env[briefing.EmbedURL.Env], env[briefing.EmbedModel.Env] = s.URL+"/v1", "m"
	for range 2 {
		got, warnings := recallTexts(t, dir, env, briefing.RecallOptions{Reader: contents.Person}, question)
		if len(got) == 0 || got[0] != "Sessions are kept in Redis." || len(warnings) != 0 {
			t.Fatalf("found %q, warned %q", got, warnings)
		}
	}
	if n := texts.Load(); n != 5 {
		t.Errorf("%d texts were embedded, want three and a question twice", n)
	}
	// What is new is embedded alone; a hook asks nobody.
	rememberAll(t, dir, "The cache is in Redis too.")
	recallTexts(t, dir, env, briefing.RecallOptions{Reader: contents.Person}, question)
	if n := texts.Load(); n != 7 {
		t.Errorf("%d texts were embedded, want one more and the question", n)
	}
	if got, _ := recallTexts(t, dir, env, briefing.RecallOptions{Guarded: true}, question); texts.Load() != 7 {
		t.Errorf("a hook found %q, and %d texts were embedded", got, texts.Load())
	}
	// Another model's vectors are no use.
	env[briefing.EmbedModel.Env] = "other"
	recallTexts(t, dir, env, briefing.RecallOptions{Reader: contents.Person}, question)
	if n := texts.Load(); n != 12 {
		t.Errorf("%d texts were embedded, want all four again and the question", n)
	}
}

func TestRecallWithoutItsModelsFindsWords(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, ".data"))
	rememberAll(t, dir, "Sessions are kept in Redis.")
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	for name, env := range map[string]map[string]string{
		"an embedder that is down": {briefing.EmbedURL.Env: s.URL},
		"a reranker that is down":  {briefing.RerankURL.Env: s.URL},
	} {
		got, warnings := recallTexts(t, dir, env, briefing.RecallOptions{Reader: contents.Person}, "where are sessions kept")
		if len(got) != 1 || len(warnings) != 1 {
			t.Errorf("%s: found %q, warned %q", name, got, warnings)
		}
	}
}

func TestRerankerOrdersAndDrops(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, ".data"))
	rememberAll(t, dir, "Retries live in client.go.", "Retries wait twice as long each time.", "Retries were discussed.")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Documents []string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		results := []map[string]any{}
		for i, d := range body.Documents {
			score := 0.5
			if strings.Contains(d, "wait") {
				score = 0.9
			}
			if strings.Contains(d, "discussed") {
				score = 0.1
			}
			results = append(results, map[string]any{"index": i, "relevance_score": score})
		}
		json.NewEncoder(w).Encode(map[string]any{"results": results})
	}))
	defer s.Close()
	got, warnings := recallTexts(t, dir, map[string]string{briefing.RerankURL.Env: s.URL}, briefing.RecallOptions{Reader: contents.Person}, "retries")
	want := "Retries wait twice as long each time.|Retries live in client.go."
	if strings.Join(got, "|") != want || len(warnings) != 0 {
		t.Errorf("found %q, warned %q", got, warnings)
	}
	own, _ := recallTexts(t, dir, nil, briefing.RecallOptions{Reader: contents.Person}, "retries")
	if len(own) != 3 {
		t.Errorf("without the reranker %q", own)
	}
}
