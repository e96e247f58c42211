package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/gitops/rewrite"
)

// replacedFile remembers, for good, which commits purges have replaced: a remote
// that has one of them still has what was purged, or was given it anew by an old clone.
const replacedFile = "replaced.json"

// replaced are commits that purges took out of the history.
type replaced struct {
	First []string `json:"first"` // every other one comes after one of these
	Tips  []string `json:"tips"`  // where branches stood, here and at remotes
	// Moved are the commits that stand in the place of others, for the acts of other
	// folders that name those.
	Moved map[string]string `json:"moved,omitempty"`
}

// maxMoved bounds Moved: what it is for is undo, of an act that is not long past.
const maxMoved = 10000

// PurgedError is a remote whose branch still has what was purged here.
type PurgedError struct {
	Remote, Branch string
	Command        string // puts this store's history in its place
	Others         bool   // the branch has commits that this store has not seen
}

func (e *PurgedError) Error() string {
	text := fmt.Sprintf("%q: branch %s still has the history that a purge replaced here, so nothing is taken and nothing is sent", e.Remote, e.Branch)
	if e.Others {
		text += "; it was sent to since, and pushing over it drops that too"
	}
	return text
}

// rememberReplaced notes which commits the rewritten history replaces, before it does.
func (p *Purge) rememberReplaced(next *rewrite.Rewritten) error {
	var known replaced
	if err := p.st.shared().readJSON(replacedFile, &known); err != nil {
		return err
	}
	known.First = append(known.First, next.First...)
	for _, ref := range next.Refs {
		known.Tips = append(known.Tips, ref.Old)
	}
	if len(known.First) == 0 {
		return nil
	}
	for _, list := range []*[]string{&known.First, &known.Tips} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	known.move(next.Commits)
	return p.st.shared().writeJSON(replacedFile, known)
}

// move notes which commits take the place of others, those too that did so before.
func (r *replaced) move(commits map[string]string) {
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
func (st *Store) MovedTo(commit string) string {
	var known replaced
	_ = st.shared().readJSON(replacedFile, &known) // of a damaged one doctor tells
	return known.Moved[commit]
}

// unpurged refuses a remote that still has what was purged here. repo has the
// remote's commits; nil before they were fetched, when a tip may tell already.
// Error: *PurgedError.
func (s *syncing) unpurged(ctx context.Context, known replaced, repo *gitops.Repo) error {
	state, err := s.st.Repo.State()
	if err != nil {
		return err
	}
	// A purge that was cut short may not have replaced them yet.
	tip := slices.Contains(known.Tips, s.theirs) && !object.IsAncestor(ctx, s.st.Repo, s.theirs, state.Head)
	if !tip && repo == nil {
		return nil
	}
	found := tip
	if !tip {
		fresh, err := remotes.NewCommits(ctx, repo, s.theirs, state.Head)
		if err != nil {
			return err
		}
		found = slices.ContainsFunc(fresh, func(id string) bool { return slices.Contains(known.First, id) })
	}
	if !found {
		return nil
	}
	e := &PurgedError{Remote: s.out.Remote, Branch: s.out.Branch, Others: !tip}
	if remote := s.remote; state.Head != "" {
		e.Command = rewrite.PushOver(s.st.Repo, remotes.WithoutCredentials(remote), s.out.Branch, s.theirs, state.Head)
	}
	return e
}
