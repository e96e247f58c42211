package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
)

// errNoConflict says that a damaged memory file has no markers of a conflict.
var errNoConflict = errors.New("no conflict")

// halfSettled is the error of a conflict that was half settled by hand. Where the markers came with a commit, git's way back would
// write the file as it is in the index, and so lose what the person edited for nothing.
func (t *transaction) halfSettled(ctx context.Context, unmerged bool) error {
	e := &fault.Error{Code: fault.ConflictMarkers, Thing: t.st.Name(), Cause: memfile.ErrMarkers.Error(), Err: memfile.ErrMarkers}
	if unmerged || t.st.Repo != nil && t.st.Repo.KnowsConflict(ctx, t.st.gitPath()) {
		e.Cause += ": git can make the conflict anew, without what was edited in the file since"
		e.Way = "git" + t.st.inRepo() + " checkout --merge " + t.st.pathHere()
	}
	return e
}

// unresolved says why a memory file (src) was not resolved: what is wrong with the file,
// where that is known of err. With unmerged, git's index has the conflict.
func (t *transaction) unresolved(ctx context.Context, src []byte, unmerged bool, err error) error {
	name := t.st.Name()
	var unsound *memfile.MergeError
	switch {
	case errors.Is(err, memfile.ErrMarkers):
		return t.halfSettled(ctx, unmerged)
	case errors.As(err, &unsound) && memfile.Page(src), errors.Is(err, recovery.ErrPageSide):
		return &ForeignError{Scope: t.st.Scope, Name: name}
	case errors.As(err, &unsound):
		p := firstDamage(unsound.Problems)
		return &fault.Error{
			Code: fault.Damaged, Thing: name, Scope: t.st.Scope, Err: errNoConflict,
			Cause: fmt.Sprintf("line %d: %s; it has no conflict to resolve", p.Line, p.Message),
		}
	case errors.Is(err, recovery.ErrSecretSide):
		if found := policy.Scan(src); len(found) > 0 {
			return &SecretError{Scope: t.st.Scope, Name: name, Finding: found[0]}
		}
	}
	return err
}

// withoutConflict reports whether an error of the memory file says that there is no conflict
// in it, so that those of the entries can be resolved all the same.
func withoutConflict(err error) bool {
	var foreign *ForeignError
	return errors.Is(err, errNoConflict) || errors.As(err, &foreign)
}
