package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// Repeated is a file of instructions with lines that say what the next session receives from the project, or said it
// before somebody changed that.
type Repeated struct {
	Path  string // from the project's folder
	Rules int    // that a session reads twice
	Bytes int    // of these, with the headings that go with them
	Lines int    // that memctl can take out
	Cut   []Cut  // their parts
	Stale string // which of them contradict memory: "line 3 (git.branches), line 8 (style.tabs)"
	Why   string // why memctl does not take the lines out
	left  []byte // the file without them
	data  []byte
}

// Cut is a part of a file, such as a heading or a list item.
type Cut struct {
	Line int
	Text string // of that line
	Key  string // of the item that a person changed since, or ""
}

// FindRepeated looks for the lines of the files, which have paths from the project's folder, that the next session
// receives from the project's memory too, or for which memory has something newer. Entries are what an import made of the
// lines. With coming, those that it will bring in count as received. It leaves out files that have none.
func FindRepeated(ctx context.Context, ss *store.Stores, files []capture.File, entries []edit.ImportEntry, coming bool) ([]Repeated, error) {
	st, err := ss.Get(ctx, store.Project)
	if err != nil || st.Repo == nil {
		return nil, err
	}
	profile, err := view.Profile(ctx, ss, contents.Hook, true)
	if err != nil {
		return nil, err
	}
	received, known := map[string]bool{}, map[string]edit.ImportEntry{}
	for _, b := range profile.Bullets {
		received[b.Key] = received[b.Key] || b.Scope == store.Project
	}
	project, err := memory.ProjectMemory(ctx, ss)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		it := project.Find(e.Key)
		byAgent := it != nil && !it.Stated() && len(e.Findings) > 0 // what an agent changed takes no line of the person's
		if e.Scope == store.Project && !byAgent && (received[e.Key] && (e.Known() || e.Coming()) || coming && e.Coming()) {
			known[e.Text] = e
		}
	}
	var list []Repeated
	for _, f := range files {
		r := Repeated{Path: f.Name, data: f.Data}
		if r.find(known); r.Lines == 0 {
			continue
		}
		if r.Why, err = whyLeft(ctx, st, f); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// TryImport is what imports of the files would find that memory knows or has forgotten.
func TryImport(ctx context.Context, ss *store.Stores, files []capture.File) (entries []edit.ImportEntry) {
	for _, f := range files {
		read, _ := capture.Read("", []capture.File{f}) // what cannot be read repeats nothing
		req := edit.ImportRequest{Name: path.Base(f.Name), Format: read.Format, Input: read, Project: true, Accepted: true}
		req.Origin.Kind = memory.Explicit
		made, _ := edit.Import(ctx, ss.Trial(), req) // other checks say what is wrong with memory
		entries = append(entries, slices.DeleteFunc(made.Entries, edit.ImportEntry.Coming)...)
	}
	return entries
}

// find looks for the lines to take out.
func (r *Repeated) find(known map[string]edit.ImportEntry) {
	var stale []string // of each candidate, the key of the item that was changed since
	left, cut, err := capture.Without(capture.File{Name: r.Path, Data: r.data}, func(c capture.Candidate) bool {
		e, there := known[capture.TextOf(c.Key, c.Value.Plain(), false)]
		if stale = append(stale, ""); e.Known() && len(e.Findings) > 0 {
			stale[len(stale)-1] = e.Key
		}
		return there
	})
	if err != nil || len(left) >= len(r.data) {
		return
	}
	r.left, r.Bytes = left, len(r.data)-len(left)
	lines, rules := slices.Collect(bytes.Lines(r.data)), map[int]bool{}
	for _, p := range cut {
		part := Cut{Line: p.Line, Text: strings.TrimSpace(string(lines[p.Line-1]))}
		if p.Candidate > 0 {
			part.Key = stale[p.Candidate-1]
		}
		switch {
		case part.Key != "":
			r.Bytes -= len(bytes.Join(lines[p.Line-1:p.Last], nil))
			r.Stale = strings.TrimPrefix(fmt.Sprintf("%s, line %d (%s)", r.Stale, p.Line, part.Key), ", ")
		case p.Candidate > 0:
			rules[p.Candidate] = true
		}
		r.Cut, r.Lines = append(r.Cut, part), r.Lines+p.Last-p.Line+1
	}
	r.Rules = len(rules)
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
	names, lines := []string{}, 0
	for _, r := range list {
		names, lines = append(names, r.Path), lines+r.Lines
	}
	w := o.Answer("take-out", strings.Join(names, ", "), store.Project)
	st, err := ss.Get(ctx, store.Project)
	if err != nil {
		return w, err
	}
	what := memory.Count(lines, "line") + " out of " + strings.Join(names, ", ")
	out, err := o.Update(ctx, st, txn.Write{Act: "take-out", Files: true, Subject: "take " + what, Change: func(d *txn.Draft) error {
		for _, r := range list {
			if now, err := d.File(r.Path); err != nil || !bytes.Equal(now, r.data) {
				return errors.Join(err, memory.Refuse(memory.RuleChanged, memory.Quoted(r.Path)+" has changed meanwhile"))
			}
			if err := d.WriteFile(r.Path, capture.Pointed(r.left)); err != nil {
				return err
			}
		}
		return nil
	}})
	return w.After(out, err, "Took "+what+" (undo: memctl undo)")
}
