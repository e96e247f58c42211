package txn

import (
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/statedir"
)

// stateFile is one file of local state that an act reads.
type stateFile struct {
	path string
	read func() error
}

// stateFiles are those whose damage would end an act. Caches, and notes that are
// taken for a crash's where they are torn, are not among them.
func stateFiles(st *store.Store) []stateFile {
	return []stateFile{
		readable(ledger.QueueOf(st)), readable(contents.ForgottenHashes(st)), readable(localstate.UsesOf(st)), readable(localstate.UpkeepOf(st)),
		readable(localstate.Purged(st)), readable(st.Users()), readable(localstate.HookFaultOf(st.Stores)),
		bytesOf(st.Stores.RepositoryState(), contents.WrittenFile), bytesOf(st.Stores.SessionsState(), localstate.SessionsFile),
		bytesOf(st.Stores.DataState(), contents.MachineKey),
	}
}

func readable[T any](f statedir.File[T]) stateFile {
	return stateFile{f.In.Path(f.Name), func() error {
		_, err := f.Read()
		return err
	}}
}

func bytesOf(in statedir.Dir, name string) stateFile {
	return stateFile{in.Path(name), func() error {
		_, err := in.Read(name)
		return err
	}}
}

// DamagedState are the faults of the store's local state that would end an act,
// each with the file's path. Nothing is changed.
func DamagedState(st *store.Store) (faults []error) {
	if st.Dir == "" {
		return nil
	}
	for _, f := range stateFiles(st) {
		switch err := f.read(); {
		case fault.Is(err, fault.TooLarge):
			faults = append(faults, statedir.Damaged(f.path, err))
		case fault.Is(err, fault.LocalState): // else the system does not let it be read
			faults = append(faults, err)
		}
	}
	for _, lock := range []string{store.StoreLock, ledger.QueueLock, ledger.ReplayLock} {
		if _, err := st.SharedState().ReadUpTo(lock, 0); statedir.IsLink(err) {
			faults = append(faults, err)
		}
	}
	return faults
}
