package recall

import (
	"testing"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
)

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"User likes apples", "The user really likes apples", true},
		{"the staging server runs on port 8080", "our staging server is running on port 8080 now", true},
		{"deploy on Fridays", "never deploy on Fridays", true},
		{"the gateway listens on port 80 in staging", "the gateway listens on port 80 in production", false},
		{"magpies of the 1. garden like shiny things", "magpies of the 2. garden like shiny things", false},
		{"the tests need Docker", "the tests need Docker 27", false},
		{"deploy", "deploy on Fridays after lunch", false},
		{"", "", false},
	} {
		if a, b := sortedTerms(&index.Analyzer{}, c.a), sortedTerms(&index.Analyzer{}, c.b); sayNearlySame(a, b) != c.want || sayNearlySame(b, a) != c.want {
			t.Errorf("%q and %q: want %t", c.a, c.b, c.want)
		}
	}
}

// TestDistinctCountsNearEqualsOnce has five memories that say nearly the same, one of them less certain, and two others.
func TestDistinctCountsNearEqualsOnce(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	var docs []index.Doc
	for i, text := range []string{
		"the staging server runs on port 8080", "our staging server runs on port 8080", "the staging server is running on port 8080", "the staging server now runs on port 8080",
		"the staging server runs on port 8080 always", "the staging server needs a token", "the staging server sleeps at night",
	} {
		docs = append(docs, index.Doc{Scope: "project", ID: string(rune('a' + i)), Source: string(rune('a'+i)) + ".md", Tier: index.TierFact, Text: text, Time: day(i + 1), Weight: 1, Confidence: 1})
	}
	docs[4].Confidence = 0.3
	data, err := index.Build(docs, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	found := func(distinct bool) (ids string) {
		hits, err := Search(x, Query{Text: "on which port does the staging server run", Distinct: distinct})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			ids += h.ID
		}
		return ids
	}
	if all := found(false); len(all) != 5 {
		t.Errorf("not distinct: %q", all)
	}
	if once := found(true); len(once) != 3 || once[0] != 'd' {
		t.Errorf("distinct: %q, want the newest certain one first, and both others", once)
	}
}

func TestNewerFirst(t *testing.T) {
	hit := func(id string, score float64, day int, text string) Hit {
		return Hit{Doc: index.Doc{ID: id, Tier: index.TierFact, Text: text, Time: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)}, Score: score}
	}
	for name, c := range map[string]struct {
		hits []Hit
		want string
	}{
		"a correction stands before what it corrects": {[]Hit{hit("a", 1, 1, "we deploy with Heroku"), hit("b", 0.95, 3, "we deploy with Railway since January")}, "ba"},
		"not one with a lower score":                  {[]Hit{hit("a", 1, 1, "we deploy with Heroku"), hit("b", 0.85, 3, "we deploy with Railway since January")}, "ab"},
		"nor what is about something else":            {[]Hit{hit("a", 1, 1, "we deploy with Heroku"), hit("b", 0.95, 3, "lunch is at noon")}, "ab"},
		"many that are each newer drift no further":   {[]Hit{hit("a", 1, 1, "we deploy with Heroku"), hit("b", 0.91, 2, "we deploy with Railway"), hit("c", 0.82, 3, "we deploy with Fly"), hit("d", 0.74, 4, "we deploy with Render")}, "badc"},
		"a denial stays beside what it denies":        {[]Hit{hit("a", 1, 1, "use tabs in Go code"), hit("b", 0.8, 1, "never use tabs in Go code")}, "ab"},
		"what is stale stands below its equals":       {[]Hit{{Score: 1, Stale: true, Doc: index.Doc{ID: "a", Text: "see old.go"}}, hit("b", 0.95, 1, "lunch is at noon"), hit("c", 0.8, 1, "tea is at four")}, "bac"},
	} {
		list := distinctHits{analyzer: &index.Analyzer{}}
		for _, h := range c.hits {
			list.add(h)
		}
		got := ""
		for _, h := range list.hits {
			got += h.ID
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
