package localstate

import (
	"maps"

	"github.com/memctl/memctl/store"
)

// ReplacedFile remembers, for good, which commits purges have replaced: a remote
// that has one of them still has what was purged, or was given it anew by an old clone.
const ReplacedFile = "replaced.json"

// PurgedCommits are commits that purges took out of the history.
type PurgedCommits struct {
	First []string `json:"first"` // every other one comes after one of these
	Tips  []string `json:"tips"`  // where branches stood, here and at remotes
	// Moved are the commits that stand in the place of others, for the acts of other
	// folders that name those.
	Moved map[string]string `json:"moved,omitempty"`
}

// maxMoved bounds Moved: what it is for is undo, of an act that is not long past.
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

// MovedTo is the commit that a purge has put in the place of another; "" where none has.
func MovedTo(st *store.Store, commit string) string {
	var known PurgedCommits
	_ = st.SharedState().ReadJSON(ReplacedFile, &known) // of a damaged one doctor tells
	return known.Moved[commit]
}
