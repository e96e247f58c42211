package llm

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memctl/memctl/internal/fault"
)

// server answers as an OpenAI-compatible embedder would: each text's vector
// says how long the text is, and the answer comes in another order.
func server(t *testing.T, handler http.HandlerFunc) Endpoint {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return Endpoint{URL: s.URL + "/v1", Model: "m", Key: "k-123"}
}

func embedder(t *testing.T, calls *atomic.Int32) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var body struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Model != "m" {
			t.Errorf("request: %+v, %v", body, err)
		}
		if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer k-123" {
			t.Errorf("request to %s with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		type row struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		var data []row
		for i := len(body.Input) - 1; i >= 0; i-- {
			data = append(data, row{i, []float64{3 * float64(len(body.Input[i])), 4 * float64(len(body.Input[i]))}})
			if body.Input[i] == "aside" {
				data[len(data)-1].Embedding = []float64{0, 2}
			}
		}
		json.NewEncoder(w).Encode(map[string]any{"data": data})
	}
}

func TestEmbedKeepsOrderAcrossBatches(t *testing.T) {
	var calls atomic.Int32
	e := server(t, embedder(t, &calls))
	e.Batch = 2
	got, err := e.Embed(context.Background(), []string{"one", "aside", "three", "", "five"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 5 || calls.Load() != 3 {
		t.Fatalf("%d vectors in %d calls, want 5 in 3", len(got), calls.Load())
	}
	for i, v := range got {
		want := [2]float64{0.6, 0.8}
		if i == 1 {
			want = [2]float64{0, 1}
		}
		if math.Abs(float64(v[0])-want[0]) > 1e-6 || math.Abs(float64(v[1])-want[1]) > 1e-6 {
			t.Errorf("vector %d is %v, want %v", i, v, want)
		}
	}
}

func TestEmbedRefusesWrongAnswers(t *testing.T) {
	for name, answer := range map[string]string{
		"too few vectors":     `{"data":[{"index":0,"embedding":[1,0]}]}`,
		"one place twice":     `{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}`,
		"a place outside":     `{"data":[{"index":0,"embedding":[1,0]},{"index":2,"embedding":[1,0]}]}`,
		"no direction":        `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,0]}]}`,
		"two lengths":         `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0,0]}]}`,
		"no JSON":             `<html>`,
		"numbers too large":   `{"data":[{"index":0,"embedding":[1e300,0]},{"index":1,"embedding":[1,0]}]}`,
		"an object elsewhere": `{"error":"no such model"}`,
	} {
		t.Run(name, func(t *testing.T) {
			e := server(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(answer)) })
			_, err := e.Embed(context.Background(), []string{"a", "b"})
			if !fault.Is(err, fault.ModelAnswer) {
				t.Fatalf("error %v, want a fault of the answer", err)
			}
		})
	}
}

func TestBusyServerIsAskedOnceMore(t *testing.T) {
	for name, c := range map[string]struct {
		status, busy, wantCalls int
		ok                      bool
	}{
		"busy once":         {429, 1, 2, true},
		"busy for good":     {503, 9, 2, false},
		"refused":           {401, 9, 1, false},
		"moved is no route": {302, 9, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			inner := embedder(t, new(atomic.Int32))
			e := server(t, func(w http.ResponseWriter, r *http.Request) {
				if int(calls.Add(1)) <= c.busy {
					w.Header().Set("Retry-After", "0")
					w.Header().Set("Location", "http://127.0.0.1:1/")
					w.WriteHeader(c.status)
					w.Write([]byte("your key k-123\nis not liked"))
					return
				}
				inner(w, r)
			})
			_, err := e.Embed(context.Background(), []string{"a"})
			if (err == nil) != c.ok || int(calls.Load()) != c.wantCalls {
				t.Fatalf("error %v after %d calls, want %d", err, calls.Load(), c.wantCalls)
			}
			var status *StatusError
			if !c.ok && (!errors.As(err, &status) || status.Status != c.status || strings.Contains(err.Error(), "k-123")) {
				t.Errorf("error %v: want status %d without the key", err, c.status)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	for name, c := range map[string]struct{ url, key, want string }{
		"a base":                      {"http://127.0.0.1:1/v1", "k", "http://127.0.0.1:1/v1/rerank"},
		"a base with a slash":         {"https://example.com/v1/", "k", "https://example.com/v1/rerank"},
		"the whole address":           {"https://example.com/v1/rerank", "", "https://example.com/v1/rerank"},
		"plain text far away":         {"http://example.com/v1", "", "http://example.com/v1/rerank"},
		"plain text with a key":       {"http://user:pw@example.com/v1", "k", ""},
		"another scheme":              {"file:///etc/passwd", "", ""},
		"no address":                  {"::", "", ""},
		"nothing":                     {"", "", ""},
		"localhost by name and a key": {"http://localhost:11434/v1", "k", "http://localhost:11434/v1/rerank"},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := Endpoint{URL: c.url, Key: c.key}.address("rerank")
			switch {
			case c.want == "" && (!fault.Is(err, fault.ModelAddress) || strings.Contains(err.Error(), "pw")):
				t.Fatalf("got %v, %v; want a fault of the address without the password", u, err)
			case c.want != "" && (err != nil || u.String() != c.want):
				t.Fatalf("got %v, %v; want %s", u, err, c.want)
			}
		})
	}
}

func TestRerankScores(t *testing.T) {
	answer := ""
	e := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/rerank" {
			t.Errorf("path %s", r.URL.Path)
		}
		w.Write([]byte(answer))
	})
	docs := []string{"a", "b", "c"}
	answer = `{"results":[{"index":2,"relevance_score":0.9},{"index":0,"relevance_score":0.1}]}`
	got, err := e.Rerank(context.Background(), "q", docs)
	if err != nil || got[0] != 0.1 || got[1] != 0 || got[2] != 0.9 {
		t.Fatalf("scores %v, %v", got, err)
	}
	answer = `{"results":[{"index":2,"relevance_score":3},{"index":0,"relevance_score":-3}]}`
	got, err = e.Rerank(context.Background(), "q", docs)
	if err != nil || math.Abs(got[2]-0.9526) > 1e-3 || math.Abs(got[0]-0.0474) > 1e-3 || got[1] != 0 {
		t.Fatalf("logits became %v, %v", got, err)
	}
	for _, answer = range []string{`{"results":[]}`, `{"results":[{"index":3,"relevance_score":1}]}`, `{"results":[{"index":0}]}`} {
		if got, err := e.Rerank(context.Background(), "q", docs); err == nil {
			t.Errorf("%s was taken as %v", answer, got)
		}
	}
	if got, err := e.Rerank(context.Background(), "q", nil); err != nil || len(got) != 0 {
		t.Errorf("no documents: %v, %v", got, err)
	}
}

func TestUnreachableServerIsNamedWithoutItsPassword(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	e := Endpoint{URL: strings.Replace(s.URL, "http://", "http://me:secret@", 1)}
	_, err := e.Embed(context.Background(), []string{"a"})
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Fatalf("error %v", err)
	}
}
