package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/memfile"
)

// TestWhatAnOlderMemctlLeftIsCarriedOver: acts that waited or were begun, in the files of a
// memctl that had no ledger, are committed under their own names, and its acts can be undone.
func TestWhatAnOlderMemctlLeftIsCarriedOver(t *testing.T) {
	file := func(before, after string) []map[string]string {
		return []map[string]string{{"path": memfile.FileName, "before": digestOf([]byte(before)), "after": digestOf([]byte(after))}}
	}
	written := func(key, before, after string) map[string]any {
		return map[string]any{
			"subject": "add " + key, "trailers": []object.Trailer{{Name: trailerAct, Value: "add"}, {Name: "Memory-Key", Value: key}},
			"files": file(before, after), "since": time.Now().UTC(),
		}
	}
	one, two := withItem("a.b", "one"), withItem("a.b", "two")
	for name, c := range map[string]struct {
		old func() map[string]any
	}{
		"deferred.json": {func() map[string]any {
			return map[string]any{"writes": []any{written("a.b", one, two)}}
		}},
		"intent.json": {func() map[string]any {
			w := written("a.b", one, two)
			w["act"] = map[string]any{"id": "0123456789ab", "act": "add", "scope": Project, "time": time.Now().UTC()}
			w["changes"] = []FileChange{{Path: memfile.FileName, Before: []byte(one), After: []byte(two)}}
			return w
		}},
	} {
		b := gitBox(t, one)
		data, err := json.Marshal(c.old())
		if err != nil {
			t.Fatal(err)
		}
		b.write(memfile.FileName, two)
		if err := os.MkdirAll(filepath.Join(b.root, ".git", "memctl"), 0o700); err != nil {
			t.Fatal(err)
		}
		b.write(".git/memctl/"+name, string(data))
		b.must(add("e.f", false))
		if got := b.subjects(); !slices.Equal(got, []string{"memory: add e.f", "memory: add a.b", "begin"}) {
			t.Errorf("%s: commits %q", name, got)
		}
		if left, _ := b.project().worktree().read(name); left != nil {
			t.Errorf("%s is still there", name)
		}
		b.allEnded()
	}
	b := gitBox(t, one)
	out := b.must(add("c.d", false))
	st := b.project()
	rec := st.ss.newAct(Project, "add", "", "")
	rec.Commit, rec.Order = out.Commit, 0
	line, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	b.write(".git/memctl/"+oldActsFile, string(line)+"\n")
	acts, err := b.project().ss.Acts(t.Context())
	if err != nil || len(acts) != 2 || acts[0].ID != rec.ID || !strings.HasPrefix(acts[0].Commit, out.Commit) {
		t.Errorf("undo knows %+v, %v", acts, err)
	}
}
