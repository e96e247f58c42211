package store

import (
	"bytes"
	"context"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
)

// Resolution is one `resolve`.
type Resolution struct {
	Message string
	Origin  string
	DryRun  bool
	Add     bool // mark the conflict as resolved in git's index
	Wait    time.Duration
}

// Resolved is what a resolution made of the memory file.
type Resolved struct {
	Aside    []memfile.Aside
	Hunks    int  // conflicts between markers
	Unmerged bool // git's index still has the file unmerged
	Added    bool // to the index
}

// Resolve makes one sound memory file of one with conflict markers, or with
// several items of one key, merged by meaning. In the middle of a merge it
// writes the file and commits nothing. Errors: *MissingError, *SecretError,
// *safefile.HeldError, memfile.ErrMarkers, and those of recovery.Merge.
func (st *Store) Resolve(ctx context.Context, r Resolution) (Resolved, Outcome, error) {
	t := &transaction{st: st, w: Write{Act: "resolve", Message: r.Message, Origin: r.Origin, DryRun: r.DryRun}}
	if !r.DryRun && st.Dir != "" {
		unlock, err := st.lock(ctx, r.Wait, t.w.Act)
		if err != nil {
			return Resolved{}, Outcome{}, err
		}
		defer unlock()
	}
	delete(st.ss.memories, st.Scope)
	defer delete(st.ss.memories, st.Scope)
	if err := t.look(ctx); err != nil {
		return Resolved{}, Outcome{}, err
	}
	if t.src == nil {
		return Resolved{}, Outcome{}, &MissingError{Scope: st.Scope, Name: st.Name()}
	}
	return t.resolve(ctx, r)
}

func (t *transaction) resolve(ctx context.Context, r Resolution) (res Resolved, out Outcome, err error) {
	var stages [3][]byte
	if t.st.Repo != nil {
		if stages, res.Unmerged, err = t.st.Repo.Unmerged(ctx, t.st.gitPath()); err != nil {
			return res, out, err
		}
	}
	merged, hunks, err := recovery.Resolve(t.st.Name(), t.src, stages, recovery.Options{Today: t.st.ss.Today(), Scope: t.st.Scope, Team: t.st.ss.teamRules(t.st.Scope)})
	if err != nil {
		return res, out, err
	}
	res.Aside, res.Hunks = merged.Aside, hunks
	if found := policy.Scan(merged.Bytes); len(found) > 0 && t.blocked == "" && !res.Unmerged {
		return res, out, &SecretError{Name: t.st.Name(), Finding: found[0]}
	}
	if bytes.Equal(merged.Bytes, t.src) {
		out.Why = WhyUnchanged
	} else {
		if res.Unmerged && t.blocked == "" {
			t.blocked = gitops.WhyUnmerged // git commits no part of an index with conflicts
		}
		out.After = t.st.historic(merged.Bytes)
		t.changes = []FileChange{{Path: memfile.FileName, Before: t.src, After: merged.Bytes}}
		if out, err = t.finish(ctx, out); err != nil {
			return res, out, err
		}
	}
	if r.Add && res.Unmerged && !r.DryRun {
		if err := t.st.Repo.MarkResolved(ctx, t.st.gitPath()); err != nil {
			return res, out, err
		}
		res.Added, res.Unmerged = true, false
	}
	return res, out, nil
}
