package txn

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
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/storetest"
)

// TestWhatAnOlderMemctlLeftIsCarriedOver: acts that waited or were begun, in the files of a
// memctl that had no ledger, are committed under their own names, and its acts can be undone.
func TestWhatAnOlderMemctlLeftIsCarriedOver(t *testing.T) {
	file := func(before, after string) []map[string]string {
		return []map[string]string{{"path": memfile.FileName, "before": contents.DigestOf([]byte(before)), "after": contents.DigestOf([]byte(after))}}
	}
	written := func(key, before, after string) map[string]any {
		return map[string]any{
			"subject": "add " + key, "trailers": []object.Trailer{{Name: ledger.TrailerAct, Value: "add"}, {Name: "Memory-Key", Value: key}},
			"files": file(before, after), "since": time.Now().UTC(),
		}
	}
	one, two := storetest.WithItem("a.b", "one"), storetest.WithItem("a.b", "two")
	for name, c := range map[string]struct {
		old func() map[string]any
	}{
		"deferred.json": {func() map[string]any {
			return map[string]any{"writes": []any{written("a.b", one, two)}}
		}},
		"intent.json": {func() map[string]any {
			w := written("a.b", one, two)
			w["act"] = map[string]any{"id": "0123456789ab", "act": "add", "scope": store.Project, "time": time.Now().UTC()}
			w["changes"] = []store.FileChange{{Path: memfile.FileName, Before: []byte(one), After: []byte(two)}}
			return w
		}},
	} {
		b := storetest.Git(t, one)
		data, err := json.Marshal(c.old())
		if err != nil {
			t.Fatal(err)
		}
		b.Write(memfile.FileName, two)
		if err := os.MkdirAll(filepath.Join(b.Root, ".git", "memctl"), 0o700); err != nil {
			t.Fatal(err)
		}
		b.Write(".git/memctl/"+name, string(data))
		must(b, add("e.f", false))
		if got := b.Subjects(); !slices.Equal(got, []string{"memory: add e.f", "memory: add a.b", "begin"}) {
			t.Errorf("%s: commits %q", name, got)
		}
		if left, _ := b.Project().WorktreeState().Read(name); left != nil {
			t.Errorf("%s is still there", name)
		}
		allEnded(b)
	}
	b := storetest.Git(t, one)
	out := must(b, add("c.d", false))
	st := b.Project()
	rec := ledger.NewAct(st.Stores, store.Project, "add", "", "")
	rec.Commit, rec.Order = out.Commit, 0
	line, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	b.Write(".git/memctl/"+ledger.OldActsFile, string(line)+"\n")
	acts, err := ledger.Acts(t.Context(), b.Project().Stores)
	if err != nil || len(acts) != 2 || acts[0].ID != rec.ID || !strings.HasPrefix(acts[0].Commit, out.Commit) {
		t.Errorf("undo knows %+v, %v", acts, err)
	}
}
