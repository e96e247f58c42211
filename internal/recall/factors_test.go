package recall

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/recall/index"
)

// fact is a fact of the project, or a chunk of one.
func fact(id, text string) index.Doc {
	return index.Doc{ID: id, Tier: index.TierFact, Scope: "project", Source: id[:min(len(id), 2)] + ".md", Text: text}
}

func TestOneMemoryIsOneHit(t *testing.T) {
	file := func(id, text string) index.Doc {
		d := fact(id, text)
		d.Tier, d.Path = index.TierFile, id
		return d
	}
	twice := fact("f3", "The  cache is flushed, on DEPLOY!")
	elsewhere := fact("f4", "The cache is flushed on deploy")
	elsewhere.Scope = "user"
	for name, c := range map[string]struct {
		docs []index.Doc
		want []string
	}{
		"chunks of one fact":            {[]index.Doc{fact("f1#L1-L2", "the cache"), fact("f1#L3-L4", "the cache of the deploy")}, []string{"f1#L3-L4"}},
		"chunks of two facts":           {[]index.Doc{fact("f1#L1-L2", "the cache"), fact("f2#L3-L4", "the cache of the deploy")}, []string{"f2#L3-L4", "f1#L1-L2"}},
		"chunks of a Markdown file":     {[]index.Doc{file("f1#L1-L2", "the cache"), file("f1#L3-L4", "the cache of the deploy")}, []string{"f1#L3-L4", "f1#L1-L2"}},
		"the same words":                {[]index.Doc{fact("f2", "The cache is flushed on deploy"), twice}, []string{"f3"}},
		"the same words and another no": {[]index.Doc{fact("f2", "The cache is not flushed on deploy"), twice}, []string{"f3", "f2"}},
		"the same words in two scopes":  {[]index.Doc{elsewhere, twice}, []string{"f4", "f3"}},
	} {
		got := ids(t, indexOf(t, c.docs), Query{Text: "cache deploy"})
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestHitsFarBelowTheBestAreNotShown(t *testing.T) {
	var docs []index.Doc
	for i := range 80 {
		docs = append(docs, fact(fmt.Sprint("n", i), fmt.Sprintf("noodle engine number%d", i)))
	}
	for i := range 8 { // so that Oslo is no rare word
		docs = append(docs, fact("o"+string(rune('0'+i)), "Oslo "+string(rune('a'+i))+strings.Repeat(" snow ships harbour", 20)))
	}
	docs = append(docs, fact("best", "the violin teacher of the orchestra moved to Oslo with a contrabass"))
	got := ids(t, indexOf(t, docs), Query{Text: "which violin teacher of the orchestra moved with a contrabass to Oslo", MaxHits: 20})
	if !slices.Contains(got, "best") || slices.Contains(got, "o3") {
		t.Errorf("got %v, want best and not o3", got)
	}
	if got := ids(t, indexOf(t, docs), Query{Text: "Oslo snow", MaxHits: 20}); !slices.Contains(got, "o3") {
		t.Errorf("got %v, want o3 where it is among the best", got)
	}
}

func TestAPersonsTurnComesBeforeAnAgents(t *testing.T) {
	said := func(id, who string) index.Doc {
		return index.Doc{ID: id, Tier: index.TierTurn, Scope: "private", Source: id, Speaker: who, Text: "the deploy runs on Friday from " + id}
	}
	docs := []index.Doc{said("a1", "assistant"), said("b1", "user"), said("c1", "assistant")}
	if got := ids(t, indexOf(t, docs), Query{Text: "deploy Friday"}); len(got) != 3 || got[0] != "b1" {
		t.Errorf("got %v, want all three and b1 first", got)
	}
}

func TestAnUnknownNameDoesNotEmptyAGoodAnswer(t *testing.T) {
	x := indexOf(t, append(talk(), fact("f9", "the linter golangci-lint checks each commit of the parser")))
	for question, want := range map[string]string{
		"which linter does the PR check use?":                            "f9", // an acronym is no name
		"does the linter check each commit of the parser for Wanda?":     "f9",
		"which Kubernetes team sells?":                                   "",
		"what does Wanda Zubrowka think of the violin that Xaver plays?": "",
	} {
		got := ids(t, x, Query{Text: question})
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%q: got %v, want %q", question, got, want)
		}
	}
}

func TestUseRaisesAHitWithinABound(t *testing.T) {
	docs := []index.Doc{fact("f1", "the deploy runs on Friday in Oslo"), fact("f2", "the deploy runs on Friday in Bonn"), fact("f3", "deploy")}
	for name, c := range map[string]struct {
		uses  map[string]int
		first string
	}{
		"nothing was used":                {nil, "f2"},
		"the second of equals":            {map[string]int{"f1": 1}, "f1"},
		"much use does not hide a better": {map[string]int{"f3": 1000}, "f2"},
	} {
		got := ids(t, indexOf(t, docs), Query{Text: "deploy Friday", CountUses: func(d *index.Doc) int { return c.uses[d.ID] }})
		if len(got) == 0 || got[0] != c.first {
			t.Errorf("%s: got %v, want %s first", name, got, c.first)
		}
	}
}
