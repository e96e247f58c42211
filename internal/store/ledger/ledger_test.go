package ledger

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// TestTheLedgerIsCut: of the acts that have ended, the newest stay, and each that is begun or waits.
func TestTheLedgerIsCut(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	st := b.Project()
	end := func(state string) string {
		rec := NewAct(st.Stores, store.Project, "add", "", "")
		rec.Before, rec.State, rec.Subject, rec.Tree = []byte("text"), state, "a name", st.Repo.WorktreeName()
		if err := End(st, rec); err != nil {
			t.Fatal(err)
		}
		return rec.ID
	}
	waits, last := end(ActWaits), ""
	for range 2 * mostKept {
		last = end(ActDone)
	}
	list, err := readActs(st)
	if err != nil || len(list) != mostKept || list[0].ID != waits || list[0].Subject == "" || list[0].Before != nil ||
		list[mostKept-1].ID != last || list[mostKept-1].Before != nil {
		t.Errorf("%d acts are left, %v", len(list), err)
	}
	if _, open, err := OpenActs(st); err != nil || len(open) != 1 {
		t.Errorf("waiting: %+v, %v", open, err)
	}
}

// TestTheLedgerTellsWhatWasLogged changes ledgers at random, torn at random, and compares them with what was logged.
func TestTheLedgerTellsWhatWasLogged(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		b := storetest.Git(t, storetest.WithItem("a.b", "one"))
		st := b.Project()
		var order []string
		acts := map[string]ActRecord{}
		for range 40 {
			switch n := rnd.IntN(10); {
			case n < 5 || len(order) == 0:
				rec := NewAct(st.Stores, store.Project, "add", "", OriginExplicit)
				rec.State, rec.Tree, rec.Sums = ActBegun, st.Repo.WorktreeName(), []FileSum{{Path: memfile.FileName, After: rec.ID}}
				order, acts[rec.ID] = append(order, rec.ID), rec
				if err := Begin(st, rec, false); err != nil {
					t.Fatal(err)
				}
			case n < 9:
				rec := acts[order[rnd.IntN(len(order))]]
				if rec.State == ActBegun || rec.State == ActWaits {
					rec.State, rec.Journalled = []string{ActWaits, ActDone, ActBack}[rnd.IntN(3)], rnd.IntN(2) == 0
					acts[rec.ID] = rec
					if err := End(st, rec); err != nil {
						t.Fatal(err)
					}
				}
			default:
				file, err := os.OpenFile(st.SharedState().Path(LedgerFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := file.WriteString(`{"id":"` + order[0] + `","state":"do`); err != nil {
					t.Fatal(err)
				}
				file.Close()
			}
		}
		list, err := readActs(b.Project())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, rec := range list {
			got = append(got, rec.ID)
			if want := acts[rec.ID]; rec.State != want.State || len(rec.Sums) != 1 || rec.Sums[0].After != rec.ID {
				t.Errorf("seed %d: %+v is not as logged: %s", seed, rec, want.State)
			}
		}
		want := slices.DeleteFunc(slices.Clone(order), func(id string) bool {
			return acts[id].State == ActBack || acts[id].State == ActDone && acts[id].Journalled
		})
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: acts %v, not %v", seed, got, want)
		}
		begun, waiting, err := OpenActs(b.Project())
		for s, open := range map[string][]ActRecord{ActBegun: begun, ActWaits: waiting} {
			want := slices.DeleteFunc(slices.Clone(order), func(id string) bool { return acts[id].State != s })
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
		if err := End(user, rec); err != nil {
			t.Fatal(err)
		}
		if acts, err := Acts(t.Context(), ss, All); err != nil || len(acts) != 1 {
			t.Errorf("acts %v, %v", acts, err)
		}
		dirs = append(dirs, ss.RepositoryState().Folder, ss.SessionsState().Folder)
	}
	const empty = "e3b0c44298fc1c149afbf4c8996fb924" // of no folder: a hash of ""
	if dirs[0] == dirs[2] || dirs[1] == dirs[3] || filepath.Base(dirs[0]) == empty {
		t.Errorf("shared: %q", dirs)
	}
}
