package store

import (
	"context"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
)

// JournalHistory calls fn for what the journal's entries changed in this
// store's memory file, newest first, until it returns false. An entry's Before
// is the entry before it on its branch; Commit is the entry's own id, and of the
// commit that it tells of, "" where there was none. Errors: *NoHistoryError.
func (st *Store) JournalHistory(ctx context.Context, fn func(v Version, of string) bool) error {
	var list []gitops.JournalEntry
	if err := st.JournalEntries(ctx, func(e gitops.JournalEntry) bool { list = append(list, e); return true }); err != nil {
		return err
	}
	name := st.gitPath()
	blobs := make([]string, len(list))
	for i, e := range list {
		files, _, err := st.Repo.BlobsAt(ctx, e.ID, []string{name})
		if err != nil {
			return err
		}
		blobs[i] = files[name]
	}
	// From the oldest: what each branch's entry found there before.
	before, last := make([]string, len(list)), map[string]string{}
	for i := len(list) - 1; i >= 0; i-- {
		before[i] = last[list[i].Branch]
		if blobs[i] != "" {
			last[list[i].Branch] = blobs[i]
		}
	}
	versions := st.newVersions()
	for i, e := range list {
		if isFound(e) || blobs[i] == before[i] || blobs[i] == "" {
			continue
		}
		v, err := versions.of(ctx, gitops.Version{
			Commit: e.ID, Author: e.Author, Email: e.Email, Date: e.Date, Subject: e.Subject, Body: e.Body,
			Trailers: e.Trailers, Before: before[i], After: blobs[i], Befores: []string{before[i]},
		})
		if err != nil {
			return err
		}
		if !fn(v, e.Commit) {
			return nil
		}
	}
	return nil
}

// JournalFile is the newest file of an entry in the journal for which fits says
// yes, with its bytes; "" where there is none. Errors: *NoHistoryError.
func (st *Store) JournalFile(ctx context.Context, fits func(p entry.Place) bool) (name string, src []byte, err error) {
	var list []gitops.JournalEntry
	if err := st.JournalEntries(ctx, func(e gitops.JournalEntry) bool { list = append(list, e); return true }); err != nil {
		return "", nil, err
	}
	for _, e := range list {
		files, err := st.Repo.JournalFiles(ctx, e)
		if err != nil {
			return "", nil, err
		}
		for file, blob := range files {
			name := st.ownPath(file)
			if p, ok := entry.ParsePath(name); ok && !p.Deleted && fits(p) {
				src, err := st.Repo.Blob(ctx, blob)
				return name, src, err
			}
		}
	}
	return "", nil, nil
}
