package gitops

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxReflogRead bounds how much of a reflog's end is read, in bytes.
const maxReflogRead = 64 << 10

// Dropped is a branch that a git put back, from one commit to another.
type Dropped struct{ Was, Now string }

// DroppedUnknowing lists where a git put the branch, by its short name, back to a
// commit that it had noted before, newest first: the end of a rebase that was given up, or a
// reset to what HEAD was (git stash does one); and where PutAside did. Commits that were made in between went with
// it, and nobody meant that. What cannot be read lists nothing.
func (r *Repo) DroppedUnknowing(branch string) (list []Dropped) {
	f, err := os.Open(filepath.Join(r.CommonDir, "logs", "refs", "heads", filepath.FromSlash(branch)))
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxReflogRead {
		if _, err := f.Seek(-maxReflogRead, io.SeekEnd); err != nil {
			return nil
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxReflogRead))
	if err != nil {
		return nil
	}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		head, message, ok := strings.Cut(string(line), "\t")
		was, rest, _ := strings.Cut(head, " ")
		now, _, _ := strings.Cut(rest, " ")
		unknowing := message == "reset: moving to HEAD" || message == asideMessage || strings.HasPrefix(message, "rebase (abort): ")
		if ok && unknowing && isID(was) && isID(now) && was != now {
			list = append([]Dropped{{Was: was, Now: now}}, list...)
		}
	}
	return list
}
