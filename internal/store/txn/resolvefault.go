package txn

import (
	"errors"
	"fmt"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
)

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
