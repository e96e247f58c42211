package store

import (
	"errors"

	"github.com/memctl/memctl/gitops"
)

// Unusable is a *gitops.UnusableError where the project has a repository that git cannot
// use: nothing is written to it, as nobody can tell where it belongs (a remote, a private
// store). Its memory is read all the same, unless it belongs to another user; nil elsewhere.
func (ss *Stores) Unusable() error {
	var unusable *gitops.UnusableError
	if ss.repo != nil || ss.Alone() || !errors.As(ss.rootErr, &unusable) {
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
