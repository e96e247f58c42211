package briefing

import (
	"testing"
	"time"

	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/store/contents"
)

func TestTheRerankerOrdersByRelevanceAndThenByRecency(t *testing.T) {
	now := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	hit := func(id string, daysAgo int) recall.Hit {
		return recall.Hit{Doc: index.Doc{ID: id, Time: now.AddDate(0, 0, -daysAgo)}}
	}
	hits := []recall.Hit{hit("old", 365), hit("new", 1), hit("relevant", 365), hit("irrelevant", 0)}
	got := ""
	for _, h := range reranked(hits, []float64{0.5, 0.5, 0.9, 0.1}, now) {
		got += h.ID + " "
	}
	if got != "relevant new old " {
		t.Errorf("got %q", got)
	}
}

func TestADocOfAScopeThatIsNotSearchedIsNoHit(t *testing.T) {
	for _, d := range []index.Doc{
		{ID: "a", Scope: "elsewhere", Source: "memories/entries/project/facts/a.md", Tier: index.TierFact, Text: "text"},
		{ID: "a.b", Scope: "elsewhere", Source: "memories.md", Tier: index.TierItem, Text: "text"},
	} {
		r := &Recaller{checked: map[index.Source]*contents.Entry{}}
		if r.isCurrent(t.Context(), &d) {
			t.Errorf("%s of a scope that is not searched was kept", d.Tier)
		}
	}
}
