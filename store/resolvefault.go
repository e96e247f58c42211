package store

import (
	"errors"
	"fmt"

	"github.com/memctl/memctl/memfile"
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

// unresolved says why a memory file (src) was not resolved: what is wrong with the file,
// where that is known of err.
func (t *transaction) unresolved(src []byte, err error) error {
	name := t.st.Name()
	var unsound *memfile.MergeError
	switch {
	case errors.As(err, &unsound) && memfile.Page(src), errors.Is(err, recovery.ErrPageSide):
		return &ForeignError{Scope: t.st.Scope, Name: name}
	case errors.As(err, &unsound):
		return &NoConflictError{Scope: t.st.Scope, Name: name, Problem: firstDamage(unsound.Problems)}
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
	var damaged *NoConflictError
	var foreign *ForeignError
	return errors.As(err, &damaged) || errors.As(err, &foreign)
}
