package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
)

// NoConflictError is a damaged memory file without the markers of a conflict: there is
// nothing to resolve in it, and recover makes it sound.
type NoConflictError struct {
	Scope   string
	Name    string
	Problem memfile.Problem
}

func (e *NoConflictError) Error() string {
	return fmt.Sprintf("%q: line %d: %s; it has no conflict to resolve", e.Name, e.Problem.Line, e.Problem.Message)
}

// MarkersError is a conflict that was half settled by hand: its markers are not whole.
type MarkersError struct {
	Name string
	Back string // the command that makes the conflict anew, "" where git does not have it
}

func (e *MarkersError) Error() string {
	said := fmt.Sprintf("%q: %v", e.Name, merge.ErrMarkers)
	if e.Back != "" {
		said += ": git can make the conflict anew, without what was edited in the file since"
	}
	return said
}

func (e *MarkersError) Unwrap() error { return merge.ErrMarkers }

// halfSettled is that error. Where the markers came with a commit, git's way back would
// write the file as it is in the index, and so lose what the person edited for nothing.
func (p *plan) halfSettled(ctx context.Context, unmerged bool) error {
	e := &MarkersError{Name: p.st.Name()}
	if unmerged || p.st.Repo != nil && worktree.KnowsConflict(ctx, p.st.Repo, p.st.gitPath()) {
		e.Back = "git" + p.st.inRepo() + " checkout --merge " + p.st.pathHere()
	}
	return e
}

// unresolved says why a memory file (src) was not resolved: what is wrong with the file,
// where that is known of err. With unmerged, git's index has the conflict.
func (p *plan) unresolved(ctx context.Context, src []byte, unmerged bool, err error) error {
	name := p.st.Name()
	var unsound *merge.Error
	switch {
	case errors.Is(err, merge.ErrMarkers):
		return p.halfSettled(ctx, unmerged)
	case errors.As(err, &unsound) && memfile.Page(src), errors.Is(err, recovery.ErrPageSide):
		return &ForeignError{Scope: p.st.Scope, Name: name}
	case errors.As(err, &unsound):
		return &NoConflictError{Scope: p.st.Scope, Name: name, Problem: firstDamage(unsound.Problems)}
	case errors.Is(err, recovery.ErrSecretSide):
		if found := policy.Scan(src); len(found) > 0 {
			return &SecretError{Scope: p.st.Scope, Name: name, Finding: found[0]}
		}
	}
	return err
}

// withoutConflict reports whether an error of the memory file says that there is no conflict
// in it, so that those of the entries can be resolved all the same.
func withoutConflict(err error) bool {
	var damaged *NoConflictError
	var foreign *ForeignError
	return errors.As(err, &damaged) || errors.As(err, &foreign)
}
