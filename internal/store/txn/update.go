// Package txn is the one write path of a store. Update changes it for an act; Resolve, Recover
// and FinishPending bring it in order, and direct.go takes what sync and purge have made.
package txn

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/patch"
	"github.com/memctl/memctl/policy"
)

// Write is one act's change of one store.
type Write struct {
	Act     string        // add, forget, …: the trailer Memory-Act
	Keys    []string      // what it is about: one trailer Memory-Key each
	Source  string        // the trailer Memory-Source, where there is one
	Message string        // the person's own words for the commit
	Origin  string        // on whose behalf, for the act record
	Clean   bool          // leaves nothing uncommitted: what cannot be committed now is a fault.Deferred
	Wait    time.Duration // for git, and twice that for the lock
	Create  bool          // makes the memory file where there is none
	Undoes  string        // the act record that this one takes back
	Command string        // the same for all acts of one command
	Files   bool          // changes files of entries: a person's edits of any entry are committed first
	// Change makes the changes, under the lock. Its error ends the act. nil: the memory file
	// is left alone (made where there is none and Create is set).
	Change  func(*Draft) error
	Subject string // the commit's subject words, where those made of Act and Keys do not do
}

// Outcome is what became of a write.
type Outcome struct {
	Changed bool
	Commit  string // "" where nothing was committed; Why says why
	Why     string
	Before  memfile.Document
	After   memfile.Document
	Deltas  []memfile.Delta    // from one to the other
	Files   []store.FileChange // what changed beside the memory file
	Diff    string             // in a dry run: a unified diff of every file
	Notes   []fault.Note
	Waits   []string // the files that stand uncommitted, from the repository's top
}

// The reasons that stand in Outcome.Why beside gitops' own.
const (
	WhyUnchanged    = "nothing changed"
	WhyDryRun       = "dry run"
	WhyNoRepository = "not a repository"
	WhyCommitOff    = "memctl.commit is off"
	WhyStageOnly    = "memctl.commit is stage"
	WhyProtected    = "protected branch"
)

// Update changes the store's memory in one transaction: lock, read, change,
// check, write, commit. What a person edited by hand is committed first, as
// their change; damage that is in HEAD is recovered first.
//
// Errors: fault.LockHeld, fault.Damaged, fault.NotAMemoryFile, fault.Secret, fault.NewerVersion, fault.NoMemoryFile,
// fault.Deferred (automatic writes, and every one while a git is at work on the files, or where an operation in progress
// changes them), fault.RepositoryUnusable, fault.NotAFile, fault.ChangedOnDisk, and what Change returns. After an error every file is as
// it was. Where somebody else changes the files at the same moment, the act is done again from the start, and Change is called
// again.
func Update(ctx context.Context, st *store.Store, w Write) (Outcome, error) {
	if w.Create {
		if err := st.Ensure(ctx); err != nil {
			return Outcome{}, err
		}
	}
	if err := st.Unusable(); err != nil {
		return Outcome{}, err
	}
	if st.Dir != "" {
		unlock, err := st.Lock(ctx, 2*w.Wait, w.Act) // its holder may wait that long for git
		if fault.Is(err, fault.Deferred) {
			return trial(ctx, st, w, err)
		}
		if err != nil {
			return Outcome{}, err
		}
		defer unlock()
	}
	var notes []fault.Note
	for n := (attempts{}); ; {
		st.DropCache()
		t := &transaction{st: st, w: w, notes: notes}
		out, err := t.run(ctx)
		st.DropCache()
		if t.stored != nil {
			st.Stores.CacheValue(store.CachedMemory(st.Scope), t.stored) // the answer needs no other read
		}
		if !fault.Is(err, fault.TryAgain) || !n.waitForRetry(ctx) {
			if err == nil && out.Commit != "" && w.Origin == ledger.OriginExplicit {
				out.Notes = append(out.Notes, st.SetMergeDriver(ctx)...)
				_ = committer.Maintain(ctx, st.Repo, st.IsMemctlOwned()) // the next act tries again
			}
			return out, err
		}
		notes = t.notes
	}
}

// trial is Update if the lock's holder waits for this process: it writes nothing,
// and returns the error inside if the act would change something.
func trial(ctx context.Context, st *store.Store, w Write, inside error) (Outcome, error) {
	out, err := Update(ctx, st.Trial(), w)
	if err == nil && out.Changed {
		return Outcome{}, inside
	}
	return out, err
}

// transaction is a store as one act finds it, under the store's lock. It first ends a killed
// act, commits pending writes and a person's edits, and recovers a damaged file.
type transaction struct {
	st      *store.Store
	w       Write
	src     []byte // the memory file's bytes now; nil where it is not there
	blocked string // why nothing can be committed now
	head    string // the commit that this act began at, then the last one that it made
	// secret is one that a person's uncommitted edit holds: only an act whose
	// result is rid of it goes on.
	secret       error
	notes        []fault.Note
	pendingPaths []string         // files of acts that waited or were killed, by their paths in the repository
	waits        []string         // the acts that still wait
	finished     []fault.Note     // what was left over and is ended now; only who asked for that is told
	stored       *contents.Memory // what the act has made of the memory file
}

// plan is what an act is going to change, as it was decided on what the transaction found.
// Nothing of it is written before finish.
type plan struct {
	*transaction
	changes []store.FileChange // what the act changes, the memory file first
	next    *memfile.File      // the memory file as it will be; nil where it stays
	act     *ledger.ActRecord
	undone  bool                    // undo does not look at the act
	entry   *committer.JournalEntry // nil where the journal does not have the act
	put     bool                    // the files are written
}

// run carries out the act: it looks at the store, plans the change and writes it.
func (t *transaction) run(ctx context.Context) (Outcome, error) {
	file, err := t.prepare(ctx)
	if err != nil {
		return Outcome{}, err
	}
	p := &plan{transaction: t}
	out, err := p.collectChanges(ctx, file)
	if err != nil {
		return Outcome{}, err
	}
	if len(p.changes) == 0 {
		out.Why, out.Notes = WhyUnchanged, t.notes
		return out, nil
	}
	if err := p.mayWrite(ctx); err != nil {
		return Outcome{}, err
	}
	return p.finish(ctx, out)
}

// collectChanges lets the act make its changes, and notes them.
func (p *plan) collectChanges(ctx context.Context, file *memfile.File) (out Outcome, err error) {
	out = Outcome{Before: file.Document(), After: file.Document()}
	d := &Draft{Document: &out.After, Store: p.st, Keys: p.w.Keys, Subject: p.w.Subject}
	if p.w.Change != nil {
		err = p.w.Change(d)
	}
	p.w.Keys, p.w.Subject = d.Keys, d.Subject
	if err == nil {
		err = p.changeDocument(file, &out)
	}
	if err == nil {
		err = p.changeFiles(ctx, d.files, &out)
	}
	return out, err
}

// changeDocument notes the memory file's new bytes if the act changed the document.
func (p *plan) changeDocument(file *memfile.File, out *Outcome) error {
	out.Deltas = memfile.Diff(out.Before, out.After)
	if creates := p.src == nil && p.w.Create; !creates && len(out.Deltas) == 0 {
		return nil
	}
	if len(out.Deltas) > 0 {
		out.After.Updated = p.st.Stores.Today()
	}
	rewritten, err := patch.Rewritten(file, out.After)
	switch {
	case errors.Is(err, memfile.ErrFull):
		return &fault.Error{Code: fault.TooLarge, Thing: p.st.Name(), Status: 1, Hints: []string{"memctl list", "memctl review"},
			Cause: fmt.Sprintf("%s does not fit: its block would have more than the limit of %d bytes; forget or move items first", policy.Inert(strings.Join(p.w.Keys, ", ")), memfile.MaxBlockBytes)}
	case err != nil:
		return err
	}
	next := rewritten.Bytes()
	if len(next) > memfile.MaxFileBytes {
		return safefile.TooLarge(p.st.Name(), 0, memfile.MaxFileBytes)
	}
	if p.secret != nil && len(policy.Scan(next)) > 0 {
		return p.secret
	}
	p.changes = append(p.changes, store.FileChange{Path: memfile.FileName, Before: p.src, After: next})
	p.next = rewritten
	return nil
}

// finish writes the new bytes and commits them. A dry run ends here: it shows the difference.
func (p *plan) finish(ctx context.Context, out Outcome) (Outcome, error) {
	out.Changed = true
	for _, c := range p.changes {
		if err := otherEncoding(ctx, p.st, c.Path); err != nil && c.After != nil {
			return Outcome{}, err
		}
	}
	if p.st.DryRun() {
		out.Why, out.Notes = WhyDryRun, p.notes
		if !p.w.forAgent() { // who would get lines around the change that are withheld from agents
			out.Diff = Preview(ctx, p.st, p.changes)
		}
		return out, ctx.Err()
	}
	commit, why, err := p.commit(ctx)
	if err != nil {
		return Outcome{}, errors.Join(err, p.takeBack(ctx))
	}
	out.Commit, out.Why, out.Notes = commit, why, append(p.notes, LockNote(p.st, why)...)
	if err := contents.NoteWritten(ctx, p.st, out.Deltas, p.changes, p.w.byAgent(), p.w.Act); err != nil {
		out.Notes = append(out.Notes, notReviewed("this write", err))
	}
	if commit == "" && p.st.Repo != nil {
		out.Waits = p.waitingFiles(ctx)
	}
	if p.next != nil {
		p.stored = contents.SaveSnapshotOf(ctx, p.st, p.next)
	}
	return out, nil
}

// Preview is a unified diff of the files for a person, without the secrets that they hold.
func Preview(ctx context.Context, st *store.Store, changes []store.FileChange) string {
	var b strings.Builder
	for _, c := range changes {
		if ctx.Err() != nil {
			break // what nobody waits for
		}
		name := c.Path
		if c.Path == memfile.FileName {
			if name = st.Name(); filepath.IsAbs(name) {
				name = filepath.Base(name)
			}
		}
		b.WriteString(UnifiedDiff(name, redactedOrNil(c.Before), redactedOrNil(c.After)))
	}
	return b.String()
}

func redactedOrNil(src []byte) []byte {
	if src == nil {
		return nil
	}
	return policy.Redact(src)
}
