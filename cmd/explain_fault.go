package cmd

import (
	"errors"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memory"
)

// advice is what the command line adds to a code: the exit status, whether the same call may
// work later, and the hints. err is the whole error, f the fault in it.
type advice struct {
	status int
	retry  bool
	hints  func(f *fault.Error, err error) []string
}

// adviceFor is the one table of codes of package fault; false where it has no row.
func adviceFor(code string) (advice, bool) {
	always := func(hints ...string) func(*fault.Error, error) []string {
		return func(*fault.Error, error) []string { return hints }
	}
	a, ok := map[string]advice{
		fault.BareRepository:       {status: statusRefused, hints: always("git worktree add ../work")},
		fault.BrokenRef:            {status: statusFault, hints: wayThen("git fsck")},
		fault.ConflictMarkers:      {status: statusRefused, hints: wayThen("memctl recover")},
		fault.Damaged:              {status: statusRefused, hints: recoverHints},
		fault.FolderNotWritable:    {status: statusFault, hints: always("memctl doctor")},
		fault.GitFolderNotWritable: {status: statusFault, hints: always("memctl doctor")},
		fault.NewerVersion:         {status: statusRefused, hints: always(newerHint)},
		fault.NoFolder:             {status: statusRefused, hints: func(f *fault.Error, _ error) []string { return []string{"mkdir -p " + shell.Quote(f.Thing)} }},
		fault.NoRemote: {status: statusRefused, hints: func(f *fault.Error, _ error) []string {
			return []string{"memctl sync --scope " + f.Scope + " --remote URL"}
		}},
		fault.NotAStore:       {status: statusRefused, hints: otherRemote},
		fault.QueueFull:       {status: statusFault, hints: always("memctl review")},
		fault.RemoteAddress:   {status: statusRefused, hints: always()},
		fault.RemoteBusy:      {status: statusFault, retry: true, hints: always("memctl sync")},
		fault.RemoteOfAnother: {status: statusRefused, hints: otherRemote},
		fault.Scope:           {status: statusRefused, hints: always()},
		fault.Setting:         {status: statusFault, hints: always("memctl config")},
	}[code]
	return a, ok
}

// wayThen are the way out that was found, if any, and one that always exists.
func wayThen(hint string) func(*fault.Error, error) []string {
	return func(f *fault.Error, _ error) []string {
		if f.Way == "" {
			return []string{hint}
		}
		return []string{f.Way, hint}
	}
}

func recoverHints(f *fault.Error, _ error) []string {
	return []string{validating(f.Scope), "memctl recover" + memory.ScopeFlag(f.Scope)}
}

func otherRemote(f *fault.Error, err error) []string {
	hints := []string{newRemote(err)}
	if f.Way != "" {
		hints = append(hints, f.Way+" # where it is the same project")
	}
	return hints
}

// explainFault knows the errors of package fault.
func explainFault(err error) *memory.Error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil
	}
	a, ok := adviceFor(f.Code)
	if !ok {
		return nil
	}
	return &memory.Error{Code: f.Code, Status: a.status, Message: f.Error(), Hints: a.hints(f, err), Retry: a.retry}
}
