// Package rewrite removes a text from the history of memctl's own stores, and prepares
// the same for git filter-repo in a project.
package rewrite

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
)

// RewriteRequest says what to remove from a history.
type RewriteRequest struct {
	Blobs map[string]bool     // the blobs that contain it
	Cut   func([]byte) []byte // a blob or a message without it
}

// Rewritten is the result of Rewrite. No ref leads to it before Swap.
type Rewritten struct {
	Refs    []RewrittenRef    // the refs that change
	Commits map[string]string // the commits that change, old id to new
	First   []string          // those of them whose parents do not change
}

// RewrittenRef is a ref with the commit that it has and the one that it gets.
type RewrittenRef struct{ Name, Old, New string }

// rewriter is one Rewrite in progress. It stores objects and notes their ids.
type rewriter struct {
	RewriteRequest
	o    *object.Batch
	to   object.Writer
	done map[string]string // trees and blobs, old id to new
	made []string
	out  *Rewritten
}

// Rewrite makes the history of every ref but the journal's again without what the
// request names, for a repository of memctl's own. Dates, authors and all other bytes
// stay; a commit that changes loses its signature. Errors: fault.Blocked; *Error; the
// cause.
func Rewrite(ctx context.Context, r *gitops.Repo, req RewriteRequest) (*Rewritten, error) {
	ctx, cancel := context.WithTimeout(ctx, object.ScanTime)
	defer cancel()
	out, err := r.Git(ctx, gitops.Call{Args: []string{"rev-list", "--topo-order", "--reverse", "--exclude=" + committer.JournalRef, "--all"}, Env: []string{object.NoReplace}})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	o, err := object.OpenBatch(ctx, r, object.NoReplace)
	if err != nil {
		return nil, err
	}
	w := &rewriter{RewriteRequest: req, o: o, to: object.NewWriter(ctx, r), done: map[string]string{}, out: &Rewritten{Commits: map[string]string{}}}
	for _, id := range strings.Fields(string(out)) {
		if err = w.commit(id); err != nil {
			break
		}
	}
	if ended := o.Close(); err == nil {
		err = ended
	}
	if err == nil {
		err = packDurably(ctx, r, w.made)
	}
	if err != nil {
		return nil, err
	}
	return w.out, eachLine(ctx, r, gitops.Call{Args: []string{"for-each-ref", "--format=%(objectname) %(refname) %(symref)"}}, func(line string) {
		f := strings.Fields(line)
		if len(f) != 2 || f[1] == committer.JournalRef { // a symbolic ref has three
			return
		}
		if next := w.out.Commits[f[0]]; next != "" {
			w.out.Refs = append(w.out.Refs, RewrittenRef{Name: f[1], Old: f[0], New: next})
		}
	})
}

// commit rewrites a commit whose parents were rewritten before.
func (w *rewriter) commit(id string) error {
	_, data, err := w.o.Read(id)
	if err != nil {
		return object.Damaged(id, err)
	}
	head, message, _ := strings.Cut(string(data), "\n\n")
	var b strings.Builder
	changed, after, signature := false, false, false
	for line := range strings.SplitSeq(head, "\n") {
		name, value, _ := strings.Cut(line, " ")
		next := value
		switch name {
		case "tree":
			if next, err = w.object(value); err != nil {
				return err
			}
		case "parent":
			next = w.mapped(value)
			after = after || next != value
		}
		if name != "" { // else the line continues the header above
			signature = name == "gpgsig" || name == "gpgsig-sha256" || name == "mergetag"
		}
		if changed = changed || next != value; !signature {
			b.WriteString(name + " " + next + "\n")
		}
	}
	next := w.message(message)
	if !changed && next == message {
		return nil
	}
	made, err := w.Write("commit", []byte(b.String()+"\n"+next))
	w.out.Commits[id] = made
	if !after {
		w.out.First = append(w.out.First, id)
	}
	return err
}

// message is a message without it, and with the new ids of commits.
func (w *rewriter) message(src string) string {
	return w.out.Renamed(string(w.Cut([]byte(src))))
}

// Renamed is a text with the new ids of the commits that it names.
func (w *Rewritten) Renamed(text string) string {
	if len(w.Commits) == 0 {
		return text
	}
	return regexp.MustCompile(`\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b`).ReplaceAllStringFunc(text, func(id string) string {
		if next := w.Commits[id]; next != "" {
			return next
		}
		return id
	})
}

func (w *rewriter) mapped(id string) string {
	if next := w.out.Commits[id]; next != "" {
		return next
	}
	return id
}

// object rewrites a tree with all below it, or a blob that contains it.
func (w *rewriter) object(id string) (next string, err error) {
	if next, ok := w.done[id]; ok {
		return next, nil
	}
	kind, data, err := w.o.Read(id)
	if err != nil {
		return "", object.Damaged(id, err)
	}
	if kind == "blob" {
		next, err = w.Write("blob", w.Cut(data))
		w.done[id] = next
		return next, err
	}
	items, err := object.ParseTree(data, len(id)/2)
	if err != nil {
		return "", object.DamagedTree(id, err)
	}
	changed := false
	for i, item := range items {
		if item.Mode != object.FolderMode && !w.Blobs[item.ID] {
			continue
		}
		if items[i].ID, err = w.object(item.ID); err != nil {
			return "", err
		}
		changed = changed || items[i].ID != item.ID
	}
	if next = id; changed {
		next, err = object.PutTree(w, items)
	}
	w.done[id] = next
	return next, err
}

// Write stores an object, and notes its id.
func (w *rewriter) Write(kind string, data []byte) (string, error) {
	id, err := w.to.Write(kind, data)
	w.made = append(w.made, id)
	return id, err
}

// packDurably puts new objects into a pack, which git writes to the disk for
// sure: a ref that is moved to them next never outlives them.
func packDurably(ctx context.Context, r *gitops.Repo, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := r.Git(ctx, gitops.Call{
		Args:  []string{"pack-objects", "-q", "--window=0", filepath.Join(r.CommonDir, "objects", "pack", "pack")},
		Stdin: []byte(strings.Join(ids, "\n") + "\n"), Config: []string{"core.fsync=all"}, Writes: true,
	})
	return gitops.PublicError(err)
}
