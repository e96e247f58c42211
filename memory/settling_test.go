package memory_test

import (
	"context"
	"errors"
	"github.com/memctl/memctl/tests/memorytest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/undo"
	"github.com/memctl/memctl/memory/reading/view"
)

// standing is the memory file as it stands, which must be sound.
func standing(b *memorytest.Bench) mDoc {
	b.T.Helper()
	f, problems := memfile.Parse(memfile.FileName, []byte(b.Memory()))
	if f == nil || len(problems) > 0 {
		b.T.Fatalf("not sound: %v\n%s", problems, b.Memory())
	}
	d, err := plainDoc(f.Document())
	if err != nil {
		b.T.Fatal(err)
	}
	return d
}

func TestTheNextWriteSettlesAKeyThatStandsTwice(t *testing.T) {
	old := memorytest.ItemText("a.b", "old words", "confidence: medium")
	newer := strings.Replace(memorytest.ItemText("a.b", "newer words", "confidence: medium"), "2026-01-01", "2026-02-01", 1)
	sure := memorytest.ItemText("a.b", "sure words")
	for name, tt := range map[string]struct {
		items []string
		act   string
		value string
		rival string // "" for none
		tags  []string
	}{
		"doubt: the later day wins":          {[]string{newer, old}, "doubt", "newer words", "old words", []string{"needs-confirmation"}},
		"lock: the later day wins":           {[]string{old, newer}, "lock", "newer words", "old words", []string{"needs-confirmation"}},
		"lock: the higher confidence wins":   {[]string{newer, sure}, "lock", "sure words", "newer words", []string{"needs-confirmation"}},
		"lock: both high, so it is disputed": {[]string{sure, strings.Replace(sure, "sure", "also sure", 1)}, "lock", "also sure words", "sure words", nil},
		"confirm settles the conflict too":   {[]string{old, newer}, "confirm", "newer words", "", nil},
		"add states another value":           {[]string{old, newer}, "add", "prefer short answers", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, memorytest.FileOf(tt.items...))
			o := memorytest.From(memory.Explicit)
			o.Scope = store.Project
			if changed, err := writes()[tt.act](t.Context(), b.Open(), o); err != nil || !changed {
				t.Fatalf("changed %t, %v", changed, err)
			}
			it := standing(b).items["a.b"]
			rival := ""
			if len(it.conflict) == 1 {
				rival = it.conflict[0].v.Text
			}
			if it.v.Text != tt.value || rival != tt.rival || len(it.conflict) > 1 || !slices.Equal(it.tags, tt.tags) {
				t.Errorf("%s", it.line("a.b"))
			}
		})
	}
}

func TestAnItemThatATombstoneCovers(t *testing.T) {
	covered := strings.Replace(memorytest.FileOf(memorytest.ItemText("a.b", "one")), "deletions: []", "deletions:\n  - key: a.b\n    removed: 2026-01-01\n    reason: merged", 1)
	for name, tt := range map[string]struct {
		do         func(context.Context, *memorytest.Bench) (memory.Write, error)
		verdict    string
		item, tomb bool
	}{
		"a person adds it again": {func(ctx context.Context, b *memorytest.Bench) (memory.Write, error) {
			return b.Add(memory.Explicit, "a.b", "two words"), nil
		}, "accept", true, false},
		"a person confirms it": {func(ctx context.Context, b *memorytest.Bench) (memory.Write, error) {
			return memory.First(edit.Confirm(ctx, b.Open(), edit.ConfirmRequest{Options: memorytest.From(memory.Explicit), Keys: []string{"a.b"}}))
		}, "accept", true, false},
		"a person forgets it": {func(ctx context.Context, b *memorytest.Bench) (memory.Write, error) {
			return memory.First(edit.Forget(ctx, b.Open(), edit.ForgetRequest{Options: memorytest.From(memory.Explicit), Targets: []string{"a.b"}}))
		}, "accept", false, true},
		"an agent adds it again": {func(ctx context.Context, b *memorytest.Bench) (memory.Write, error) {
			return b.Add(memory.Automatic, "a.b", "one"), nil
		}, "refuse", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, covered)
			m, err := contents.Readable(t.Context(), b.Open(), store.Project)
			if err != nil || !slices.Contains(m[0].Find("a.b").Withheld, "forgotten") {
				t.Fatalf("%v: it is not withheld: %+v", err, m)
			}
			w, err := tt.do(t.Context(), b)
			if err != nil || w.Verdict != tt.verdict {
				t.Fatalf("%v, %+v", err, w)
			}
			if item, tomb := strings.Contains(b.Memory(), "value:"), strings.Contains(b.Memory(), "removed:"); item != tt.item || tomb != tt.tomb {
				t.Errorf("item %t, tombstone %t\n%s", item, tomb, b.Memory())
			}
		})
	}
}

func TestUndoIsOfThisWorktree(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	b.Add(memory.Explicit, "a.b", "prefer short answers")
	other := &memorytest.Bench{T: t, Root: filepath.Join(filepath.Dir(b.Root), "other"), Env: b.Env, Now: b.Now}
	b.Git("worktree", "add", "-q", "-b", "side", other.Root)
	var none *fault.Error
	if _, err := undo.Undo(t.Context(), other.Open(), undo.UndoRequest{Options: memorytest.From(memory.Explicit)}); !errors.As(err, &none) || none.Code != "nothing-to-undo" {
		t.Errorf("got %v", err)
	}
	other.Add(memory.Explicit, "c.d", "prefer long answers")
	w, err := memory.First(undo.Undo(t.Context(), b.Open(), undo.UndoRequest{Options: memorytest.From(memory.Explicit)}))
	if err != nil || w.Key != "a.b" || w.Commit == nil || !strings.Contains(other.Memory(), "c.d") {
		t.Errorf("%v, %+v", err, w)
	}
}

func TestUndoLosesNothingNewer(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	b.Add(memory.Explicit, "a.b", "prefer short answers")
	b.Write(memfile.FileName, strings.Replace(b.Memory(), "prefer short answers", "edited by hand", 1))
	w, err := memory.First(undo.Undo(t.Context(), b.Open(), undo.UndoRequest{Options: memorytest.From(memory.Explicit)}))
	if err != nil || w.Verdict != "refuse" || w.Findings[0].Rule != "changed-since" || !strings.Contains(b.Memory(), "edited by hand") {
		t.Errorf("%v, %+v\n%s", err, w, b.Memory())
	}
}

func TestRestoreOfARevision(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	first := b.Add(memory.Explicit, "a.b", "prefer short answers")
	b.Add(memory.Explicit, "a.b", "prefer long answers")
	b.Add(memory.Explicit, "a.b", "prefer no answers")
	for rev, want := range map[string]string{"": "prefer long answers", *first.Commit: "prefer short answers", "HEAD~1": "prefer long answers"} {
		o := memorytest.From(memory.Explicit)
		w, err := undo.Restore(t.Context(), b.Open().Trial(), undo.RestoreRequest{Options: o, Key: "a.b", Rev: rev})
		if err != nil || !w.Changed || !strings.Contains(w.Diff, "+      value: "+want) {
			t.Errorf("%q: %v, %+v", rev, err, w)
		}
	}
}

func TestLogNamesTheSourceOfTheAct(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	b.Add(memory.Automatic, "a.b", "prefer short answers")
	if _, err := edit.Confirm(t.Context(), b.Open(), edit.ConfirmRequest{Options: memorytest.From(memory.Explicit), Keys: []string{"a.b"}}); err != nil {
		t.Fatal(err)
	}
	res, err := view.Log(t.Context(), b.Open(), contents.Person, view.LogRequest{Key: "a.b"})
	if err != nil || len(res.Changes) != 2 || res.Changes[0].Source != "" || res.Changes[1].Source == "" {
		t.Errorf("%v, %+v", err, res.Changes)
	}
}
