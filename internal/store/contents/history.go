package contents

import (
	"cmp"
	"context"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	recovery "github.com/memctl/memctl/recover"
)

// Version is one commit, or one entry of the journal, that changed memory. What the memory file said is read when it is asked
// for; what was damaged then is what can be salvaged of it now.
type Version struct {
	object.Version
	Files []object.ChangedFile    // of entries, by path from the store's folder: see FileSides
	Entry *committer.JournalEntry // nil for a commit
	docs  *Versions
}

// Before is the memory before the commit.
func (v Version) Before() memfile.Document { return v.docs.read(v.Version.Before).Clone() }

// After is the memory that the commit left.
func (v Version) After() memfile.Document { return v.docs.read(v.Version.After).Clone() }

// Err is why what the memory file said could not be read.
func (v Version) Err() error { return v.docs.failed }

// Deltas are the differences that the commit made.
func (v Version) Deltas() []memfile.Delta {
	return memfile.Diff(v.docs.read(v.Version.Before), v.docs.read(v.Version.After))
}

// NoHistory is the error of a store that is not under git, or whose repository git cannot use.
func NoHistory(st *store.Store) error {
	err := st.Unusable()
	if err == nil {
		err = fault.New(fault.NotARepository, st.Dir, "is not a git repository")
	}
	return &fault.Error{Code: fault.NoHistory, Err: err}
}

// commitOf is the id of a commit of the store's repository. Errors: fault.UnknownRevision, fault.NoHistory.
func commitOf(ctx context.Context, st *store.Store, rev string) (string, error) {
	if st.Repo == nil {
		return "", NoHistory(st)
	}
	return object.Resolve(ctx, st.Repo, rev)
}

// The revisions that History begins at.
const (
	OfHead     = "HEAD"
	OfBranches = "--all" // every ref, less memctl's own
)

// History calls fn for the commits before a revision that changed the memory file, or with entries also for those that changed
// files of entries, newest first, until it returns false. Errors: fault.NoHistory.
func History(ctx context.Context, st *store.Store, rev string, entries bool, fn func(Version) bool) error {
	if st.Repo == nil {
		return NoHistory(st)
	}
	folder := ""
	if entries {
		folder = st.GitPathOf(entry.Root)
	}
	versions := NewVersions(ctx, st)
	return versions.Failed(object.HistoryUnder(ctx, st.Repo, rev, st.GitPath(), folder, versions.Each(fn)))
}

// mostKnown is how many versions a Versions remembers.
const mostKnown = 16

// Versions reads the versions of a store's memory file. The version after one
// commit is the version before the next newer one: each is read once, but for some where branches went on beside each other.
type Versions struct {
	ctx    context.Context
	st     *store.Store
	known  map[string]memfile.Document // by blob id
	failed error
}

// NewVersions reads versions of a store's memory file, each once.
func NewVersions(ctx context.Context, st *store.Store) *Versions {
	return &Versions{ctx: ctx, st: st, known: map[string]memfile.Document{"": NoDocument()}}
}

// Each turns a walk through versions into one of a store's, which ends where one cannot be read.
func (vs *Versions) Each(fn func(Version) bool) func(object.Version, []object.ChangedFile) bool {
	return func(v object.Version, files []object.ChangedFile) bool {
		return fn(Version{Version: v, Files: ChangedEntries(vs.st, files), docs: vs}) && vs.failed == nil
	}
}

// Failed returns why a version could not be read, else the error of the walk.
func (vs *Versions) Failed(err error) error { return cmp.Or(vs.failed, err) }

func (vs *Versions) read(blob string) memfile.Document {
	doc, ok := vs.known[blob]
	if !ok {
		src, err := MemoryFromBlob(vs.ctx, vs.st, blob)
		if err != nil {
			vs.failed = cmp.Or(vs.failed, err)
			return NoDocument()
		}
		doc = OldDocument(vs.st, src)
		if len(vs.known) == mostKnown {
			vs.known = map[string]memfile.Document{"": NoDocument()}
		}
		vs.known[blob] = doc
	}
	return doc
}

// OldDocument is what a version of the memory file says, as far as it can be read. No file (nil) says nothing.
func OldDocument(st *store.Store, src []byte) memfile.Document {
	doc, _ := readable(st, src)
	return doc
}

// readable is what a version of the memory file says, and whether all of it was read.
func readable(st *store.Store, src []byte) (doc memfile.Document, whole bool) {
	if src == nil {
		return NoDocument(), true
	}
	if f, _ := memfile.Parse(st.Name(), src); f != nil {
		return f.Document(), true
	}
	return recovery.Salvage(st.Name(), src, RecoveryOptions(st)), false
}

// DocumentAt is the memory in a commit, or NoDocument. Errors: fault.UnknownRevision,
// fault.NoHistory.
func DocumentAt(ctx context.Context, st *store.Store, rev string) (memfile.Document, error) {
	commit, err := commitOf(ctx, st, rev)
	if err != nil {
		return NoDocument(), err
	}
	src, _, err := StoredAt(ctx, st, commit)
	return OldDocument(st, src), err
}

// CommitChange is the memory before and after one commit. Errors:
// fault.UnknownRevision, fault.NoHistory; ok is false where the commit
// did not touch the memory file.
func CommitChange(ctx context.Context, st *store.Store, commit string) (v Version, ok bool, err error) {
	id, err := commitOf(ctx, st, commit)
	if err != nil {
		return v, false, err
	}
	err = object.History(ctx, st.Repo, id, st.GitPath(), 1, func(found object.Version) bool {
		v.Version, ok = found, found.Commit == id
		return false
	})
	v.docs = NewVersions(ctx, st)
	return v, ok && err == nil, err
}

// InHistory reports whether the commit is HEAD's or one before it. What cannot be
// found out counts as not.
func InHistory(ctx context.Context, st *store.Store, commit string) bool {
	state, err := st.Repo.State()
	return err == nil && !state.Unborn && object.IsAncestor(ctx, st.Repo, commit, state.Head)
}
