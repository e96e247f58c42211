package briefing

import (
	"context"
	"time"

	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/recall/index"
)

// CountEntries counts the entries of each tier by the index, without reading them. It leaves out those that expire or are
// withheld from agents.
func (r *Recaller) CountEntries() (byTier map[string]int, err error) {
	counts, err := r.lib.Counts()
	byTier = map[string]int{}
	for what, n := range counts {
		switch {
		case what.Unconfirmed: // only facts are
			byTier[index.TierFact.String()] += n
		case !what.Topic && what.Tier != index.TierItem:
			byTier[what.Tier.String()] += n
		}
	}
	return byTier, err
}

// Newest lists the newest entries of each tier by the index, at most max of each in a scope, and reads no others.
func (r *Recaller) Newest(ctx context.Context, tiers []string, max int) ([]view.LiveEntry, error) {
	var list []view.LiveEntry
	for _, name := range tiers {
		tier, ok := index.ParseTier(name)
		if !ok {
			continue
		}
		docs, err := r.lib.Latest(tier, time.Time{}, max)
		if err != nil {
			return nil, err
		}
		paths, taken := map[string][]string{}, map[index.Source]bool{}
		for _, d := range docs {
			if source := (index.Source{Scope: d.Scope, Path: d.Source}); !taken[source] { // a long one is several docs
				taken[source] = true
				paths[d.Scope] = append(paths[d.Scope], d.Source)
			}
		}
		for scope, some := range paths {
			entries, err := view.EntriesAt(ctx, r.ss, scope, some)
			if err != nil {
				return nil, err
			}
			list = append(list, entries...)
		}
	}
	return list, nil
}
