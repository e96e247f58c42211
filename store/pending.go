package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// pendingWrite is one act's write that stands in the tree and is not committed.
type pendingWrite struct {
	Subject  string           `json:"subject"`
	Message  string           `json:"message,omitempty"`
	Trailers []gitops.Trailer `json:"trailers"`
	Files    []pendingFile    `json:"files"`
	Since    time.Time        `json:"since"`
}

// pendingFile is one file of it: digests of its bytes before and after the
// write, "" where it was not there.
type pendingFile struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// pendingList is the file of writes that wait, the oldest first.
type pendingList struct {
	Writes []pendingWrite `json:"writes"`
}

const (
	deferredFile = "deferred.json"
	// maxPending and pendingFor bound the list. What leaves it loses its
	// trailers, and nothing else.
	maxPending = 200
	// maxDeferredBytes bounds the file: two imports of as many lines as one may have.
	maxDeferredBytes = 128 << 20
	pendingFor       = 30 * 24 * time.Hour
)

// digestOf names a file's bytes, "" where there is no file. Line ends do not
// count: git may have changed them when it wrote the file.
func digestOf(src []byte) string {
	if src == nil {
		return ""
	}
	sum := sha256.Sum256(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")))
	return hex.EncodeToString(sum[:])
}

// pending is the write as it would wait.
func (t *transaction) pending() pendingWrite {
	p := pendingWrite{Subject: t.w.subject(), Message: t.w.Message, Trailers: t.w.trailers(t.st.Scope), Since: t.st.ss.Now().UTC()}
	for _, c := range t.changes {
		p.Files = append(p.Files, pendingFile{Path: c.Path, Before: digestOf(c.Before), After: digestOf(c.After)})
	}
	return p
}

// notePending remembers a write that could not be committed, so that the
// commit that takes it along names it. One that it has already, because a killed
// act got so far, is noted once.
func (st *Store) notePending(p pendingWrite) error {
	list, err := st.pendingWrites()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, p.is) {
		return nil
	}
	list = append(list, p)
	return st.keepPending(list[max(0, len(list)-maxPending):])
}

// roomToWait refuses a large write that would have to wait for its commit, and
// could not be noted.
func (t *transaction) roomToWait() error {
	if t.blocked == "" || t.blocked == WhyNoRepository || len(t.changes) <= manyFiles {
		return nil
	}
	list, err := t.st.pendingWrites()
	if err != nil {
		return err
	}
	data, err := json.Marshal(pendingList{append(list, t.pending())})
	if err == nil && len(data) >= maxDeferredBytes {
		err = &TooMuchError{Path: t.st.worktree().path(deferredFile), Max: maxDeferredBytes}
	}
	return err
}

// forgetPending takes back the note of a write that was itself taken back.
func (t *transaction) forgetPending() error {
	p := pendingWrite{}
	for _, c := range t.changes {
		p.Files = append(p.Files, pendingFile{Path: c.Path, Before: digestOf(c.Before), After: digestOf(c.After)})
	}
	st := t.st
	list, err := st.pendingWrites()
	if err != nil || len(list) == 0 {
		return err
	}
	p.Since = list[len(list)-1].Since // it would be the last one
	if !p.is(list[len(list)-1]) {
		return nil
	}
	return st.keepPending(slices.DeleteFunc(list, p.is))
}

// standing are the files of all writes that wait, this act's among them, which git can
// add: those that are there, and those that HEAD has. The paths are the repository's.
func (t *transaction) standing(ctx context.Context) []string {
	list, err := t.st.pendingWrites()
	if err != nil {
		return t.st.gitPaths(t.changes)
	}
	seen := map[string]bool{}
	var changes []FileChange
	for _, p := range list {
		for _, f := range p.Files {
			if !seen[f.Path] {
				changes = append(changes, FileChange{Path: f.Path})
			}
			seen[f.Path] = true
		}
	}
	return slices.DeleteFunc(t.st.gitPaths(changes), func(name string) bool {
		if _, err := os.Lstat(filepath.Join(t.st.Repo.Root, filepath.FromSlash(name))); err == nil {
			return false
		}
		_, in, err := t.st.Repo.FileAt(ctx, "HEAD", name)
		return err != nil || !in
	})
}

// is reports whether both are the same act's write.
func (p pendingWrite) is(q pendingWrite) bool {
	return q.Since.Equal(p.Since) && slices.EqualFunc(q.Files, p.Files, func(a, b pendingFile) bool {
		return a.Path == b.Path && a.Before == b.Before && a.After == b.After
	})
}

func (st *Store) pendingWrites() ([]pendingWrite, error) {
	var list pendingList
	if err := st.worktree().readLargeJSON(deferredFile, &list, maxDeferredBytes); err != nil {
		return nil, err
	}
	old := st.ss.Now().Add(-pendingFor)
	return slices.DeleteFunc(list.Writes, func(p pendingWrite) bool { return p.Since.Before(old) }), nil
}

func (st *Store) keepPending(list []pendingWrite) error {
	if len(list) == 0 {
		return st.worktree().remove(deferredFile)
	}
	return st.worktree().writeLargeJSON(deferredFile, pendingList{list}, maxDeferredBytes)
}

// standing tells which of the writes are in the tree and not in HEAD, whole:
// read from the newest back, each one's result is what the next began with, and
// the last result is what is on disk. Writes that somebody committed, stashed,
// reset or edited since are not among them.
func (v *tree) standing(ctx context.Context, list []pendingWrite) (in []bool, err error) {
	in = make([]bool, len(list))
	at := map[string]string{} // the digest that the newest write before must have made
	for i, p := range slices.Backward(list) {
		whole := len(p.Files) > 0
		fresh := false
		for _, f := range p.Files {
			here, known := at[f.Path]
			if !known {
				data, err := v.disk(f.Path)
				if err = errors.Join(err, ctx.Err()); err != nil {
					return nil, err
				}
				here = digestOf(data)
				at[f.Path] = here
			}
			whole = whole && here == f.After
			fresh = fresh || here != digestOf(v.committed(ctx, f.Path))
		}
		if !whole {
			continue
		}
		in[i] = fresh
		for _, f := range p.Files {
			at[f.Path] = f.Before
		}
	}
	return in, nil
}

// commitWaiting commits what waits in the tree under its own acts' names, with
// one set of trailers each. What a person has committed meanwhile waits no
// longer; what is neither here nor in HEAD (stashed, or on another branch) is
// known again when it comes back.
func (t *transaction) commitWaiting(ctx context.Context) error {
	if t.st.Repo == nil || t.blocked != "" || t.w.DryRun {
		return nil
	}
	list, err := t.st.pendingWrites()
	if err != nil || len(list) == 0 {
		return err
	}
	v := &tree{st: t.st, now: map[string][]byte{}, head: map[string][]byte{}}
	if err := v.look(ctx, list); err != nil {
		return err
	}
	for _, p := range list {
		for _, f := range p.Files {
			t.touched = append(t.touched, t.st.gitPathOf(f.Path))
		}
	}
	in, err := v.standing(ctx, list)
	if err != nil {
		return err
	}
	var ready, rest []pendingWrite
	for i, p := range list {
		switch {
		case in[i]:
			ready = append(ready, p)
		case !v.inHead(ctx, p):
			rest = append(rest, p)
		}
	}
	if len(ready) > 0 {
		if t.src, err = v.disk(memfile.FileName); err != nil {
			return err
		}
		if done, err := t.commitReady(ctx, v, ready); err != nil || !done {
			return err
		}
	}
	return t.st.keepPending(rest)
}

// inHead reports whether what the write made is what HEAD has.
func (v *tree) inHead(ctx context.Context, p pendingWrite) bool {
	return !slices.ContainsFunc(p.Files, func(f pendingFile) bool { return f.After != digestOf(v.committed(ctx, f.Path)) })
}

// saidTogether are the subject of the writes' commit and the person's words for them.
func saidTogether(ready []pendingWrite, trailers []gitops.Trailer) (subject, message string) {
	if len(ready) == 1 {
		return ready[0].Subject, ready[0].Message
	}
	acts := 0
	for _, tr := range trailers {
		if tr.Name == trailerAct {
			acts++
		}
	}
	var messages []string
	for _, p := range ready {
		if p.Message != "" && !slices.Contains(messages, p.Message) {
			messages = append(messages, p.Message)
		}
	}
	return fmt.Sprintf("commit what waited (%d)", acts), strings.Join(messages, "\n\n")
}

// commitReady commits the files of the writes. done is false where it could
// not: they go on waiting.
func (t *transaction) commitReady(ctx context.Context, v *tree, ready []pendingWrite) (done bool, err error) {
	var changes []FileChange
	var trailers []gitops.Trailer
	seen := map[string]bool{}
	for _, p := range ready {
		trailers = append(trailers, p.Trailers...)
		for _, f := range p.Files {
			if seen[f.Path] {
				continue
			}
			seen[f.Path] = true
			data, err := v.disk(f.Path)
			if err != nil {
				return false, err
			}
			changes = append(changes, FileChange{Path: f.Path, Before: v.committed(ctx, f.Path), After: data})
		}
	}
	for _, c := range changes {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		// A person's edit from before the first of them may be in it too.
		if found := policy.ScanFile(c.Path, c.After); len(found) > 0 {
			if c.Path == memfile.FileName {
				return false, nil // the look at the memory file itself says so
			}
			return false, &SecretError{Scope: t.st.Scope, Name: c.Path, Finding: found[0]}
		}
	}
	subject, message := saidTogether(ready, trailers)
	commit, err := t.commitChanges(ctx, changes, subject, message, trailers)
	if commit == "" && err != nil {
		t.blocked = commitFault(err)
		return false, nil
	}
	if commit == "" && !v.areIn(ctx, ready) {
		return false, nil // another program took them back: they are known again when they come back
	}
	for _, c := range changes {
		if c.Path == memfile.FileName {
			t.noteEdit(ctx, c.Before, c.After)
		}
	}
	for _, p := range ready {
		t.mended = append(t.mended, "committed what waited: "+p.Subject)
	}
	return true, nil
}
