package gitops

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// RewriteRequest says what to take out of history.
type RewriteRequest struct {
	Blobs   map[string]bool        // those that hold it
	Trees   map[string]bool        // those that hold it in a file's name
	Found   func([]byte) bool      // whether a message holds it
	Cut     func([]byte) []byte    // messages without it
	CutBlob func([]byte) []byte    // blobs without it
	Path    func(path string) bool // the files that may change, those of git notes aside; nil: all
	Refs    func(name string) bool // which refs; nil: all
	People  bool                   // the names of authors, committers and taggers change too
	Write   bool                   // store the new objects; else their ids alone are worked out
}

// RewrittenRef is a ref and what it would become.
type RewrittenRef struct {
	Name    string
	NewName string // of a replacement for an object that changes itself; else ""
	Old     string // the object's id
	New     string
	Holding int  // commits (or other objects) below it that hold it themselves
	Tip     bool // its newest commit has it in its files
	Files   bool // the files of its newest commit change
}

// Rewritten is a history without it: objects that no ref leads to yet.
type Rewritten struct {
	Refs    []RewrittenRef    // those that change, in git's order of names
	Stashes []RewrittenStash  // all of them, the newest first: expiring reflogs takes them away
	Heads   []RewrittenRef    // worktrees that are detached at what changes, by path
	Commits map[string]string // every commit and tag that changes
	First   []string          // of the commits that change, less notes' and the journal's, those whose parents do not: the others come after them
	Holding map[string]bool   // the commits that hold it themselves
	Reached map[string]bool   // matched blobs that were met
	Named   map[string]bool   // commits and tags of people who are named so, and stay; less the journal's
	Others  map[string]bool   // files that hold it, in their names too, and may not change
	Shallow []string          // new commits whose parents are not here
	made    []string
}

// RewrittenStash is one entry of the stash.
type RewrittenStash struct {
	Old, New, Message string
	Same              bool // it is as it was
}

// rewriter is one rewriting under way.
type rewriter struct {
	RewriteRequest
	r       *Repo
	ctx     context.Context
	o       *batch
	w       objectWriter
	trees   map[string]string // done: old id to new
	has     map[string]bool   // trees that hold it
	notes   map[string]string // the newest commits of notes: their trees under the new names
	inNotes bool
	journal bool // the journal is rewritten now
	shallow map[string]bool
	out     *Rewritten
}

// Rewrite makes a copy of the history of all refs, stashes and detached
// worktrees without what the request names: dates, authors and all other bytes
// stay; signatures of what changes go. No ref is moved. Errors: *BlockedError;
// *Error; the cause.
func (r *Repo) Rewrite(ctx context.Context, req RewriteRequest) (*Rewritten, error) {
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	o, err := r.startBatch(ctx, noReplace)
	if err != nil {
		return nil, err
	}
	w := &rewriter{
		RewriteRequest: req, r: r, ctx: ctx, o: o, trees: map[string]string{}, has: map[string]bool{}, notes: map[string]string{}, shallow: map[string]bool{},
		out: &Rewritten{Commits: map[string]string{}, Holding: map[string]bool{}, Reached: map[string]bool{}, Named: map[string]bool{}, Others: map[string]bool{}},
	}
	err = w.run()
	if ended := o.close(); err == nil {
		err = ended
	}
	if err == nil && req.Write {
		err = r.packDurably(ctx, w.out.made)
	}
	return w.out, err
}

func (w *rewriter) run() error {
	if data, err := os.ReadFile(filepath.Join(w.r.CommonDir, "shallow")); err == nil {
		for _, id := range strings.Fields(string(data)) {
			w.shallow[id] = true
		}
	}
	refs, err := w.r.allRefs(w.ctx)
	if err != nil {
		return err
	}
	stashes, err := w.r.stashes(w.ctx)
	if err != nil {
		return err
	}
	heads, err := w.r.Worktrees(w.ctx)
	if err != nil {
		return err
	}
	var tips, notes, journal []string
	for _, ref := range refs {
		switch {
		case ref.Name == JournalRef:
			journal = append(journal, ref.Old)
		case !w.wants(ref.Name):
		case strings.HasPrefix(ref.Name, notesRefs):
			notes = append(notes, ref.Old)
		default:
			tips = append(tips, ref.Old)
		}
	}
	if w.Refs == nil {
		for _, s := range stashes {
			tips = append(tips, s.Old)
		}
		for _, h := range heads {
			if h.Branch == "" && h.Head != "" {
				tips = append(tips, h.Head)
			}
		}
	}
	// Notes and the journal come last: they name commits of the others.
	if err := w.commits(tips); err != nil {
		return err
	}
	first := len(w.out.First)
	if err := w.noteCommits(notes); err != nil {
		return err
	}
	w.journal = true
	if err := w.commits(journal); err != nil {
		return err
	}
	w.out.First = w.out.First[:first]
	w.journal = false
	return w.collect(refs, stashes, heads)
}

func (w *rewriter) wants(ref string) bool { return w.Refs == nil || w.Refs(ref) }

// collect says what becomes of refs, stashes and detached worktrees.
func (w *rewriter) collect(refs []RewrittenRef, stashes []RewrittenStash, heads []Worktree) error {
	for _, ref := range refs {
		if !w.wants(ref.Name) {
			continue
		}
		next, err := w.object(ref.Old)
		if err != nil {
			return err
		}
		if of, ok := strings.CutPrefix(ref.Name, replaceRefs); ok && w.mapped(of) != of {
			ref.NewName = replaceRefs + w.mapped(of)
		}
		if next == ref.Old && ref.NewName == "" {
			continue
		}
		ref.New = next
		if err := w.holding(&ref); err != nil {
			return err
		}
		w.out.Refs = append(w.out.Refs, ref)
	}
	if w.Refs != nil {
		return nil
	}
	for i, s := range stashes {
		stashes[i].New, stashes[i].Message = w.mapped(s.Old), string(w.Cut([]byte(s.Message)))
		stashes[i].Same = s == stashes[i]
	}
	w.out.Stashes = stashes
	for _, h := range heads {
		next := w.mapped(h.Head)
		if h.Branch != "" || h.Head == "" || next == h.Head {
			continue
		}
		head := RewrittenRef{Name: h.Path, Old: h.Head, New: next}
		if err := w.holding(&head); err != nil {
			return err
		}
		w.out.Heads = append(w.out.Heads, head)
	}
	return nil
}

func (w *rewriter) mapped(id string) string {
	if next, ok := w.out.Commits[id]; ok {
		return next
	}
	if next, ok := w.trees[id]; ok {
		return next
	}
	return id
}

// holding counts the commits below a ref that hold it themselves, and says what its
// newest one is like.
func (w *rewriter) holding(ref *RewrittenRef) error {
	out, err := w.r.git(w.ctx, call{args: []string{"rev-list", ref.Old}, env: []string{noReplace}})
	if err != nil {
		ref.Holding = 1
		return nil // a blob or a tree
	}
	for i, c := range strings.Fields(string(out)) {
		if w.out.Holding[c] {
			ref.Holding++
		}
		if i == 0 {
			tree, err := w.treeOf(c)
			if err != nil {
				return err
			}
			ref.Tip, ref.Files = w.has[tree], w.mapped(tree) != tree
		}
	}
	return nil
}

func (w *rewriter) treeOf(commit string) (string, error) {
	_, data, err := w.o.read(commit)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimPrefix(line, "tree "), nil
}

// commits rewrites what the tips reach, parents first.
func (w *rewriter) commits(tips []string) error {
	if len(tips) == 0 {
		return nil
	}
	stdin := []byte(strings.Join(tips, "\n") + "\n")
	out, err := w.r.git(w.ctx, call{args: []string{"rev-list", "--topo-order", "--reverse", "--stdin"}, stdin: stdin, env: []string{noReplace}})
	if err != nil {
		return publicError(err)
	}
	for _, id := range strings.Fields(string(out)) {
		if err := w.commit(id); err != nil {
			return err
		}
	}
	return nil
}

// allRefs lists the refs of the repository that point to objects, less the
// stash, which is more than its newest entry.
func (r *Repo) allRefs(ctx context.Context) ([]RewrittenRef, error) {
	out, err := r.git(ctx, call{args: []string{"for-each-ref", "--format=%(objectname) %(refname) %(symref)"}})
	if err != nil {
		return nil, publicError(err)
	}
	var list []RewrittenRef
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 && f[1] != "refs/stash" {
			list = append(list, RewrittenRef{Old: f[0], Name: f[1], New: f[0]})
		}
	}
	return list, nil
}

// stashes lists the stash, the newest first.
func (r *Repo) stashes(ctx context.Context) ([]RewrittenStash, error) {
	if _, err := r.git(ctx, call{args: []string{"rev-parse", "-q", "--verify", "refs/stash"}}); err != nil {
		return nil, nil
	}
	out, err := r.git(ctx, call{args: []string{"log", "-g", "-z", "--no-show-signature", "--format=%H %gs", "refs/stash", "--"}})
	if err != nil {
		return nil, publicError(err)
	}
	var list []RewrittenStash
	for entry := range strings.SplitSeq(strings.TrimRight(string(out), "\x00\n"), "\x00") {
		id, message, _ := strings.Cut(entry, " ")
		list = append(list, RewrittenStash{Old: id, New: id, Message: message})
	}
	return list, nil
}

// packDurably puts new objects into a pack, which git writes to the disk for
// sure: a ref that is moved to them next never outlives them.
func (r *Repo) packDurably(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := r.git(ctx, call{
		args:  []string{"pack-objects", "-q", "--window=0", filepath.Join(r.CommonDir, "objects", "pack", "pack")},
		stdin: []byte(strings.Join(ids, "\n") + "\n"), config: []string{"core.fsync=all"}, writes: true,
	})
	return publicError(err)
}
