package store

// Unusable is a *gitops.UnusableError where the project has a repository that git cannot
// use: its memory is read, and nothing is written to it, as nobody can tell where it
// belongs (a remote, a private store); nil elsewhere.
func (ss *Stores) Unusable() error {
	if ss.repo != nil || ss.root == "" || ss.Alone() {
		return nil
	}
	return ss.rootErr
}

// unusable is Unusable for the store that it is about.
func (st *Store) unusable() error {
	if st.Scope != Project {
		return nil
	}
	return st.ss.Unusable()
}
