package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/txn"
)

// Repeated is a file of instructions whose lines say what the next session receives from the project.
type Repeated struct {
	Path  string `json:"path"` // from the project's folder
	Lines int    `json:"line_count"`
	Bytes int    `json:"bytes"`         // that a session reads twice
	Why   string `json:"why,omitempty"` // why memctl does not take the lines out
	Left  []byte `json:"-"`             // the file without them
	data  []byte
}

// FindRepeated looks for the lines of the files, which have paths from the project's folder, that the next session
// receives from the project's memory too, or will receive once the candidates that are coming are stored. It leaves out
// files that have none.
func FindRepeated(ctx context.Context, ss *store.Stores, files []capture.File, coming []capture.Candidate) ([]Repeated, error) {
	st, err := ss.Get(ctx, store.Project)
	if err != nil || st.Repo == nil {
		return nil, err
	}
	profile, err := view.Profile(ctx, ss, true)
	if err != nil {
		return nil, err
	}
	received := map[string]bool{}
	for _, c := range coming {
		received[textOf(c)] = true
	}
	for _, b := range profile.Bullets {
		if b.Scope == store.Project {
			received[capture.TextOf(b.Key, b.Text, false)], received[capture.TextOf(b.Key, b.Text, true)] = true, true
		}
	}
	var list []Repeated
	for _, f := range files {
		left, lines, err := capture.Without(f, func(c capture.Candidate) bool { return received[textOf(c)] })
		if err != nil || len(left) >= len(f.Data) {
			continue // what cannot be read repeats nothing
		}
		r := Repeated{Path: f.Name, Lines: lines, Bytes: len(f.Data) - len(left), Left: left, data: f.Data}
		if r.Why, err = whyLeft(ctx, st, f); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// textOf is the text of a candidate, as a session receives it.
func textOf(c capture.Candidate) string {
	return capture.TextOf(c.Key, session.Defuse(c.Value.Plain()), c.Named)
}

// whyLeft says why memctl does not take lines out of a file, "" where it does.
func whyLeft(ctx context.Context, st *store.Store, f capture.File) (string, error) {
	switch {
	case !filepath.IsLocal(filepath.FromSlash(f.Name)):
		return "it is outside the project", nil
	case !store.IsInstructions(f.Name):
		return "its name is not that of an instruction file", nil
	}
	state, err := worktree.StateOf(ctx, st.Repo, st.GitPathOf(f.Name))
	switch {
	case err != nil:
		return "", err
	case !state.Tracked:
		return "git does not track it", nil
	case state.Dirty || state.Conflict:
		return "it has changes that are not committed", nil
	}
	return "", nil
}

// TakeOut removes the lines from the files for a person, with one commit that undo reverts. Errors: those of txn.Update.
func TakeOut(ctx context.Context, ss *store.Stores, o memory.Options, list []Repeated) (memory.Write, error) {
	var names []string
	lines := 0
	for _, r := range list {
		names, lines = append(names, r.Path), lines+r.Lines
	}
	w := o.Answer("take-out", strings.Join(names, ", "), store.Project)
	st, err := ss.Get(ctx, store.Project)
	if err != nil {
		return w, err
	}
	what := fmt.Sprintf("%d lines out of %s", lines, strings.Join(names, ", "))
	out, err := o.Update(ctx, st, txn.Write{Act: "take-out", Files: true, Subject: "take " + what, Change: func(d *txn.Draft) error {
		for _, r := range list {
			if now, err := d.File(r.Path); err != nil || !bytes.Equal(now, r.data) {
				return errors.Join(err, memory.Refuse(memory.RuleChanged, memory.Quoted(r.Path)+" has changed meanwhile"))
			}
			if err := d.WriteFile(r.Path, capture.Pointed(r.Left)); err != nil {
				return err
			}
		}
		return nil
	}})
	return w.After(out, err, "Took "+what+" (undo: memctl undo)")
}
