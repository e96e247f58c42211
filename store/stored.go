package store

import (
	"context"

	"github.com/memctl/memctl/memfile"
)

// stored is a version of the memory file as it would stand in the worktree.
// Git may keep it in another form, encrypted for one; only what cannot be read
// as it is kept is worth a start of git and of a filter.
func (st *Store) stored(ctx context.Context, blob string) ([]byte, error) {
	src, err := st.Repo.Blob(ctx, blob)
	if err != nil {
		return nil, err
	}
	return st.readable(ctx, src, blob), nil
}

// storedAt is stored for the file in a commit; ok is false where it has none.
func (st *Store) storedAt(ctx context.Context, rev string) (src []byte, ok bool, err error) {
	src, ok, err = st.Repo.FileAt(ctx, rev, st.gitPath())
	if err != nil || !ok {
		return nil, false, err
	}
	return st.readable(ctx, src, rev+":"+st.gitPath()), true, nil
}

func (st *Store) readable(ctx context.Context, src []byte, object string) []byte {
	if len(src) == 0 || memfile.Ours(src) {
		return src
	}
	if text, err := st.Repo.Smudged(ctx, object, st.gitPath()); err == nil && memfile.Ours(text) {
		return text
	}
	return src
}

// sameOf gives what git keeps of a file (data, as it is stored; object names it) in the form that
// has the digest: as it is, or behind a filter or an encoding as git would write it into the worktree.
func (st *Store) sameOf(ctx context.Context, data []byte, object, path, digest string) []byte {
	if digestOf(data) == digest || !st.Repo.Converts(ctx, path) {
		return data
	}
	if text, err := st.Repo.Smudged(ctx, object, path); err == nil {
		return text
	}
	return data
}
