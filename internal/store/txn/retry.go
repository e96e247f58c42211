package txn

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"fmt"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
)

const (
	// maxAttempts and attemptsFor bound how often, and for how long, an act is done again
	// because another program changes its files.
	maxAttempts = 20
	attemptsFor = 3 * time.Second
	// firstPause is the first pause before that; the next ones are longer, up to five times.
	firstPause = 10 * time.Millisecond
)

// changedMeanwhile is the error of a try of an act that ends because another program changed its file
// after it was read. The act is done again from the start.
func changedMeanwhile(name string) error {
	return &fault.Error{Code: fault.TryAgain, Err: safefile.Changed(name)}
}

// attempts counts the attempts of one act.
type attempts struct {
	count int
	begun time.Time
}

// waitForRetry pauses before the next try, and reports whether there is one.
func (n *attempts) waitForRetry(ctx context.Context) bool {
	if n.begun.IsZero() {
		n.begun = time.Now()
	}
	n.count++
	if n.count > maxAttempts || time.Since(n.begun) > attemptsFor {
		return false
	}
	pause := time.Duration(min(n.count, 5)) * firstPause
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause/2 + rand.N(pause)): // two writers do not stay in step
		return true
	}
}

// changedByOthers reports whether writing failed because another program changed the file, or
// removed its folder, at the same moment; and which file.
func changedByOthers(err error) (name string, ok bool) {
	changed := fault.Find(err, fault.ChangedOnDisk)
	var path *fs.PathError
	switch {
	case changed != nil:
		return changed.Thing, true
	case errors.As(err, &path) && errors.Is(path, fs.ErrNotExist):
		return path.Path, true
	}
	return "", errors.Is(err, fs.ErrNotExist)
}

// undoFiles writes the act's files as they were before it, each only if it still is as the
// act wrote it.
func (p *plan) undoFiles() error {
	var back []store.FileChange
	for _, c := range p.changes {
		now, err := contents.FileBytes(p.st, c.Path)
		if err != nil {
			return err
		}
		if contents.DigestOf(now) == contents.DigestOf(c.After) {
			back = append(back, store.FileChange{Path: c.Path, Before: now, After: c.Before})
		}
	}
	slices.Reverse(back)
	err := put(p.st, back)
	if _, ok := changedByOthers(err); ok {
		return nil // the file is another program's now
	}
	return err
}

// restage adds files back to the index whose change another git has dropped: it read the index before memctl locked
// it and wrote it afterwards, and the person's next commit would revert the act. The index then has a file as it was
// before the branch's newest act. Everything else in the index is the person's, and so is the removal of a file that
// the act created, because nobody can tell it from such a race. Files of acts that waited or were killed are
// added in any case. done is false where git could not write the index.
func (t *transaction) restage(ctx context.Context) (done bool, err error) {
	if t.st.Repo == nil || t.blocked != "" && !gitops.IsUnfinishedOperation(t.blocked) {
		return true, nil
	}
	state, err := t.st.Repo.State()
	if err != nil || state.Unborn {
		return true, nil // the commit says what is wrong with HEAD
	}
	paths := slices.Clone(t.pendingPaths)
	var blobs, before map[string]string // of HEAD, and of its files before the newest act
	last := lastJournalled(ctx, t.st, ledger.HereOn(t.st, ledger.BranchRef(state)))
	if last != nil && last.Commit != "" {
		if files, was, err := committer.JournalFiles(ctx, t.st.Repo, *last); err == nil {
			paths, blobs, before = slices.AppendSeq(paths, maps.Keys(files)), files, was
		}
	}
	if len(t.pendingPaths) > 0 || last == nil || last.Commit != state.Head { // else the journal has what HEAD has
		blobs, _, err = object.BlobsAt(ctx, t.st.Repo, state.Head, paths)
	}
	if err != nil || len(paths) == 0 {
		return err == nil, err
	}
	stale, err := worktree.Stale(ctx, t.st.Repo, blobs, slices.Compact(slices.Sorted(slices.Values(paths))))
	if err != nil || len(stale) == 0 {
		return err == nil, err
	}
	dropped, unknown := t.dropped(before, stale)
	if len(unknown) > 0 {
		t.notes = append(t.notes, fault.NewNote("not-in-index", "git's index does not have "+namedFew(unknown)+", so your next commit would delete it; if you did not remove it there: git"+inRepo(t.st)+" add "+shell.Quote(":/"+unknown[0])))
	}
	if len(dropped) == 0 {
		return true, nil
	}
	if err := committer.Restage(ctx, t.st.Repo, dropped); err != nil {
		t.blocked = commitFault(err)
		return false, nil
	}
	t.finished = append(t.finished, fault.NewNote("restaged", "memctl added memory files back to git's index, because another git command had dropped them"))
	return true, nil
}

// dropped returns those of the stale files whose change another git has dropped from the index, and those of which
// that is not known.
func (t *transaction) dropped(before, stale map[string]string) (dropped, unknown []string) {
	for _, name := range slices.Sorted(maps.Keys(stale)) {
		switch {
		case slices.Contains(t.pendingPaths, name), stale[name] != "" && stale[name] == before[name]:
			dropped = append(dropped, name)
		case stale[name]+before[name] == "": // the act created it
			unknown = append(unknown, name)
		}
	}
	return dropped, unknown
}

// maxNamed is how many keys a note names.
const maxNamed = 3

// namedFew names some of the keys, and counts the others.
func namedFew(keys []string) string {
	named := strings.Join(keys[:min(len(keys), maxNamed)], ", ")
	if more := len(keys) - maxNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return named
}
