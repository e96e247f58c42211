package store

import (
	"encoding/json"
	"math/rand/v2"
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
		file string
		old  func() map[string]any
	}{
		"deferred.json": {oldWaitingFile, func() map[string]any {
			return map[string]any{"writes": []any{written("a.b", one, two)}}
		}},
		"intent.json": {oldIntentFile, func() map[string]any {
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
		b.write(".git/memctl/"+c.file, string(data))
		b.must(add("e.f", false))
		if got := b.subjects(); !slices.Equal(got, []string{"memory: add e.f", "memory: add a.b", "begin"}) {
			t.Errorf("%s: commits %q", name, got)
		}
		if left, _ := b.project().worktree().read(c.file); left != nil {
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

// TestTheLedgerIsCut: the oldest acts leave it, but none that is begun or waits.
func TestTheLedgerIsCut(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	st := b.project()
	waits := st.ss.newAct(Project, "first", "", "")
	waits.state, waits.Tree = actWaits, st.Repo.WorktreeName()
	if err := st.log(waits.line(), false); err != nil {
		t.Fatal(err)
	}
	last := ""
	for range 40 {
		rec := st.ss.newAct(Project, "add", "", "")
		rec.Before, rec.state, last = make([]byte, maxLedgerBytes/20), actDone, rec.ID
		if err := st.log(rec.line(), false); err != nil {
			t.Fatal(err)
		}
	}
	list, err := st.acts(false)
	if err != nil || len(list) < 2 || len(list) > 30 || list[0].ID != waits.ID || list[len(list)-1].ID != last {
		t.Errorf("%d acts are left, %v", len(list), err)
	}
	if open, err := st.open(actWaits); err != nil || len(open) != 1 {
		t.Errorf("waiting: %+v, %v", open, err)
	}
}

// TestTheLedgerTellsWhatWasLogged replays random ledgers, cut and torn at random, and
// compares them with what was logged: every act that is begun or waits is in them, in order
// and in its last state, and of those that have ended the newest.
func TestTheLedgerTellsWhatWasLogged(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		b := gitBox(t, withItem("a.b", "one"))
		st := b.project()
		var order []string
		state, commit := map[string]string{}, map[string]string{}
		log := func(line ledgerLine) {
			if err := st.log(line, false); err != nil {
				t.Fatal(err)
			}
			state[line.ID], commit[line.ID] = line.State, line.Commit
		}
		for range 40 {
			switch n := rnd.IntN(10); {
			case n < 5 || len(order) == 0:
				rec := st.ss.newAct(Project, "add", "", originExplicit)
				rec.state, rec.Tree, rec.Sums = actBegun, st.Repo.WorktreeName(), []fileSum{{Path: memfile.FileName, After: rec.ID}}
				order = append(order, rec.ID)
				log(rec.line())
			case n < 9:
				id := order[rnd.IntN(len(order))]
				if s := state[id]; s == actBegun || s == actWaits {
					next := []string{actWaits, actDone, actBack}[rnd.IntN(3)]
					log(ledgerLine{ID: id, State: next, Commit: strings.Repeat("a", 40*rnd.IntN(2))})
				}
			case rnd.IntN(2) == 0:
				if err := st.cutLedger(); err != nil {
					t.Fatal(err)
				}
			default:
				b.write(".git/memctl/"+ledgerFile, b.read(".git/memctl/"+ledgerFile)+`{"id":"`+order[0]+`","state":"do`)
			}
		}
		list, err := b.project().acts(false)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, rec := range list {
			got = append(got, rec.ID)
			if rec.state != state[rec.ID] || rec.Commit != commit[rec.ID] || len(rec.Sums) != 1 || rec.Sums[0].After != rec.ID {
				t.Errorf("seed %d: %+v is not as logged: %s, %q", seed, rec, state[rec.ID], commit[rec.ID])
			}
		}
		if !slices.Equal(got, order) {
			t.Errorf("seed %d: acts %v, not %v", seed, got, order)
		}
		for _, s := range []string{actBegun, actWaits} {
			open, err := b.project().open(s)
			want := slices.DeleteFunc(slices.Clone(order), func(id string) bool { return state[id] != s })
			var ids []string
			for _, rec := range open {
				ids = append(ids, rec.ID)
			}
			if err != nil || !slices.Equal(ids, want) {
				t.Errorf("seed %d: %s are %v, not %v (%v)", seed, s, ids, want, err)
			}
		}
	}
}
