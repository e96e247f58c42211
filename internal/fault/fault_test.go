package fault

import (
	"errors"
	"fmt"
	"testing"
)

func TestIs(t *testing.T) {
	cause := errors.New("cause")
	err := fmt.Errorf("adding: %w", &Error{Code: Scope, Thing: "team", Cause: "is no scope", Err: cause})
	if err.Error() != `adding: "team": is no scope` || !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if !Is(err, Scope) || Is(err, NoRemote) || Is(cause, Scope) {
		t.Errorf("Is mistakes the code of %v", err)
	}
}
