package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// The kinds of places where a text is found. They are stable.
const (
	PlaceBranch      = "branch"
	PlaceTag         = "tag"
	PlaceRemote      = "remote"      // a remote-tracking branch: others have it
	PlaceNotes       = "git-notes"   // what git notes say of commits
	PlaceRef         = "ref"         // any other ref
	PlaceStash       = "stash"       //
	PlaceDetached    = "detached"    // a worktree at a commit of no branch
	PlaceJournal     = "journal"     //
	PlaceUnreachable = "unreachable" // objects that only a reflog or an index leads to, or nothing
	PlaceGitFile     = "git-file"    // a file in the git folder: a reflog, a message
	PlaceState       = "state"       // memctl's own files: queue, acts, originals, caches
	PlaceFile        = "file"        // in a worktree
	PlaceOther       = "other-file"  // in history, and no file of memory: left alone
	PlaceUnread      = "unread"      // too large to be looked into
)

// Place is where a text stands.
type Place struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Count int    `json:"count"` // commits, objects or files
}

// Purge is one search for a text in one store, and what would take it out.
type Purge struct {
	st     *Store
	trace  policy.Trace
	people bool
	Places []Place
	// Commands are git's commands for a person, with which a repository that is
	// not memctl's own gets rid of it, each where all before it ended well.
	Commands []string
	// Copy keeps what the last of them deletes beside the text; "" where none deletes.
	Copy string
	// Others have it: what of the history is on a remote.
	Pushed bool
	// Super is the folder of the repository that this one is a submodule of, where it names
	// commits that are rewritten here; Recorded is the command that has it name the new one.
	Super, Recorded string
	// Named counts the commits and tags of people who are named so: they stay.
	Named int
	// Edited say of files which have it in no commit what a person does there.
	Edited []string
	// First are the commands that come before those, Why says what for; then it is
	// purged again.
	First []string
	Why   string
	// Ahead push what branches have beside, after Commands have pushed over the remote's.
	Ahead   []string
	matched map[string]bool // objects that hold it
	holding map[string]bool // files of the git folder that do
	next    *gitops.Rewritten
}

// Own reports whether the store's repository is memctl's own, so that memctl
// may rewrite it: one in the data folder, or a store's folder of its own.
func (st *Store) Own() bool {
	if st.Repo == nil || st.Scope == Private || st.Scope == User {
		return true
	}
	if st.Scope != Only {
		return false
	}
	rel, err := filepath.Rel(realPath(st.ss.data), realPath(st.Dir))
	return st.ss.data != "" && err == nil && filepath.IsLocal(rel)
}

// Search is what FindText looks for.
type Search struct {
	Trace  policy.Trace
	People bool // in the names of authors, committers and taggers too
}

// FindText looks for a text everywhere in the store: its files, its repository's
// every object, and local state. With prepare the rewritten history is stored,
// and no ref leads to it yet. Errors: the system's cause; *gitops.Error.
func (st *Store) FindText(ctx context.Context, search Search, prepare bool) (*Purge, error) {
	p := &Purge{st: st, trace: search.Trace, people: search.People, matched: map[string]bool{}, holding: map[string]bool{}}
	if st.Dir == "" {
		return p, nil
	}
	for _, find := range []func(context.Context) error{p.files, p.state} {
		if err := find(ctx); err != nil {
			return nil, err
		}
	}
	if st.Repo == nil {
		return p, nil
	}
	if err := p.gitFiles(); err != nil {
		return nil, err
	}
	return p, p.objects(ctx, prepare)
}

func (p *Purge) add(kind, name string, count int) {
	if count > 0 {
		p.Places = append(p.Places, Place{kind, name, count})
	}
}

// memoryPath reports whether a path in the repository is one of memory's files.
func (p *Purge) memoryPath(file string) bool {
	own := p.st.ownPath(file)
	return own == memfile.FileName || strings.HasPrefix(own, MemoriesDir+"/") || strings.HasPrefix(own, memfile.FileName+".")
}

// objects looks at every object, and works out the history without the text.
func (p *Purge) objects(ctx context.Context, prepare bool) error {
	repo := p.st.Repo
	found := map[string]map[string]bool{"blob": {}, "tree": {}, "commit": {}, "tag": {}}
	named := false
	unread, err := repo.EachObject(ctx, func(id, kind string, data []byte) error {
		holds := p.trace.Found(data)
		if holds && !p.people && (kind == "commit" || kind == "tag") {
			holds = p.trace.Found(gitops.WithoutPeople(data))
			named = true
		}
		if holds {
			p.matched[id], found[kind][id] = true, true
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.add(PlaceUnread, "objects", len(unread))
	if len(p.Places) == 0 && len(p.matched) == 0 && !named {
		return nil
	}
	req := gitops.RewriteRequest{Blobs: found["blob"], Trees: found["tree"], Found: p.trace.Found, Cut: p.trace.Cut, CutBlob: p.cutBlob, People: p.people, Write: prepare}
	if key, err := p.st.ss.dataState().read(machineKey); !prepare && (err != nil || len(key) == 0) {
		req.CutBlob = p.trace.Cut // a look writes nothing, no key either
	}
	if !p.st.Own() {
		req.Path = p.memoryPath
	}
	if p.next, err = repo.Rewrite(ctx, req); err != nil {
		return err
	}
	for _, is := range p.next.Named {
		if is {
			p.Named++
		}
	}
	left := 0
	for id := range p.matched {
		if !p.next.Reached[id] && !p.next.Holding[id] {
			left++
		}
	}
	p.refs()
	p.add(PlaceUnreachable, "objects", left)
	for _, name := range slices.Sorted(maps.Keys(p.next.Others)) {
		p.add(PlaceOther, name, 1)
	}
	return p.handOver(ctx)
}

// handOver says what is left to a person.
func (p *Purge) handOver(ctx context.Context) error {
	hand, err := p.st.Repo.Hand(ctx, p.next, gitops.Remains{Objects: p.matched, Files: p.holding})
	if err != nil {
		return err
	}
	p.Commands, p.First, p.Why, p.Ahead = hand.Commands, hand.First, hand.Why, hand.Ahead
	if !slices.ContainsFunc(p.Places, func(at Place) bool { return at.Kind != PlaceOther }) && len(p.next.Refs) == 0 {
		p.Commands = nil // what is left stays as it is
	}
	if err := p.superproject(ctx); err != nil {
		return err
	}
	if len(p.First) == 0 && len(p.Commands) > 0 {
		p.Copy = "git bundle create ../before-purge.bundle --all --reflog"
	}
	return nil
}

// superproject notes the repository that has recorded commits of this one.
func (p *Purge) superproject(ctx context.Context) error {
	moved := func(ref gitops.RewrittenRef) bool { return ref.Name != gitops.JournalRef }
	if p.st.Own() || len(p.next.Heads) == 0 && !slices.ContainsFunc(p.next.Refs, moved) {
		return nil
	}
	super, err := p.st.Repo.Superproject(ctx)
	if err != nil || super == "" {
		return err
	}
	at, err := filepath.Rel(realPath(filepath.FromSlash(super)), realPath(p.st.Repo.Root))
	if err != nil {
		at = p.st.Repo.Root
	}
	word := shell.Quote(policy.Inert(filepath.ToSlash(at)))
	p.Super, p.Recorded = policy.Inert(super), "git -C "+shell.Quote(policy.Inert(super))+" commit -m 'memory: purged' -- "+word
	return nil
}

// refs lists the refs, stashes and worktrees that change.
func (p *Purge) refs() {
	for _, ref := range p.next.Refs {
		kind, name := PlaceRef, ref.Name
		for prefix, of := range map[string]string{"refs/heads/": PlaceBranch, "refs/tags/": PlaceTag, "refs/notes/": PlaceNotes, "refs/remotes/": PlaceRemote} {
			if short, ok := strings.CutPrefix(ref.Name, prefix); ok {
				kind, name = of, short
			}
		}
		if ref.Name == gitops.JournalRef {
			kind = PlaceJournal
		}
		p.Pushed = p.Pushed || kind == PlaceRemote
		count := ref.Holding
		if kind != PlaceJournal { // which changes too where it only names commits that do
			count = max(count, 1)
		}
		p.add(kind, name, count)
	}
	for i, s := range p.next.Stashes {
		if s.New != s.Old {
			p.add(PlaceStash, fmt.Sprintf("stash@{%d}", i), 1)
		}
	}
	for _, h := range p.next.Heads {
		p.add(PlaceDetached, h.Name, 1)
	}
}

// gitFiles looks into what stands in the git folder beside objects.
func (p *Purge) gitFiles() error {
	unread, err := p.st.Repo.EachOwnFile(func(name string, data []byte) error {
		if !p.people {
			data = gitops.FileWithoutPeople(name, data)
		}
		if !inState(name) && (p.trace.FoundDeep(data) || p.trace.Found([]byte(name))) {
			p.holding[name] = true
			p.add(PlaceGitFile, name, 1)
		}
		return nil
	})
	p.add(PlaceUnread, "files in the git folder", len(unread))
	return err
}

// inState reports whether a file of the git folder is memctl's own: it stands in memctl/,
// the common one or a worktree's.
func inState(name string) bool {
	parts := strings.SplitN(name, "/", 4)
	return parts[0] == "memctl" || len(parts) > 2 && parts[0] == "worktrees" && parts[2] == "memctl"
}

// stateDirs are the folders of the store's local state, in every worktree.
func (st *Store) stateDirs() []string {
	dirs := []string{st.shared().dir, st.worktree().dir}
	if st.Repo != nil {
		for _, dir := range safefile.Glob(st.Repo.CommonDir, "worktrees/*/memctl") {
			dirs = append(dirs, filepath.Join(dir, st.stateSuffix()))
		}
	}
	if st.Scope == st.ss.sessionScope() {
		dirs = append(dirs, st.ss.sessions().dir)
	}
	slices.Sort(dirs)
	var top []string // none below another
	for _, d := range slices.Compact(dirs) {
		if len(top) == 0 || !strings.HasPrefix(d, top[len(top)-1]+string(filepath.Separator)) {
			top = append(top, d)
		}
	}
	return top
}

// sessionScope is the scope that the session's own folder belongs to.
func (ss *Stores) sessionScope() string {
	if ss.Alone() {
		return Only
	}
	return Project
}

// eachState calls fn for the files of local state, and for the record of this
// folder's acts, which tells of every scope.
func (st *Store) eachState(fn func(dir, name string, data []byte) error) error {
	acts := false
	for _, dir := range st.stateDirs() {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			acts = acts || name == st.ss.session().path(actsFile)
			return fn(filepath.Dir(name), d.Name(), data)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	data, err := st.ss.session().read(actsFile)
	if err != nil || acts || data == nil {
		return err
	}
	return fn(st.ss.session().dir, actsFile, data)
}

func (p *Purge) state(context.Context) error {
	return p.st.eachState(func(dir, name string, data []byte) error {
		if p.trace.FoundDeep(data) {
			p.add(PlaceState, filepath.Join(dir, name), 1)
		}
		return nil
	})
}
