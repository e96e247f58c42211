package contents

import (
	"cmp"
	"context"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	recovery "github.com/memctl/memctl/recover"
)

// Version is one commit that changed the memory file, with the memory before
// and after it. What was damaged then is what can be salvaged of it now.
type Version struct {
	object.Version
	before, after memfile.Document
}

// Before is the memory before the commit.
func (v Version) Before() memfile.Document { return v.before.Clone() }

// After is the memory that the commit left.
func (v Version) After() memfile.Document { return v.after.Clone() }

// Deltas are the differences that the commit made.
func (v Version) Deltas() []memfile.Delta { return memfile.Diff(v.before, v.after) }

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

// History calls fn for the commits on HEAD that changed the memory file,
// newest first, until it returns false. Errors: fault.NoHistory.
func History(ctx context.Context, st *store.Store, fn func(Version) bool) error {
	if st.Repo == nil {
		return NoHistory(st)
	}
	state, err := st.Repo.State()
	if err != nil || state.Unborn {
		return err
	}
	versions := NewVersions(st)
	var failed error
	err = object.History(ctx, st.Repo, "HEAD", st.GitPath(), 0, func(found object.Version) bool {
		var v Version
		v, failed = versions.Of(ctx, found)
		return failed == nil && fn(v)
	})
	return cmp.Or(failed, err)
}

// Versions reads the versions of a store's memory file. The version after one
// commit is the version before the next newer one: each is read once.
type Versions struct {
	st    *store.Store
	known map[string]memfile.Document // by blob id
}

// NewVersions reads versions of a store's memory file, each once.
func NewVersions(st *store.Store) *Versions {
	return &Versions{st: st, known: map[string]memfile.Document{"": NoDocument()}}
}

// Of reads what the memory file said on both sides of a change. Errors: git's.
func (vs *Versions) Of(ctx context.Context, v object.Version) (Version, error) {
	version := Version{Version: v}
	for _, side := range []struct {
		blob string
		was  *memfile.Document
	}{{v.Before, &version.before}, {v.After, &version.after}} {
		was, ok := vs.known[side.blob]
		if !ok {
			src, err := Stored(ctx, vs.st, side.blob)
			if err != nil {
				return version, err
			}
			was = OldDocument(vs.st, src)
			vs.known[side.blob] = was
		}
		*side.was = was
	}
	return version, nil
}

// OldDocument reads an old version of the memory file, as far as it can be read.
func OldDocument(st *store.Store, src []byte) memfile.Document {
	if f, _ := memfile.Parse(st.Name(), src); f != nil {
		return f.Document()
	}
	return recovery.Salvage(st.Name(), src, RecoveryOptions(st))
}

// DocumentAt is the memory in a commit, or NoDocument. Errors: fault.UnknownRevision,
// fault.NoHistory.
func DocumentAt(ctx context.Context, st *store.Store, rev string) (memfile.Document, error) {
	commit, err := commitOf(ctx, st, rev)
	if err != nil {
		return NoDocument(), err
	}
	src, ok, err := StoredAt(ctx, st, commit)
	if err != nil || !ok {
		return NoDocument(), err
	}
	return OldDocument(st, src), nil
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
	if err != nil || !ok {
		return v, false, err
	}
	v, err = NewVersions(st).Of(ctx, v.Version)
	return v, err == nil, err
}

// CutOff reports whether a shallow clone ends at the commit, so that everything
// in it looks new.
func CutOff(st *store.Store, commit string) bool { return st.Repo != nil && st.Repo.ShallowAt(commit) }

// Pushed reports whether a remote-tracking branch already has the commit.
func Pushed(ctx context.Context, st *store.Store, commit string) bool {
	return st.Repo != nil && commit != "" && object.Pushed(ctx, st.Repo, commit)
}

// FilePushed reports whether a commit that holds a file of the store, by its
// path from the store's folder, is on a remote.
func FilePushed(ctx context.Context, st *store.Store, name string) bool {
	pushed := false
	if st.Repo == nil {
		return false
	}
	err := object.History(ctx, st.Repo, "HEAD", st.GitPathOf(name), 0, func(v object.Version) bool {
		pushed = v.After != "" && object.Pushed(ctx, st.Repo, v.Commit)
		return !pushed
	})
	return err == nil && pushed
}

// InHistory reports whether the commit is HEAD's or one before it. What cannot be
// found out counts as not.
func InHistory(ctx context.Context, st *store.Store, commit string) bool {
	state, err := st.Repo.State()
	return err == nil && !state.Unborn && object.IsAncestor(ctx, st.Repo, commit, state.Head)
}
