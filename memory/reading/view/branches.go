package view

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// maxBranches is how many branches are looked at: those with the newest commits. Of these OtherBranch reads at most maxVersions,
// since a hook waits for it.
const (
	maxBranches = 50
	maxVersions = 6
	maxOffered  = 20 // branches that Branches lists
)

// onBranch has what a branch of the project has and the session lacks: items of no scope, and files of facts.
type onBranch struct {
	items []memfile.Delta
	facts []store.FileChange
}

// OnBranch lists the items and facts that a branch has and the session lacks, as their reader may have them. Errors:
// fault.UnknownRevision, fault.NoHistory.
func OnBranch(ctx context.Context, ss *store.Stores, who contents.Reader, branch string) (res Found, err error) {
	st, err := memory.SessionStore(ctx, ss, store.Project)
	if err != nil {
		return res, err
	}
	if st.Repo == nil {
		return res, memory.NoHistory(ss, st)
	}
	id, err := object.Resolve(ctx, st.Repo, branch)
	if err != nil {
		return res, err
	}
	h, err := newHistorian(ctx, ss, st)
	if err != nil {
		return res, err
	}
	m, err := memoryAt(ctx, st, id)
	if err != nil {
		return res, err
	}
	only, err := onlyIn(ctx, st, m)
	if err != nil {
		return res, err
	}
	changes := h.describe(only.items, "", nil)
	for _, f := range only.facts {
		changes = append(changes, h.entryChange(f.Path, nil, f.After))
	}
	res.Withheld = changesFor(who, changes)
	for i, c := range changes {
		r := Record{Tier: Item, Key: c.Key, Scope: st.Scope, Value: &memfile.Value{}, Verdict: c.Verdict}
		if fact := i - len(only.items); fact >= 0 {
			place, _ := entry.ParsePath(only.facts[fact].Path)
			r = Record{Tier: entry.Fact, ID: place.ID, Scope: st.Scope, Verdict: c.Verdict}
			if c.After != nil {
				r.Text = c.After.Text
			}
		} else if c.After != nil {
			r.Value = c.After
		}
		res.Records = append(res.Records, r)
	}
	return res, nil
}

// OtherBranch is the local branch that has the most items and facts that the session lacks, with their number; 0 for none.
func OtherBranch(ctx context.Context, ss *store.Stores) (branch string, most int, err error) {
	err = ownOfBranches(ctx, ss, maxVersions, func(name string, n int) {
		if n > most {
			branch, most = name, n
		}
	}, "refs/heads/")
	return branch, most, err
}

// Branches lists the branches of the project, local and remote ones, that have items or facts that the session lacks, the newest
// first; of several with one memory, one.
func Branches(ctx context.Context, ss *store.Stores) (names []string, err error) {
	err = ownOfBranches(ctx, ss, maxBranches, func(name string, _ int) { names = append(names, name) }, "refs/heads/", "refs/remotes/")
	return names[:min(len(names), maxOffered)], err
}

// ownOfBranches visits the branches with how many items and facts they have that neither the session nor, but for the default
// branch itself, the default branch has. It reads so many memories.
func ownOfBranches(ctx context.Context, ss *store.Stores, most int, visit func(name string, n int), under ...string) error {
	st, err := ss.Get(ctx, store.Project)
	if err != nil || st.Repo == nil {
		return err
	}
	heads, err := headsOf(ctx, st, under...)
	_, main := contents.OnDefault(ctx, ss)
	looked, onMain := map[string]bool{}, onBranch{}
	if m, failed := memoryAt(ctx, st, main); main != "" && failed == nil {
		onMain, _ = onlyIn(ctx, st, m)
	}
	if id, failed := object.Resolve(ctx, st.Repo, "HEAD"); failed == nil {
		here, _ := memoryAt(ctx, st, id)
		looked[here.file+here.folder] = true
	}
	for _, head := range heads {
		m, failed := memoryAt(ctx, st, head[0])
		if failed != nil || looked[m.file+m.folder] || len(looked) == most {
			continue
		}
		looked[m.file+m.folder] = true
		only, failed := onlyIn(ctx, st, m)
		if head[0] != main {
			only.drop(onMain)
		}
		if n := len(only.items) + len(only.facts); failed == nil && n > 0 {
			visit(head[1], n)
		}
	}
	return err
}

// drop takes out what another branch has.
func (only *onBranch) drop(other onBranch) {
	only.items = slices.DeleteFunc(only.items, func(d memfile.Delta) bool {
		return slices.ContainsFunc(other.items, func(o memfile.Delta) bool { return o.Key == d.Key })
	})
	only.facts = slices.DeleteFunc(only.facts, func(f store.FileChange) bool {
		return slices.ContainsFunc(other.facts, func(o store.FileChange) bool { return o.Path == f.Path })
	})
}

// headsOf lists the commits and names of the newest branches below some refs.
func headsOf(ctx context.Context, st *store.Store, under ...string) (list [][2]string, err error) {
	args := []string{"for-each-ref", "--sort=-committerdate", "--count=" + strconv.Itoa(maxBranches), "--format=%(objectname) %(refname:lstrip=2)"}
	out, err := st.Repo.Git(ctx, gitops.Call{Args: append(args, under...)})
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		list = append(list, [2]string{id, name})
	}
	return list, err
}

// EntryAt is the entry of that id, or of its beginning, in a revision; nil for none.
func EntryAt(ctx context.Context, st *store.Store, rev, id string) (*LostEntry, error) {
	blobs, err := object.FilesUnder(ctx, st.Repo, rev, st.GitPathOf(entry.Root))
	for _, at := range slices.Sorted(maps.Keys(blobs)) {
		name := contents.PathInStore(st, at)
		if place, ok := entry.ParsePath(name); ok && !place.Deleted && memory.MatchesID(place.ID, id) {
			src, err := contents.StoredFile(ctx, st, blobs[at], at)
			return &LostEntry{Store: st, Path: name, Src: src}, err
		}
	}
	return nil, err
}

// onlyIn reads what the commit has and the session lacks. What was forgotten here does not count.
func onlyIn(ctx context.Context, st *store.Store, m committed) (only onBranch, err error) {
	blobs, err := object.FilesUnder(ctx, st.Repo, m.commit, st.GitPathOf(entry.Root))
	if err != nil {
		return only, err
	}
	if m.file != "" {
		src, err := contents.MemoryFromBlob(ctx, st, m.file)
		if err != nil {
			return only, err
		}
		for _, it := range contents.OldDocument(st, src).Items {
			only.items = append(only.items, memfile.Delta{Kind: memfile.DeltaItem, Key: it.Key, After: &it})
		}
	}
	memories, err := contents.Readable(ctx, st.Stores, "")
	if err != nil {
		return only, err
	}
	files := map[string]bool{}
	for _, here := range memories {
		names, err := contents.EntryFiles(ctx, here.Store)
		if err != nil {
			return only, err
		}
		for _, name := range names {
			files[name] = true
		}
		only.items = slices.DeleteFunc(only.items, func(d memfile.Delta) bool {
			return here.Find(d.Key) != nil || contents.Tombstone(memfile.Document{Deletions: here.Deletions}, d.Key) != nil
		})
	}
	forgotten, err := contents.ReadForgotten(ctx, st)
	for _, at := range slices.Sorted(maps.Keys(blobs)) {
		name := contents.PathInStore(st, at)
		place, ok := entry.ParsePath(name)
		here := files[name] || files[entry.DeletedPath(name)] // another one may have replaced it
		if !ok || place.Tier != entry.Fact || place.Deleted || here || err != nil {
			continue
		}
		var src []byte
		src, err = contents.StoredFile(ctx, st, blobs[at], at)
		if e := entry.In(name, src); e != nil && !forgotten.BindsEntry(*e) {
			only.facts = append(only.facts, store.FileChange{Path: name, After: src})
		}
	}
	return only, err
}

// committed has a commit and the ids of the memory file and of the folder of entries in it; "" for none.
type committed struct{ commit, file, folder string }

func memoryAt(ctx context.Context, st *store.Store, commit string) (m committed, err error) {
	m.commit = commit
	err = object.WithReader(ctx, st.Repo, func(o object.Reader) (err error) {
		if _, m.file, _, err = object.EntryAt(o, commit, st.GitPath()); err == nil {
			m.folder, err = object.FolderAt(o, commit, st.GitPathOf(entry.Root))
		}
		return err
	})
	return m, err
}
