package transfer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/session"
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
	Cut   []Cut  // the parts that memctl can take out, in their order
	Why   string // why memctl does not take the lines out
	left  []byte // the file without them
	data  []byte
}

// Cut is a part of a file, such as a heading or a list item.
type Cut struct {
	Line, Lines int
	Text        string // its first line
	Key         string // of the item that was changed or forgotten since, or ""
}

// FindRepeated looks for the lines of the files, which have paths from the project's folder, that the next session
// receives from the project's memory too, or has something newer for. Entries are what an import made of the lines. With
// coming, those that it will bring in count as received. It leaves out files that have none.
func FindRepeated(ctx context.Context, ss *store.Stores, files []capture.File, entries []edit.ImportEntry, coming bool) ([]Repeated, error) {
	st, err := ss.Get(ctx, store.Project)
	if err != nil || st.Repo == nil {
		return nil, err
	}
	profile, err := view.Profile(ctx, ss, true)
	if err != nil {
		return nil, err
	}
	received, keys, known := map[string]bool{}, map[string]bool{}, map[string]edit.ImportEntry{}
	for _, b := range profile.Bullets {
		if b.Scope == store.Project {
			received[capture.TextOf(b.Key, b.Text, false)], received[capture.TextOf(b.Key, b.Text, true)], keys[b.Key] = true, true, true
		}
	}
	for _, e := range entries {
		if e.Scope == store.Project && (e.Forgotten != "" || e.Known() && keys[e.Key] || coming && e.Coming()) {
			known[e.Text] = e
		}
	}
	var list []Repeated
	for _, f := range files {
		r := Repeated{Path: f.Name, data: f.Data}
		if r.find(known, received); len(r.Cut) == 0 {
			continue
		}
		if r.Why, err = whyLeft(ctx, st, f); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// TryImport is what imports of the files would make of their lines, as far as memory may have changed since. Finding that
// out reads the whole history, so it takes an item that came from the file, or has the key of a line.
func TryImport(ctx context.Context, ss *store.Stores, files []capture.File) (entries []edit.ImportEntry) {
	st, err := ss.Get(ctx, store.Project)
	if err != nil {
		return nil
	}
	doc, _ := contents.Document(ctx, st) // another check says what is wrong with it
	for _, f := range files {
		read, err := capture.Read("", []capture.File{f})
		name := path.Base(f.Name)
		came := func(it memfile.Item) bool { return it.Source == memory.ImportedFrom+name }
		if err != nil || !slices.ContainsFunc(doc.Items, came) && !slices.ContainsFunc(read.Candidates, func(c capture.Candidate) bool {
			return memory.Find(&doc, c.Key) >= 0 || slices.ContainsFunc(doc.Deletions, func(t memfile.Tombstone) bool { return t.Key == c.Key })
		}) {
			continue
		}
		req := edit.ImportRequest{Name: name, Format: read.Format, Input: read, Project: true, Accepted: true}
		req.Origin.Kind = memory.Explicit
		if made, err := edit.Import(ctx, ss.Trial(), req); err == nil {
			entries = append(entries, made.Entries...)
		}
	}
	return entries
}

// find looks for the parts to take out. What cannot be read repeats nothing.
func (r *Repeated) find(known map[string]edit.ImportEntry, received map[string]bool) {
	var keys []string // of each candidate that goes
	left, cut, err := capture.Without(capture.File{Name: r.Path, Data: r.data}, func(c capture.Candidate) bool {
		e, there := known[capture.TextOf(c.Key, c.Value.Plain(), c.Named)]
		if keys = append(keys, ""); e.Superseded() {
			keys[len(keys)-1] = cmp.Or(e.Forgotten, e.Key)
		}
		return there || received[capture.TextOf(c.Key, session.Defuse(c.Value.Plain()), c.Named)]
	})
	if err != nil || len(left) >= len(r.data) {
		return
	}
	r.left, r.Bytes = left, len(r.data)-len(left)
	lines, rules := slices.Collect(bytes.Lines(r.data)), map[int]bool{}
	for _, p := range cut {
		part := Cut{Line: p.Line, Lines: p.Last - p.Line + 1, Text: strings.TrimSpace(string(lines[p.Line-1]))}
		switch {
		case p.Candidate == 0: // a heading
		case keys[p.Candidate-1] == "":
			rules[p.Candidate] = true
		default:
			part.Key = keys[p.Candidate-1]
			r.Bytes -= len(bytes.Join(lines[p.Line-1:p.Last], nil))
		}
		r.Cut = append(r.Cut, part)
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
	var names []string
	lines := 0
	for _, r := range list {
		names = append(names, r.Path)
		for _, c := range r.Cut {
			lines += c.Lines
		}
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
