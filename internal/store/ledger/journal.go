package ledger

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

const (
	// journalKeep is how many entries the journal keeps. It is cut back to them
	// when there are twice as many, so that cutting costs little for each write.
	journalKeep = 1000
	// JournalLook is how many entries are looked at for a branch's last one.
	JournalLook = 64
)

// JournalWrite is one write, as the journal is told of it.
type JournalWrite struct {
	Changes       []store.FileChange
	Subject, Body string
	Trailers      []object.Trailer
	Commit, Why   string     // its commit, or why there is none
	Act           *ActRecord // nil for what undo does not look at
	Waits         []string   // the acts before it that still wait
	// Instead is the newest entry, if it is of the same write, with another commit.
	Instead *committer.JournalEntry
}

// AddJournal adds the entry, and cuts the journal where it has grown long. memory is the memory file as the act found it.
func AddJournal(ctx context.Context, st *store.Store, w JournalWrite, memory []byte) (added *committer.JournalEntry, err error) {
	state, err := st.Repo.State()
	if err != nil {
		return nil, err
	}
	e := committer.JournalEntry{
		Date: st.Stores.Now().UTC(), Subject: w.Subject, Body: w.Body, Trailers: w.Trailers, Branch: BranchRef(state),
		Commit: w.Commit, Why: w.Why, Tree: treeOf(st), Waits: strings.Join(w.Waits[max(0, len(w.Waits)-mostWaiting):], " "),
	}
	if e.Branch == "" {
		e.Worktree = place(st)
	}
	_, last, _, err := committer.JournalLast(ctx, st.Repo, JournalLook, HereOn(st, e.Branch), st.GitPath())
	if err != nil {
		return nil, err
	}
	if e.Files, e.Before, err = journalFiles(ctx, st, w, memory, last); err != nil {
		return nil, err
	}
	e.Act = w.Act.inJournal()
	instead := ""
	if w.Instead != nil {
		instead = w.Instead.ID
	}
	e, count, err := committer.AddJournal(ctx, st.Repo, e, instead)
	if err == nil && count >= 2*journalKeep {
		err = cutJournal(ctx, st, count-journalKeep)
	}
	return &e, err
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

// journalFiles gives the blobs of an entry's files: the memory file, and what the write changed, as the commit
// and its parent have them; of what is in no commit that is what was written and what was there. A secret that
// was there before (a person committed it) is taken out of both: the journal outlives their reset. last is the
// memory file's blob in the entry before, which holds none.
func journalFiles(ctx context.Context, st *store.Store, w JournalWrite, memory []byte, last string) (files, before map[string]string, err error) {
	if !slices.ContainsFunc(w.Changes, func(c store.FileChange) bool { return c.Path == memfile.FileName }) {
		w.Changes = append([]store.FileChange{{Path: memfile.FileName, Before: memory, After: memory}}, w.Changes...)
	}
	names, files, before := st.GitPaths(w.Changes), map[string]string{}, map[string]string{}
	if w.Commit != "" {
		parent := ""
		if files, parent, err = object.BlobsAt(ctx, st.Repo, w.Commit, names); err == nil && parent != "" {
			before, _, err = object.BlobsAt(ctx, st.Repo, parent, names)
		}
	}
	for i, c := range w.Changes {
		name := names[i]
		if c.Before == nil && before[name] != "" && err == nil {
			c.Before, err = contents.StoredFile(ctx, st, before[name], name)
		}
		secret := c.Before != nil && object.BlobID(len(last), contents.WithoutCR(c.Before)) != last && len(policy.Scan(c.Before)) > 0
		if secret {
			c.Before, c.After = withoutSecrets(c.Before), withoutSecrets(c.After)
			if w.Act != nil {
				w.Act.Redacted = true
			}
		}
		for into, src := range map[*map[string]string][]byte{&files: c.After, &before: c.Before} {
			if err == nil && src != nil && (secret || w.Commit == "") { // as git would store it: what a filter encrypts stands nowhere in plain text
				(*into)[name], err = worktree.Clean(ctx, st.Repo, name, src)
			}
		}
	}
	return files, before, err
}

// withoutSecrets is a file without them; nil for no file.
func withoutSecrets(src []byte) []byte {
	if src == nil {
		return nil
	}
	return policy.CutSecrets(src)
}

// IsBlob reports whether the blob ("": none) is what git keeps of a file's bytes, line ends aside. The path is the repository's.
func IsBlob(ctx context.Context, st *store.Store, id, path string, src []byte) bool {
	if id == "" || object.BlobID(len(id), contents.WithoutCR(src)) == id {
		return (id == "") == (src == nil)
	}
	data, err := object.Blob(ctx, st.Repo, id)
	digest := contents.DigestOf(src)
	return err == nil && contents.DigestOf(contents.SameText(ctx, st, data, id, path, digest)) == digest
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

// changesQueue reports whether the entry changes the queue alone.
func changesQueue(e committer.JournalEntry) bool {
	act := actOf(e)
	return act == dropAct || act == letInAct || act == putBackAct
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
