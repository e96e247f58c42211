package store

import (
	"context"
	"path"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
)

// maxCommitFiles bounds the files of one commit that undo looks at.
const maxCommitFiles = 20_000

// CommitFiles are the files of entries that a commit changed, as FileChanges,
// and the commit's id. Errors: *gitops.UnknownRevisionError, *NoHistoryError.
func (st *Store) CommitFiles(ctx context.Context, commit string) (id string, files []FileChange, err error) {
	if st.Repo == nil {
		return "", nil, &NoHistoryError{Dir: st.Dir}
	}
	if id, err = st.Repo.Resolve(ctx, commit); err != nil {
		return "", nil, err
	}
	changed, err := st.Repo.ChangedFiles(ctx, id, st.gitPathOf(entry.Root))
	if err != nil {
		return id, nil, err
	}
	for _, c := range changed[:min(len(changed), maxCommitFiles)] {
		f := FileChange{Path: st.ownPath(c.Path)}
		for _, side := range []struct {
			blob  string
			bytes *[]byte
		}{{c.Before, &f.Before}, {c.After, &f.After}} {
			if side.blob == "" {
				continue
			}
			if *side.bytes, err = st.Repo.Blob(ctx, side.blob); err != nil {
				return id, nil, err
			}
			if *side.bytes == nil {
				*side.bytes = []byte{}
			}
		}
		files = append(files, f)
	}
	return id, files, nil
}

// ownPath is the path from the store's folder of a path in the repository.
func (st *Store) ownPath(gitPath string) string {
	folder := path.Dir(st.gitPath())
	if folder == "." {
		return gitPath
	}
	return strings.TrimPrefix(gitPath, folder+"/")
}

// LostEntry finds the newest file of an entry that history had and that was
// taken away, for which fits says yes, with its bytes as they last stood; "" where
// there is none.
func (st *Store) LostEntry(ctx context.Context, fits func(path string, p entry.Place) bool) (name string, src []byte, err error) {
	if st.Repo == nil {
		return "", nil, nil
	}
	commit := ""
	err = st.Repo.LostFiles(ctx, st.gitPathOf(entry.Root), func(by, file string) bool {
		own := st.ownPath(file)
		if p, ok := entry.ParsePath(own); ok && fits(own, p) {
			name, commit = own, by
		}
		return name == ""
	})
	if err != nil || name == "" {
		return "", nil, err
	}
	src, ok, err := st.Repo.FileAt(ctx, commit+"^", st.gitPathOf(name))
	if err != nil || !ok {
		return "", nil, err
	}
	return name, src, nil
}

// FileVersion is one commit that changed one file of an entry, with the file's
// bytes before and after it; nil where it was not there.
type FileVersion struct {
	Version
	Was, Is []byte
}

// FileHistory calls fn for the commits on HEAD that changed a file, named by its
// path from the store's folder, newest first. Errors: *NoHistoryError.
func (st *Store) FileHistory(ctx context.Context, name string, fn func(FileVersion)) error {
	if st.Repo == nil {
		return &NoHistoryError{Dir: st.Dir}
	}
	var failed error
	err := st.Repo.History(ctx, "HEAD", st.gitPathOf(name), 0, func(v gitops.Version) bool {
		f := FileVersion{Version: Version{Version: v}}
		if v.Before != "" {
			f.Was, failed = st.Repo.Blob(ctx, v.Before)
		}
		if v.After != "" && failed == nil {
			f.Is, failed = st.Repo.Blob(ctx, v.After)
		}
		if failed == nil {
			fn(f)
		}
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}
