package fault

import (
	"errors"
	"fmt"
	"testing"
)

func TestIs(t *testing.T) {
	cause := errors.New("cause")
	err := fmt.Errorf("adding: %w", &Error{Code: Scope, Thing: "team", Cause: "is no scope", Err: cause})
	if err.Error() != `adding: "team" is no scope` || !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if !Is(err, Scope) || Is(err, NoRemote) || Is(cause, Scope) {
		t.Errorf("Is mistakes the code of %v", err)
	}
}

func TestFindLooksIntoEveryWrappedError(t *testing.T) {
	inner := &Error{Code: Blocked, Cause: "git missing", Why: "git missing"}
	outer := &Error{Code: Sync, Scope: "user", Err: errors.Join(errors.New("first"), inner)}
	if Find(outer, Blocked) != inner || Find(outer, Sync) != outer || Find(outer, Deferred) != nil || Find(nil, Blocked) != nil {
		t.Error("Find returns another error than the one with the code")
	}
	if Why(outer, Blocked) != "git missing" || Why(outer, Deferred) != "" {
		t.Error("Why is of another error")
	}
	if outer.Error() != "first\ngit missing" {
		t.Errorf("an error that only wraps says %q", outer.Error())
	}
	if FindAnswer(outer) != nil || FindAnswer(errors.Join(inner, &Error{Code: Scope, Status: 1})) == nil {
		t.Error("Answer mistakes what is the answer of an act")
	}
}
