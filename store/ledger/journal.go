package ledger

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

const (
	// journalKeep is how many entries the journal keeps. It is cut back to them
	// when there are twice as many, so that cutting costs little for each write.
	journalKeep = 1000
	// JournalLook is how many entries are looked at for a branch's last one.
	JournalLook = 64
	// The entry that holds the memory file as the next act found it, where no
	// entry of the branch does.
	foundSubject = "as found"
	foundAct     = "found"
)

// JournalWrite is one write, as the journal is told of it.
type JournalWrite struct {
	Changes       []store.FileChange
	Subject, Body string
	Trailers      []object.Trailer
	Commit, Why   string     // its commit, or why there is none
	Act           *ActRecord // nil for what undo does not look at
}

// AddJournal adds the entry, before it one of the memory file as it was found
// where the branch's last entry does not hold it already, and cuts the journal
// where it has grown long. A secret that stands in the file already (a person
// committed it) is taken out of both: the journal outlives their reset.
func AddJournal(ctx context.Context, st *store.Store, w JournalWrite, found []byte) error {
	before := kept{src: found}
	state, err := st.Repo.State()
	if err != nil {
		return err
	}
	files, filesBefore, err := journalFiles(ctx, st, w, before.src)
	if err != nil {
		return err
	}
	name := st.GitPath()
	for _, c := range w.Changes {
		if c.Path == memfile.FileName && !bytes.Equal(c.Before, before.src) {
			before = kept{src: c.Before}
		}
	}
	entry := committer.JournalEntry{Date: st.Stores.Now().UTC(), Subject: w.Subject, Body: w.Body, Trailers: w.Trailers, Branch: BranchRef(state), Commit: w.Commit, Why: w.Why, Act: w.Act.inJournal(), Files: files, Before: filesBefore}
	if entry.Branch == "" {
		entry.Worktree = place(st)
	}
	if before.src != nil {
		_, last, _, err := committer.JournalLast(ctx, st.Repo, JournalLook, func(e committer.JournalEntry) bool {
			return e.Branch == entry.Branch && e.Worktree == entry.Worktree
		}, name)
		if err != nil {
			return err
		}
		// What waited stands in the journal already, as it is committed now.
		if same := last != "" && last == files[name]; !same && !isBlob(ctx, st, last, before) {
			if err := addFound(ctx, st, entry, last, before); err != nil {
				return err
			}
		}
	}
	count, err := committer.AddJournal(ctx, st.Repo, entry)
	if err != nil || count < 2*journalKeep {
		return err
	}
	return cutJournal(ctx, st, count-journalKeep)
}

// addFound adds the memory file as the act found it, and takes secrets out of
// it and of the act's own entry.
func addFound(ctx context.Context, st *store.Store, entry committer.JournalEntry, last string, before kept) (err error) {
	name := st.GitPath()
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
		if isBlob(ctx, st, last, clean) {
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
		Trailers: []object.Trailer{{Name: TrailerAct, Value: foundAct}, {Name: "Memory-Scope", Value: st.Scope}},
	})
	return err
}

// BranchRef is the full name of the branch as the journal has it, without secrets; "" with a detached HEAD.
func BranchRef(s gitops.State) string {
	if s.Branch == "" {
		return ""
	}
	return "refs/heads/" + string(policy.Redact([]byte(s.Branch)))
}

// place is the name of the worktree as the journal has it, without secrets.
func place(st *store.Store) string { return string(policy.Redact([]byte(st.Repo.WorktreeName()))) }

// journalFiles gives the blobs of an entry's files: the memory file, and what the
// write changed. Of what is in no commit that is what was written, whatever has
// become of it on disk since, and what was there before, without secrets.
func journalFiles(ctx context.Context, st *store.Store, w JournalWrite, memory []byte) (files, before map[string]string, err error) {
	if w.Commit != "" {
		files, err = blobsAt(ctx, st, w.Commit, w.Changes)
		return files, nil, err
	}
	files, before = map[string]string{}, map[string]string{}
	put := func(into map[string]string, name string, src []byte) {
		if src != nil && err == nil {
			if len(policy.Scan(src)) > 0 {
				src = policy.Redact(src)
			}
			into[name], err = worktree.Clean(ctx, st.Repo, name, src)
		}
	}
	if !slices.ContainsFunc(w.Changes, func(c store.FileChange) bool { return c.Path == memfile.FileName }) {
		w.Changes = append([]store.FileChange{{Path: memfile.FileName, Before: memory, After: memory}}, w.Changes...)
	}
	for _, c := range w.Changes {
		put(files, st.GitPathOf(c.Path), c.After)
		put(before, st.GitPathOf(c.Path), c.Before)
	}
	return files, before, err
}

// blobsAt are the blobs of the changed files and of the memory file in the commit, by
// their paths in the repository.
func blobsAt(ctx context.Context, st *store.Store, commit string, changes []store.FileChange) (map[string]string, error) {
	blobs, _, err := object.BlobsAt(ctx, st.Repo, commit, append([]string{st.GitPath()}, st.GitPaths(changes)...))
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
func isBlob(ctx context.Context, st *store.Store, id string, v kept) bool {
	switch {
	case id == "":
		return v.src == nil
	case id == v.id || object.BlobID(len(id), contents.WithoutCR(v.src)) == id:
		return true
	}
	data, err := object.Blob(ctx, st.Repo, id)
	if err == nil && v.id != "" {
		now, err := object.Blob(ctx, st.Repo, v.id)
		return err == nil && contents.DigestOf(now) == contents.DigestOf(data)
	}
	digest := contents.DigestOf(v.src)
	return err == nil && contents.DigestOf(contents.SameText(ctx, st, data, id, st.GitPath(), digest)) == digest
}

// cutJournal leaves the oldest entries out.
func cutJournal(ctx context.Context, st *store.Store, drop int) error {
	n := 0
	_, err := committer.RewriteJournal(ctx, st.Repo, func(*committer.JournalEntry) (bool, error) {
		n++
		return n > drop, nil
	})
	return err
}

// isFound reports whether the entry only tells what an act found, or changes the queue alone.
func isFound(e committer.JournalEntry) bool {
	act := actOf(e)
	return act == foundAct || act == dropAct || act == putBackAct
}

// actOf is the first act that the entry names.
func actOf(e committer.JournalEntry) string {
	for _, tr := range e.Trailers {
		if strings.EqualFold(tr.Name, TrailerAct) {
			return tr.Value
		}
	}
	return ""
}

// TrailerAct is the trailer of a commit that names the act.
const TrailerAct = "Memory-Act"
