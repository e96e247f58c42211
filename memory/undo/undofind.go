package undo

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/localstate"
	"github.com/memctl/memctl/store/txn"
)

// find sets the store and the differences to take back: those of the named commit, or
// of the last act that has something left to take back.
func (u *undoing) find(ctx context.Context) error {
	if u.Commit != "" {
		return u.findCommit(ctx)
	}
	acts, err := ledger.Acts(ctx, u.ss)
	if err != nil {
		return err
	}
	acts = slices.DeleteFunc(acts, func(r ledger.ActRecord) bool {
		return r.Act == "init" || u.Scope != "" && r.Scope != u.Scope
	})
	for i, rec := range slices.Backward(acts) {
		if rec.Act == "recover" { // the damaged file is in its notes and in git
			u.passed = append(u.passed, memory.Quoted(rec.Act)+": undo does not revert a recovery, and passes over it")
			continue
		}
		if err := u.load(ctx, rec, acts[:i]); err != nil {
			return err
		}
		why, err := u.spent(ctx, acts[:i])
		if err != nil {
			return err
		}
		if why == "" {
			if i > 0 && rec.Act == "move" && acts[i-1].Act == rec.Act && acts[i-1].Scope != rec.Scope && acts[i-1].Subject == rec.Subject {
				u.half = acts[i-1].Scope
			}
			return u.canTakeBack(ctx)
		}
		u.passed = append(u.passed, u.about()+": "+why+", so undo skips it")
	}
	if len(acts) == 0 {
		if st, err := u.ss.Session(ctx); err == nil && st.Repo == nil {
			return memory.NoHistory(u.ss, st)
		}
	}
	message := "there are no more changes to undo in this worktree"
	for _, note := range u.passedNotes() {
		message += "; " + note
	}
	return &fault.Error{Code: "nothing-to-undo", Status: 1, Cause: message}
}

// load reads what a recorded act changed; before are the acts before it.
func (u *undoing) load(ctx context.Context, rec ledger.ActRecord, before []ledger.ActRecord) (err error) {
	if err := ledger.Fill(ctx, u.ss, &rec); err != nil {
		return err
	}
	u.record, u.deltas, u.files, u.gone, u.earlier = rec, nil, nil, false, ""
	if u.store, err = u.ss.Get(ctx, rec.Scope); err != nil {
		return err
	}
	if u.store.Repo == nil {
		return memory.NoHistory(u.ss, u.store)
	}
	if rec.Commit == "" {
		was, is, ok := rec.Documents()
		if u.files = rec.Files; ok {
			u.deltas = memfile.Diff(was, is)
		}
		return nil
	}
	u.gone = !contents.InHistory(ctx, u.store, rec.Commit)
	if next := u.movedTo(rec.Commit); next != "" {
		u.record.Commit, u.gone = next, !contents.InHistory(ctx, u.store, next)
	}
	if u.gone {
		for _, r := range slices.Backward(before) {
			if r.Scope == rec.Scope && r.Commit != "" && contents.InHistory(ctx, u.store, r.Commit) {
				u.earlier = r.Commit[:min(len(r.Commit), 8)]
				break
			}
		}
	}
	err = u.readCommit(ctx, u.record.Commit)
	if fault.Is(err, fault.UnknownRevision) {
		e := &fault.Error{Code: "not-undone", Status: 1, Cause: memory.Quoted(u.name()) + ": its commit " + rec.Commit[:min(len(rec.Commit), 8)] + " no longer exists, so undo cannot tell what it changed"}
		if u.earlier != "" {
			e.Names = []string{u.earlier}
		}
		return e
	}
	return err
}

// movedTo is the commit that a purge, asked for in another folder, has put in the place
// of a recorded act's.
func (u *undoing) movedTo(commit string) string {
	if !u.gone {
		return ""
	}
	return localstate.MovedTo(u.store, commit)
}

// spent says why nothing of the act is left to take back here: it changed nothing, all
// of it is as it was before it, it was made on another branch, or it was purged; "" where something is left, or nobody can tell. earlier are
// the acts before it.
func (u *undoing) spent(ctx context.Context, earlier []ledger.ActRecord) (string, error) {
	doc, err := u.now(ctx)
	switch {
	case err != nil:
		return "", err
	case u.gone && !u.allPurged(doc):
		return u.offBranch(ctx, doc), nil
	case u.record.Act == "resolve" && u.record.Commit == "":
		return u.givenUp(ctx, doc)
	case len(u.deltas)+len(u.files) == 0 && u.known():
		return "changed no item", nil
	case doc != nil && u.known() && u.reverted(ctx, *doc, earlier):
		return "is undone already", nil
	case u.allPurged(doc):
		return "was purged", nil
	}
	return "", nil
}

// known reports whether the memory before and after the act can be read.
func (u *undoing) known() bool {
	_, _, ok := u.record.Documents()
	return ok
}

// givenUp is spent for a conflict that was resolved in the middle of something of git's:
// nothing stands of what the resolution added to one of the sides, as after a merge
// that was given up.
func (u *undoing) givenUp(ctx context.Context, doc *memfile.Document) (string, error) {
	ours, theirs, err := u.sides(ctx)
	is, ok := ledger.ReadDocument(u.record.After)
	if doc == nil || err != nil || !ok {
		return "", nil
	}
	left := func(side []byte) bool {
		was, ok := ledger.ReadDocument(side)
		return !ok || slices.ContainsFunc(memfile.Diff(was, is), func(d memfile.Delta) bool { return standsAfter(*doc, d) })
	}
	if u.record.Before != nil && left(ours) && left(theirs) {
		return "", nil
	}
	for _, c := range u.files {
		if now, err := contents.EntryBytes(u.store, c.Path); err != nil || sameFile(now, c.After) {
			return "", err
		}
	}
	return "is undone already", nil
}

// sides are those of a resolved conflict: git's, where it still has them, or what
// the markers tell.
func (u *undoing) sides(ctx context.Context) (ours, theirs []byte, err error) {
	if ids := u.record.Sides; len(ids) == 2 {
		ours, err = contents.Stored(ctx, u.store, ids[0])
		if err == nil {
			theirs, err = contents.Stored(ctx, u.store, ids[1])
		}
		if err == nil {
			return ours, theirs, nil
		}
	}
	c, err := merge.Sides(u.record.Before)
	return c.Ours, c.Theirs, err
}

// now is the memory as it stands; nil where the file cannot be read. One that was lost
// with what the act left in it is an error: the act is not taken back by that, and undo
// takes back nothing older in its place.
func (u *undoing) now(ctx context.Context) (*memfile.Document, error) {
	m, err := contents.Read(ctx, u.store)
	if err != nil || m.Salvaged || m.Foreign {
		return nil, err
	}
	if !m.Exists {
		if missing := txn.Missing(ctx, u.store); missing.Way != "" {
			return nil, missing
		}
	}
	doc, err := contents.Document(ctx, u.store)
	return &doc, err
}

// canTakeBack refuses what items alone do not tell: a resolution settled a conflict,
// and of one side's changes it made them both's.
func (u *undoing) canTakeBack(ctx context.Context) error {
	if u.record.Act != "resolve" && u.known() {
		return nil
	}
	e := &fault.Error{Code: "not-undone", Status: 1, Cause: memory.Quoted(u.name()) + ": the memory file before that change cannot be read, so undo cannot tell what it changed"}
	if u.record.Act != "resolve" {
		return e
	}
	e.Cause = memory.Quoted("resolve") + ": resolved a conflict, which undo cannot restore"
	switch {
	case u.record.Commit != "":
		e.Why, e.Names = "committed", []string{u.record.Commit[:min(len(u.record.Commit), 8)]}
	case worktree.Resume(ctx, u.store.Repo, nil).Command != "":
		e.Why, e.Names = "merging", u.conflicting()
	default:
		if merge := contents.MergeThatMade(ctx, u.store, u.record.After); merge != "" {
			e.Why, e.Names = "merged", []string{merge[:min(len(merge), 8)]}
		}
	}
	return e
}

// conflicting are the files, as words of a shell, in which a merge that is not committed has conflicts: at most five.
func (u *undoing) conflicting() []string {
	var paths []string
	if u.record.Before != nil {
		paths = append(paths, shell.Quote(u.store.Name()))
	}
	for _, c := range u.files {
		paths = append(paths, shell.Quote(path.Join(path.Dir(filepath.ToSlash(u.store.Name())), c.Path)))
	}
	return paths[:min(len(paths), 5)]
}

// about names the act that undo passes over.
func (u *undoing) about() string {
	var names []string
	for _, d := range u.deltas {
		if key := memory.Redacted(d.Key); key != "" && !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	names = memory.Union(names, entryNames(u.files))
	return memory.Quoted(strings.TrimSpace(u.record.Act + " " + strings.Join(names[:min(len(names), 3)], ", ")))
}

// standsBefore reports whether what the difference is about is as it was before it.
func standsBefore(doc memfile.Document, d memfile.Delta) bool {
	return standsAs(doc, d, d.Before, d.TombBefore, d.SettingBefore)
}

// standsAfter reports whether it is as the difference made it.
func standsAfter(doc memfile.Document, d memfile.Delta) bool {
	return standsAs(doc, d, d.After, d.TombAfter, d.SettingAfter)
}

func standsAs(doc memfile.Document, d memfile.Delta, it *memfile.Item, tomb *memfile.Tombstone, setting string) bool {
	switch d.Kind {
	case memfile.DeltaSetting:
		at := doc.Settings.Switch(d.Key)
		return at != nil && strconv.FormatBool(*at) == setting
	case memfile.DeltaTombstone:
		if tomb == nil {
			return contents.Tombstone(doc, d.Key) == nil
		}
		return slices.ContainsFunc(doc.Deletions, func(t memfile.Tombstone) bool { return memfile.SameTombstone(t, *tomb) })
	}
	i := memory.Find(&doc, d.Key)
	return it == nil && i < 0 || it != nil && i >= 0 && memfile.SameItem(doc.Items[i], *it)
}
