package memory_test

import (
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
func (b *bench) whereIs(key string) string {
	b.t.Helper()
	list, err := memory.Holders(b.t.Context(), b.open(), key, "", memory.HasItem)
	if err != nil {
		b.t.Fatal(err)
	}
	var names []string
	for _, st := range list {
		names = append(names, st.Scope)
	}
	return strings.Join(names, " ")
}

func (b *bench) addTo(scope, key, value string) {
	b.t.Helper()
	b.addFrom(from(memory.Explicit), scope, key, value)
}

func (b *bench) relay(scope, key, value string) {
	b.t.Helper()
	b.addFrom(from(memory.Relayed), scope, key, value)
}

func (b *bench) addFrom(o memory.Options, scope, key, value string) {
	b.t.Helper()
	o.Scope = scope
	if w, err := edit.Add(b.t.Context(), b.open(), edit.Request{Options: o, Key: key, Value: memfile.Str(value)}); err != nil || !w.Changed {
		b.t.Fatalf("%+v, %v", w, err)
	}
}

func TestMove(t *testing.T) {
	for name, tt := range map[string]struct {
		before  func(*bench)
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
		"relayed, what an agent said":       {func(b *bench) { b.add(memory.Relayed, "e.f", "use calm words") }, memory.Relayed, "e.f", store.User, "", "", "user"},
		"automatic, to every repository":    {func(b *bench) { b.add(memory.Automatic, "e.f", "use calm words") }, memory.Automatic, "e.f", store.User, "", "explicit-only", "project"},
		"relayed, out of an untrusted repository": {func(b *bench) {
			b.relay(store.Project, "e.f", "use calm words")
			b.git("config", "memctl.trust", "false")
		}, memory.Relayed, "e.f", store.User, "", "explicit-only", "project"},
		"automatic, what a person stated":       {nil, memory.Automatic, "a.b", store.User, "", "explicit-only", "project"},
		"relayed, what is locked":               {func(b *bench) { b.lock("a.b") }, memory.Relayed, "a.b", store.User, "", "locked", "project"},
		"what is locked, by a person":           {func(b *bench) { b.lock("a.b") }, memory.Explicit, "a.b", store.User, "", "", "user"},
		"about the person, to the project":      {func(b *bench) { b.add(memory.Explicit, "user.lang", "English") }, memory.Explicit, "user.lang", store.Project, "", "scope", "user"},
		"another value there":                   {func(b *bench) { b.addTo(store.User, "a.b", "another way") }, memory.Explicit, "a.b", store.User, store.Project, "ambiguous", "project user"},
		"the same value there: the move's rest": {func(b *bench) { b.addTo(store.User, "a.b", "prefer calm words") }, memory.Explicit, "a.b", store.User, "", "", "user"},
		"in two scopes beside the target": {func(b *bench) {
			b.addTo(store.User, "a.b", "prefer calm words")
		}, memory.Explicit, "a.b", store.Private, "", "ambiguous", "project user"},
		"in two scopes, one named": {func(b *bench) {
			b.addTo(store.User, "a.b", "prefer calm words")
		}, memory.Explicit, "a.b", store.Private, store.User, "", "private project"},
		"forgotten there": {func(b *bench) {
			b.addTo(store.User, "a.b", "once")
			b.forgetIn(store.User, "a.b")
		}, memory.Explicit, "a.b", store.User, "", "forgotten", "project"},
	} {
		t.Run(name, func(t *testing.T) {
			b := repository(t, fileOf(itemText("a.b", "prefer calm words", "tags: [style]", "owner: me")))
			b.git("config", "memctl.trust", "true")
			b.add(memory.Explicit, "c.d", "stays in the project")
			b.addTo(store.User, "u.v", "learned here")
			if tt.before != nil {
				tt.before(b)
			}
			o := from(tt.kind)
			o.Scope = tt.scope
			list, err := edit.Move(t.Context(), b.open(), edit.MoveRequest{Options: o, Keys: []string{tt.key}, To: tt.to})
			if err != nil || len(list) != 1 {
				t.Fatalf("%+v, %v", list, err)
			}
			rule := ""
			if list[0].Verdict == policy.Refuse.String() {
				rule = list[0].Findings[0].Rule
			}
			if rule != tt.rule || b.whereIs(tt.key) != tt.where {
				t.Errorf("refused by %q and stands in %q, want %q and %q: %+v", rule, b.whereIs(tt.key), tt.rule, tt.where, list[0])
			}
			if b.git("status", "--porcelain") != "" {
				t.Error("the tree is not clean")
			}
			if b.whereIs("c.d") != "project" {
				t.Error("another item moved too")
			}
		})
	}
}

func (b *bench) lock(key string) {
	b.t.Helper()
	if _, err := edit.Lock(b.t.Context(), b.open(), edit.KeysRequest{Options: from(memory.Explicit), Keys: []string{key}}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) forgetIn(scope, key string) {
	b.t.Helper()
	o := from(memory.Explicit)
	o.Scope = scope
	if _, err := edit.Forget(b.t.Context(), b.open(), edit.ForgetRequest{Options: o, Targets: []string{key}}); err != nil {
		b.t.Fatal(err)
	}
}

// TestMoveKeepsTheItem: fields, ours and others', come along; the source has
// no tombstone, and each store one commit.
func TestMoveKeepsTheItem(t *testing.T) {
	b := repository(t, fileOf(itemText("a.b", "prefer calm words", "tags: [style]", "pinned: true", "expires: 2030-01-01", "owner: me", "by: automatic")))
	before := b.item("a.b")
	commits := b.git("rev-list", "--count", "HEAD")
	list, err := edit.Move(t.Context(), b.open(), edit.MoveRequest{Options: from(memory.Explicit), Keys: []string{"a.b"}, To: store.User})
	if err != nil || list[0].Commit == nil || list[0].Scope != store.User {
		t.Fatalf("%+v, %v", list, err)
	}
	after := b.item("a.b")
	before.Line, before.Column, after.Line, after.Column = 0, 0, 0, 0
	if !reflect.DeepEqual(before, after) {
		t.Errorf("it was\n%+v\nand is\n%+v", before, after)
	}
	if strings.Contains(b.memory(), "a.b") || !strings.Contains(b.memory(), "deletions: []") {
		t.Errorf("left in the source:\n%s", b.memory())
	}
	if b.git("rev-list", "--count", "HEAD") == commits || b.git("log", "-1", "--format=%s") != "memory: move a.b" {
		t.Errorf("the source's commit is %q", b.git("log", "-1", "--format=%s"))
	}
	b.add(memory.Automatic, "a.b", "another signal")
	if w := b.add(memory.Explicit, "a.b", "prefer calm words"); w.Verdict != policy.Accept.String() {
		t.Errorf("what was moved away counts as forgotten: %+v", w)
	}
}

func (b *bench) item(key string) memfile.Item {
	b.t.Helper()
	memories, err := contents.Readable(b.t.Context(), b.open(), "")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, m := range memories {
		if it := m.Find(key); it != nil {
			return it.Item
		}
	}
	b.t.Fatalf("no item %q", key)
	return memfile.Item{}
}

// TestMoveCutShort: when the source cannot be changed the item stands in both,
// the answer says so, and the same command ends the move.
func TestMoveCutShort(t *testing.T) {
	b := repository(t, fileOf(itemText("a.b", "prefer calm words")))
	b.add(memory.Explicit, "c.d", "one more")
	o := edit.MoveRequest{Options: from(memory.Explicit), Keys: []string{"a.b"}, To: store.User}
	writable := b.readOnly()
	list, err := edit.Move(t.Context(), b.open(), o)
	writable()
	if err != nil || len(list) != 1 || !strings.Contains(strings.Join(fault.Texts(list[0].Notes), " "), "it is still in project") || b.whereIs("a.b") != "project user" {
		t.Fatalf("%+v, %v; it stands in %q", list, err, b.whereIs("a.b"))
	}
	if _, err := edit.Move(t.Context(), b.open(), o); err != nil || b.whereIs("a.b") != "user" {
		t.Errorf("%v; it stands in %q", err, b.whereIs("a.b"))
	}
}

// readOnly makes the project's memory file one that is not replaced, until the
// function that it returns is called.
func (b *bench) readOnly() func() {
	b.t.Helper()
	file := filepath.Join(b.root, memfile.FileName)
	if err := os.Chmod(file, 0o444); err != nil {
		b.t.Fatal(err)
	}
	return func() { _ = os.Chmod(file, 0o644) }
}

func TestMoveDryRun(t *testing.T) {
	b := repository(t, fileOf(itemText("a.b", "prefer calm words")))
	before := b.memory()
	o := from(memory.Explicit)
	list, err := edit.Move(t.Context(), b.open().Trial(), edit.MoveRequest{Options: o, Keys: []string{"a.b"}, To: store.Private})
	if err != nil || !strings.Contains(list[0].Diff, "+    - key: a.b") || !strings.Contains(list[0].Diff, "-    - key: a.b") {
		t.Fatalf("%+v, %v", list, err)
	}
	if b.memory() != before || b.whereIs("a.b") != "project" {
		t.Error("a preview changed something")
	}
}
