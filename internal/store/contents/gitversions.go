package contents

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

// MemoryFromBlob is a version of the memory file as it would stand in the worktree.
func MemoryFromBlob(ctx context.Context, st *store.Store, blob string) ([]byte, error) {
	return StoredFile(ctx, st, blob, st.GitPath())
}

// StoredFile is a version of the file at a path of the repository as it would stand in
// the worktree. Git may keep it in another form: encrypted for one.
func StoredFile(ctx context.Context, st *store.Store, blob, path string) ([]byte, error) {
	src, err := object.Blob(ctx, st.Repo, blob)
	if err != nil {
		return nil, err
	}
	return asWritten(ctx, st.Repo, src, blob, path), nil
}

// ConflictSides are git's versions of a file that its index has unmerged, as they would stand in
// the worktree: the base, ours and theirs, each nil where there is none.
// unmerged is false where the index has the file merged.
func ConflictSides(ctx context.Context, st *store.Store, path string) (stages [3][]byte, unmerged bool, err error) {
	all, err := worktree.Unmerged(ctx, st.Repo, path)
	ids, unmerged := all[path]
	for i, id := range ids {
		if id == "" || err != nil {
			continue
		}
		if stages[i], err = StoredFile(ctx, st, id, path); stages[i] == nil {
			stages[i] = []byte{}
		}
	}
	return stages, unmerged, err
}

// StoredAt is the memory file in a commit; ok is false if the commit has none.
func StoredAt(ctx context.Context, st *store.Store, rev string) (src []byte, ok bool, err error) {
	return AsWritten(ctx, st.Repo, rev, st.GitPath())
}

// AsWritten is a file in a commit of a repository as it would stand in the worktree; ok is
// false where the commit has none. Errors: those of gitops.Repo.FileAt.
func AsWritten(ctx context.Context, repo *gitops.Repo, rev, path string) (src []byte, ok bool, err error) {
	src, ok, err = object.FileAt(ctx, repo, rev, path)
	if err != nil || !ok {
		return nil, false, err
	}
	return asWritten(ctx, repo, src, rev+":"+path, path), true, nil
}

// AsStaged is AsWritten for the file in the index. Errors: those of gitops.Repo.Staged.
func AsStaged(ctx context.Context, repo *gitops.Repo, path string) (src []byte, ok bool, err error) {
	src, ok, err = worktree.Staged(ctx, repo, path)
	if err != nil || !ok {
		return nil, false, err
	}
	return asWritten(ctx, repo, src, ":"+path, path), true, nil
}

// asWritten reverses the filter or encoding with which git stores a file. A version that
// was stored before the filter was set is returned as it is.
func asWritten(ctx context.Context, repo *gitops.Repo, src []byte, object, path string) []byte {
	if len(src) == 0 || !worktree.Filtered(ctx, repo, path) {
		return src
	}
	text, err := worktree.Smudged(ctx, repo, object, path)
	if err != nil || !isSound(path, text) && isSound(path, src) {
		return src
	}
	return text
}

// isSound reports whether a file of memory can be what the bytes are, and nothing is amiss
// with them.
func isSound(name string, src []byte) bool {
	if path.Base(name) == memfile.FileName {
		return memfile.IsMemory(src)
	}
	i := strings.LastIndex("/"+name, "/"+store.MemoriesDir+"/")
	if i < 0 {
		return utf8.Valid(src)
	}
	f, problems := entry.Parse(name[i:], src)
	return f != nil && len(problems) == 0
}

// SameText gives what git keeps of a file (data, as it is stored; object names it) in the form that
// has the digest: as it is, or behind a filter or an encoding as git would write it into the worktree.
func SameText(ctx context.Context, st *store.Store, data []byte, object, path, digest string) []byte {
	if DigestOf(data) == digest || !worktree.Converts(ctx, st.Repo, path) {
		return data
	}
	if text, err := worktree.Smudged(ctx, st.Repo, object, path); err == nil {
		return text
	}
	return data
}

// DigestOf names a file's bytes, "" where there is no file. Line ends do not
// count: git may have changed them when it wrote the file.
func DigestOf(src []byte) string {
	if src == nil {
		return ""
	}
	sum := sha256.Sum256(WithoutCR(src))
	return hex.EncodeToString(sum[:])
}

// WithoutCR returns a text with LF as line ends: the same bytes if it has no others.
func WithoutCR(src []byte) []byte {
	if !bytes.Contains(src, []byte("\r\n")) {
		return src
	}
	return bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
}
