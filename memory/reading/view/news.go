package view

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// withNews marks what agents stored lately, and adds what of it waits for nothing else.
func withNews(ctx context.Context, v *contents.View, stores []*store.Store, list []Waiting) []Waiting {
	if len(stores) == 0 {
		return list
	}
	news, _ := readNews(v, stores[0].Stores) // without it nothing is marked
	for _, n := range news {
		for _, w := range newOnes(ctx, v, stores, n) {
			i := slices.IndexFunc(list, func(known Waiting) bool { return known.ID == "" && known.Scope == w.Scope && known.Name == w.Name })
			if i < 0 {
				list, i = append(list, w), len(list)
			}
			list[i].New, list[i].Before, list[i].near = n.Agent, cmp.Or(n.Before, list[i].Before), n.Near
		}
	}
	return list
}

// readNews is localstate.ReadNews with what was edited by hand in the project's file.
func readNews(v *contents.View, ss *store.Stores) ([]localstate.News, error) {
	var keys []string
	if m, err := v.Memory(store.Project); err == nil {
		for _, it := range m.Items {
			if it.Source == memfile.SourceByHand && memfile.KeyForm(it.Key) {
				keys = append(keys, it.Key)
			}
		}
	}
	err := localstate.AddEdits(ss, "an edit by hand", keys)
	list, failed := localstate.ReadNews(ss)
	return list, cmp.Or(failed, err)
}

// newOnes are the records that an agent stored under one name, as things that wait. What the person has confirmed since is not
// among them, nor what memory does not have any more or this reader may not have.
func newOnes(ctx context.Context, v *contents.View, stores []*store.Store, n localstate.News) (list []Waiting) {
	for _, st := range stores {
		scope := st.Scope
		var r Record
		why := ""
		if memfile.KeyForm(n.Name) {
			m, err := v.Memory(scope)
			if err != nil || m.Closed != 0 || m.Find(n.Name) == nil {
				continue
			}
			it := m.Find(n.Name)
			byAgent := !it.IsStated() || slices.ContainsFunc(it.Conflict, func(r memfile.Rival) bool { return !r.IsStated() })
			if w := waitingItem(v, *it, scope); w != nil && byAgent { // else what it stored has gone since
				list = append(list, *w)
			}
			if whyWaits(*it) != "" || it.Reasons()&contents.Expired != 0 {
				continue // what agrees with the person's own value, or has expired, is nothing to decide
			}
			r = itemRecord(*it, scope)
		} else {
			found, err := readLiveEntries(ctx, v, st.Stores, scope, []string{n.Name})
			if err != nil || len(found) != 1 {
				continue
			}
			r, why = EntryRecord(found[0]), whyFactWaits(&found[0].Entry)
		}
		if why == "" && !r.IsStated() {
			why = WaitsNew
		}
		if why != "" {
			list = append(list, r.asWaiting(why))
		}
	}
	return list
}

// NewOnes counts the memories that agents stored and others wrote by hand since the person last looked, and how many of these
// wait for a decision. First is the oldest; its Edit says whether any was edited by hand.
func NewOnes(ctx context.Context, ss *store.Stores, v *contents.View, stores []*store.Store) (all, waiting int, first localstate.News, err error) {
	news, err := readNews(v, ss)
	for _, n := range news {
		if !n.Unseen() {
			continue
		}
		for _, w := range newOnes(ctx, v, stores, n) {
			if all++; all == 1 {
				first = n
			}
			first.Edit = first.Edit || n.Edit
			if w.Why != WaitsNew {
				waiting++
			}
		}
	}
	return all, waiting, first, err
}

// Edited is what the files of one scope hold that no commit has: edits by hand, and writes
// that could not be committed. The next write in the scope commits them.
type Edited struct {
	Scope string   `json:"scope"`
	Files []string `json:"files"` // from the root of the repository, with slashes
}

// EditedFiles lists the changed files of memory, by scope; a scope without any is left out.
// Where git cannot be asked, nothing is listed: the check of the repository says why.
func EditedFiles(ctx context.Context, ss *store.Stores) ([]Edited, error) {
	stores, err := memory.StoresOf(ctx, ss, "")
	list := []Edited{}
	for _, st := range stores {
		if st.Repo == nil {
			continue
		}
		e := Edited{Scope: st.Scope}
		state, failed := worktree.StateOf(ctx, st.Repo, st.GitPath())
		if failed == nil && state.Dirty && !state.Ignored {
			e.Files = append(e.Files, st.GitPath())
		}
		entries, notListed := worktree.EditedUnder(ctx, st.Repo, st.GitPathOf(entry.Root), 0)
		e.Files = append(e.Files, entries...)
		if failed = errors.Join(failed, notListed); gitops.BlockedBy(failed) == "" {
			err = errors.Join(err, failed)
		}
		if len(e.Files) > 0 {
			list = append(list, e)
		}
	}
	return list, err
}
