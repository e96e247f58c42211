package upkeep

import (
	"context"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
)

// TurnsLimit is the setting of what was said, word for word.
var TurnsLimit = settings.Row{Name: "memctl.turns.limit", Env: "MEMCTL_TURNS_LIMIT", Default: "500", Number: &settings.Range{Most: 1e6, Whole: true},
	Help: "How many turns and unconfirmed automatic facts of a conversation a private or user store keeps. The proxy moves the oldest away; 0 is no limit.", Seldom: true}

// turnsLimit is the setting's number.
func turnsLimit(ctx context.Context, ss *store.Stores) (int, error) {
	v, err := ss.Setting(ctx, TurnsLimit)
	return int(v.Float()), err
}

// Evict makes room in a conversation that has more turns and automatic facts than it may: the
// oldest move to deleted, in one commit. Summaries stay. It returns how many moved.
func Evict(ctx context.Context, ss *store.Stores, scope, conversation string) (moved int, err error) {
	limit, err := turnsLimit(ctx, ss)
	if err != nil || limit == 0 {
		return 0, err
	}
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return 0, err
	}
	if n, err := contents.CountFiles(st, conversation, "facts", entry.TurnsFolder+"/"+entry.RoleUser, entry.TurnsFolder+"/"+entry.RoleAssistant); err != nil || n <= limit {
		return 0, err
	}
	c := &compacting{ctx: ctx, ss: ss, st: st, CompactRequest: CompactRequest{
		Options: memory.Options{Origin: memory.Origin{Kind: memory.Automatic}, Scope: scope}, Only: []string{kindTurn}, Apply: true,
	}}
	done, err := c.run()
	return done.Moved, err
}
