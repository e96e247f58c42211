package store

import (
	"bytes"
	"context"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

const (
	// journalKeep is how many entries the journal keeps. It is cut back to them
	// when there are twice as many, so that cutting costs little for each write.
	journalKeep = 1000
	// journalLook is how many entries are looked at for a branch's last one.
	journalLook = 64
	// The entry that holds the memory file as the next act found it, where no
	// entry of the branch does.
	foundSubject = "as found"
	foundAct     = "found"
)

// written is one write, as the journal is told of it.
type written struct {
	changes       []FileChange
	subject, body string
	trailers      []object.Trailer
	commit, why   string // its commit, or why there is none
}

// addJournal adds the entry, before it one of the memory file as it was found
// where the branch's last entry does not hold it already, and cuts the journal
// where it has grown long. A secret that stands in the file already (a person
// committed it) is taken out of both: the journal outlives their reset.
func (st *Store) addJournal(ctx context.Context, w written, found []byte) error {
	before := kept{src: found}
	state, err := st.Repo.State()
	if err != nil {
		return err
	}
	files, err := st.journalFiles(ctx, w, before.src)
	if err != nil {
		return err
	}
	name := st.gitPath()
	for _, c := range w.changes {
		if c.Path == memfile.FileName && !bytes.Equal(c.Before, before.src) {
			before = kept{src: c.Before}
		}
	}
	entry := committer.JournalEntry{Date: st.ss.Now().UTC(), Subject: w.subject, Body: w.body, Trailers: w.trailers, Branch: branchRef(state), Commit: w.commit, Why: w.why, Files: files}
	if entry.Branch == "" {
		entry.Worktree = st.Repo.WorktreeName()
	}
	if before.src != nil {
		_, last, _, err := committer.JournalLast(ctx, st.Repo, journalLook, func(e committer.JournalEntry) bool {
			return e.Branch == entry.Branch && e.Worktree == entry.Worktree
		}, name)
		if err != nil {
			return err
		}
		// What waited stands in the journal already, as it is committed now.
		if same := last != "" && last == files[name]; !same && !st.isBlob(ctx, last, before) {
			if err := st.addFound(ctx, entry, last, before); err != nil {
				return err
			}
		}
	}
	count, err := committer.AddJournal(ctx, st.Repo, entry)
	if err != nil || count < 2*journalKeep {
		return err
	}
	return st.cutJournal(ctx, count-journalKeep)
}

// addFound adds the memory file as the act found it, and takes secrets out of
// it and of the act's own entry.
func (st *Store) addFound(ctx context.Context, entry committer.JournalEntry, last string, before kept) (err error) {
	name := st.gitPath()
	clean := before
	if len(policy.Scan(before.src)) > 0 {
		clean = kept{src: policy.Redact(before.src)}
		if id := entry.Files[name]; id != "" {
			after, err := worktree.Smudged(ctx, st.Repo, id, name)
			if err != nil {
				return err
			}
			if entry.Files[name], err = worktree.Clean(ctx, st.Repo, name, policy.Redact(after)); err != nil {
				return err
			}
		}
		if st.isBlob(ctx, last, clean) {
			return nil
		}
	}
	// As git would store it: what a filter encrypts stands nowhere in plain text.
	if clean.id == "" {
		if clean.id, err = worktree.Clean(ctx, st.Repo, name, clean.src); err != nil {
			return err
		}
	}
	_, err = committer.AddJournal(ctx, st.Repo, committer.JournalEntry{
		Date: entry.Date, Subject: "memory: " + foundSubject, Branch: entry.Branch, Worktree: entry.Worktree, Files: map[string]string{name: clean.id},
		Trailers: []object.Trailer{{Name: trailerAct, Value: foundAct}, {Name: "Memory-Scope", Value: st.Scope}},
	})
	return err
}

// branchRef is the full name of the branch, "" with a detached HEAD.
func branchRef(s gitops.State) string {
	if s.Branch == "" {
		return ""
	}
	return "refs/heads/" + s.Branch
}

// journalFiles gives the blobs of an entry's files: the memory file, and what the
// write changed. Of what is in no commit that is what was written, whatever has
// become of it on disk since.
func (st *Store) journalFiles(ctx context.Context, w written, memory []byte) (map[string]string, error) {
	if w.commit != "" {
		return st.blobsAt(ctx, w.commit, w.changes)
	}
	files := map[string][]byte{}
	if memory != nil {
		files[st.gitPath()] = memory
	}
	for _, c := range w.changes {
		if c.After != nil {
			files[st.gitPathOf(c.Path)] = c.After
		}
	}
	return worktree.HashFiles(ctx, st.Repo, files)
}

// blobsAt are the blobs of the changed files and of the memory file in the commit, by
// their paths in the repository.
func (st *Store) blobsAt(ctx context.Context, commit string, changes []FileChange) (map[string]string, error) {
	blobs, _, err := object.BlobsAt(ctx, st.Repo, commit, append([]string{st.gitPath()}, st.gitPaths(changes)...))
	return blobs, err
}

// kept is a version of the memory file: its bytes in the worktree, and the id of
// what git keeps of them, "" where only git could tell.
type kept struct {
	src []byte
	id  string
}

// isBlob reports whether the blob ("": none) is what git keeps of the version,
// line ends aside.
func (st *Store) isBlob(ctx context.Context, id string, v kept) bool {
	switch {
	case id == "":
		return v.src == nil
	case id == v.id || object.BlobID(len(id), bytes.ReplaceAll(v.src, []byte("\r\n"), []byte("\n"))) == id:
		return true
	}
	data, err := object.Blob(ctx, st.Repo, id)
	if err == nil && v.id != "" {
		now, err := object.Blob(ctx, st.Repo, v.id)
		return err == nil && digestOf(now) == digestOf(data)
	}
	digest := digestOf(v.src)
	return err == nil && digestOf(st.sameOf(ctx, data, id, st.gitPath(), digest)) == digest
}

// cutJournal leaves the oldest entries out.
func (st *Store) cutJournal(ctx context.Context, drop int) error {
	n := 0
	_, err := committer.RewriteJournal(ctx, st.Repo, func(*committer.JournalEntry) (bool, error) {
		n++
		return n > drop, nil
	})
	return err
}

// JournalEntries calls fn for the journal's entries, newest first, until it
// returns false: those of every branch and of every store of the repository.
// Their Files are not read: see gitops.Repo.JournalFiles. For purge, and for
// what is asked about the past; gitops.Repo.RewriteJournal changes them.
func (st *Store) JournalEntries(ctx context.Context, fn func(committer.JournalEntry) bool) error {
	if st.Repo == nil {
		return st.noHistory()
	}
	return committer.Journal(ctx, st.Repo, fn)
}

// isFound reports whether the entry only tells what an act found.
func isFound(e committer.JournalEntry) bool {
	for _, tr := range e.Trailers {
		if strings.EqualFold(tr.Name, trailerAct) {
			return tr.Value == foundAct
		}
	}
	return false
}

const trailerAct = "Memory-Act"
