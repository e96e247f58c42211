package cmd

import (
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
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memfile/patch"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/integrity"
	"github.com/memctl/memctl/recall/postgres"
	"github.com/memctl/memctl/store/exchange"
	"github.com/memctl/memctl/store/statedir"
)

// refusal and broken are the two kinds of error: the first is an answer, the
// second is something to mend.
func refusal(code, message string, hints ...string) *fault.Error {
	return &fault.Error{Code: code, Status: statusRefused, Cause: message, Hints: hints}
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

// windowsDiskFull is what Windows says of a full disk (ERROR_DISK_FULL).
const windowsDiskFull = syscall.Errno(112)

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
	switch {
	case is(syscall.ENOSPC, syscall.EDQUOT), runtime.GOOS == "windows" && is(windowsDiskFull):
		return retry(broken("disk-full", said+": make room, then run it again"))
	case is(syscall.EROFS):
		return broken("read-only", said+": memctl cannot write here")
	case is(syscall.EIO):
		return retry(broken("disk-error", said+": the disk or the network mount failed"))
	case is(patch.ErrNewer):
		return refusal("newer-version", err.Error(), newerHint)
	case is(integrity.ErrNotMerged):
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
	case errors.As(err, &path), is(fs.ErrPermission, syscall.EISDIR, syscall.ENOTDIR):
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

// advice is what the command line adds to a code: the exit status, whether the same call may
// work later, and the hints.
type advice struct {
	status int
	retry  bool
	hints  []string // as in answerTable, where {key} is what the error is about
}

// adviceFor is the one table of codes of package fault; false where it has no row.
func adviceFor(code string) (advice, bool) {
	a, ok := map[string]advice{
		fault.BareRepository:       {status: statusRefused, hints: []string{"git worktree add ../work"}},
		fault.Blocked:              {status: statusFault, retry: true, hints: []string{"git status"}},
		fault.BrokenRef:            {status: statusFault, hints: []string{"{way}", "git fsck"}},
		fault.ChangedOnDisk:        {status: statusFault, retry: true},
		fault.ConflictMarkers:      {status: statusRefused, hints: []string{"{way}", "memctl recover"}},
		fault.Damaged:              {status: statusRefused, hints: []string{"memctl validate{flag}", "memctl recover{flag}"}},
		fault.Deferred:             {status: statusRefused, hints: []string{"git status"}},
		fault.FolderNotWritable:    {status: statusFault, hints: []string{"memctl doctor"}},
		fault.GitFolderNotWritable: {status: statusFault, hints: []string{"memctl doctor"}},
		fault.LocalState:           {status: statusFault, hints: []string{"memctl doctor"}},
		fault.LockHeld:             {status: statusFault, retry: true},
		fault.ModelFailed:          {status: statusFault, retry: true, hints: []string{"memctl doctor --models"}},
		fault.ModelLimit:           {status: statusRefused, hints: []string{"memctl stats"}},
		fault.ModelRefused:         {status: statusFault, hints: []string{"memctl doctor --models"}},
		fault.NewerVersion:         {status: statusRefused, hints: []string{newerHint}},
		fault.NoFolder:             {status: statusRefused, hints: []string{"mkdir -p {word}"}},
		fault.NoFull:               {status: statusRefused, hints: []string{newerHint}},
		fault.NoModel:              {status: statusRefused, hints: []string{"git config --global memctl-llm.local.kind openai"}},
		fault.NoPostgres:           {status: statusRefused, hints: []string{"git config --global memctl.pg.url postgres://NAME@HOST/DATABASE"}},
		fault.NoMemoryFile:         {status: statusRefused, hints: []string{"{way} || memctl init"}},
		fault.NoRemote:             {status: statusRefused, hints: []string{newRemote}},
		fault.NotAFile:             {status: statusFault},
		fault.NotAMemoryFile:       {status: statusRefused, hints: []string{"memctl recover{flag}"}},
		fault.NotARepository:       {status: statusRefused, hints: []string{"git init"}},
		fault.NotAStore:            {status: statusRefused, hints: []string{newRemote, "{way} # if it is the same project"}},
		fault.Postgres:             {status: statusFault, hints: []string{"memctl index status"}},
		fault.QueueFull:            {status: statusFault, hints: []string{reviewHint}},
		fault.Remote:               {status: statusFault, hints: []string{"git ls-remote {key}"}},
		fault.RemoteAddress:        {status: statusRefused},
		fault.RemoteBranches:       {status: statusRefused},
		fault.RemoteBusy:           {status: statusFault, retry: true},
		fault.RemoteOfAnother:      {status: statusRefused, hints: []string{newRemote, "{way} # if it is the same project"}},
		fault.RemoteUnpurged:       {status: statusRefused, hints: []string{"{way}"}},
		fault.Scope:                {status: statusRefused},
		fault.Secret:               {status: statusRefused, hints: []string{"memctl validate{flag}"}},
		fault.Setting:              {status: statusFault},
		fault.TooLarge:             {status: statusFault},
		fault.UnknownRevision:      {status: statusRefused, hints: []string{"memctl log"}},
		fault.Unusable:             {status: statusFault, hints: []string{"{way} || git status"}},
	}[code]
	return a, ok
}

const newRemote = "memctl sync --scope {scope} --remote URL"

// reasonTable has the hints of the codes' reasons that differ from the others.
func reasonTable() map[reason][]string {
	return map[reason][]string{
		{fault.Blocked, gitops.WhyNoIdentity}: {memory.IdentityHint},
		{fault.Blocked, gitops.WhyGitMissing}: {"memctl doctor"},
		// fetches every version of the memory in a partial clone
		{fault.Blocked, gitops.WhyMissing}:       {"git rev-list --objects --quiet --all -- :/memories.md :/memories"},
		{fault.Damaged, "conflict-markers"}:      {"memctl resolve --dry-run{flag}", "memctl resolve{flag}"},
		{fault.Remote, remotes.WhyRemoteMissing}: {newRemote},
		{fault.Remote, remotes.WhyRemoteRefused}: {"memctl sync --dry-run"},
		{fault.Postgres, postgres.WhyAddress}:    {"git config --global memctl.pg.url postgres://NAME@HOST/DATABASE"},
		{fault.Postgres, postgres.WhyMissing}:    {"memctl index role --owner"},
		{fault.Postgres, postgres.WhyOlder}:      {"memctl index push # by an administrator"},
		{fault.Postgres, postgres.WhyTooOld}:     {"psql -c 'DROP SCHEMA memctl CASCADE' # by an administrator, who then shares the repositories again"},
		{fault.Postgres, postgres.WhyNewer}:      {newerHint},
		{fault.Postgres, postgres.WhyShallow}:    {"git fetch --unshallow"},
		{fault.Postgres, postgres.WhyBehind}:     {"git pull", "memctl index drop --scope {scope} # if this branch shall be the shared one"},
		{fault.Postgres, postgres.WhyAbsent}:     {"memctl doctor"},
		{fault.Secret, exchange.SecretInMessage}: {}, // only another history is without it
		{fault.Secret, exchange.SecretAtRemote}:  {"memctl validate{flag} # on the machine where it was written"},
	}
}

// faultHints are the hints of an error; those that need more than words are not in the tables.
func faultHints(f *fault.Error, hints []string) []string {
	switch {
	case f.Code == fault.Setting:
		return settingHints(f)
	case f.Code == fault.LocalState && statedir.IsLink(f):
		hints = []string{"rm {word}"}
	case f.Code == fault.NotAMemoryFile && f.Path != "": // the attributes that set another encoding
		name := shell.Quote(f.Path)
		return []string{"echo '/memories.md working-tree-encoding=UTF-8' >>" + name, "echo '/memories/** working-tree-encoding=UTF-8' >>" + name}
	case f.Code == fault.NoFull && f.Path != "": // memctl may be elsewhere than where Go installs programs
		return []string{"GOBIN=" + shell.Quote(f.Path) + " " + newerHint}
	case f.Code == fault.RemoteBranches:
		return prefixed("git -C '"+f.Path+"' config branch."+f.Why+".merge refs/heads/", f.Names[:min(len(f.Names), 3)])
	}
	if row, ok := reasonTable()[reason{f.Code, f.Why}]; ok {
		hints = row
	}
	return append(hintsFrom(hints, f), f.Hints...)
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
	if sync := fault.Find(err, fault.Sync); sync != nil && f.Scope == "" {
		known.Scope = sync.Scope
	}
	known.Status, known.Hints = a.status, faultHints(&known, a.hints)
	known.Retry = a.retry || f.Code == fault.Remote && (f.Why == remotes.WhyUnreachable || f.Why == remotes.WhyRemoteFailed)
	return &known
}
