package gitops

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/internal/safefile"
)

// draftFile is where git leaves the message of the last commit, made or
// attempted. After a commit that failed it is the only copy of what the person
// wrote, so a commit of ours must not take its place.
const draftFile = "COMMIT_EDITMSG"

// preparedFiles are what git has prepared for the person's next commit: the
// message of a squash merge, or of a cherry-pick without a commit. Every commit
// takes them away, whoever makes it.
func preparedFiles() []string { return []string{"SQUASH_MSG", "MERGE_MSG", "AUTO_MERGE"} }

// draft is one of these files as it stood; info is nil where it was not there.
type draft struct {
	name string
	text []byte
	info fs.FileInfo
}

// keepDrafts reads the person's messages; the function it gives puts them
// back, with their times, where our own commit replaced or removed them. A
// failure costs the draft and not the commit, so none is told.
func (r *Repo) keepDrafts(ours string) (restore func()) {
	var kept []draft
	for _, name := range append(preparedFiles(), draftFile) {
		info, err := os.Lstat(filepath.Join(r.GitDir, name))
		if name == draftFile && errors.Is(err, fs.ErrNotExist) {
			kept = append(kept, draft{name: name})
		}
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		// An empty message is one that another git is about to write: to put it
		// back would take the words out of that git's mouth.
		if text, err := readSmall(filepath.Join(r.GitDir, name)); err == nil && len(text) > 0 {
			kept = append(kept, draft{name, text, info})
		}
	}
	return func() {
		for _, d := range kept {
			now, err := readSmall(filepath.Join(r.GitDir, d.name))
			gone := errors.Is(err, fs.ErrNotExist)
			if r.committing() {
				return // another git's message stands there now, or will in a moment
			}
			if gone && d.info != nil || err == nil && bytes.Equal(bytes.TrimSpace(now), bytes.TrimSpace([]byte(ours))) {
				r.writeDraft(d)
			}
		}
	}
}

// committing reports whether a git has the index locked, as each does from before
// it writes its message until it has committed.
func (r *Repo) committing() bool {
	_, err := os.Lstat(filepath.Join(r.GitDir, "index.lock"))
	return err == nil
}

func (r *Repo) writeDraft(d draft) {
	root, err := os.OpenRoot(r.GitDir)
	if err != nil {
		return
	}
	defer root.Close()
	if d.info == nil {
		_ = root.Remove(d.name)
		return
	}
	if safefile.WriteCache(root, d.name, d.text, d.info.Mode().Perm()) == nil {
		_ = root.Chtimes(d.name, d.info.ModTime(), d.info.ModTime())
	}
}
