package txn

import (
	"context"
	"fmt"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/ledger"
)

// journal adds a write to the journal, before its first file changes, and returns the entry; nil where there is none.
// If the journal cannot take a write of one file with a commit, a note says so. Of any other nothing else tells what a killed
// process left half done or what waits, so it fails.
func (t *transaction) journal(ctx context.Context, w ledger.JournalWrite) (*committer.JournalEntry, error) {
	if t.st.Repo == nil {
		return nil, nil
	}
	switch w.Why {
	case gitops.WhyNotWritable, gitops.WhyOwnership:
		return nil, nil // the write says so itself
	}
	w.Waits = t.waits
	entry, err := ledger.AddJournal(ctx, t.st, w, t.src)
	switch {
	case err == nil:
		return entry, nil
	case w.Commit == "", len(w.Changes) > 1:
		return nil, fmt.Errorf("the journal cannot take this write, so nothing was written: %w", err)
	}
	t.notes = append(t.notes, fault.NewNote("journal-missing", "this write is missing from the journal, so undo will not know it: "+err.Error()))
	return nil, nil
}
