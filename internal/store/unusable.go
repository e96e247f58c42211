package store

import (
	"github.com/memctl/memctl/internal/fault"
)

// Unusable is fault.Unusable where the project has a repository that git cannot
// use: nothing is written to it, as nobody can tell where it belongs (a remote, a private
// store). Its memory is read all the same, unless it belongs to another user; nil elsewhere.
func (ss *Stores) Unusable() error {
	if ss.repo != nil || ss.IsSingleStore() || !fault.Is(ss.rootErr, fault.Unusable) {
		return nil
	}
	return ss.rootErr
}

// Unusable is Unusable for the store that it is about.
func (st *Store) Unusable() error {
	if st.Scope != Project {
		return nil
	}
	return st.Stores.Unusable()
}
