package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
)

// broughtBackFile lists the moves of branches whose commits have been brought back.
const (
	broughtBackFile = "broughtback.json"
	// maxMovesAsked bounds how many moves of the branch are asked about a commit.
	maxMovesAsked  = 5
	maxBroughtBack = 100
	// rebasePatience is how long an act waits for a rebase that its commit was put aside for.
	rebasePatience = 3 * time.Second
)

// besideOther looks whether a git of the person's began beside the commit that does not
// know of it. A rebase could not end then: the commit waits in the journal until it has. The
// index of a merge would take the new files out of HEAD with the person's commit.
func (t *transaction) besideOther(ctx context.Context, commit string) (notes []string) {
	state, err := t.st.Repo.State()
	if err != nil {
		return nil
	}
	switch state.Operation {
	case "rebase":
		if t.journalled && t.st.Repo.PutAside(ctx, commit) {
			return []string{t.afterRebase(ctx)}
		}
	case "merge", "cherry-pick", "revert", "am":
		_ = t.mendIndexOf(ctx) // else the next act does
	}
	return nil
}

// afterRebase waits a while for the end of the rebase that a commit was put aside for, and
// brings it back then. It gives what there is to say of that.
func (t *transaction) afterRebase(ctx context.Context) string {
	after := &transaction{st: t.st, w: Write{Act: t.w.Act, Wait: rebasePatience}}
	if err := after.look(ctx); err == nil && after.blocked == "" && len(after.broughtBack) > 0 {
		return "a rebase that did not know of this write had just begun: it was off the branch until that had ended, and is there again"
	}
	return "a rebase that does not know of this write had just begun: it is off the branch until that has ended; then the next memctl act brings it back"
}

// bringBack puts into the tree again what a git took from the branch with a commit that it
// did not know of, such as a rebase that had begun just before and was given up. There it
// waits for its commit. It reports whether something waits so now. What has been changed
// since is left, and told of as gone.
func (t *transaction) bringBack(ctx context.Context, state gitops.State, lost lostWrites) (back bool) {
	if !t.brings || t.broughtBack != nil {
		return false
	}
	t.broughtBack = []string{}
	var done []gitops.Dropped // once each: what goes later, a person has taken away
	_ = t.st.shared().readJSON(broughtBackFile, &done)
	dropped := slices.DeleteFunc(t.st.Repo.DroppedUnknowing(state.Branch), func(d gitops.Dropped) bool { return slices.Contains(done, d) })
	if len(dropped) == 0 {
		return false
	}
	for _, e := range slices.Backward(lost.list) {
		if e.Commit == "" || !t.wasDropped(ctx, e.Commit, dropped) || !t.asJournalled(ctx, e) {
			continue
		}
		changes, ok := t.changesAgain(ctx, e.Commit)
		if ok && t.stands(ctx, changes) {
			continue // somebody has brought it back
		}
		if !ok || t.forgottenSince(changes) || !t.putBack(ctx, e, changes) {
			break
		}
		back = true
		for _, tr := range e.Trailers {
			if tr.Name == "Memory-Key" {
				t.broughtBack = append(t.broughtBack, policy.Inert(entry.ShortID(tr.Value)))
			}
		}
	}
	if back {
		done = append(done, dropped...)
		_ = t.st.shared().writeJSON(broughtBackFile, done[max(0, len(done)-maxBroughtBack):])
		t.notes = append(t.notes, "a git that did not know of them had put the branch back, such as a rebase: "+namedFew(t.broughtBack)+"; they are there again")
	}
	return back
}

// wasDropped reports whether the commit went with one of the moves of the branch, which
// led straight back.
func (t *transaction) wasDropped(ctx context.Context, commit string, dropped []gitops.Dropped) bool {
	for _, d := range dropped[:min(len(dropped), maxMovesAsked)] {
		if t.st.Repo.IsAncestor(ctx, commit, d.Was) && !t.st.Repo.IsAncestor(ctx, commit, d.Now) && t.st.Repo.IsAncestor(ctx, d.Now, d.Was) {
			return true
		}
	}
	return false
}

// asJournalled reports whether the journal has the files as the commit does: a purge has
// taken a text out of the one, and waits for the person to take it out of the other.
func (t *transaction) asJournalled(ctx context.Context, e gitops.JournalEntry) bool {
	files, err := t.st.Repo.JournalFiles(ctx, e)
	if err != nil || len(files) == 0 {
		return false
	}
	blobs, _, err := t.st.Repo.BlobsAt(ctx, e.Commit, slices.Collect(maps.Keys(files)))
	return err == nil && maps.Equal(blobs, files)
}

// changesAgain are the changes that the commit made to the store's files, made to the
// files as they are now. ok is false where one of them has been changed since otherwise.
func (t *transaction) changesAgain(ctx context.Context, commit string) (changes []FileChange, ok bool) {
	changed, err := t.st.Repo.ChangedFiles(ctx, commit, ".")
	if err != nil {
		return nil, false
	}
	for _, f := range changed {
		name := t.st.ownPath(f.Path)
		if _, ok := entry.ParsePath(name); !ok && f.Path != t.st.gitPath() {
			continue
		}
		c, ok := t.changeAgain(ctx, name, f)
		if !ok {
			return nil, false
		}
		changes = append(changes, c)
	}
	return changes, true
}

// stands reports whether there is nothing to write, and HEAD has the files too.
func (t *transaction) stands(ctx context.Context, changes []FileChange) bool {
	blobs, err := t.st.blobsAt(ctx, "", changes)
	return err == nil && !slices.ContainsFunc(changes, func(c FileChange) bool {
		return digestOf(c.Before) != digestOf(c.After) || (blobs[t.st.gitPathOf(c.Path)] == "") != (c.After == nil)
	})
}

// putBack writes the files of the entry once more, and notes that they wait.
func (t *transaction) putBack(ctx context.Context, e gitops.JournalEntry, changes []FileChange) (done bool) {
	p := pendingWrite{Subject: strings.TrimPrefix(e.Subject, "memory: "), Message: e.Body, Trailers: e.Trailers, Since: t.st.ss.Now().UTC()}
	var write []FileChange
	for _, c := range changes {
		p.Files = append(p.Files, pendingFile{Path: c.Path, Before: digestOf(c.Before), After: digestOf(c.After)})
		if digestOf(c.Before) != digestOf(c.After) {
			write = append(write, c)
		}
	}
	return t.st.notePending(p) == nil && t.st.putUnless(ctx, write) == nil
}

// changeAgain is what a commit did to a file, done to the file as it is now.
func (t *transaction) changeAgain(ctx context.Context, name string, f gitops.ChangedFile) (c FileChange, ok bool) {
	now, err := t.st.fileBytes(name)
	if err != nil {
		return c, false
	}
	var sides [2][]byte
	for i, id := range []string{f.Before, f.After} {
		if id == "" {
			continue
		}
		if sides[i], err = t.st.Repo.Smudged(ctx, id, f.Path); err != nil {
			return c, false
		}
	}
	c = FileChange{Path: name, Before: now, After: sides[1]}
	switch {
	case digestOf(now) == digestOf(sides[0]):
		return c, true
	case digestOf(now) == digestOf(sides[1]):
		c.After = now
		return c, true
	case name != memfile.FileName || now == nil || sides[0] == nil || sides[1] == nil:
		return c, false
	}
	m, err := recovery.Merge(t.st.Name(), sides[0], now, sides[1], t.st.recovering())
	c.After = m.Bytes
	return c, err == nil && len(m.Aside) == 0
}

// forgottenSince reports whether one of the entries that would come back has been
// forgotten in the meantime.
func (t *transaction) forgottenSince(changes []FileChange) bool {
	src, err := t.st.bytes()
	if err != nil {
		return true
	}
	forgotten, err := t.st.forgotten(t.st.historic(src))
	return err != nil || slices.ContainsFunc(changes, func(c FileChange) bool {
		p, ok := entry.ParsePath(c.Path)
		if !ok || p.Deleted || c.After == nil {
			return false
		}
		f, _ := entry.Parse(c.Path, c.After)
		return f == nil || forgotten.Text(f.Entry().Text)
	})
}

// namedFew names some of the keys, and counts the others.
func namedFew(keys []string) string {
	named := strings.Join(keys[:min(len(keys), maxGoneNamed)], ", ")
	if more := len(keys) - maxGoneNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return named
}
