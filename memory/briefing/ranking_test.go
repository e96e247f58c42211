package briefing

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/recall"
	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// withSetting opens the stores of a folder without git, with one setting.
func withSetting(t *testing.T, dir, name, value string) *store.Stores {
	t.Helper()
	getenv := func(asked string) string {
		if asked == name {
			return value
		}
		return ""
	}
	ss, err := store.Open(t.Context(), store.Env{Dir: dir, StoreDir: dir, Getenv: getenv, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return ss
}

func TestEachNumberOfRecallIsRead(t *testing.T) {
	dir := t.TempDir()
	def := recall.DefaultRanking()
	for _, k := range recall.Knobs() {
		other := k.Number.Most
		if other == *k.Of(&def) {
			other = k.Number.Least
		}
		got, err := rankingOf(context.Background(), withSetting(t, dir, k.Env, fmt.Sprint(int(other))))
		if err != nil || *k.Of(&got) != float64(int(other)) {
			t.Errorf("%s: %g is read as %g, %v", k.Name, other, *k.Of(&got), err)
		}
		*k.Of(&got) = *k.Of(&def)
		if got != def {
			t.Errorf("%s: changes other numbers too: %+v", k.Name, got)
		}
		var wrong *fault.Error
		got, err = rankingOf(context.Background(), withSetting(t, dir, k.Env, "-1"))
		if !errors.As(err, &wrong) || wrong.Thing != k.Name || got != def {
			t.Errorf("%s: -1 gives %v", k.Name, err)
		}
	}
}

func TestADocOfAScopeThatIsNotSearchedIsNoHit(t *testing.T) {
	for _, d := range []index.Doc{
		{ID: "a", Scope: "elsewhere", Source: "memories/entries/project/facts/a.md", Tier: index.TierFact, Text: "text"},
		{ID: "a.b", Scope: "elsewhere", Source: "memories.md", Tier: index.TierItem, Text: "text"},
	} {
		r := &Recaller{checked: map[index.Source]*contents.Entry{}}
		if r.keep(t.Context(), &d) {
			t.Errorf("%s of a scope that is not searched was kept", d.Tier)
		}
	}
}
