package txn

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
)

// Resolved is what a resolution made of the memory file, and of the entries
// that were in conflict.
type Resolved struct {
	Entries  []ResolvedEntry
	Notes    []fault.Note // what was removed on one side and changed on the other
	Merged   []fault.Note // what the two sides of the memory file could not both have
	Hunks    int          // conflicts between markers
	Unmerged bool         // git's index still has the file unmerged
	Added    bool         // to the index
}

// Resolve makes one sound memory file of one with conflict markers, or with
// several items of one key, and sound entries of those in conflict, merged by
// meaning; only one file, from the store's folder, if only names it. add marks the conflict as resolved in git's index.
// In the middle of a merge it writes the file and commits nothing. Errors: fault.NoMemoryFile, fault.Secret,
// fault.Damaged, fault.NotAMemoryFile, fault.LockHeld, fault.ConflictMarkers, and those of recovery.MergeFile.
func Resolve(ctx context.Context, st *store.Store, w Write, only string, add bool) (Resolved, Outcome, error) {
	w.Act = "resolve"
	t, end, err := lockAndLook(ctx, st, w)
	if err != nil {
		return Resolved{}, Outcome{}, err
	}
	defer end()
	return (&plan{transaction: t}).resolve(ctx, only, add)
}

func (p *plan) resolve(ctx context.Context, only string, add bool) (res Resolved, out Outcome, err error) {
	var damaged error
	if only == "" || only == memfile.FileName {
		if damaged = p.resolveMemory(ctx, &res, &out); damaged != nil && (only != "" || !withoutConflict(damaged)) {
			return res, out, damaged
		}
	}
	if only != memfile.FileName {
		if res.Entries, err = p.resolveEntries(ctx, only); err != nil {
			return res, out, err
		}
	}
	if damaged != nil && len(res.Entries) == 0 {
		return res, out, damaged
	}
	if p.src == nil && only == "" && len(res.Entries) == 0 {
		return res, out, Missing(ctx, p.st)
	}
	unmerged := res.Unmerged
	for _, e := range res.Entries {
		res.Hunks += e.hunks
		res.Notes = append(res.Notes, e.removed...)
		unmerged = unmerged || e.Unmerged
	}
	if unmerged && p.blocked == "" {
		p.blocked = gitops.WhyUnmerged // git commits no part of an index with conflicts
	}
	switch {
	case len(p.changes) == 0 && len(res.Notes) > 0:
		out.Why = p.blocked
	case len(p.changes) == 0:
		out.Why = WhyUnchanged
	case gitops.HandsOff(p.blocked):
		return res, out, p.deferred(p.blocked)
	default:
		if out, err = p.finish(ctx, out); err != nil {
			return res, out, err
		}
	}
	if damaged != nil {
		out.Notes = append(out.Notes, fault.NewNote("memory-file-damaged", damaged.Error()))
	}
	if add && unmerged && !p.st.DryRun() {
		err = p.markResolved(ctx, &res)
	}
	return res, out, err
}

// resolveMemory merges the memory file, where there is one.
func (p *plan) resolveMemory(ctx context.Context, res *Resolved, out *Outcome) (err error) {
	src := p.src
	var stages [3][]byte
	if p.st.Repo != nil {
		if stages, res.Unmerged, err = contents.ConflictSides(ctx, p.st, p.st.GitPath()); err != nil {
			return err
		}
	}
	if removed := oneSide(stages); removed != nil {
		res.Notes = append(res.Notes, keptOneSide(p.st.Name()))
		if src == nil {
			src = removed
		}
	}
	if src == nil {
		return nil
	}
	opt := contents.RecoveryOptions(p.st)
	if p.st.Repo != nil {
		opt.Named = contents.Named(ctx, p.st.Repo, p.st.GitPath(), "HEAD", "MERGE_HEAD")
	}
	merged, hunks, err := recovery.Resolve(p.st.Name(), src, stages, opt)
	if err != nil {
		return p.unresolved(src, res.Unmerged, err)
	}
	res.Merged, res.Hunks = merged.Notes, max(hunks, len(res.Notes))
	if found := policy.Scan(merged.Bytes); len(found) > 0 && p.blocked == "" && !res.Unmerged {
		return Secret(p.st.Scope, p.st.Name(), found[0])
	}
	if !bytes.Equal(merged.Bytes, p.src) {
		out.After = contents.OldDocument(p.st, merged.Bytes)
		p.changes = []store.FileChange{{Path: memfile.FileName, Before: p.src, After: merged.Bytes}}
	}
	return nil
}

// markResolved marks what was resolved as such in git's index.
func (p *plan) markResolved(ctx context.Context, res *Resolved) error {
	if res.Unmerged {
		if err := worktree.Stage(ctx, p.st.Repo, p.st.GitPath(), true); err != nil {
			return err
		}
		res.Added, res.Unmerged = true, false
	}
	for i := range res.Entries {
		e := &res.Entries[i]
		if !e.Unmerged {
			continue
		}
		if err := worktree.Stage(ctx, p.st.Repo, p.st.GitPathOf(e.Path), true); err != nil {
			return err
		}
		res.Added, e.Unmerged = true, false
	}
	return nil
}

// errNoConflict says that a damaged memory file has no markers of a conflict.
var errNoConflict = errors.New("no conflict")

// unresolved says why a memory file (src) was not resolved: what is wrong with the file,
// where that is known of err. With unmerged, git's index has the conflict.
func (p *plan) unresolved(src []byte, unmerged bool, err error) error {
	name := p.st.Name()
	var unsound *merge.Error
	switch {
	case errors.Is(err, merge.ErrMarkers): // half settled by hand
		e := &fault.Error{Code: fault.ConflictMarkers, Thing: name, Cause: merge.ErrMarkers.Error(), Err: merge.ErrMarkers}
		if unmerged {
			e.Cause += ": git can create the conflict again, without later edits of the file"
			e.Hints = []string{"git" + inRepo(p.st) + " checkout --merge " + pathHere(p.st), "memctl recover"}
		}
		return e
	case errors.As(err, &unsound) && memfile.IsPage(src), errors.Is(err, recovery.ErrPageSide):
		return Foreign(p.st.Scope, name, false)
	case errors.As(err, &unsound):
		damage := contents.FirstDamage(unsound.Problems)
		return &fault.Error{
			Code: fault.Damaged, Thing: name, Scope: p.st.Scope, Err: errNoConflict,
			Cause: fmt.Sprintf("line %d: %s; it has no conflict to resolve", damage.Line, damage.Message),
		}
	case errors.Is(err, recovery.ErrSecretSide):
		if found := policy.Scan(src); len(found) > 0 {
			return Secret(p.st.Scope, name, found[0])
		}
	}
	return err
}

// withoutConflict reports whether an error of the memory file says that there is no conflict
// in it, so that those of the entries can be resolved all the same.
func withoutConflict(err error) bool {
	return errors.Is(err, errNoConflict) || fault.Is(err, fault.NotAMemoryFile)
}
