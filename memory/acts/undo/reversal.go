package undo

import (
	"cmp"
	"context"
	"slices"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// reversal reverts one act, which changed one store.
type reversal struct {
	UndoRequest
	ss      *store.Stores
	store   *store.Store
	record  ledger.ActRecord
	changes []change
	left    []string // the names of purged records, which stay as they are
	gone    bool     // this branch does not have the act's commit
}

// load reads the changes of the recorded act. It returns the reason if the act has no effect here that can be reverted. Errors:
// *fault.Error not-undone, if nobody can tell what the act changed.
func (r *reversal) load(ctx context.Context) (none string, err error) {
	if r.store, err = r.ss.Get(ctx, r.record.Scope); err != nil {
		return "", err
	}
	switch {
	case r.store.Repo == nil:
		return "", memory.NoHistory(r.ss, r.store)
	case r.record.Act == "recover": // git and the notes of the recovered file have the damaged one
		return "undo does not revert a recovery", nil
	}
	kept, err := ledger.Fill(ctx, r.store, &r.record)
	if err != nil {
		return "", err
	}
	before, after, known := r.record.Documents()
	switch {
	case r.record.Act == "resolve" && r.record.Commit == "" && r.abandoned():
		return "git took the merge back", nil
	case r.record.Act == "resolve":
		return "", notUndone(r.record.Act, "resolved a conflict, which undo cannot restore")
	case r.record.Commit != "" && !kept:
		if err = r.readCommit(ctx, r.record.Commit); fault.Is(err, fault.UnknownRevision) {
			return "its commit no longer exists", nil
		}
	case !known, !kept:
		return "", notUndone(r.record.Act, "the memory file before that change cannot be read, so undo cannot tell what it changed")
	default:
		r.changes = changesOf(memfile.Diff(before, after), r.record.Files())
		r.gone = r.record.Commit != "" && !contents.InHistory(ctx, r.store, r.record.Commit)
	}
	if err != nil {
		return "", err
	}
	return r.noEffect(ctx)
}

func notUndone(thing, cause string, hints ...string) error {
	return &fault.Error{Code: "not-undone", Status: 1, Cause: memory.Quoted(thing) + ": " + cause, Hints: append(hints, "memctl log")}
}

// abandoned reports whether no file is as a resolution left it, as after `git merge --abort`.
func (r *reversal) abandoned() bool {
	for _, f := range r.record.Changes {
		if now, err := contents.FileBytes(r.store, f.Path); err != nil || contents.DigestOf(now) == contents.DigestOf(f.After) {
			return false
		}
	}
	return true
}

// findCommit reads the changes of the commit that the request names, from the first store that has it.
func findCommit(ctx context.Context, ss *store.Stores, req UndoRequest, acts []ledger.ActRecord) (*reversal, error) {
	stores, err := memory.HistoryStores(ctx, ss, req.Scope)
	if err != nil {
		return nil, err
	}
	var missing error
	for _, st := range stores {
		id, err := object.Resolve(ctx, st.Repo, req.Commit)
		if err != nil {
			missing = cmp.Or(missing, err)
			continue
		}
		r := &reversal{UndoRequest: req, ss: st.Stores, store: st}
		if i := slices.IndexFunc(acts, func(rec ledger.ActRecord) bool { return rec.Commit == id }); i >= 0 {
			r.record = acts[i]
		}
		if err := r.readCommit(ctx, req.Commit); err != nil {
			if missing = cmp.Or(missing, err); fault.Is(err, fault.UnknownRevision) {
				continue
			}
			return nil, err
		}
		if len(r.changes) == 0 {
			return nil, nothingToUndo(memory.Quoted(req.Commit)+" changed no item, so there is nothing to undo", "memctl log")
		}
		r.leaveOutPurged()
		return r, nil
	}
	return nil, missing
}

// readCommit reads the changes of a commit.
func (r *reversal) readCommit(ctx context.Context, commit string) error {
	v, ok, err := contents.CommitChange(ctx, r.store, commit)
	if err != nil {
		return err
	}
	folder := "."
	if r.record.Act == "" { // memctl made no skills and instructions of a commit that is no act
		folder = entry.Root
	}
	id, files, err := contents.CommitFiles(ctx, r.store, commit, folder)
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f store.FileChange) bool { return store.CheckFilePath(f.Path) != nil })
	if !ok && len(files) == 0 {
		return &fault.Error{Code: "no-memory-change", Status: 1, Hints: []string{"memctl log", "git revert " + policy.Inert(memory.Redacted(commit))}, Cause: memory.Quoted(commit) + " did not change the memory file"}
	}
	if r.store.Repo.ShallowAt(id) {
		return &fault.Error{Code: "shallow-clone", Status: 1, Cause: memory.Quoted(commit) + " is the oldest commit of this shallow clone, so its changes are not known here", Hints: []string{"git fetch --unshallow"}}
	}
	var deltas []memfile.Delta
	if ok {
		if deltas = v.Deltas(); v.Err() != nil {
			return v.Err()
		}
	}
	r.record.Commit, r.changes, r.gone = id, changesOf(deltas, files), !contents.InHistory(ctx, r.store, id)
	return nil
}

// noEffect returns the reason if none of the changes has an effect here that can be reverted, "" otherwise.
func (r *reversal) noEffect(ctx context.Context) (string, error) {
	if len(r.changes) == 0 {
		return "it changed no item", nil
	}
	d, err := r.currentMemory(ctx)
	if d == nil || err != nil {
		return "", err // the write reports what is wrong with the file
	}
	if !r.leaveOutPurged() {
		return "purged", nil
	}
	for _, c := range r.changes {
		if s := r.stateOf(d, c); s == asLeft || s == changedSince && !r.gone {
			return "", nil
		}
	}
	if r.gone {
		return "its commit is not on this branch", nil
	}
	return "undone already", nil
}

// currentMemory is the memory as it is; nil if the file cannot be read. A missing file that git still has is an error: losing the
// file does not undo the act.
func (r *reversal) currentMemory(ctx context.Context) (*txn.Draft, error) {
	m, err := contents.Read(ctx, r.store)
	if err != nil || m.Salvaged || m.Foreign {
		return nil, err
	}
	if missing := txn.Missing(ctx, r.store); !m.Exists && missing.RestoreCommand != "" {
		return nil, missing
	}
	doc, err := contents.Document(ctx, r.store)
	return &txn.Draft{Document: &doc, Store: r.store}, err
}

// check refuses what the write would refuse, without writing.
func (r *reversal) check(ctx context.Context) error {
	d, err := r.currentMemory(ctx)
	if d == nil || err != nil {
		return err
	}
	return r.revert(d)
}

// revert applies the rule to each change.
func (r *reversal) revert(d *txn.Draft) error {
	for _, c := range r.changes {
		if err := r.permitted(c); err != nil {
			return err
		}
	}
	for _, c := range r.changes {
		switch r.stateOf(d, c) {
		case asLeft:
			if err := r.putBack(d, c); err != nil {
				return err
			}
		case changedSince:
			return r.changedSince(c)
		}
	}
	return nil
}

// leaveOutPurged leaves out the changes of records of which a value was purged. It reports whether any change is left; if
// none is, all stay, and the write refuses them.
func (r *reversal) leaveOutPurged() bool {
	purged := map[string]bool{}
	for _, c := range r.changes {
		if c.purged() {
			purged[c.subject()] = true
		}
	}
	var kept []change
	for _, c := range r.changes {
		switch {
		case !purged[c.subject()]:
			kept = append(kept, c)
		case c.name != "" && !slices.Contains(r.left, memory.Quoted(c.name)):
			r.left = append(r.left, memory.Quoted(c.name))
		}
	}
	if len(kept) > 0 {
		r.changes = kept
	}
	return len(kept) > 0
}

// names are the names of the changed records, each once. Of an item that only got another key it is the name that is there again.
func (r *reversal) names() (names []string) {
	for _, c := range r.changes {
		renamed := c.Before == nil && c.After != nil && slices.ContainsFunc(r.changes, func(d change) bool {
			return d.After == nil && d.Before != nil && memfile.Equal(d.Before.Value, c.After.Value)
		})
		if c.name != "" && !renamed && !slices.Contains(names, c.name) {
			names = append(names, c.name)
		}
	}
	return names
}

// changedSince refuses a change whose record is neither as the act left it nor as it was before.
func (r *reversal) changedSince(c change) error {
	name := policy.Inert(c.name)
	message, hints := "it has changed since, so undo would lose a newer value", []string{"memctl log " + name, "memctl restore " + name}
	switch {
	case r.gone:
		message, hints = "it has changed since, and the commit of that change is not on this branch", []string{"memctl restore " + name + " --from journal"}
	case c.file != nil && store.IsInstruction(c.file.Path):
		message, hints = "the file has changed since", []string{"git revert " + r.record.Commit[:min(len(r.record.Commit), 8)]}
	}
	refusal := memory.Refuse(memory.RuleChanged, message, hints...)
	refusal.About = c.name
	return refusal
}
