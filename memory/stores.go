package memory

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// SessionStore is the store of the scope, or the session's own.
func SessionStore(ctx context.Context, ss *store.Stores, scope string) (*store.Store, error) {
	if scope != "" {
		return ss.Get(ctx, scope)
	}
	return ss.Session(ctx)
}

// StoresOf are the stores of all scopes, or of the one asked for.
func StoresOf(ctx context.Context, ss *store.Stores, scope string) ([]*store.Store, error) {
	scopes := ss.Scopes()
	if scope != "" {
		scopes = []string{scope}
	}
	var list []*store.Store
	for _, name := range scopes {
		st, err := ss.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		list = append(list, st)
	}
	return list, nil
}

// Forgotten reads the tombstones of all scopes.
func Forgotten(ctx context.Context, ss *store.Stores) (list []*contents.Forgotten, err error) {
	stores, err := StoresOf(ctx, ss, "")
	for _, st := range stores {
		f, failed := contents.ReadForgotten(ctx, st)
		list, err = append(list, f), cmp.Or(err, failed)
	}
	return list, err
}

// KeyWaits says of a key without an item that a write to it is pending.
const KeyWaits = "no item has this key yet; its write is waiting for review"

// InQueue reports whether a write to the key waits for review.
func InQueue(ctx context.Context, ss *store.Stores, key, scope string) (bool, error) {
	stores, err := StoresOf(ctx, ss, scope)
	if err != nil {
		return false, err
	}
	for _, st := range stores {
		queue, err := ledger.Queue(st)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(queue, func(w ledger.Waiting) bool { return w.Key == key }) {
			return true, nil
		}
	}
	return false, nil
}

// codeNoRepository is what history acts say outside a repository.
const codeNoRepository = "not-a-repository"

// OwnConversation is the conversation of a memory that names none.
func OwnConversation(scope string) string {
	if scope == store.User {
		return entry.GlobalConversation
	}
	return entry.ProjectConversation
}

// CreatesFile reports whether a first write makes the scope's memory file: the
// project's is made by init alone.
func CreatesFile(scope string) bool { return scope == store.User || scope == store.Private }

// Locate finds the one store that holds the key, by its exact text, else by
// its normal form. Several are a refusal that names the scopes.
func Locate(ctx context.Context, ss *store.Stores, key, scope string) (*store.Store, string, error) {
	normal, _ := memfile.NormalKey(key)
	for _, k := range slices.Compact([]string{key, normal}) {
		list, err := Holders(ctx, ss, k, scope, HasItem)
		if err != nil {
			return nil, key, err
		}
		if len(list) > 1 {
			list = applying(ctx, ss, list, k)
		}
		if len(list) == 1 {
			return list[0], k, nil
		}
		if len(list) > 1 {
			return nil, k, InSeveral(list)
		}
	}
	return nil, key, notFound(ctx, ss, key, scope)
}

// applying drops the stores whose item of the key is outranked by a person's item in
// another store. Several stores stay if each has a person's item.
func applying(ctx context.Context, ss *store.Stores, list []*store.Store, key string) []*store.Store {
	v := contents.NewView(ctx, ss, contents.Person)
	return slices.DeleteFunc(slices.Clone(list), func(st *store.Store) bool {
		m, err := v.Memory(st.Scope)
		if err != nil {
			return false
		}
		it := m.Find(key)
		return it != nil && it.Reasons()&contents.Outranked != 0
	})
}

// InSeveral refuses a key that several scopes hold.
func InSeveral(list []*store.Store) *Refusal {
	r := Refuse(RuleAmbiguous, "the key exists in several scopes")
	for _, st := range list {
		r.Hints = append(r.Hints, "--scope "+st.Scope)
	}
	return r
}

// notFound is the refusal for a key that is not there, with the nearest ones.
func notFound(ctx context.Context, ss *store.Stores, key, scope string) error {
	keys, err := AllKeys(ctx, ss, scope)
	if err != nil {
		return err
	}
	r := Refuse(RuleNotFound, "no item has this key", "memctl show")
	if waits, err := InQueue(ctx, ss, key, scope); err != nil {
		return err
	} else if waits {
		return Refuse(RuleNotFound, KeyWaits, ReviewHint)
	}
	for _, near := range Nearest(keys, key) {
		r.Findings[0].Message += "; did you mean " + policy.Inert(near) + "?"
		break
	}
	return r.OrMissingFile(ctx, ss, scope)
}

// AlreadyForgotten is the store that has the key's tombstone and no item.
func AlreadyForgotten(ctx context.Context, ss *store.Stores, key, scope string) (*store.Store, error) {
	list, err := Holders(ctx, ss, key, scope, func(m *contents.Memory, key string) bool {
		return contents.Tombstone(memfile.Document{Deletions: m.Deletions}, key) != nil
	})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// HistoryStores lists the stores with a history. Where the session's own
// memory is in no repository, that is the answer, unless a scope is named.
func HistoryStores(ctx context.Context, ss *store.Stores, scope string) ([]*store.Store, error) {
	if scope != "" {
		st, err := ss.Get(ctx, scope)
		if err != nil {
			return nil, err
		}
		if st.Repo == nil {
			return nil, NoHistory(ss, st)
		}
		return []*store.Store{st}, nil
	}
	own, err := ss.Session(ctx)
	if err == nil && own.Repo == nil {
		if m, err := contents.Read(ctx, own); err != nil || m.Exists || ss.IsSingleStore() {
			return nil, errors.Join(err, NoHistory(ss, own))
		}
	}
	list, err := StoresOf(ctx, ss, "")
	list = slices.DeleteFunc(list, func(st *store.Store) bool { return st.Repo == nil })
	if err == nil && len(list) == 0 {
		err = NoHistory(ss, own)
	}
	return list, err
}

// NoHistory is the answer about the history of a store without one; nil stands for the
// session's own where there is no project.
func NoHistory(ss *store.Stores, st *store.Store) error {
	dir := ss.Root()
	if st != nil {
		dir = st.Dir
	}
	if err := ss.Unusable(); err != nil && dir == ss.Root() {
		return err
	}
	return &fault.Error{Code: codeNoRepository, Status: 1, Cause: Quoted(dir) + " is not a git repository, so memory has no history here", Hints: []string{"git init"}}
}

// NormalKey is the key in its normal form; as it is where it has none.
func NormalKey(key string) string {
	normal, _ := memfile.NormalKey(key)
	return normal
}

// Holders lists the stores that hold the key, or the one scope asked for.
func Holders(ctx context.Context, ss *store.Stores, key, scope string, has func(*contents.Memory, string) bool) ([]*store.Store, error) {
	memories, err := contents.Readable(ctx, ss, scope)
	if err != nil {
		return nil, err
	}
	var list []*store.Store
	for _, m := range memories {
		if has(m, key) {
			list = append(list, m.Store)
		}
	}
	return list, nil
}

// AllKeys lists the keys of all items that can be read and that agents may know of, sorted.
func AllKeys(ctx context.Context, ss *store.Stores, scope string) ([]string, error) {
	memories, err := contents.Readable(ctx, ss, scope)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, m := range memories {
		for _, it := range m.Items {
			if !it.Hidden() || KeyForAgent(it.Key, it.Verdict) != "" {
				keys = append(keys, it.Key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// Matching returns the names with the keys that a glob matches in its place. A glob that matches
// none stays, so that nothing is found under it.
func Matching(ctx context.Context, ss *store.Stores, names []string, scope string) ([]string, error) {
	var list []string
	for _, name := range names {
		before := len(list)
		if strings.ContainsAny(name, "*?[") {
			keys, err := AllKeys(ctx, ss, scope)
			if err != nil {
				return nil, err
			}
			for _, key := range keys {
				if ok, _ := path.Match(name, key); ok {
					list = append(list, key)
				}
			}
		}
		if len(list) == before {
			list = append(list, name)
		}
	}
	return list, nil
}

// Nearest lists up to three keys of the memory that are most like the text.
func Nearest(keys []string, text string) []string {
	text = strings.ToLower(text)
	type near struct {
		key  string
		cost int
	}
	var list []near
	for _, key := range keys {
		cost := distance(strings.ToLower(key), text)
		if cost <= max(2, len(text)/3) || strings.Contains(key, text) {
			list = append(list, near{key, cost})
		}
	}
	slices.SortFunc(list, func(a, b near) int {
		if a.cost != b.cost {
			return a.cost - b.cost
		}
		return strings.Compare(a.key, b.key)
	})
	var out []string
	for _, n := range list[:min(len(list), 3)] {
		out = append(out, n.key)
	}
	return out
}

// distance is the Levenshtein distance in bytes, of at most 128 each.
func distance(a, b string) int {
	a, b = a[:min(len(a), memfile.MaxKeyBytes)], b[:min(len(b), memfile.MaxKeyBytes)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// IsSessionFolder reports whether a folder belongs to the session's repository, or is the session's folder
// outside a repository. Another worktree of the repository belongs to it, and so does a folder of
// it that no longer exists.
func IsSessionFolder(ss *store.Stores, folder string) bool {
	repo, err := gitops.Open(folder)
	switch {
	case err == nil && ss.Repo() != nil && repo.CommonDir == ss.Repo().CommonDir:
		return true
	case err == nil && repo.Root != "":
		return false
	case err != nil && ss.Repo() == nil && store.SameFolder(folder, ss.ActsFolder()):
		return true
	}
	rel, err := filepath.Rel(ss.Root(), folder)
	return err == nil && ss.Repo() != nil && filepath.IsLocal(rel)
}
