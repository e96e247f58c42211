package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
	shared := st.shared()
	return []stateFile{
		{shared, queueFile, &[]Waiting{}, maxStateBytes},
		{shared, forgottenFile, &map[string][]string{}, maxStateBytes},
		{shared, usesFile, &map[string]Use{}, maxStateBytes},
		{shared, upkeepFile, &upkeep{}, maxStateBytes},
		{shared, replacedFile, &replaced{}, maxStateBytes},
		{shared, usersFile, &[]string{}, maxStateBytes},
		{shared, ledgerFile, nil, maxLedgerRead},
		{st.ss.session(), oldActsFile, nil, maxStateBytes},
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
func (t *transaction) setAsideDamaged() error {
	for _, f := range t.st.stateFiles() {
		if f.fault() == nil {
			continue
		}
		as, err := f.setAside(t.st.ss)
		if err != nil {
			return err
		}
		t.notes = append(t.notes, fmt.Sprintf("%q was damaged, and is kept as %q", f.name, as))
	}
	return nil
}
