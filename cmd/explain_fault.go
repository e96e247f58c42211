package cmd

import (
	"cmp"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/exchange"
	"github.com/memctl/memctl/store/statedir"
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
		fault.Blocked:              {status: statusFault, retry: true, hints: blockedHints},
		fault.BrokenRef:            {status: statusFault, hints: wayThen("git fsck")},
		fault.ChangedOnDisk:        {status: statusFault, retry: true, hints: always()},
		fault.ConflictMarkers:      {status: statusRefused, hints: wayThen("memctl recover")},
		fault.Damaged:              {status: statusRefused, hints: recoverHints},
		fault.Deferred:             {status: statusRefused, hints: always("git status")},
		fault.FolderNotWritable:    {status: statusFault, hints: always("memctl doctor")},
		fault.GitFolderNotWritable: {status: statusFault, hints: always("memctl doctor")},
		fault.LocalState:           {status: statusFault, hints: stateHints},
		fault.LockHeld:             {status: statusFault, retry: true, hints: always()},
		fault.ModelLimit:           {status: statusRefused, hints: always("memctl stats")},
		fault.ModelRefused:         {status: statusFault, hints: always("memctl doctor --models")},
		fault.NewerVersion:         {status: statusRefused, hints: always(newerHint)},
		fault.NoFolder:             {status: statusRefused, hints: func(f *fault.Error, _ error) []string { return []string{"mkdir -p " + shell.Quote(f.Thing)} }},
		fault.NoModel:              {status: statusRefused, hints: always("git config --global memctl-llm.local.kind openai")},
		fault.NoMemoryFile: {status: statusRefused, hints: func(f *fault.Error, _ error) []string {
			return append([]string{cmp.Or(f.Way, "memctl init")}, f.Hints...)
		}},
		fault.NoRemote: {status: statusRefused, hints: func(f *fault.Error, _ error) []string {
			return []string{"memctl sync --scope " + f.Scope + " --remote URL"}
		}},
		fault.NotAFile:        {status: statusFault, hints: always()},
		fault.NotAMemoryFile:  {status: statusRefused, hints: notMemoryHints},
		fault.NotARepository:  {status: statusRefused, hints: always("git init")},
		fault.NotAStore:       {status: statusRefused, hints: otherRemote},
		fault.QueueFull:       {status: statusFault, hints: always("memctl review")},
		fault.Remote:          {status: statusFault, hints: remoteHints},
		fault.RemoteAddress:   {status: statusRefused, hints: always()},
		fault.RemoteBranches:  {status: statusRefused, hints: branchHints},
		fault.RemoteBusy:      {status: statusFault, retry: true, hints: always()},
		fault.RemoteOfAnother: {status: statusRefused, hints: otherRemote},
		fault.RemoteUnpurged:  {status: statusRefused, hints: wayIfAny},
		fault.Scope:           {status: statusRefused, hints: always()},
		fault.Secret:          {status: statusRefused, hints: secretHints},
		fault.Setting:         {status: statusFault, hints: settingHints},
		fault.TooLarge:        {status: statusFault, hints: always()},
		fault.UnknownRevision: {status: statusRefused, hints: always("memctl log")},
		fault.Unusable:        {status: statusFault, hints: wayOr("git status")},
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

// wayOr is the way out that was found, else the one that always exists.
func wayOr(hint string) func(*fault.Error, error) []string {
	return func(f *fault.Error, _ error) []string { return []string{cmp.Or(f.Way, hint)} }
}

// blockedHints are the command that shows or mends what keeps git from committing.
func blockedHints(f *fault.Error, _ error) []string {
	switch f.Why {
	case gitops.WhyNoIdentity:
		return []string{memory.IdentityHint}
	case gitops.WhyGitMissing:
		return []string{"memctl doctor"}
	case gitops.WhyMissing: // fetches every version of the memory in a partial clone
		return []string{"git rev-list --objects --quiet --all -- :/memories.md :/memories"}
	}
	return []string{"git status"}
}

func recoverHints(f *fault.Error, _ error) []string {
	if f.Why == "conflict-markers" {
		return []string{"memctl resolve --dry-run" + memory.ScopeFlag(f.Scope), "memctl resolve" + memory.ScopeFlag(f.Scope)}
	}
	return []string{validating(f.Scope), "memctl recover" + memory.ScopeFlag(f.Scope)}
}

// validating is the command that shows what is wrong in the memory of a scope.
func validating(scope string) string { return "memctl validate" + memory.ScopeFlag(scope) }

func stateHints(f *fault.Error, _ error) []string {
	if statedir.IsLink(f) {
		return []string{"rm " + shell.Quote(f.Thing)}
	}
	return []string{"memctl doctor"}
}

// notMemoryHints are the commands by which git keeps files in UTF-8, where another encoding
// is set in the attributes at Path.
func notMemoryHints(f *fault.Error, _ error) []string {
	if f.Path == "" {
		return []string{"memctl recover" + memory.ScopeFlag(f.Scope)}
	}
	var hints []string
	for _, pattern := range []string{"/memories.md", "/memories/**"} {
		hints = append(hints, "echo '"+pattern+" working-tree-encoding=UTF-8' >>"+shell.Quote(f.Path))
	}
	return hints
}

// secretHints is the command that shows the secret. Only another history is without one that
// a commit's message holds.
func secretHints(f *fault.Error, _ error) []string {
	switch f.Why {
	case exchange.SecretInMessage:
		return nil
	case exchange.SecretAtRemote:
		return []string{validating(f.Scope) + " # on the machine where it was written"}
	}
	return []string{validating(f.Scope)}
}

func branchHints(f *fault.Error, _ error) (hints []string) {
	for _, name := range f.Names[:min(len(f.Names), 3)] {
		hints = append(hints, "git -C '"+f.Path+"' config branch."+f.Why+".merge refs/heads/"+name)
	}
	return hints
}

// wayIfAny is the way out that was found.
func wayIfAny(f *fault.Error, _ error) []string {
	if f.Way == "" {
		return nil
	}
	return []string{f.Way}
}

// newRemote is the command that gives the store at hand another remote.
func newRemote(err error) string {
	scope := store.User
	if f := fault.Find(err, fault.Sync); f != nil {
		scope = f.Scope
	}
	return "memctl sync --scope " + scope + " --remote URL"
}

func otherRemote(f *fault.Error, err error) []string {
	hints := []string{newRemote(err)}
	if f.Way != "" {
		hints = append(hints, f.Way+" # if it is the same project")
	}
	return hints
}

// remoteHints is the command that shows or mends what is wrong with a remote.
func remoteHints(f *fault.Error, err error) []string {
	switch f.Why {
	case remotes.WhyRemoteMissing:
		return []string{newRemote(err)}
	case remotes.WhyRemoteRefused:
		return []string{"memctl sync --dry-run"}
	}
	return []string{"git ls-remote " + f.Thing}
}

// explainFault explains the outermost error that is an act's answer, or whose code has a row
// in the table.
func explainFault(err error) *fault.Error {
	var a advice
	f := fault.First(err, func(f *fault.Error) (ok bool) {
		a, ok = adviceFor(f.Code)
		return ok || f.Status != 0
	})
	switch {
	case f == nil:
		return nil
	case f.Status != 0:
		return explainAnswer(f)
	}
	known := *f
	known.Status, known.Hints = a.status, a.hints(f, err)
	known.Retry = a.retry || f.Code == fault.Remote && (f.Why == remotes.WhyUnreachable || f.Why == remotes.WhyRemoteFailed)
	return &known
}
