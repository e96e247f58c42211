package ledger

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/tests/storetest"
)

// TestTheLedgerIsCut: the oldest acts leave it, but none that is begun or waits.
func TestTheLedgerIsCut(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	st := b.Project()
	waits := NewAct(st.Stores, store.Project, "first", "", "")
	waits.State, waits.Tree = ActWaits, st.Repo.WorktreeName()
	if err := AddLine(st, waits.Line(), false); err != nil {
		t.Fatal(err)
	}
	last := ""
	for range 40 {
		rec := NewAct(st.Stores, store.Project, "add", "", "")
		rec.Before, rec.State, last = make([]byte, maxLedgerBytes/20), ActDone, rec.ID
		if err := AddLine(st, rec.Line(), false); err != nil {
			t.Fatal(err)
		}
	}
	list, err := readActs(st, false)
	if err != nil || len(list) < 2 || len(list) > 30 || list[0].ID != waits.ID || list[len(list)-1].ID != last {
		t.Errorf("%d acts are left, %v", len(list), err)
	}
	if _, open, err := OpenActs(st); err != nil || len(open) != 1 {
		t.Errorf("waiting: %+v, %v", open, err)
	}
}

// TestTheLedgerTellsWhatWasLogged replays random ledgers, cut and torn at random, and
// compares them with what was logged: every act that is begun or waits is in them, in order
// and in its last state, and of those that have ended the newest.
func TestTheLedgerTellsWhatWasLogged(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		b := storetest.Git(t, storetest.WithItem("a.b", "one"))
		st := b.Project()
		var order []string
		state, commit := map[string]string{}, map[string]string{}
		log := func(line Line) {
			if err := AddLine(st, line, false); err != nil {
				t.Fatal(err)
			}
			state[line.ID], commit[line.ID] = line.State, line.Commit
		}
		for range 40 {
			switch n := rnd.IntN(10); {
			case n < 5 || len(order) == 0:
				rec := NewAct(st.Stores, store.Project, "add", "", OriginExplicit)
				rec.State, rec.Tree, rec.Sums = ActBegun, st.Repo.WorktreeName(), []FileSum{{Path: memfile.FileName, After: rec.ID}}
				order = append(order, rec.ID)
				log(rec.Line())
			case n < 9:
				id := order[rnd.IntN(len(order))]
				if s := state[id]; s == ActBegun || s == ActWaits {
					next := []string{ActWaits, ActDone, ActBack}[rnd.IntN(3)]
					log(Line{ID: id, State: next, Commit: strings.Repeat("a", 40*rnd.IntN(2))})
				}
			case rnd.IntN(2) == 0:
				if err := CutLedger(st); err != nil {
					t.Fatal(err)
				}
			default:
				b.Write(".git/memctl/"+LedgerFile, b.Read(".git/memctl/"+LedgerFile)+`{"id":"`+order[0]+`","state":"do`)
			}
		}
		list, err := readActs(b.Project(), false)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, rec := range list {
			got = append(got, rec.ID)
			if rec.State != state[rec.ID] || rec.Commit != commit[rec.ID] || len(rec.Sums) != 1 || rec.Sums[0].After != rec.ID {
				t.Errorf("seed %d: %+v is not as logged: %s, %q", seed, rec, state[rec.ID], commit[rec.ID])
			}
		}
		if !slices.Equal(got, order) {
			t.Errorf("seed %d: acts %v, not %v", seed, got, order)
		}
		begun, waiting, err := OpenActs(b.Project())
		for s, open := range map[string][]ActRecord{ActBegun: begun, ActWaits: waiting} {
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

// TestFoldersWithoutProject keep their acts apart.
func TestFoldersWithoutProject(t *testing.T) {
	var dirs []string
	for range 2 {
		home := t.TempDir()
		ss, err := store.Open(context.Background(), store.Env{Dir: home, Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"HOME": home}[name]
		}})
		if err != nil || ss.Root() != "" {
			t.Fatalf("root %q, %v", ss.Root(), err)
		}
		user, err := ss.Get(t.Context(), store.User)
		if err != nil {
			t.Fatal(err)
		}
		rec := NewAct(ss, store.User, "add", "", "")
		rec.State = ActDone
		if err := AddLine(user, rec.Line(), false); err != nil {
			t.Fatal(err)
		}
		if acts, err := Acts(t.Context(), ss); err != nil || len(acts) != 1 {
			t.Errorf("acts %v, %v", acts, err)
		}
		dirs = append(dirs, ss.RepositoryState().Folder, ss.SessionsState().Folder)
	}
	const empty = "e3b0c44298fc1c149afbf4c8996fb924" // of no folder: a hash of ""
	if dirs[0] == dirs[2] || dirs[1] == dirs[3] || filepath.Base(dirs[0]) == empty {
		t.Errorf("shared: %q", dirs)
	}
}
