package txn

import (
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/statedir"
)

// stateFile is one file of local state that an act reads: as JSON into v, or as it
// is where v is nil.
type stateFile struct {
	in   statedir.Dir
	name string
	v    any
}

// stateFiles are those whose damage would end an act. Caches, and notes that are
// taken for a crash's where they are torn, are not among them.
func stateFiles(st *store.Store) []stateFile {
	shared := st.SharedState()
	return []stateFile{
		{shared, ledger.QueueFile, &[]ledger.Waiting{}},
		{shared, contents.ForgottenFile, &map[string][]string{}},
		{shared, localstate.UsesFile, &map[string]localstate.Use{}},
		{shared, localstate.UpkeepFile, &localstate.Upkeep{}},
		{shared, localstate.ReplacedFile, &localstate.PurgedCommits{}},
		{shared, store.UsersFile, &[]string{}},
		{st.Stores.RepositoryState(), contents.WrittenFile, nil},
		{st.Stores.SessionsState(), localstate.SessionsFile, nil},
		{st.Stores.SessionsState(), localstate.HookFaultFile, &localstate.HookFault{}},
		{st.Stores.DataState(), contents.MachineKey, nil},
	}
}

// fault is what is wrong with the file itself; nil where it can be read, is not
// there, or the system does not let it be read.
func (f stateFile) fault() error {
	var err error
	if f.v == nil {
		_, err = f.in.Read(f.name)
	} else {
		err = f.in.ReadJSON(f.name, f.v)
	}
	switch {
	case fault.Is(err, fault.LocalState):
		return err
	case fault.Is(err, fault.TooLarge):
		return statedir.Damaged(f.in.Path(f.name), err)
	}
	return nil
}

// DamagedState are the faults of the store's local state that would end an act,
// each with the file's path. Nothing is changed.
func DamagedState(st *store.Store) (faults []error) {
	if st.Dir == "" {
		return nil
	}
	for _, f := range stateFiles(st) {
		if err := f.fault(); err != nil {
			faults = append(faults, err)
		}
	}
	for _, f := range []stateFile{{in: st.SharedState(), name: store.StoreLock}, {in: st.SharedState(), name: ledger.QueueLock}, {in: st.SharedState(), name: ledger.ReplayLock}, {in: st.Stores.SessionsState(), name: localstate.SessionsLock}} {
		if err := f.in.Look(f.name); fault.Is(err, fault.LocalState) && statedir.IsLink(err) {
			faults = append(faults, err)
		}
	}
	return faults
}
