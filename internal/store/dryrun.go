package store

import "maps"

// DryRun reports whether nothing is written through these stores. Acts plan and decide as they
// always do. What would write does nothing instead: package txn publishes no change, and local
// state, locks, git's configuration and a store's founding stay as they are.
func (ss *Stores) DryRun() bool { return ss.env.DryRun }

// DryRun is DryRun of the store's stores.
func (st *Store) DryRun() bool { return st.Stores.DryRun() }

// Trial returns the same stores with DryRun, for an act that tries another one out first. It
// says nothing to the person while it runs.
func (ss *Stores) Trial() *Stores {
	trial := *ss
	trial.env.DryRun, trial.env.Talk, trial.cache = true, func(string) {}, maps.Clone(ss.cache)
	return &trial
}

// Trial returns the store as one of the trial's stores.
func (st *Store) Trial() *Store {
	trial := *st
	trial.Stores = st.Stores.Trial()
	return &trial
}

// Said is what an announcement says was done, or in a dry run what would be.
func (ss *Stores) Said(done, would string) string {
	if ss.DryRun() {
		return would
	}
	return done
}

// unlocked releases nothing: a dry run takes no lock.
func unlocked() error { return nil }
