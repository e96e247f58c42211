package view

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// Log is the history of all items and entries, or of one, newest first.
func Log(ctx context.Context, ss *store.Stores, who contents.Reader, req LogRequest) (LogResult, error) {
	res := LogResult{Changes: []Change{}}
	stores, err := memory.HistoryStores(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	for _, st := range stores {
		h, err := newHistorian(ctx, ss, st)
		if err != nil {
			return res, err
		}
		changes, err := h.log(ctx, req)
		if err != nil {
			return res, err
		}
		res.Changes = append(res.Changes, changes...)
	}
	slices.SortStableFunc(res.Changes, func(a, b Change) int { return strings.Compare(b.Date, a.Date) })
	if acts := res.Changes.Acts(); req.Max > 0 && len(acts) > req.Max { // a merge is one act, however many changes it brought
		res.Changes = res.Changes[:0]
		for _, a := range acts[:req.Max] {
			res.Changes = append(res.Changes, a.Changes...)
		}
	}
	res.Withheld = changesFor(who, res.Changes)
	if req.Key != "" && len(res.Changes) == 0 {
		e := &fault.Error{Code: memory.RuleNotFound, Status: 1, Cause: memory.Quoted(req.Key) + ": no commit changed an item of this key"}
		if !req.All { // else other branches and the journal were looked at
			e.Hints = []string{"memctl log --all " + policy.Inert(memory.Redacted(req.Key))}
		}
		return res, e
	}
	return res, nil
}

// steps yields the commits of this branch that changed a store's memory, newest first; with all those of every branch, and
// after them the entries of the journal.
func steps(ctx context.Context, st *store.Store, req LogRequest) iter.Seq2[contents.Version, error] {
	return func(yield func(contents.Version, error) bool) {
		more, rev := true, contents.OfHead
		if req.All {
			rev = contents.OfBranches
		}
		step := func(v contents.Version) bool {
			more = yield(v, nil)
			return more
		}
		// No entry has a key as its name, so no commit of entries is read.
		err := contents.History(ctx, st, rev, req.All || !memfile.KeyForm(req.Key), step)
		if err == nil && more && req.All {
			err = ledger.JournalHistory(ctx, st, step)
		}
		if err != nil && more {
			yield(contents.Version{}, err)
		}
	}
}

// log is the history of one store. Of the journal it has only what no branch has: writes that were never committed, or
// whose commits are gone.
func (h *historian) log(ctx context.Context, req LogRequest) (list []Change, err error) {
	commits, known := map[string]bool{}, map[string]bool{}
	key, journal, acts := req.Key, false, 0
	for s, err := range steps(ctx, h.store, req) {
		if err != nil {
			return nil, err
		}
		if !journal && s.Entry != nil {
			key, journal = req.Key, true // it goes back from now again
		}
		var changes []Change
		if commits[s.Commit] = true; !journal || !commits[s.Entry.Commit] {
			if changes, err = h.changes(ctx, s, key); err != nil {
				return nil, err
			}
		}
		key = oldKey(s, key)
		for _, c := range changes {
			if same := c.meaning(); !journal || !known[same] {
				known[same], c.Journal = true, journal
				list = append(list, c)
			}
		}
		if len(changes) > 0 {
			acts++
		}
		if req.Max > 0 && acts == req.Max && !req.All {
			break
		}
	}
	return list, nil
}

// meaning names what a change did, wherever it was recorded: a write that
// waited is in the journal twice, and in the branch once.
func (c *Change) meaning() string {
	name := c.Kind + "\x00" + c.Key + "\x00" + c.Change
	for _, v := range []*memfile.Value{c.Before, c.After} {
		name += "\x00"
		if v != nil {
			name += v.Canonical()
		}
	}
	return name
}

// Diff lists the differences between two versions, item by item.
func Diff(ctx context.Context, ss *store.Stores, who contents.Reader, req DiffRequest) (DiffResult, error) {
	res := DiffResult{From: req.From, To: req.To, Changes: []Change{}}
	st, err := memory.SessionStore(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	if st.Repo == nil {
		return res, memory.NoHistory(ss, st)
	}
	if res.From == "" {
		res.From = "HEAD"
	}
	before, err := contents.DocumentAt(ctx, st, res.From)
	if err != nil && (req.From != "" || !fault.Is(err, fault.UnknownRevision)) { // before the first commit there is no HEAD
		return res, err
	}
	after, err := contents.Document(ctx, st)
	if req.To != "" {
		after, err = contents.DocumentAt(ctx, st, req.To)
	}
	if err != nil {
		return res, err
	}
	h, err := newHistorian(ctx, ss, st)
	if err != nil {
		return res, err
	}
	res.Changes = append(res.Changes, h.describe(memfile.Diff(before, after), "", nil)...)
	res.Withheld = changesFor(who, res.Changes)
	return res, nil
}
