package store

import (
	"context"
	"slices"
	"sync"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
)

const (
	// toldFile holds told.
	toldFile = "told.json"
	// untoldFile holds untold.
	untoldFile = "untold.json"
)

// noteGone says what was written, changed or forgotten on this branch and is not so in
// it any more: its commits were reset or rebased away, its stash dropped; or in this
// worktree with no branch checked out, and left there. Once. Where HEAD has the last
// write, that is all that is looked at. It reports whether it has put some of it into the
// tree again, where it waits for its commit.
func (t *transaction) noteGone(ctx context.Context) (back bool) {
	if t.st.Repo == nil || t.w.DryRun || t.blocked == gitops.WhyRebase {
		return false // what may come back is not told of as gone while it cannot be committed
	}
	notes, tells, back := t.goneNotes(ctx)
	for _, note := range notes {
		if t.tells = tells; !slices.Contains(t.notes, note) { // of a try before
			t.notes, t.gone = append(t.notes, note), append(t.gone, note)
		}
	}
	return back
}

// goneNotes are the notes, and the newest write that they tell of; back: see noteGone.
func (t *transaction) goneNotes(ctx context.Context) (notes []string, tells string, back bool) {
	state, err := t.st.Repo.State()
	branch := branchRef(state)
	if err != nil || branch == "" {
		return nil, "", false
	}
	here := t.st.hereOn(branch)
	last, blob, ok, err := t.st.Repo.JournalLast(ctx, journalLook, here, t.st.gitPath())
	if err != nil || !ok || last.Commit != "" && last.Commit == state.Head {
		return nil, "", false
	}
	if t.quick && t.st.isBlob(ctx, blob, kept{src: t.src}) && len(t.missing(ctx, last)) == 0 {
		return nil, "", false
	}
	t.srcID = t.st.Repo.CleanBlob(t.st.gitPath())
	if last.Commit != "" && !t.quick && t.st.Repo.IsAncestor(ctx, last.Commit, state.Head) {
		return nil, "", false
	}
	lost := t.goneWrites(ctx, state, last, here)
	if len(lost.list) == 0 {
		return nil, "", false
	}
	if back = t.bringBack(ctx, state, lost); back {
		if t.src, err = t.st.bytes(); err != nil {
			return nil, "", back
		}
		t.srcID = ""
	}
	now := NoDocument()
	if t.src != nil {
		now = t.st.historic(t.src)
	}
	keys := goneSorts{}
	if t.src == nil || !t.st.isBlob(ctx, blob, kept{t.src, t.srcID}) {
		keys = t.goneKeys(ctx, now, lost)
	}
	keys.gone = append(keys.gone, t.goneEntries(ctx, now, lost)...)
	if notes = keys.notes(lost.list[0].Branch == ""); len(notes) > 0 {
		tells = lost.list[0].ID
	}
	return notes, tells, back
}

// Gone is what the next act would say to be gone from the branch. With quick it starts no
// git, for hooks, and leaves out what only git can find.
func (st *Store) Gone(ctx context.Context, quick bool) []string {
	if st.Repo == nil {
		return nil
	}
	t := &transaction{st: st, quick: quick}
	state, err := st.Repo.State()
	if t.src, _ = st.bytes(); err != nil {
		return nil
	}
	t.head = state.Head
	notes, _, _ := t.goneNotes(ctx)
	var owed untold
	if err := st.worktree().readJSON(untoldFile, &owed); err == nil && owed.Branch == branchRef(state) {
		notes = append(owed.Notes, notes...)
	}
	return notes
}

// said gives the notes of an act that has come to its end, and remembers that what is
// gone was told of. Where that cannot be noted it is told again; where nobody is shown
// it, the next act tells it that is not quiet.
func (t *transaction) said() []string {
	quiet := t.st.ss.env.Quiet
	if t.tells != "" {
		var before told
		_ = t.st.worktree().readJSON(toldFile, &before)
		before.Entry = t.tells
		_ = t.st.worktree().writeJSON(toldFile, before)
		if quiet {
			_ = t.st.worktree().writeJSON(untoldFile, untold{Branch: t.branch(), Notes: t.gone})
		}
	}
	if quiet || t.st.Repo == nil {
		return t.notes
	}
	var owed untold
	if err := t.st.worktree().readJSON(untoldFile, &owed); err == nil && len(owed.Notes) > 0 && owed.Branch == t.branch() {
		_ = t.st.worktree().remove(untoldFile)
		t.notes = append(owed.Notes, t.notes...)
	}
	return t.notes
}

// branch is the branch that is checked out, as the notes of what is gone count it.
func (t *transaction) branch() string {
	state, err := t.st.Repo.State()
	if err != nil {
		return ""
	}
	return branchRef(state)
}

// untold is what a quiet act had to tell of a branch, and told nobody.
type untold struct {
	Branch string   `json:"branch"`
	Notes  []string `json:"notes"`
}

// told is what was said already.
type told struct {
	Entry  string `json:"entry"`             // the newest write of those that are gone
	NoFile string `json:"no_file,omitempty"` // of a branch without a memory file
}

// lostWrites are writes made here that HEAD does not have, newest first.
type lostWrites struct {
	list []gitops.JournalEntry
	// line is what the journal has of here from the newest of them to the one before
	// the oldest: with what acts found, and with the last write that HEAD has.
	line []gitops.JournalEntry
	has  string // the commit of that one, "" where it is not known
}

// goneWrites lists the writes made here whose commits HEAD does not have any more,
// or never had, newest first, down to the newest one that it has, or that was told of.
func (t *transaction) goneWrites(ctx context.Context, state gitops.State, last gitops.JournalEntry, here func(gitops.JournalEntry) bool) (lost lostWrites) {
	var before told
	if err := t.st.worktree().readJSON(toldFile, &before); err != nil {
		before = told{} // at worst it is said again
	}
	look := journalLook
	if err := t.st.Repo.Journal(ctx, func(e gitops.JournalEntry) bool {
		if here(e) {
			lost.line = append(lost.line, e)
		}
		look--
		return look > 0 && e.ID != before.Entry
	}); err != nil {
		return lostWrites{}
	}
	if len(lost.line) == 0 || lost.line[0].ID == before.Entry {
		return lostWrites{}
	}
	had := t.hadBy(ctx, state.Head, last, lost.line)
	for i, e := range lost.line {
		if e.ID == before.Entry {
			break
		}
		if isFound(e) {
			continue
		}
		if had(e.Commit) {
			lost.line, lost.has = lost.line[:i+1], e.Commit
			break
		}
		lost.list = append(lost.list, e)
	}
	return lost
}

// nearHead is how many commits beside HEAD are looked at without git.
const nearHead = 32

// hadBy tells the commits of the line of writes that HEAD has. Without git it tells those
// that HEAD may have.
func (t *transaction) hadBy(ctx context.Context, head string, last gitops.JournalEntry, line []gitops.JournalEntry) func(commit string) bool {
	if t.quick {
		only := t.st.Repo.NearOnly(last.Commit, head, nearHead)
		return func(commit string) bool { return commit != "" && !only[commit] }
	}
	var commits []string
	for _, e := range line {
		if e.Commit != "" {
			commits = append(commits, e.Commit)
		}
	}
	outside := t.st.Repo.Outside(ctx, commits, head)
	return func(commit string) bool { return !outside[commit] && t.st.Repo.IsAncestor(ctx, commit, head) }
}

// goneEntries are the short ids of the writes' entries whose files are gone, and that
// were not forgotten since.
func (t *transaction) goneEntries(ctx context.Context, now memfile.Document, lost lostWrites) []string {
	forgotten, err := t.st.forgotten(now)
	if err != nil {
		return nil
	}
	broughtBack := sync.OnceValue(func() func(string) bool { return t.broughtBackOn(ctx, lost.line) })
	var ids []string
	known := slices.Clone(t.w.Keys)
	for _, e := range lost.list {
		for name, gone := range t.missing(ctx, e) {
			src, err := t.st.version(ctx, gone.blob, t.st.gitPathOf(name))
			f, _ := entry.Parse(name, src)
			if err != nil || f == nil || (gone.deleted || forgotten.Text(f.Entry().Text)) && !broughtBack()(f.Entry().Text) {
				continue
			}
			if slices.Contains(known, f.Entry().ID) || slices.Contains(known, entry.ShortID(f.Entry().ID)) { // undo names short ones
				continue
			}
			known = append(known, f.Entry().ID)
			ids = append(ids, entry.ShortID(f.Entry().ID))
		}
		for _, tr := range e.Trailers {
			if tr.Name == "Memory-Key" {
				known = append(known, tr.Value) // what came before this write is not looked at
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// broughtBackOn tells the texts that had been forgotten on the line of writes, and that
// the last of them had brought back: as forgotten as they are now they had been before.
func (t *transaction) broughtBackOn(ctx context.Context, line []gitops.JournalEntry) func(text string) bool {
	docs := t.lineDocuments(ctx, line)
	return func(text string) bool {
		for i, doc := range docs {
			if f, err := t.st.forgotten(doc); err == nil && f.Text(text) {
				return i > 0
			}
		}
		return false
	}
}

// missingEntry is a file of an entry that stands no more in its place.
type missingEntry struct {
	blob    string // its bytes in git
	deleted bool   // it stands among the deleted ones
}

// missing are the files of entries that a write left and that stand no more in their
// place, by their path from the store's folder.
func (t *transaction) missing(ctx context.Context, e gitops.JournalEntry) map[string]missingEntry {
	files, err := t.st.Repo.JournalFiles(ctx, e)
	if err != nil || len(files) < 2 {
		return nil // the memory file alone
	}
	root, err := t.st.openRoot()
	if root == nil || err != nil {
		return nil
	}
	defer root.Close()
	gone := map[string]missingEntry{}
	for file, blob := range files {
		name := t.st.ownPath(file)
		if p, ok := entry.ParsePath(name); !ok || p.Deleted {
			continue
		}
		if _, err := root.Lstat(name); err == nil {
			continue
		}
		_, err := root.Lstat(entry.DeletedPath(name))
		gone[name] = missingEntry{blob, err == nil}
	}
	return gone
}
