package edit_test

import (
	"github.com/memctl/memctl/tests/memorytest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/policy"
)

// whereIs lists the scopes that hold the key, in order of precedence.
func whereIs(b *memorytest.Bench, key string) string {
	b.T.Helper()
	list, err := memory.Holders(b.T.Context(), b.Open(), key, "", memory.HasItem)
	if err != nil {
		b.T.Fatal(err)
	}
	var names []string
	for _, st := range list {
		names = append(names, st.Scope)
	}
	return strings.Join(names, " ")
}

func addTo(b *memorytest.Bench, scope, key, value string) {
	b.T.Helper()
	addFrom(b, memorytest.From(memory.Explicit), scope, key, value)
}

func relay(b *memorytest.Bench, scope, key, value string) {
	b.T.Helper()
	addFrom(b, memorytest.From(memory.Relayed), scope, key, value)
}

func addFrom(b *memorytest.Bench, o memory.Options, scope, key, value string) {
	b.T.Helper()
	o.Scope = scope
	if w, err := edit.Add(b.T.Context(), b.Open(), edit.Request{Options: o, Key: key, Value: memfile.Str(value)}); err != nil || !w.Changed {
		b.T.Fatalf("%+v, %v", w, err)
	}
}

func TestMove(t *testing.T) {
	for name, tt := range map[string]struct {
		before  func(*memorytest.Bench)
		kind    string
		key, to string
		scope   string // where it is said to be now
		rule    string // of the refusal; "" for none
		where   string // it stands afterwards
	}{
		"from the project to the user":      {nil, memory.Explicit, "a.b", store.User, "", "", "user"},
		"to a private store, which is made": {nil, memory.Explicit, "a.b", store.Private, "", "", "private"},
		"from the user to the project":      {nil, memory.Explicit, "u.v", store.Project, "", "", "project"},
		"where it is already":               {nil, memory.Explicit, "a.b", store.Project, "", "", "project"},
		"a key that is not there":           {nil, memory.Explicit, "x.y", store.User, "", "not-found", ""},
		"relayed, to the project":           {nil, memory.Relayed, "u.v", store.Project, "", "explicit-only", "user"},
		"automatic, to the project":         {nil, memory.Automatic, "u.v", store.Project, "", "explicit-only", "user"},
		"relayed, what a person stated":     {nil, memory.Relayed, "a.b", store.User, "", "explicit-only", "project"},
		"relayed, what an agent said":       {func(b *memorytest.Bench) { b.Add(memory.Relayed, "e.f", "use calm words") }, memory.Relayed, "e.f", store.User, "", "", "user"},
		"automatic, to every repository":    {func(b *memorytest.Bench) { b.Add(memory.Automatic, "e.f", "use calm words") }, memory.Automatic, "e.f", store.User, "", "explicit-only", "project"},
		"relayed, out of an untrusted repository": {func(b *memorytest.Bench) {
			relay(b, store.Project, "e.f", "use calm words")
			b.Git("config", "memctl.trust", "false")
		}, memory.Relayed, "e.f", store.User, "", "explicit-only", "project"},
		"automatic, what a person stated":       {nil, memory.Automatic, "a.b", store.User, "", "explicit-only", "project"},
		"relayed, what is locked":               {func(b *memorytest.Bench) { lock(b, "a.b") }, memory.Relayed, "a.b", store.User, "", "locked", "project"},
		"what is locked, by a person":           {func(b *memorytest.Bench) { lock(b, "a.b") }, memory.Explicit, "a.b", store.User, "", "", "user"},
		"about the person, to the project":      {func(b *memorytest.Bench) { b.Add(memory.Explicit, "user.lang", "English") }, memory.Explicit, "user.lang", store.Project, "", "scope", "user"},
		"another value there":                   {func(b *memorytest.Bench) { addTo(b, store.User, "a.b", "another way") }, memory.Explicit, "a.b", store.User, store.Project, "ambiguous", "project user"},
		"the same value there: the move's rest": {func(b *memorytest.Bench) { addTo(b, store.User, "a.b", "prefer calm words") }, memory.Explicit, "a.b", store.User, "", "", "user"},
		"in two scopes beside the target": {func(b *memorytest.Bench) {
			addTo(b, store.User, "a.b", "prefer calm words")
		}, memory.Explicit, "a.b", store.Private, "", "ambiguous", "project user"},
		"in two scopes, one named": {func(b *memorytest.Bench) {
			addTo(b, store.User, "a.b", "prefer calm words")
		}, memory.Explicit, "a.b", store.Private, store.User, "", "private project"},
		"forgotten there": {func(b *memorytest.Bench) {
			addTo(b, store.User, "a.b", "once")
			forgetIn(b, store.User, "a.b")
		}, memory.Explicit, "a.b", store.User, "", "forgotten", "project"},
	} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, memorytest.FileOf(memorytest.ItemText("a.b", "prefer calm words", "tags: [style]", "owner: me")))
			b.Git("config", "memctl.trust", "true")
			b.Add(memory.Explicit, "c.d", "stays in the project")
			addTo(b, store.User, "u.v", "learned here")
			if tt.before != nil {
				tt.before(b)
			}
			o := memorytest.From(tt.kind)
			o.Scope = tt.scope
			list, err := edit.Move(t.Context(), b.Open(), edit.MoveRequest{Options: o, Keys: []string{tt.key}, To: tt.to})
			if err != nil || len(list) != 1 {
				t.Fatalf("%+v, %v", list, err)
			}
			rule := ""
			if list[0].Verdict == policy.Refuse.String() {
				rule = list[0].Findings[0].Rule
			}
			if rule != tt.rule || whereIs(b, tt.key) != tt.where {
				t.Errorf("refused by %q and stands in %q, want %q and %q: %+v", rule, whereIs(b, tt.key), tt.rule, tt.where, list[0])
			}
			if b.Git("status", "--porcelain") != "" {
				t.Error("the tree is not clean")
			}
			if whereIs(b, "c.d") != "project" {
				t.Error("another item moved too")
			}
		})
	}
}

func lock(b *memorytest.Bench, key string) {
	b.T.Helper()
	if _, err := edit.Lock(b.T.Context(), b.Open(), edit.KeysRequest{Options: memorytest.From(memory.Explicit), Keys: []string{key}}); err != nil {
		b.T.Fatal(err)
	}
}

func forgetIn(b *memorytest.Bench, scope, key string) {
	b.T.Helper()
	o := memorytest.From(memory.Explicit)
	o.Scope = scope
	if _, err := edit.Forget(b.T.Context(), b.Open(), edit.ForgetRequest{Options: o, Targets: []string{key}}); err != nil {
		b.T.Fatal(err)
	}
}

// TestMoveKeepsTheItem: fields, ours and others', come along; the source has
// no tombstone, and each store one commit.
func TestMoveKeepsTheItem(t *testing.T) {
	b := memorytest.Repository(t, memorytest.FileOf(memorytest.ItemText("a.b", "prefer calm words", "tags: [style]", "pinned: true", "expires: 2030-01-01", "owner: me", "by: automatic")))
	before := item(b, "a.b")
	commits := b.Git("rev-list", "--count", "HEAD")
	list, err := edit.Move(t.Context(), b.Open(), edit.MoveRequest{Options: memorytest.From(memory.Explicit), Keys: []string{"a.b"}, To: store.User})
	if err != nil || list[0].Commit == nil || list[0].Scope != store.User {
		t.Fatalf("%+v, %v", list, err)
	}
	after := item(b, "a.b")
	before.Line, before.Column, after.Line, after.Column = 0, 0, 0, 0
	if !reflect.DeepEqual(before, after) {
		t.Errorf("it was\n%+v\nand is\n%+v", before, after)
	}
	if strings.Contains(b.Memory(), "a.b") || !strings.Contains(b.Memory(), "deletions: []") {
		t.Errorf("left in the source:\n%s", b.Memory())
	}
	if b.Git("rev-list", "--count", "HEAD") == commits || b.Git("log", "-1", "--format=%s") != "memory: move a.b" {
		t.Errorf("the source's commit is %q", b.Git("log", "-1", "--format=%s"))
	}
	b.Add(memory.Automatic, "a.b", "another signal")
	if w := b.Add(memory.Explicit, "a.b", "prefer calm words"); w.Verdict != policy.Accept.String() {
		t.Errorf("what was moved away counts as forgotten: %+v", w)
	}
}

func item(b *memorytest.Bench, key string) memfile.Item {
	b.T.Helper()
	memories, err := contents.Readable(b.T.Context(), b.Open(), "")
	if err != nil {
		b.T.Fatal(err)
	}
	for _, m := range memories {
		if it := m.Find(key); it != nil {
			return it.Item
		}
	}
	b.T.Fatalf("no item %q", key)
	return memfile.Item{}
}

// TestMoveCutShort: when the source cannot be changed the item stands in both,
// the answer says so, and the same command ends the move.
func TestMoveCutShort(t *testing.T) {
	b := memorytest.Repository(t, memorytest.FileOf(memorytest.ItemText("a.b", "prefer calm words")))
	b.Add(memory.Explicit, "c.d", "one more")
	o := edit.MoveRequest{Options: memorytest.From(memory.Explicit), Keys: []string{"a.b"}, To: store.User}
	writable := readOnly(b)
	list, err := edit.Move(t.Context(), b.Open(), o)
	writable()
	if err != nil || len(list) != 1 || !strings.Contains(strings.Join(fault.Texts(list[0].Notes), " "), "it is still in project") || whereIs(b, "a.b") != "project user" {
		t.Fatalf("%+v, %v; it stands in %q", list, err, whereIs(b, "a.b"))
	}
	if _, err := edit.Move(t.Context(), b.Open(), o); err != nil || whereIs(b, "a.b") != "user" {
		t.Errorf("%v; it stands in %q", err, whereIs(b, "a.b"))
	}
}

// readOnly makes the project's memory file one that is not replaced, until the
// function that it returns is called.
func readOnly(b *memorytest.Bench) func() {
	b.T.Helper()
	file := filepath.Join(b.Root, memfile.FileName)
	if err := os.Chmod(file, 0o444); err != nil {
		b.T.Fatal(err)
	}
	return func() { _ = os.Chmod(file, 0o644) }
}

func TestMoveDryRun(t *testing.T) {
	b := memorytest.Repository(t, memorytest.FileOf(memorytest.ItemText("a.b", "prefer calm words")))
	before := b.Memory()
	o := memorytest.From(memory.Explicit)
	list, err := edit.Move(t.Context(), b.Open().Trial(), edit.MoveRequest{Options: o, Keys: []string{"a.b"}, To: store.Private})
	if err != nil || !strings.Contains(list[0].Diff, "+    - key: a.b") || !strings.Contains(list[0].Diff, "-    - key: a.b") {
		t.Fatalf("%+v, %v", list, err)
	}
	if b.Memory() != before || whereIs(b, "a.b") != "project" {
		t.Error("a preview changed something")
	}
}
