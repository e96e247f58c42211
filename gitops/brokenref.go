package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
)

// brokenRef is the error for a ref, with the way out that git's logs know.
func (r *Repo) brokenRef(name, file, what string) error {
	e := &fault.Error{Code: fault.BrokenRef, Thing: file, Cause: what + "; an interrupted write can leave a ref like this"}
	last := r.logLines(name)
	if name == "HEAD" {
		if branch := r.switchedTo(last); branch != "" && what != notAFile {
			e.Way = "echo " + shell.Quote("ref: refs/heads/"+branch) + " > " + shell.Quote(file)
		}
		return e
	}
	if id := r.lastWhole(last); id != "" {
		// git does not write over a ref that it cannot read.
		e.Way = "rm " + shell.Quote(file) + " && git update-ref " + shell.Quote(name) + " " + id
	}
	return e
}

// lastWhole is the newest commit of a log that git has with its tree: a power cut takes
// the last one's objects along. "" for none.
func (r *Repo) lastWhole(log [][]byte) string {
	const most = 100
	var ids []string
	asked := ""
	for i := len(log) - 1; i >= 0 && len(ids) < most; i-- {
		if f := bytes.Fields(log[i]); len(f) > 1 && IsID(string(f[1])) {
			ids = append(ids, string(f[1]))
			asked += string(f[1]) + "^{tree}\n"
		}
	}
	if len(ids) == 0 {
		return ""
	}
	out, err := r.Git(context.Background(), Call{Args: []string{"cat-file", "--batch-check"}, Stdin: []byte(asked)})
	if err != nil {
		return ""
	}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if f := strings.Fields(line); i < len(ids) && len(f) == 3 && f[1] == "tree" {
			return ids[i]
		}
	}
	return ""
}

const notAFile = "is not a file"

// unreadable is the error for a HEAD that could not be read.
func (r *Repo) unreadable(name, file string, err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return fmt.Errorf("%q: %w", file, err)
	}
	return r.brokenRef(name, file, notAFile)
}

// switchedTo is the branch that the last checkout in HEAD's log went to, "" where that
// was to none, or it is not there.
func (r *Repo) switchedTo(log [][]byte) string {
	for i := len(log) - 1; i >= 0; i-- {
		_, moved, ok := bytes.Cut(log[i], []byte("\tcheckout: moving from "))
		if !ok {
			continue
		}
		_, to, _ := bytes.Cut(moved, []byte(" to "))
		branch := string(to)
		if branch == "" || strings.Contains(branch, "..") {
			return ""
		}
		if id, _, err := r.ReadRef("refs/heads/" + branch); id == "" || err != nil {
			return ""
		}
		return branch
	}
	return ""
}

// logLines are the last lines of a ref's log; a ref may be moved to and fro thousands of
// times.
func (r *Repo) logLines(name string) [][]byte {
	f, err := os.Open(filepath.Join(r.RefFolder(name), "logs", filepath.FromSlash(name)))
	if err != nil {
		return nil
	}
	defer f.Close()
	const most = 64 << 10
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	} else if info.Size() > most {
		_, _ = f.Seek(-most, io.SeekEnd)
	}
	data, _ := io.ReadAll(io.LimitReader(f, most))
	return bytes.Split(data, []byte("\n"))
}

// HeadLost says what of HEAD's commit is not in the repository, as after a git gc
// --prune=now beside a commit, or a power cut, and the command that leads out of it; ""
// where all is there.
func (r *Repo) HeadLost(ctx context.Context) (said, mend string) {
	s, err := r.State()
	if err != nil || s.Unborn {
		return "", ""
	}
	partial := false
	has := func(name string) bool {
		_, err := r.Git(ctx, Call{Args: []string{"cat-file", "-e", name}})
		partial = partial || BlockedBy(err) == WhyMissing
		return err == nil || StatusOf(err) == -1 && !partial
	}
	switch {
	case has(s.Head + "^{tree}"):
		if r.Partial() && r.indexLacks(ctx) {
			return "a file in the index is missing from this partial clone, and memctl does not fetch", "git write-tree"
		}
		return "", ""
	case partial:
		return "the tree of HEAD's commit is missing from this partial clone, and memctl does not fetch", "git cat-file -e 'HEAD^{tree}'"
	case !has(s.Head):
		return "the commit that HEAD points to is not in the repository", "git reflog"
	case has(s.Head + "~1^{tree}"):
		return "the tree of HEAD's commit is not in the repository: the files are, so go back one commit, and commit them again", "git reset --soft HEAD~1"
	}
	return "the tree of HEAD's commit is not in the repository", "git fsck"
}

// indexLacks reports whether a partial clone lacks an object of the index that a commit needs.
// Git commits without those of files that a sparse checkout leaves out.
func (r *Repo) indexLacks(ctx context.Context) bool {
	out, err := r.Git(ctx, Call{Args: []string{"ls-files", "-z", "-s", "-t"}})
	if err != nil {
		return false
	}
	var ids bytes.Buffer
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		// tag mode id stage, a tab, and the path
		if f := bytes.Fields(entry); len(f) > 3 && string(f[0]) != "S" && string(f[1]) != "160000" {
			ids.Write(f[2])
			ids.WriteByte('\n')
		}
	}
	out, err = r.Git(ctx, Call{Args: []string{"cat-file", "--batch-check"}, Stdin: ids.Bytes()})
	return BlockedBy(err) == WhyMissing || bytes.Contains(out, []byte(" missing\n"))
}
