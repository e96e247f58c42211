package gitops

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// gitRuns reports whether a git that we did not start runs in the repository;
// one that cannot be looked at counts.
func (r *Repo) gitRuns(context.Context) bool {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil && r.isGitHere(filepath.Join("/proc", e.Name())) {
			return true
		}
	}
	return false
}

func (r *Repo) isGitHere(process string) bool {
	stat, err := os.ReadFile(filepath.Join(process, "stat"))
	if err != nil {
		return false // it has ended
	}
	_, rest, _ := strings.Cut(string(stat), "(")
	name, fields, _ := strings.Cut(rest, ") ")
	part := strings.Fields(fields) // state, parent
	if !strings.HasPrefix(name, "git") || len(part) < 2 || part[0] == "Z" || part[1] == strconv.Itoa(os.Getpid()) {
		return false
	}
	at, err := os.Readlink(filepath.Join(process, "cwd"))
	if err != nil {
		return !os.IsNotExist(err)
	}
	for _, dir := range []string{r.Root, r.GitDir, r.CommonDir} {
		if at == dir || strings.HasPrefix(at, dir+"/") {
			return true
		}
	}
	worktrees, _ := filepath.Glob(filepath.Join(r.CommonDir, "worktrees", "*", "gitdir"))
	for _, name := range worktrees {
		data, err := os.ReadFile(name)
		dir := filepath.Dir(strings.TrimSpace(string(data)))
		if err == nil && (at == dir || strings.HasPrefix(at, dir+"/")) {
			return true
		}
	}
	return false
}
