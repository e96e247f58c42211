package memory

import (
	"context"

	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
)

// HandedOut are the conditions under which a session is handed the memories; guarded is for a hook.
func HandedOut(ctx context.Context, ss *store.Stores, guarded bool) session.Conditions {
	// A team's file that the person does not vouch for has no say in how much of memory
	// is shown.
	team := ss.TeamOf(VouchedFiles(ctx, ss, guarded))
	return session.Conditions{Today: ss.Today(), Folder: ss.SessionFolder(), MaxBytes: team.Bytes}
}

// VouchedFiles tests files of the project that reach a hook (guarded): none where the
// repository is not trusted, what is reviewed where the person trusts only that. nil
// where every file counts.
func VouchedFiles(ctx context.Context, ss *store.Stores, guarded bool) func(name string, data []byte) bool {
	level := ss.TrustLevel(ctx)
	if !guarded || level == store.TrustAll {
		return nil
	}
	return func(name string, data []byte) bool {
		return level == store.TrustReviewed && contents.LoadReviewed(ctx, ss).HasFile(ctx, name, data)
	}
}
