package review_test

import (
	"github.com/memctl/memctl/tests/memorytest"
	"testing"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/review"
	"github.com/memctl/memctl/memory/reading/view"
)

// TestReviewOfWhatIsOutranked: each answer leaves one value, the person's own, and no
// tombstone that would bind its key.
func TestReviewOfWhatIsOutranked(t *testing.T) {
	edited := memfile.Str("four spaces")
	for name, tt := range map[string]struct {
		action string
		choice int
		value  *memfile.Value
		want   string
	}{
		"to keep drops the agent's":           {"keep", 0, nil, "tabs"},
		"to take makes it the person's":       {"keep", 1, nil, "spaces"},
		"edit makes another one the person's": {"edit", 0, &edited, "four spaces"},
	} {
		t.Run(name, func(t *testing.T) {
			b := stated(t, "spaces")
			waiting := b.Waiting()
			if len(waiting) != 1 || waiting[0].Why != view.WaitsOutranked || waiting[0].Stated == nil || waiting[0].Stated.Scope != store.Project {
				t.Fatalf("%+v", waiting)
			}
			w, err := review.Decide(t.Context(), b.Open(), review.Decision{Options: memorytest.From(memory.Explicit), Waiting: waiting[0], Action: tt.action, Choice: tt.choice, Value: tt.value})
			if err != nil || !w.Changed {
				t.Fatalf("%+v, %v", w, err)
			}
			r, err := view.Show(t.Context(), b.Open(), contents.Person, view.ShowRequest{})
			if err != nil {
				t.Fatal(err)
			}
			stated := 0
			for _, scope := range r.Scopes {
				if len(scope.Deletions) > 0 {
					t.Errorf("scope %s has a tombstone", scope.Scope)
				}
				for _, it := range scope.Items {
					stated++
					if it.Value.Text != tt.want || it.By != "" || scope.Scope != store.Project {
						t.Errorf("%s: %+v", scope.Scope, it)
					}
				}
			}
			if stated != 1 || len(b.Waiting()) != 0 {
				t.Errorf("%d items, and %+v waits", stated, b.Waiting())
			}
		})
	}
	if b := stated(t, "tabs"); len(b.Waiting()) != 0 {
		t.Errorf("the same value is nothing to choose: %+v", b.Waiting())
	}
}

// stated is a project in which a person stated tabs, and an agent another value in private.
func stated(t *testing.T, agents string) *memorytest.Bench {
	t.Helper()
	b := memorytest.Repository(t, memfile.Template)
	b.Git("config", "memctl.trust", "true")
	b.Add(memory.Explicit, "style.indent", "tabs")
	relayed := memorytest.From(memory.Relayed)
	relayed.Scope = store.Private
	if _, err := edit.Add(t.Context(), b.Open(), edit.Request{Options: relayed, Key: "style.indent", Value: memfile.Str(agents)}); err != nil {
		t.Fatal(err)
	}
	return b
}
