package purge

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/committer"
)

// The kinds of places where a text is found. They are stable.
const (
	PlaceFile        = "file"        // a file of memory in a worktree
	PlaceState       = "state"       // memctl's own files: queue, acts, originals, caches
	PlaceGitFile     = "git-file"    // a file in the git folder: a reflog, a message
	PlaceRemote      = "remote"      // a remote-tracking branch: others have it
	PlaceJournal     = "journal"     // memctl's own
	PlaceRef         = "ref"         // a ref of no other kind
	PlaceDetached    = "detached"    // a worktree with a detached HEAD
	PlaceUnreachable = "unreachable" // objects that only a reflog or an index leads to, or nothing
	PlaceOther       = "other-file"  // a file in history that is not one of memory's
	PlaceUnread      = "unread"      // too large to be searched
)

// What removes a text from a place.
const (
	ByMemctl = "memctl removes it"
	ByFilter = "git filter-repo removes it"
	ByGC     = "git gc removes it"
	ByPush   = "git push removes it"
	ByHand   = "remove it by hand"
	ByNobody = "not searched"
)

// Place is where a text is found.
type Place struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Count   int    `json:"count,omitempty"` // objects, of kinds that count them
	Removal string `json:"removal"`         // one of the texts above
}

// placeKind is a kind of places: what searches them, and what removes a text from them, in a project and in a store of
// memctl's own.
type placeKind struct {
	kind, prefix string // prefix is how its refs begin; "" for none
	search       func(*Search, context.Context) error
	project, own string
	byHand       func(name string) bool // the places of that kind that a person changes
}

// places is the one list of where a text is looked for.
func places() []placeKind {
	return []placeKind{
		{PlaceFile, "", (*Search).files, ByMemctl, "", func(name string) bool { return isCopy(name) || filepath.IsAbs(name) }},
		{PlaceState, "", (*Search).state, ByMemctl, ByMemctl, nil},
		{PlaceGitFile, "", (*Search).gitFiles, ByGC, ByMemctl, func(name string) bool { return !strings.HasPrefix(name, "logs/") || name == "logs/refs/stash" }},
		{"branch", "refs/heads/", (*Search).objects, ByFilter, ByMemctl, nil}, // the search finds all kinds below, too
		{"tag", "refs/tags/", nil, ByFilter, ByMemctl, nil},
		{PlaceRemote, "refs/remotes/", nil, ByPush, ByPush, nil},
		{"stash", "stash@", nil, ByFilter, ByMemctl, func(name string) bool { return name != "stash@{0}" }},
		{PlaceJournal, committer.JournalRef, nil, ByMemctl, ByMemctl, nil},
		{PlaceRef, "", nil, ByHand, ByMemctl, nil},
		{PlaceDetached, "", nil, ByHand, ByHand, nil},
		{PlaceUnreachable, "", nil, ByGC, ByMemctl, nil},
		{PlaceOther, "", nil, ByFilter, ByMemctl, nil},
		{PlaceUnread, "", nil, ByNobody, ByNobody, nil},
	}
}

// searchAll looks at every place.
func (p *Search) searchAll(ctx context.Context) error {
	for _, of := range places() {
		if of.search == nil || p.st.Repo == nil && of.kind != PlaceFile && of.kind != PlaceState {
			continue
		}
		if err := of.search(p, ctx); err != nil {
			return err
		}
	}
	return nil
}

// add adds a place.
func (p *Search) add(kind, name string) { p.count(kind, name, 0) }

// count adds a place with the number of its objects.
func (p *Search) count(kind, name string, n int) {
	of := places()[slices.IndexFunc(places(), func(of placeKind) bool { return of.kind == kind })]
	removal := of.project
	switch {
	case p.st.IsMemctlOwned() && of.own != "":
		removal = of.own
	case of.byHand != nil && of.byHand(name):
		removal = ByHand
	}
	p.Places = append(p.Places, Place{kind, name, n, removal})
}

// addRef adds a ref under the name by which people call it.
func (p *Search) addRef(ref string) {
	for _, of := range places() {
		if short, ok := strings.CutPrefix(ref, of.prefix); ok && of.prefix != "" {
			if !strings.HasSuffix(of.prefix, "/") {
				short = ref
			}
			p.add(of.kind, short)
			return
		}
	}
	p.add(PlaceRef, ref)
}

// In reports whether a kind of place has the text.
func (p *Search) In(kind string) bool {
	return slices.ContainsFunc(p.Places, func(at Place) bool { return at.Kind == kind })
}

// LeftTo reports whether that removes the text from a place.
func (p *Search) LeftTo(removal string) bool {
	return slices.ContainsFunc(p.Places, func(at Place) bool { return at.Removal == removal })
}
