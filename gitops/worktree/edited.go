package worktree

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/indexfile"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/safefile"
)

// EditedUnder lists the tracked files below a folder that a person changed or removed
// in the worktree, by path. It leaves out what the person has staged, what a merge left
// unmerged, and what is hidden from git. Where the index proves that no file changed, no
// git is started and no file is read; that takes one lstat for each file, so folders of
// more than largest files are passed over, where largest is not 0. Errors: fault.Blocked,
// *Error.
func EditedUnder(ctx context.Context, r *gitops.Repo, folder string, largest int) (edited []string, err error) {
	if unchangedUnder(r, folder, largest) {
		return nil, nil
	}
	list, err := status(ctx, r, "--untracked-files=no", "--", folder)
	for _, file := range list {
		if file.kind == '1' && (strings.HasPrefix(file.code, ".M") || strings.HasPrefix(file.code, ".D")) {
			edited = append(edited, file.path)
		}
	}
	return edited, err
}

// unchangedUnder reports whether each file below the folder is surely as the index notes
// it, folders of more than largest files aside. false is no answer: git has to be asked.
func unchangedUnder(r *gitops.Repo, folder string, largest int) bool {
	if !gitops.IsOwn(r) {
		return false
	}
	data, idLen, ok := r.IndexBytes()
	if data == nil {
		return ok
	}
	files, ok := filesUnder(data, idLen, folder)
	if !ok || len(files) == 0 {
		return ok
	}
	index, err := os.Stat(filepath.Join(r.GitDir, "index"))
	if err != nil {
		return false
	}
	for dir, list := range files {
		if largest > 0 && len(list) > largest {
			continue
		}
		if !RealFolder(r, dir) {
			return false
		}
		for _, f := range list {
			e := f.raw.Entry()
			if e.Assumed || e.Skipped || e.Stage != 0 {
				continue // hidden from git, or unmerged: not listed either way
			}
			file := filepath.Join(r.Root, dir, f.name)
			if e.Intended || !statAsNoted(file, e) {
				return false
			}
			// After an import all files are as young as the index. Their nanoseconds tell a change of theirs, except
			// in place within a tick of the clock, which the next act on the file finds.
			if e.MTime.Nsec == 0 && int64(e.MTime.Sec) >= index.ModTime().Unix() && !hasBlob(file, e) {
				return false
			}
		}
	}
	return true
}

// indexFile is one file's entry of the index.
type indexFile struct {
	name string // in its folder
	raw  indexfile.Raw
}

// filesUnder gives the index's entries below a folder, by the folder that each is in.
func filesUnder(data []byte, idLen int, folder string) (files map[string][]indexFile, ok bool) {
	files = map[string][]indexFile{}
	prefix := []byte(folder + "/")
	err := indexfile.Each(data, idLen, func(full []byte, raw indexfile.Raw) bool {
		if bytes.HasPrefix(full, prefix) {
			dir, name := path.Split(string(full))
			dir = strings.TrimSuffix(dir, "/")
			files[dir] = append(files[dir], indexFile{name, raw})
		}
		return true
	})
	return files, err == nil
}

// RealFolder reports whether a folder, by its path from the top, is reached without a
// link: git does not look behind one.
func RealFolder(r *gitops.Repo, dir string) bool {
	file := r.Root
	for part := range strings.SplitSeq(dir, "/") {
		file = filepath.Join(file, part)
		if fi, err := os.Lstat(file); err != nil || !fi.IsDir() {
			return false
		}
	}
	return true
}

// statAsNoted reports whether the system says of the file what its record in the index says.
func statAsNoted(file string, e indexfile.Entry) bool {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > object.MaxSize {
		return false
	}
	now, ok := gitops.StatRecord(info)
	executable := e.Mode == 0o100755
	return ok && executable == (info.Mode()&0o100 != 0) && now.CTime == e.CTime && now.MTime == e.MTime &&
		now.Inode == e.Inode && now.UID == e.UID && now.GID == e.GID && now.Size == e.Size
}

// hasBlob reports whether the file's content is the blob of its record.
func hasBlob(file string, e indexfile.Entry) bool {
	data, err := safefile.ReadRegularFile(file, object.MaxSize)
	return err == nil && object.BlobID(40, data) == e.ID
}
