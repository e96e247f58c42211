package localstate

import (
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
)

// PurgedCommits are commits that purges took out of the history.
type PurgedCommits struct {
	First []string `json:"first"` // every other one comes after one of these
	Tips  []string `json:"tips"`  // where branches stood, here and at remotes
	// Moved are the commits that stand in the place of others.
	Moved map[string]string `json:"moved,omitempty"`
}

// Purged remembers, for good, which commits purges have replaced: a remote
// that has one of them still has what was purged, or was given it anew by an old clone.
func Purged(st *store.Store) statedir.File[PurgedCommits] {
	return statedir.File[PurgedCommits]{In: st.SharedState(), Name: "replaced.json"}
}

// maxMoved bounds Moved.
const maxMoved = 10000

// Move notes which commits take the place of others, those too that did so before.
func (r *PurgedCommits) Move(commits map[string]string) {
	if len(r.Moved)+len(commits) > maxMoved {
		r.Moved = nil
	}
	if len(commits) == 0 || len(commits) > maxMoved {
		return
	}
	if r.Moved == nil {
		r.Moved = map[string]string{}
	}
	for old, now := range r.Moved {
		if next := commits[now]; next != "" {
			r.Moved[old] = next
		}
	}
	maps.Copy(r.Moved, commits)
}

// Replacements maps the commits that purges and git filter-repo took out of a history to those in their place; to "" where
// there is none.
type Replacements map[string]string

// Replaced returns what is known of the commits that are no longer in the store's history.
func Replaced(st *store.Store) Replacements {
	known, _ := Purged(st).Read()
	r := Replacements{}
	for _, old := range known.Tips {
		r[old] = ""
	}
	if st.Repo != nil {
		list, _ := os.ReadFile(filepath.Join(st.Repo.CommonDir, "filter-repo", "commit-map"))
		for line := range strings.Lines(string(list)) {
			old, now, _ := strings.Cut(strings.TrimSpace(line), " ")
			if !gitops.IsID(old) || old == now { // the first line is a heading
				continue
			}
			if r[old] = now; strings.Trim(now, "0") == "" {
				r[old] = ""
			}
		}
	}
	maps.Copy(r, known.Moved)
	return r
}

// Now returns the commit in the place of another one, and whether that one was replaced at all.
func (r Replacements) Now(commit string) (now string, replaced bool) {
	now = commit
	for range len(r) {
		next, ok := r[now]
		if !ok {
			break
		}
		now, replaced = next, true
	}
	return now, replaced
}

// Before returns the commits that another one replaced.
func (r Replacements) Before(commit string) (list []string) {
	for old := range r {
		if now, _ := r.Now(old); now == commit {
			list = append(list, old)
		}
	}
	return list
}
