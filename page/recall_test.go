package page

import (
	"net/http"
	"strings"
	"testing"
)

func TestRecallShowsReasonsAndContradictions(t *testing.T) {
	s := newSite(t, items([3]string{"tooling.formatter", "gofumpt", "high"}, [3]string{"style.tone", "'<img src=x> be brief'", "high"}), nil)
	s.remember("[decision] We use Redis for the cache", "private")
	s.addTo("user", "cache.engine", "Redis everywhere")
	s.addTo("private", "cache.engine", "Redis, but not for sessions")
	a := s.get("recall?q=redis+cache")
	s.has("the hits", a.text, "3 hits", "<mark>redis</mark>", `<dt>words</dt>`, `class="part" width="100"`)
	s.has("the item that is overridden", a.row("private has another value"), "cache.")
	for query, words := range map[string][2]string{
		"q=redis+cache&scope=project": {"Nothing matches", "We use Redis"},
		"q=gofumpt":                   {"tooling.", "Redis"},
		"q=brief":                     {"&lt;img src=x&gt;", "<img"},
		"q=zebra":                     {"No memory has a word", "<dt>words"},
		"q=":                          {"See what an agent would find", "<dt>words"},
		"q=redis&tier=item":           {"private has another value", "We use Redis"},
	} {
		a := s.get("recall?" + query)
		s.has(query, a.text, words[0])
		s.lacks(query, a.text, words[1])
	}
	part := s.do(http.MethodGet, "recall?q=gofumpt", nil, map[string]string{"X-Fragment": "1"})
	s.has("a fragment", part.text, "gofumpt")
	s.lacks("a fragment", part.text, "<html")
}

func TestRecallSaysInOneLineThatTheEmbedderFails(t *testing.T) {
	s := newSite(t, items([3]string{"tooling.formatter", "gofumpt", "high"}), nil)
	t.Setenv("MEMCTL_EMBED_URL", "http://127.0.0.1:1")
	a := s.get("recall?q=gofumpt")
	s.has("the hit", a.text, "tooling.")
	s.lacks("an embedder is set", a.text, "No embedder")
	if n := strings.Count(a.text, `class="warning"`); n != 1 {
		t.Errorf("%d warnings, want 1:\n%s", n, a.text)
	}
}
