package view

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/txn"
)

// journalSearch looks for one item in the journal of a store.
type journalSearch struct {
	st   *store.Store
	keys []string
	pick func(memfile.Document) *memfile.Item
	now  memfile.Document

	lost   *memfile.Item // as the newest act here left it whose commit the branch has not
	closed bool          // an act here whose commit it has was met: what is older is not lost
	here   picked
	others []otherItem // of other branches, the newest of each
}

// otherItem is the item as another branch has had it.
type otherItem struct {
	branch, id string
	item       *memfile.Item
}

// item is what a restore from the journal brings back: what is gone from this
// branch, else the newest value here that is not how it stands now, else the only one
// that other branches have. The notes name what others have beside it.
func (j *journalSearch) item(ctx context.Context) (*memfile.Item, []string, error) {
	j.here.current = j.pick(j.now)
	isHere, err := ledger.Here(j.st)
	if err == nil {
		err = ledger.JournalHistory(ctx, j.st, func(v contents.Version, _ []object.ChangedFile, e committer.JournalEntry) bool {
			if isHere(e) {
				j.ownBranch(ctx, v, e)
			} else {
				j.otherBranch(v, e)
			}
			return true
		})
	}
	if fault.Is(err, fault.NoHistory) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	own := cmp.Or(j.lost, j.here.item)
	notes, names := j.listed(own)
	switch {
	case own != nil || len(j.others) == 0:
		for i := range notes {
			notes[i] += " (memctl restore " + policy.Inert(memory.Redacted(j.others[i].item.Key)) + " --rev " + names[i] + ")"
		}
		return cmp.Or(own, j.here.purged), notes, nil
	case len(j.others) == 1:
		return j.others[0].item, []string{"this branch never had this value: it comes from " + j.others[0].branch + " had it"}, nil
	}
	several := memory.Refuse(memory.RuleAmbiguous, "the journal has it from several branches, but not from this one", memory.Facts{Why: "branches", Names: names})
	several.Notes = notes
	return nil, nil, several
}

// ownBranch looks at a write of this branch.
func (j *journalSearch) ownBranch(ctx context.Context, v contents.Version, e committer.JournalEntry) {
	it := j.pick(v.After())
	names := slices.ContainsFunc(e.Trailers, func(tr object.Trailer) bool {
		return tr.Name == "Memory-Key" && slices.Contains(j.keys, tr.Value)
	})
	if names && j.lost == nil && !j.closed {
		j.closed = e.Commit != "" && contents.InHistory(ctx, j.st, e.Commit)
		if !j.closed && it != nil && memory.NotPurged(it.Value) == nil && !ledger.SaySame(v.After(), j.now, it.Key) {
			j.lost = it
		}
	}
	if !j.here.take(it) {
		j.here.take(j.pick(v.Before()))
	}
}

// otherBranch looks at a write of another branch.
func (j *journalSearch) otherBranch(v contents.Version, e committer.JournalEntry) {
	branch := "a detached HEAD"
	if name, ok := strings.CutPrefix(e.Branch, "refs/heads/"); ok {
		branch = "branch " + policy.Inert(name)
	}
	known := func(o otherItem) bool { return o.branch == branch }
	found := picked{current: j.here.current}
	if found.take(j.pick(v.After())) && !slices.ContainsFunc(j.others, known) {
		j.others = append(j.others, otherItem{branch, v.Commit, found.item})
	}
}

// listed describes what other branches have, each value once and own's not, with the words that
// name each after --rev.
func (j *journalSearch) listed(own *memfile.Item) (notes, names []string) {
	const most = 10
	var seen []string
	if own != nil {
		seen = append(seen, own.Value.Canonical())
	}
	j.others = slices.DeleteFunc(j.others, func(o otherItem) bool {
		value := o.item.Value.Canonical()
		known := slices.Contains(seen, value)
		seen = append(seen, value)
		return known
	})
	for _, o := range j.others[:min(len(j.others), most)] {
		withheld := contents.Refused(j.st.Rule(policy.FromItem(*o.item, j.st.Scope)))
		notes = append(notes, o.branch+" had another value: "+memory.ShownText(withheld, o.item.Value.Plain()))
		name := o.id[:min(len(o.id), 8)]
		if j.st.Scope != store.Project {
			name += " --scope " + j.st.Scope
		}
		names = append(names, name)
	}
	return notes, names
}

// NoteJournal sets Path and Scope of the facts where the key's item is in the journal and not in
// this branch's history, unless its value was purged or the policy refuses it. It is for people:
// an agent may not learn of such keys.
func NoteJournal(ctx context.Context, ss *store.Stores, facts *memory.Facts, key, scope string) {
	stores, err := memory.HistoryStores(ctx, ss, scope)
	if err != nil || !memfile.KeyForm(key) {
		return
	}
	for _, st := range stores {
		if it, _, err := Earlier(ctx, st, key, "", false); it != nil || err != nil {
			continue
		}
		it, _, err := Earlier(ctx, st, key, "", true)
		var several *memory.Refusal
		if it != nil && memory.NotPurged(it.Value) == nil && memory.RuleOn(st, txn.NewRecord(*it)) == nil || errors.As(err, &several) {
			facts.Path, facts.Scope = policy.Inert(memory.Redacted(key)), scope
			return
		}
	}
}
