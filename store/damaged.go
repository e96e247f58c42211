package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
)

// stateFile is one file of local state that an act reads: as JSON into v, or as it
// is where v is nil.
type stateFile struct {
	in    local
	name  string
	v     any
	limit int64
}

// stateFiles are those whose damage would end an act. Caches, and notes that are
// taken for a crash's where they are torn, are not among them.
func (st *Store) stateFiles() []stateFile {
	shared, own := st.shared(), st.worktree()
	return []stateFile{
		{shared, queueFile, &[]Waiting{}, maxStateBytes},
		{shared, forgottenFile, &map[string][]string{}, maxStateBytes},
		{shared, usesFile, &map[string]Use{}, maxStateBytes},
		{shared, upkeepFile, &upkeep{}, maxStateBytes},
		{shared, replacedFile, &replaced{}, maxStateBytes},
		{shared, usersFile, &[]string{}, maxStateBytes},
		{own, deferredFile, &pendingList{}, maxDeferredBytes},
		{own, intentFile, nil, maxIntentBytes}, // what is torn of it, the next act knows
		{st.ss.session(), actsFile, nil, maxStateBytes},
		{st.ss.session(), writtenFile, nil, maxStateBytes},
		{st.ss.sessions(), sessionsFile, nil, maxStateBytes},
		{st.ss.sessions(), hookFaultFile, &HookFault{}, maxStateBytes},
		{st.ss.dataState(), machineKey, nil, maxStateBytes},
	}
}

// fault is what is wrong with the file itself; nil where it can be read, is not
// there, or the system does not let it be read.
func (f stateFile) fault() error {
	var err error
	if f.v == nil {
		_, err = f.in.readUpTo(f.name, f.limit)
	} else {
		err = f.in.readLargeJSON(f.name, f.v, f.limit)
	}
	var damaged *StateError
	var large *safefile.TooLargeError
	switch {
	case errors.As(err, &damaged):
		return err
	case errors.As(err, &large):
		return &StateError{Path: f.in.path(f.name), Err: err}
	}
	return nil
}

// setAside gives the file another name, which tells of the time: nothing of it is
// lost.
func (f stateFile) setAside(ss *Stores) (as string, err error) {
	for n := 1; ; n++ {
		as = f.in.path(f.name) + ".damaged-" + ss.Now().UTC().Format("20060102T150405Z")
		if n > 1 {
			as += fmt.Sprintf("-%d", n)
		}
		if _, err := os.Lstat(as); errors.Is(err, fs.ErrNotExist) {
			root, err := f.in.open(false)
			if err != nil {
				return as, err
			}
			return as, errors.Join(root.Rename(f.name, filepath.Base(as)), root.Close())
		}
	}
}

// DamagedState are the faults of the store's local state that would end an act,
// each with the file's path. Nothing is changed.
func (st *Store) DamagedState() (faults []error) {
	if st.Dir == "" {
		return nil
	}
	for _, f := range st.stateFiles() {
		if err := f.fault(); err != nil {
			faults = append(faults, err)
		}
	}
	for _, f := range []stateFile{{in: st.shared(), name: storeLock}, {in: st.shared(), name: queueLock}, {in: st.shared(), name: replayLock}, {in: st.ss.sessions(), name: sessionsLock}} {
		var fault *StateError
		if err := f.in.look(f.name); errors.As(err, &fault) && fault.Link() {
			faults = append(faults, err)
		}
	}
	return faults
}

// setAsideDamaged sets every damaged file of local state aside. It is called under
// the store's lock.
func (t *transaction) setAsideDamaged(ctx context.Context) error {
	for _, f := range t.st.stateFiles() {
		if f.name == deferredFile || f.fault() == nil {
			continue
		}
		as, err := f.setAside(t.st.ss)
		if err != nil {
			return err
		}
		t.notes = append(t.notes, fmt.Sprintf("%q was damaged, and is kept as %q", f.name, as))
	}
	return t.mendDeferred(ctx)
}

// mendDeferred sets the list of what waits for a commit aside where it is damaged,
// and makes it anew of what the journal knows. The writes themselves stand in the
// tree, and the list has no more than their names, so every act may do it.
func (t *transaction) mendDeferred(ctx context.Context) error {
	if t.st.Repo == nil || t.w.DryRun {
		return nil
	}
	f := stateFile{t.st.worktree(), deferredFile, &pendingList{}, maxDeferredBytes}
	if f.fault() == nil {
		return nil
	}
	as, err := f.setAside(t.st.ss)
	if err != nil {
		return err
	}
	list, err := t.st.waitingByJournal(ctx)
	if err == nil {
		err = t.st.keepPending(list)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	note := fmt.Sprintf("%q was damaged, and is kept as %q; the journal knows of %d writes that may wait", f.name, as, len(list))
	if err != nil {
		note = fmt.Sprintf("%q was damaged, and is kept as %q; the journal does not tell what waits: %v", f.name, as, err)
	}
	t.notes = append(t.notes, note)
	return nil
}

// waitingByJournal are the newest writes that the journal has no commit of, the
// oldest first. What a write removed, the journal does not say.
func (st *Store) waitingByJournal(ctx context.Context) (list []pendingWrite, err error) {
	old := st.ss.Now().Add(-pendingFor)
	var entries []gitops.JournalEntry
	err = st.JournalEntries(ctx, func(e gitops.JournalEntry) bool {
		scope := slices.ContainsFunc(e.Trailers, func(tr gitops.Trailer) bool { return tr.Name == "Memory-Scope" && tr.Value == st.Scope })
		if scope {
			entries = append(entries, e)
		}
		return !e.Date.Before(old) && len(entries) < maxPending
	})
	if err != nil {
		return nil, err
	}
	last := map[string]string{} // the digest that a file had after the entry before
	v := &tree{st: st, now: map[string][]byte{}, head: map[string][]byte{}}
	for _, e := range slices.Backward(entries) {
		files, err := st.Repo.JournalFiles(ctx, e)
		if err != nil {
			return nil, err
		}
		p := pendingWrite{Subject: strings.TrimPrefix(e.Subject, "memory: "), Message: e.Body, Trailers: e.Trailers, Since: e.Date}
		for file, blob := range files {
			data, err := st.version(ctx, blob, file)
			if err != nil {
				return nil, err
			}
			name := st.ownPath(file)
			before, known := last[name]
			if !known {
				before = digestOf(v.committed(ctx, name))
			}
			last[name] = digestOf(data)
			if before != last[name] {
				p.Files = append(p.Files, pendingFile{Path: name, Before: before, After: last[name]})
			}
		}
		slices.SortFunc(p.Files, func(a, b pendingFile) int { return strings.Compare(a.Path, b.Path) })
		if e.Commit == "" && e.Why != "" && len(p.Files) > 0 {
			list = append(list, p)
		}
	}
	return list, nil
}
