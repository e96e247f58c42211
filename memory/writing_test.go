package memory_test

import (
	"context"
	"errors"
	"github.com/memctl/memctl/tests/memorytest"
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/review"
	"github.com/memctl/memctl/memory/acts/undo"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/memory/setup"
)

// writes are all the acts that write, about the key a.b in the project.
func writes() map[string]func(context.Context, *store.Stores, memory.Options) (bool, error) {
	any := func(list []memory.Write, err error) (bool, error) {
		for _, w := range list {
			if w.Changed {
				return true, err
			}
		}
		return false, err
	}
	one := func(w memory.Write, err error) (bool, error) { return w.Changed, err }
	value := memfile.Str("prefer short answers")
	return map[string]func(context.Context, *store.Stores, memory.Options) (bool, error){
		"add": func(ctx context.Context, ss *store.Stores, o memory.Options) (bool, error) {
			return one(edit.Add(ctx, ss, edit.Request{Options: o, Key: "a.b", Value: value}))
		},
		"confirm": func(ctx context.Context, ss *store.Stores, o memory.Options) (bool, error) {
			return any(edit.Confirm(ctx, ss, edit.ConfirmRequest{Options: o, Keys: []string{"a.b"}}))
		},
		"doubt": func(ctx context.Context, ss *store.Stores, o memory.Options) (bool, error) {
			return any(edit.Doubt(ctx, ss, edit.KeysRequest{Options: o, Keys: []string{"a.b"}}))
		},
		"lock": func(ctx context.Context, ss *store.Stores, o memory.Options) (bool, error) {
			return any(edit.Lock(ctx, ss, edit.KeysRequest{Options: o, Keys: []string{"a.b"}}))
		},
		"unlock": func(ctx context.Context, ss *store.Stores, o memory.Options) (bool, error) {
			return any(edit.Unlock(ctx, ss, edit.KeysRequest{Options: o, Keys: []string{"a.b"}}))
		},
		"forget": func(ctx context.Context, ss *store.Stores, o memory.Options) (bool, error) {
			return any(edit.Forget(ctx, ss, edit.ForgetRequest{Options: o, Targets: []string{"a.b"}}))
		},
		"disable": func(ctx context.Context, ss *store.Stores, o memory.Options) (bool, error) {
			return one(setup.SetSetting(ctx, ss, setup.SettingRequest{Options: o, Name: "enabled"}))
		},
		"announce off": func(ctx context.Context, ss *store.Stores, o memory.Options) (bool, error) {
			return one(setup.SetSetting(ctx, ss, setup.SettingRequest{Options: o, Name: "announce_writes"}))
		},
		"undo": func(ctx context.Context, ss *store.Stores, o memory.Options) (bool, error) {
			return any(undo.Undo(ctx, ss, undo.UndoRequest{Options: o}))
		},
		"restore": func(ctx context.Context, ss *store.Stores, o memory.Options) (bool, error) {
			return one(undo.Restore(ctx, ss, undo.RestoreRequest{Options: o, Key: "a.b"}))
		},
		"review": func(ctx context.Context, ss *store.Stores, o memory.Options) (bool, error) {
			return one(review.Decide(ctx, ss, review.Decision{Options: o, Waiting: view.Waiting{Key: "a.b", Scope: store.Project, Choices: []view.Choice{{Act: view.ActEdit}}}, Action: "edit", Value: &value}))
		},
		"init": func(ctx context.Context, ss *store.Stores, o memory.Options) (bool, error) {
			r, err := setup.Init(ctx, ss, setup.InitRequest{Options: o})
			return r.Created, err
		},
	}
}

func TestNoActTouchesAFileThatIsNotOurs(t *testing.T) {
	later := strings.Replace(memorytest.FileOf(memorytest.ItemText("a.b", "one")), "version: 1", "version: 7", 1)
	for name, page := range map[string]string{"somebody's page": "# Holidays\n\n- key: a.b\n", "a later version": later} {
		for act, do := range writes() {
			for _, kind := range []string{memory.Explicit, memory.Relayed, memory.Automatic} {
				t.Run(name+", "+act+", "+kind, func(t *testing.T) {
					b := memorytest.Repository(t, page)
					o := memorytest.From(kind)
					if act != "init" {
						o.Scope = store.Project
					}
					changed, err := do(t.Context(), b.Open(), o)
					if changed || b.Memory() != page || b.Git("rev-list", "--count", "--all") != "1" || b.Git("status", "--porcelain") != "" {
						t.Errorf("changed %t, %v; the file is\n%s", changed, err, b.Memory())
					}
				})
			}
		}
	}
}

func TestADryRunOfAnActWritesNothing(t *testing.T) {
	page := memorytest.FileOf(memorytest.ItemText("a.b", "one"))
	for act, do := range writes() {
		t.Run(act, func(t *testing.T) {
			b := memorytest.Repository(t, page)
			o := memorytest.From(memory.Explicit)
			if act == "undo" {
				b.Add(memory.Explicit, "c.d", "prefer long answers")
			}
			before, commits := b.Memory(), b.Git("rev-list", "--count", "--all")
			if _, err := do(t.Context(), b.Open().Trial(), o); err != nil {
				t.Fatal(err)
			}
			if b.Memory() != before || b.Git("rev-list", "--count", "--all") != commits || b.Git("status", "--porcelain") != "" {
				t.Errorf("it wrote\n%s", b.Memory())
			}
		})
	}
}

func TestDuringAMergeAnAutomaticAddWaitsInTheQueue(t *testing.T) {
	b := memorytest.Repository(t, memorytest.FileOf(memorytest.ItemText("x.y", "one")))
	b.Git("switch", "-q", "-c", "side")
	b.Write("side.txt", "side\n")
	b.Git("add", "side.txt")
	b.Git("commit", "-q", "-m", "side")
	b.Git("switch", "-q", "main")
	b.Git("merge", "-q", "--no-commit", "--no-ff", "side")
	before := b.Memory()
	if w := b.Add(memory.Automatic, "a.b", "prefer short answers"); w.Verdict != "hold" || w.Why != gitops.WhyMerge || w.Changed || b.Memory() != before {
		t.Fatalf("%+v\n%s", w, b.Memory())
	}
	if w := b.Add(memory.Explicit, "c.d", "prefer long answers"); w.Verdict != "accept" || w.Why != gitops.WhyMerge || !w.Changed || w.Commit != nil || len(w.Notes) == 0 {
		t.Fatalf("%+v", w)
	}
	if list := b.Waiting(); len(list) != 1 || list[0].Key != "a.b" || list[0].Why != "deferred: "+gitops.WhyMerge {
		t.Fatalf("what waits: %+v", list)
	}
	b.Git("commit", "-q", "-m", "merged")
	if notes := review.BringIn(t.Context(), b.Open(), memorytest.From(memory.Explicit)); !strings.Contains(strings.Join(fault.Texts(notes), "\n"), "committed pending writes: a.b") {
		t.Fatal(notes)
	}
	if w := b.Add(memory.Explicit, "e.f", "prefer no answers"); w.Commit == nil {
		t.Fatalf("%+v", w)
	}
	if got := b.Git("log", "-3", "--format=%s"); got != "memory: add e.f\nmemory: add a.b\nmemory: add c.d" {
		t.Errorf("commits\n%s", got)
	}
	list := b.Waiting()
	if len(list) != 1 || list[0].Key != "a.b" || strings.HasPrefix(list[0].Why, "deferred") {
		t.Fatalf("what waits: %+v", list)
	}
	w, err := review.Decide(t.Context(), b.Open(), review.Decision{Options: memorytest.From(memory.Explicit), Waiting: list[0], Action: "keep"})
	if err != nil || w.Commit == nil || len(b.Waiting()) != 0 || !strings.Contains(b.Memory(), "key: a.b") {
		t.Errorf("%v, %+v\n%s", err, w, b.Memory())
	}
}

func TestARefusalChangesNothing(t *testing.T) {
	twice := memorytest.FileOf(memorytest.ItemText("a.b", "one"), memorytest.ItemText("a.b", "two", "locked: true"))
	forgotten := strings.Replace(memorytest.FileOf(memorytest.ItemText("a.b", "one")), "deletions: []", "deletions:\n  - key: a.b\n    removed: 2026-02-01\n    reason: test", 1)
	secret := memfile.Str("AKIA" + "Q3EGRHVJQ5W7T2XZ")
	for name, tt := range map[string]struct {
		memory string
		do     func(context.Context, *store.Stores) (memory.Write, error)
		rule   string
	}{
		"a forget of what is locked and stands twice": {twice, func(ctx context.Context, ss *store.Stores) (memory.Write, error) {
			return memory.First(edit.Forget(ctx, ss, edit.ForgetRequest{Options: memorytest.From(memory.Relayed), Targets: []string{"a.b"}}))
		}, "locked"},
		"a doubt about what is locked and stands twice": {twice, func(ctx context.Context, ss *store.Stores) (memory.Write, error) {
			return memory.First(edit.Doubt(ctx, ss, edit.KeysRequest{Options: memorytest.From(memory.Relayed), Keys: []string{"a.b"}}))
		}, "locked"},
		"an edit in review that is a secret": {forgotten, func(ctx context.Context, ss *store.Stores) (memory.Write, error) {
			return review.Decide(ctx, ss, review.Decision{Options: memorytest.From(memory.Explicit), Waiting: view.Waiting{Key: "a.b", Scope: store.Project, Choices: []view.Choice{{Act: view.ActEdit}}}, Action: "edit", Value: &secret})
		}, "secret"},
		"an add of a secret where it was forgotten": {forgotten, func(ctx context.Context, ss *store.Stores) (memory.Write, error) {
			return edit.Add(ctx, ss, edit.Request{Options: memorytest.From(memory.Explicit), Key: "a.b", Value: secret})
		}, "secret"},
	} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, tt.memory)
			w, err := tt.do(t.Context(), b.Open())
			if err != nil || w.Verdict != "refuse" || w.Findings[0].Rule != tt.rule || w.Changed {
				t.Errorf("%v, %+v; want a refusal by %s", err, w, tt.rule)
			}
			if b.Memory() != tt.memory || b.Git("rev-list", "--count", "--all") != "1" {
				t.Errorf("the file is\n%s", b.Memory())
			}
		})
	}
}

func TestUndoOfOneForgetLiftsNoOtherTombstone(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	b.Add(memory.Explicit, "a.b", "prefer short answers")
	forget := func() string {
		w, err := memory.First(edit.Forget(t.Context(), b.Open(), edit.ForgetRequest{Options: memorytest.From(memory.Explicit), Targets: []string{"a.b"}}))
		if err != nil || w.Commit == nil {
			t.Fatalf("%v, %+v", err, w)
		}
		return *w.Commit
	}
	old := forget()
	b.Add(memory.Explicit, "a.b", "prefer long answers")
	b.Now = b.Now.AddDate(0, 0, 1)
	forget()
	before := b.Memory()
	w, err := memory.First(undo.Undo(t.Context(), b.Open(), undo.UndoRequest{Options: memorytest.From(memory.Explicit), Commit: old}))
	if err != nil || w.Verdict != "refuse" || w.Findings[0].Rule != "changed-since" || b.Memory() != before {
		t.Errorf("%v, %+v\n%s", err, w, b.Memory())
	}
}

func TestUndoOfAForgetIsAPersons(t *testing.T) {
	b := memorytest.Repository(t, memorytest.FileOf(memorytest.ItemText("a.b", "one", "locked: true")))
	before := b.Memory()
	if _, err := edit.Forget(t.Context(), b.Open(), edit.ForgetRequest{Options: memorytest.From(memory.Explicit), Targets: []string{"a.b"}}); err != nil {
		t.Fatal(err)
	}
	forgotten := b.Memory()
	for _, kind := range []string{memory.Relayed, memory.Automatic} {
		w, err := memory.First(undo.Undo(t.Context(), b.Open(), undo.UndoRequest{Options: memorytest.From(kind)}))
		if err != nil || w.Verdict != "refuse" || w.Findings[0].Rule != "explicit-only" || b.Memory() != forgotten {
			t.Errorf("%s: %v, %+v", kind, err, w)
		}
	}
	w, err := memory.First(undo.Undo(t.Context(), b.Open(), undo.UndoRequest{Options: memorytest.From(memory.Explicit)}))
	if want := strings.Replace(before, "1970-01-01", "2026-03-01", 1); err != nil || w.Commit == nil || b.Memory() != want {
		t.Errorf("%v, %+v\n%s", err, w, b.Memory())
	}
	var none *fault.Error
	if _, err := undo.Undo(t.Context(), b.Open(), undo.UndoRequest{Options: memorytest.From(memory.Explicit)}); !errors.As(err, &none) || none.Code != "nothing-to-undo" {
		t.Errorf("it was taken back twice: %v", err)
	}
}

func TestUndoByAnAgent(t *testing.T) {
	confirm := writes()["confirm"]
	disable := writes()["disable"]
	tests := map[string]struct {
		by     string // who did what is to be taken back
		act    func(context.Context, *store.Stores, memory.Options) (bool, error)
		origin string
		done   bool
	}{
		"relayed, of a person's":          {memory.Explicit, writes()["add"], memory.Relayed, false},
		"relayed, of a person's confirm":  {memory.Explicit, confirm, memory.Relayed, false},
		"relayed, of a person's switch":   {memory.Explicit, disable, memory.Relayed, false},
		"relayed, of its own":             {memory.Relayed, writes()["add"], memory.Relayed, true},
		"relayed, of an automatic one":    {memory.Automatic, writes()["add"], memory.Relayed, true},
		"automatic, of a person's":        {memory.Explicit, writes()["add"], memory.Automatic, false},
		"automatic, of a relayed one":     {memory.Relayed, writes()["add"], memory.Automatic, false},
		"automatic, of its own":           {memory.Automatic, writes()["add"], memory.Automatic, true},
		"a person's, of their own switch": {memory.Explicit, disable, memory.Explicit, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, memfile.Template)
			if name == "relayed, of a person's confirm" {
				b.Add(memory.Automatic, "a.b", "prefer short answers")
			}
			o := memorytest.From(test.by)
			o.Scope = store.Project
			if changed, err := test.act(t.Context(), b.Open(), o); err != nil || !changed {
				t.Fatal(changed, err)
			}
			for _, commit := range []string{b.Git("rev-parse", "HEAD"), ""} {
				before := b.Memory()
				w, err := memory.First(undo.Undo(t.Context(), b.Open(), undo.UndoRequest{Options: memorytest.From(test.origin), Commit: commit}))
				if err != nil {
					t.Fatal(err)
				}
				if test.done {
					if !w.Changed {
						t.Errorf("not taken back: %+v", w)
					}
					return
				}
				if w.Verdict != "refuse" || w.Findings[0].Rule != memory.RuleExplicitOnly || b.Memory() != before {
					t.Errorf("%+v", w)
				}
			}
		})
	}
}
