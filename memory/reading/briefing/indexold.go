package briefing

import (
	"context"

	"github.com/memctl/memctl/internal/recall/cache"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
)

// IndexOld reports whether a store has more entries than a hook reads, and no index
// that a hook can bring up to date, for example after an upgrade that changed the
// rules. A caller that is no hook then builds it.
func IndexOld(ctx context.Context, ss *store.Stores) bool {
	stores, err := memory.StoresOf(ctx, ss, "")
	if err != nil {
		return false
	}
	for _, st := range stores {
		if !contents.HasEntries(st) || cache.Usable(ctx, st) {
			continue
		}
		if files, err := contents.EntryFiles(ctx, st); err == nil && len(files) > hookReadsPrompt {
			return true
		}
	}
	return false
}
