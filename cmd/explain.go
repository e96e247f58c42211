package cmd

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/exchange"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memfile/patch"
	"github.com/memctl/memctl/memory"
)

// refusal and broken are the two kinds of error: the first is an answer, the
// second is something to mend.
func refusal(code, message string, hints ...string) *fault.Error {
	return &fault.Error{Code: code, Status: statusRefused, Cause: message, Hints: hints}
}

// onlyPerson refuses an agent an act that the table of authority leaves to a person. The hints are commands of the person.
func onlyPerson(o memory.Options, act string, hints ...string) error {
	return memory.AsError("", o.Permit(act, memory.StateAbsent, hints...))
}

func broken(code, message string, hints ...string) *fault.Error {
	return &fault.Error{Code: code, Status: statusFault, Cause: message, Hints: hints}
}

// newerHint is the command that installs memctl and memctl-full of this day.
const newerHint = "go install github.com/memctl/memctl/cmd/...@main"

// explain turns any error into one with a code, a status and hints. What is
// not known here is a bug, and says so.
func explain(err error) *fault.Error {
	if e := explainFault(err); e != nil {
		return e
	}
	return explainOther(err)
}

// What Windows says of a full disk, and of a file that another program has open (ERROR_DISK_FULL, ERROR_SHARING_VIOLATION and
// ERROR_LOCK_VIOLATION).
const (
	windowsDiskFull = syscall.Errno(112)
	windowsShared   = syscall.Errno(32)
	windowsLocked   = syscall.Errno(33)
)

// explainOther explains an error without a code: of the system, of a context, or of a package that only names it.
func explainOther(err error) *fault.Error {
	is := func(targets ...error) bool {
		return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
	}
	retry := func(e *fault.Error) *fault.Error {
		e.Retry = true
		return e
	}
	said := systemSaid(err)
	var git *gitops.Error
	var path *fs.PathError
	var link *os.LinkError
	switch windows := runtime.GOOS == "windows"; {
	case windows && is(windowsShared, windowsLocked):
		return retry(broken("file-in-use", said+" (close the file in the other program, then run it again)"))
	case is(syscall.ENOSPC, syscall.EDQUOT), windows && is(windowsDiskFull):
		return retry(broken("disk-full", said+": make room, then run it again"))
	case is(syscall.EROFS):
		return broken("read-only", said+": memctl cannot write here")
	case is(syscall.EIO):
		return retry(broken("disk-error", said+": the disk or the network mount failed"))
	case is(patch.ErrNewer):
		return refusal("newer-version", err.Error(), newerHint)
	case is(errNotMerged):
		return refusal("not-merged", err.Error())
	case is(merge.ErrMarkers):
		return refusal("conflict-markers", err.Error(), "memctl recover")
	case is(gitops.ErrNotARepository):
		return refusal("not-a-repository", err.Error(), "git init")
	case errors.As(err, &git):
		return broken("git-failed", strings.TrimSpace(git.Error()), "memctl doctor")
	case is(context.Canceled):
		return retry(broken("interrupted", "interrupted: nothing more was done"))
	case is(context.DeadlineExceeded):
		return retry(broken("timeout", "timed out"))
	case is(fs.ErrNotExist):
		return refusal("not-found", said)
	case errors.As(err, &path), errors.As(err, &link), is(fs.ErrPermission, syscall.EISDIR, syscall.ENOTDIR):
		return broken("file", said)
	}
	return broken("internal", err.Error()+"; this is a bug in memctl, please report it at "+bugAddress, "memctl version")
}

// systemSaid is the system's cause with the file in front, without the name of
// the call.
func systemSaid(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return named(path.Path, path.Err.Error())
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return named(link.New, link.Err.Error())
	}
	return err.Error()
}

// advice is what the command line adds to a code of package fault: the exit status, whether the same call may
// work later, and the hints, unless the package that made the error gave it some.
type advice struct {
	status int
	retry  bool
	hints  []string // {scope} is the error's scope, {flag} the flag of it, {thing} what the error is about
}

// reason is a code and one of its reasons; the reason "" stands for all others.
type reason struct{ code, why string }

const newRemote = "memctl sync --scope {scope} --remote URL"

// adviceFor is the row of an error's code and reason in the one table of them; false where it has none.
func adviceFor(code, why string) (advice, bool) {
	table := map[reason]advice{
		{fault.BareRepository, ""}:               {statusRefused, false, []string{"git worktree add ../work"}},
		{fault.Blocked, ""}:                      {statusFault, true, []string{"git status"}},
		{fault.Blocked, gitops.WhyNoIdentity}:    {statusFault, true, []string{gitops.IdentityHint}},
		{fault.Blocked, gitops.WhyGitMissing}:    {statusFault, true, []string{"memctl doctor"}},
		{fault.Blocked, gitops.WhyMissing}:       {statusFault, true, []string{"git rev-list --objects --quiet --all -- :/memories.md :/memories"}}, // fetches every version in a partial clone
		{fault.BrokenRef, ""}:                    {statusFault, false, []string{"git fsck"}},
		{fault.ChangedOnDisk, ""}:                {statusFault, true, nil},
		{fault.ConflictMarkers, ""}:              {statusRefused, false, []string{"memctl recover"}},
		{fault.Damaged, ""}:                      {statusRefused, false, []string{"memctl validate{flag}", "memctl recover{flag}"}},
		{fault.Damaged, "conflict-markers"}:      {statusRefused, false, []string{"memctl resolve --dry-run{flag}", "memctl resolve{flag}"}},
		{fault.Deferred, ""}:                     {statusRefused, false, []string{"git status"}},
		{fault.FolderNotWritable, ""}:            {statusFault, false, []string{"memctl doctor"}},
		{fault.GitFolderNotWritable, ""}:         {statusFault, false, []string{"memctl doctor"}},
		{fault.LocalState, ""}:                   {statusFault, false, []string{"memctl doctor"}},
		{fault.LockHeld, ""}:                     {statusFault, true, nil},
		{fault.ModelFailed, ""}:                  {statusFault, true, []string{"memctl doctor --models"}},
		{fault.ModelLimit, ""}:                   {statusRefused, false, []string{"memctl list --counts"}},
		{fault.ModelRefused, ""}:                 {statusFault, false, []string{"memctl doctor --models"}},
		{fault.NewerVersion, ""}:                 {statusRefused, false, []string{newerHint}},
		{fault.FolderNotFound, ""}:               {statusRefused, false, []string{"mkdir -p {thing}"}},
		{fault.FullProgramMissing, ""}:           {statusRefused, false, []string{newerHint}},
		{fault.NoModel, ""}:                      {statusRefused, false, []string{configureModel}},
		{fault.NoPostgres, ""}:                   {statusRefused, false, []string{postgres.SetHint}},
		{fault.NoMemoryFile, ""}:                 {statusRefused, false, []string{"memctl init"}},
		{fault.NoRemote, ""}:                     {statusRefused, false, []string{newRemote}},
		{fault.NotAFile, ""}:                     {statusFault, false, nil},
		{fault.NotAMemoryFile, ""}:               {statusRefused, false, []string{"memctl recover{flag}"}},
		{fault.NotARepository, ""}:               {statusRefused, false, []string{"git init"}},
		{fault.NotAStore, ""}:                    {statusRefused, false, []string{newRemote}},
		{fault.Postgres, ""}:                     {statusFault, false, []string{"memctl index status"}},
		{fault.Postgres, postgres.WhyMissing}:    {statusFault, false, []string{"memctl index role --owner"}},
		{fault.Postgres, postgres.WhyOlder}:      {statusFault, false, []string{"memctl index push # by an administrator"}},
		{fault.Postgres, postgres.WhyNewer}:      {statusFault, false, []string{newerHint}},
		{fault.QueueFull, ""}:                    {statusFault, false, []string{memory.ReviewHint}},
		{fault.Remote, ""}:                       {statusFault, false, []string{"git ls-remote {thing}"}},
		{fault.Remote, remotes.WhyRemoteFailed}:  {statusFault, true, []string{"git ls-remote {thing}"}},
		{fault.Remote, remotes.WhyRemoteMissing}: {statusFault, false, []string{newRemote}},
		{fault.Remote, remotes.WhyRemoteRefused}: {statusFault, false, []string{"memctl sync --dry-run"}},
		{fault.Remote, remotes.WhyUnreachable}:   {statusFault, true, []string{"git ls-remote {thing}"}},
		{fault.RemoteAddress, ""}:                {statusRefused, false, nil},
		{fault.RemoteBranches, ""}:               {statusRefused, false, nil},
		{fault.RemoteBusy, ""}:                   {statusFault, true, nil},
		{fault.RemoteOfAnother, ""}:              {statusRefused, false, []string{newRemote}},
		{fault.RemoteUnpurged, ""}:               {statusRefused, false, nil},
		{fault.Scope, ""}:                        {statusRefused, false, nil},
		{fault.Secret, ""}:                       {statusRefused, false, []string{"memctl validate{flag}"}},
		{fault.Secret, exchange.SecretInMessage}: {statusRefused, false, nil}, // only another history is without it
		{fault.Secret, exchange.SecretAtRemote}:  {statusRefused, false, []string{"memctl validate{flag} # on the machine where it was written"}},
		{fault.Setting, ""}:                      {statusFault, false, []string{"memctl config --all"}},
		{fault.TooLarge, ""}:                     {statusFault, false, nil},
		{fault.UnknownRevision, ""}:              {statusRefused, false, []string{"memctl log"}},
		{fault.RepositoryUnusable, ""}:           {statusFault, false, []string{"git status"}},
	}
	a, ok := table[reason{code, why}]
	if !ok {
		a, ok = table[reason{code, ""}]
	}
	return a, ok
}

// explainFault explains the outermost error that is an act's answer, or whose code has a row
// in the table.
func explainFault(err error) *fault.Error {
	var a advice
	f := fault.FindFunc(err, func(f *fault.Error) (ok bool) {
		a, ok = adviceFor(f.Code, f.Why)
		return ok || f.Status != 0
	})
	if f == nil || f.Status != 0 {
		return f
	}
	known := *f
	if sync := fault.Find(err, fault.Sync); sync != nil && f.Scope == "" {
		known.Scope = sync.Scope
	}
	known.Status, known.Retry = a.status, a.retry
	switch {
	case len(f.Hints) > 0:
	case f.RestoreCommand != "":
		known.Hints = []string{f.RestoreCommand}
	default:
		facts := strings.NewReplacer("{thing}", shell.Quote(f.Thing), "{scope}", cmp.Or(known.Scope, store.User), "{flag}", memory.ScopeFlag(known.Scope))
		for _, hint := range a.hints {
			known.Hints = append(known.Hints, facts.Replace(hint))
		}
	}
	return &known
}
