package purge

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/committer"
)

// The kinds of places.
const (
	PlaceBranch      = "branch"
	PlaceTag         = "tag"
	PlaceRemote      = "remote"      // a remote-tracking branch: others have it
	PlaceRef         = "ref"         // any other ref
	PlaceStash       = "stash"       // an entry of the stash
	PlaceDetached    = "detached"    // a worktree with a detached HEAD
	PlaceJournal     = "journal"     // memctl's own
	PlaceUnreachable = "unreachable" // objects that only a reflog or an index leads to, or nothing
	PlaceGitFile     = "git-file"    // a file in the git folder: a reflog, a message
	PlaceState       = "state"       // memctl's own files: queue, acts, originals, caches
	PlaceFile        = "file"        // a file of memory in a worktree
	PlaceOther       = "other-file"  // a file in history that is not one of memory's
	PlaceUnread      = "unread"      // too large to be searched
)

// What removes a text from a place.
const (
	ByMemctl = "memctl"
	ByFilter = "git filter-repo"
	ByGC     = "git gc"
	ByPush   = "git push"
	ByHand   = "hand"
	ByNobody = "" // it was not searched
)

// Place is one place that has the text. It never repeats the text.
type Place struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Count int    `json:"count,omitempty"` // objects, of kinds that count them
	By    string `json:"removed_by"`      // memctl, git filter-repo, git gc, git push or hand; "" for what was not searched
}

// placeKind is a kind of places: what searches them, and what removes a text from them, in a project and in a store of
// memctl's own.
type placeKind struct {
	kind         string
	search       func(*Search, context.Context) error
	project, own string
	byHand       func(name string) bool // the places of that kind that a person changes
}

// places is the one list of where a text is looked for.
func places() []placeKind {
	return []placeKind{
		{PlaceFile, (*Search).files, ByMemctl, ByMemctl, func(name string) bool { return isCopy(name) || filepath.IsAbs(name) }},
		{PlaceState, (*Search).state, ByMemctl, ByMemctl, nil},
		{PlaceGitFile, (*Search).gitFiles, ByGC, ByMemctl, func(name string) bool { return !strings.HasPrefix(name, "logs/") || name == "logs/refs/stash" }},
		{PlaceBranch, (*Search).objects, ByFilter, ByMemctl, nil}, // the search finds all those below, too
		{PlaceTag, nil, ByFilter, ByMemctl, nil},
		{PlaceStash, nil, ByFilter, ByMemctl, func(name string) bool { return name != "stash@{0}" }},
		{PlaceRemote, nil, ByPush, ByPush, nil},
		{PlaceRef, nil, ByHand, ByMemctl, nil},
		{PlaceDetached, nil, ByHand, ByHand, nil},
		{PlaceJournal, nil, ByMemctl, ByMemctl, nil},
		{PlaceUnreachable, nil, ByGC, ByMemctl, nil},
		{PlaceOther, nil, ByFilter, ByMemctl, nil},
		{PlaceUnread, nil, ByNobody, ByNobody, nil},
	}
}

// search looks at every place.
func (p *Search) search(ctx context.Context) error {
	for _, place := range places() {
		if place.search == nil || p.st.Repo == nil && place.kind != PlaceFile && place.kind != PlaceState {
			continue
		}
		if err := place.search(p, ctx); err != nil {
			return err
		}
	}
	return nil
}

// add adds a place that has the text so many times.
func (p *Search) add(kind, name string, count int) {
	i := slices.IndexFunc(places(), func(of placeKind) bool { return of.kind == kind })
	if of, at := places()[i], (Place{Kind: kind, Name: name}); count > 0 {
		switch at.By = of.project; {
		case p.st.Own() && kind != PlaceFile:
			at.By = of.own
		case of.byHand != nil && of.byHand(name):
			at.By = ByHand
		}
		if kind == PlaceUnreachable || kind == PlaceUnread {
			at.Count = count
		}
		p.Places = append(p.Places, at)
	}
}

// In reports whether a kind of place has the text.
func (p *Search) In(kind string) bool {
	return slices.ContainsFunc(p.Places, func(at Place) bool { return at.Kind == kind })
}

// LeftTo reports whether that removes the text from a place.
func (p *Search) LeftTo(by string) bool {
	return slices.ContainsFunc(p.Places, func(at Place) bool { return at.By == by })
}

// kindOfRef is the kind of place that a ref is, and the name by which people call it.
func kindOfRef(ref string) (kind, name string) {
	for _, of := range [][2]string{{"refs/heads/", PlaceBranch}, {"refs/tags/", PlaceTag}, {"refs/remotes/", PlaceRemote}} {
		if short, ok := strings.CutPrefix(ref, of[0]); ok {
			return of[1], short
		}
	}
	switch {
	case ref == committer.JournalRef:
		return PlaceJournal, ref
	case strings.HasPrefix(ref, "stash@"):
		return PlaceStash, ref
	}
	return PlaceRef, ref
}
