package gitops

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// Blocked returns why a commit cannot be made now without trying ("" when it
// can): operation in progress, a commit under way, GIT_INDEX_FILE set, git folder not writable, no
// git, no identity. named says that the settings name somebody (Config.NamesSomebody);
// else git is asked. What only trying shows (signing, locks) it cannot tell.
func (r *Repo) Blocked(ctx context.Context, named bool) string {
	if _, err := exec.LookPath("git"); err != nil {
		return WhyGitMissing
	}
	if why, err := r.blockedHere(ctx); err == nil && why != "" {
		return why
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

// blockedHere is the part of Blocked that asks no git.
func (r *Repo) blockedHere(ctx context.Context) (string, error) {
	if r.indexElsewhere() {
		return WhyIndexFile, nil
	}
	s, err := r.State()
	if err != nil {
		return "", err
	}
	if s.Operation == "" && r.commitUnderWay(ctx) {
		return WhyCommit, nil
	}
	if r.pruning(ctx) {
		return WhyAtWork, nil
	}
	return operationWhy(s.Operation), nil
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

// indexElsewhere: git sets GIT_INDEX_FILE inside a commit hook. A commit made
// there makes the person's own fail, and what is staged there is lost.
func (r *Repo) indexElsewhere() bool {
	return !r.pinned && os.Getenv("GIT_INDEX_FILE") != ""
}
