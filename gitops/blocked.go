package gitops

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

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
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		if _, err := r.ident(ctx, who); err != nil {
			return blockedBy(err)
		}
	}
	return ""
}

// blockedBy gives the reason in an error, "" where it is of another kind: then
// a commit may be tried, and says itself what is wrong.
func blockedBy(err error) string {
	var b *BlockedError
	if errors.As(err, &b) {
		return b.Why
	}
	return ""
}

// Identity is who git would name as the author now, as "Name <email>". Errors:
// *BlockedError (WhyNoIdentity), *Error.
func (r *Repo) Identity(ctx context.Context) (string, error) {
	return r.ident(ctx, "GIT_AUTHOR_IDENT")
}

func (r *Repo) ident(ctx context.Context, variable string) (string, error) {
	out, err := r.git(ctx, call{args: []string{"var", variable}})
	if err != nil {
		return "", r.explain(err)
	}
	line := strings.TrimSpace(string(out))
	if end := strings.LastIndexByte(line, '>'); end >= 0 {
		line = line[:end+1] // seconds and time zone follow
	}
	return line, nil
}

// GitVersion is git's own version, such as "2.39.5"; "" where git cannot be run.
func GitVersion(ctx context.Context) string {
	out, err := runGit(ctx, "", cleanEnvironment(), call{args: []string{"version"}})
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
}

// indexElsewhere: git sets GIT_INDEX_FILE for the hooks and the editor of a commit. A
// commit made there makes the person's own fail, and what is staged there is lost.
func (r *Repo) indexElsewhere() bool {
	return !r.pinned && os.Getenv("GIT_INDEX_FILE") != ""
}
