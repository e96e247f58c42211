package gitops

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/fault"
)

const (
	// draftAge is how long a commit message counts as one that somebody is still writing.
	draftAge = 30 * time.Minute
	// restAge tells a git at work from one that waits for the person: while it works it
	// renews its marks more often.
	restAge = 250 * time.Millisecond
	// waitsLook is how often a mark is looked at again.
	waitsLook = 10 * time.Millisecond
)

// HandsOff reports whether the reason forbids to touch files, and not only to commit.
func HandsOff(why string) bool { return why == WhyInside || why == WhyAtWork }

// Waits returns why nothing can be committed now, "" if nothing in the git folder or the
// environment forbids it: WhyInside, WhyVariables, WhyCommit, WhyAtWork, or the operation in progress.
// Most of it is over in a moment, so Waits looks again for as long as patience: until an
// index.lock is gone or LockPatience old, and until the marks of a commit or an operation
// are gone or restAge old.
func (r *Repo) Waits(ctx context.Context, patience time.Duration) string {
	for end := time.Now().Add(patience); ; time.Sleep(waitsLook) {
		why, since, rests := r.findBlocker()
		if why == "" || why == WhyInside || time.Since(since) > rests || time.Now().After(end) || ctx.Err() != nil {
			return why
		}
	}
}

// findBlocker looks once for a reason to wait. It returns the reason, its start, and the age from
// which it will not end by itself. An open editor comes first: "git commit -a" has the index locked meanwhile, and
// changes no file.
func (r *Repo) findBlocker() (why string, since time.Time, rests time.Duration) {
	operation := OperationWhy(r.Operation())
	if r.insideHook(operation != "") {
		return WhyInside, since, 0
	}
	if !r.pinned && slices.ContainsFunc(unusualVariables, func(name string) bool { return os.Getenv(name) != "" }) {
		return WhyVariables, since, 0
	}
	if since, ok := r.openMessageDraft(); ok && operation == "" {
		return WhyCommit, since, restAge
	}
	if info, err := os.Lstat(filepath.Join(r.GitDir, "index.lock")); err == nil {
		return WhyAtWork, madeAt(info), LockPatience
	}
	if operation == "" {
		return "", since, 0
	}
	return operation, newest(r.GitDir, "rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer", "BISECT_LOG"), restAge
}

// insideHook reports whether a git waits for this process, by what git tells those that
// it starts. GIT_INDEX_FILE is for the hooks and the editor of a commit. GIT_EXEC_PATH is
// for everything, aliases too, so it counts during an operation alone: hooks, "rebase -x"
// and "bisect run". A repository that was named by its folder is not the one of the hook.
func (r *Repo) insideHook(operation bool) bool {
	return r.IndexElsewhere() || !r.pinned && operation && os.Getenv("GIT_EXEC_PATH") != ""
}

// openMessageDraft reports whether an editor is open for a commit's message, and when that was saved
// last: git writes COMMIT_EDITMSG, with comments for the editor, before it opens that, and
// moves HEAD after it. Without comments it is the message of a commit that had no editor and
// that has failed, such as one with nothing to commit.
func (r *Repo) openMessageDraft() (since time.Time, open bool) {
	file := filepath.Join(r.GitDir, "COMMIT_EDITMSG")
	info, err := os.Stat(file)
	if err != nil || time.Since(info.ModTime()) > draftAge {
		return since, false
	}
	since = info.ModTime()
	moved := newest(r.GitDir, "logs/HEAD", "reftable/tables.list")
	if moved.IsZero() { // without reflogs
		s, _ := r.State()
		moved = newest(r.CommonDir, "refs/heads/"+s.Branch, "packed-refs")
	}
	if !since.After(moved) {
		return since, false
	}
	text, err := ReadSmall(file)
	for line := range strings.Lines(string(text)) {
		open = open || strings.ContainsAny(line[:1], commentMarks) && strings.TrimSpace(line[1:min(2, len(line))]) == ""
	}
	return since, err == nil && open
}

// commentMarks are what git begins a comment with, by default or with core.commentChar=auto.
const commentMarks = "#;@!$%^&|:"

// newest is when the newest of the files in the folder was written.
func newest(dir string, names ...string) (at time.Time) {
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); err == nil && info.ModTime().After(at) {
			at = info.ModTime()
		}
	}
	return at
}

// madeAt is when a lock was made: the new index in one of memctl's may bear the time of
// the old.
func madeAt(info fs.FileInfo) time.Time {
	at := info.ModTime()
	if e, ok := StatRecord(info); ok {
		if changed := time.Unix(int64(e.CTime.Sec), int64(e.CTime.Nsec)); changed.After(at) {
			return changed
		}
	}
	return at
}

// Blocked returns what keeps git from committing, beside what Waits finds ("" where
// nothing does): git folder not writable, no git, no identity. named says that the
// settings name somebody (Config.NamesSomebody); else git is asked. What only trying
// shows (signing, locks) it cannot tell.
func (r *Repo) Blocked(ctx context.Context, named bool) string {
	if _, err := exec.LookPath("git"); err != nil {
		return WhyGitMissing
	}
	if !writable(r.GitDir) || !writable(r.CommonDir) {
		return WhyNotWritable
	}
	if named {
		return ""
	}
	return r.Nameless(ctx)
}

// Nameless returns why git does not say who commits, such as WhyNoIdentity; "" where it does.
func (r *Repo) Nameless(ctx context.Context) string {
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		_, err := r.Git(ctx, Call{Args: []string{"var", who}})
		if err == nil {
			continue
		}
		if _, unread := r.Config(ctx); unread == nil && StatusOf(err) > 0 {
			return WhyNoIdentity // git can read its settings, and finds nobody in them
		}
		return BlockedBy(err)
	}
	return ""
}

// BlockedBy gives the reason in an error, "" where it is of another kind: then
// a commit may be tried, and says itself what is wrong.
func BlockedBy(err error) string { return fault.Why(err, fault.Blocked) }

// GitVersion is git's own version, such as "2.39.5"; "" where git cannot be run.
func GitVersion(ctx context.Context) string {
	out, err := runGit(ctx, "", UnpromptedEnvironment(), Call{Args: []string{"version"}})
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
}

// IndexElsewhere reports whether this is a commit's hook or editor: git sets GIT_INDEX_FILE for the hooks and the editor of a commit. A
// commit made there makes the person's own fail, and what is staged there is lost.
func (r *Repo) IndexElsewhere() bool {
	return !r.pinned && os.Getenv("GIT_INDEX_FILE") != ""
}
