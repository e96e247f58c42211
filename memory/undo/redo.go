package undo

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/ledger"
)

// Redo reverses the last undo of this worktree that no redo has reversed yet, with a commit
// of its own. It is an ordinary act: undo takes it back like any other. Only a person may
// redo. Errors: *fault.Error nothing-to-redo, where there is no such undo, or where a key of it
// is not as the undo left it.
func Redo(ctx context.Context, ss *store.Stores, req memory.Options) ([]memory.Write, error) {
	if !req.Explicit() {
		w, err := req.Answer("redo", "", req.Scope).Refused(memory.Refuse(memory.RuleExplicitOnly, "only a person can redo", "memctl redo"))
		return []memory.Write{w}, err
	}
	undos, _, err := ledger.Undos(ctx, ss)
	if err != nil {
		return nil, err
	}
	undos = slices.DeleteFunc(undos, func(r ledger.ActRecord) bool { return req.Scope != "" && r.Scope != req.Scope })
	if len(undos) == 0 {
		if st, err := ss.Session(ctx); err == nil && st.Repo == nil {
			return nil, memory.NoHistory(ss, st)
		}
		return nil, nothingToRedo("there is no undo in this worktree to redo", "")
	}
	u := &undoing{UndoRequest: UndoRequest{Options: req}, ss: ss, redo: true}
	if err := u.load(ctx, undos[len(undos)-1], nil); err != nil {
		return nil, err
	}
	if err := u.canTakeBack(); err != nil {
		return nil, err
	}
	if len(u.changes) == 0 {
		return nil, nothingToRedo("the last undo changed no item", "")
	}
	return u.run(ctx, "redo")
}

// nothingToRedo is the answer that there is none; the history of key, or of all, tells why.
func nothingToRedo(message, key string) error {
	return &fault.Error{Code: "nothing-to-redo", Status: 1, Cause: message, Hints: []string{strings.TrimSpace("memctl log " + key)}}
}

// redone says what a key or an entry is again.
func (u *undoing) redone(name string) string {
	text := ""
	for _, c := range u.changes {
		if v := c.before(); v != nil && c.name == name {
			text = memory.Redacted(v.Plain())
		} else if c.name == name && c.file != nil && c.file.Before != nil {
			return "Redone: " + policy.Inert(name) // a file that is no entry
		}
	}
	if text = memory.Beginning(text); text == "" {
		return "Redone: " + policy.Inert(name) + " is removed"
	}
	return "Redone: " + policy.Inert(name) + " = " + text
}
