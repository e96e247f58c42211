package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/settings"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/localstate"
)

// TurnsLimit is the setting of what was said, word for word.
var TurnsLimit = settings.Row{Name: "memctl.turns.limit", Env: "MEMCTL_TURNS_LIMIT", Default: "500", Number: &settings.Range{Most: 1e6, Whole: true},
	Help: "How many turns and unconfirmed automatic facts of a conversation a private or user store keeps. Compacting begins at 80% of them; 0 is no limit.", Seldom: true}

// turnsLimit is the setting's number.
func turnsLimit(ctx context.Context, ss *store.Stores) (int, error) {
	v, err := ss.Setting(ctx, TurnsLimit)
	return int(v.Float()), err
}

// compactDue reports whether a day has passed, and a conversation holds nearly as
// many turns as it may. It reads no entry.
func compactDue(ctx context.Context, ss *store.Stores, st *store.Store) (bool, error) {
	if st.Scope != store.Private && st.Scope != store.User {
		return false, nil
	}
	last, err := localstate.LastCompact(st)
	if err != nil || ss.Now().Sub(last) < 24*time.Hour {
		return false, err
	}
	limit, err := turnsLimit(ctx, ss)
	if err != nil || limit == 0 {
		return false, err
	}
	most, err := contents.MostFiles(st, "*", turnFolders...)
	return float64(most) > turnsFull*float64(limit), err
}

var turnFolders = []string{entry.TurnsFolder + "/" + entry.RoleUser, entry.TurnsFolder + "/" + entry.RoleAssistant}

// CompactedByItself makes room in a store before more is put into it, at most daily,
// and says so: its oldest turns move to deleted where a conversation is nearly full.
// What is put in now is left alone for a day at least. What goes wrong is said and
// stops nothing.
func CompactedByItself(ctx context.Context, ss *store.Stores, st *store.Store, opt memory.Options) []fault.Note {
	if limit, err := turnsLimit(ctx, ss); err != nil || limit == 0 || st.Scope != store.Private && st.Scope != store.User {
		return nil // a day on which it is switched off is not used up
	}
	due, err := localstate.DueDaily(st)
	if !due || err != nil {
		return nil // whoever holds the lock, or cannot be written to, is asked again
	}
	res, err := Compact(ctx, ss, CompactRequest{Options: memory.Options{Origin: memory.Origin{Kind: memory.Automatic}, Scope: st.Scope}, Apply: true, IfDue: true})
	if err != nil {
		return []fault.Note{fault.NewNote("compaction-failed", "turns were not compacted: "+err.Error())}
	}
	for _, scope := range res.Scopes {
		if scope.Commit != nil {
			return []fault.Note{fault.NewNote("turns-compacted", fmt.Sprintf("the %d oldest turns of a nearly full conversation in scope %s were moved to deleted (undo: memctl undo %.12s; never again: git config --global %s 0)",
				scope.Moved, st.Scope, *scope.Commit, TurnsLimit.Name))}
		}
	}
	return nil
}

// Evict makes room in a conversation that has more turns and automatic facts than it may: the
// oldest move to deleted, in one commit. Summaries stay. It is for what writes many of them a day,
// where CompactedByItself, once a day, is too rare. It returns how many moved.
func Evict(ctx context.Context, ss *store.Stores, scope, conversation string) (moved int, err error) {
	limit, err := turnsLimit(ctx, ss)
	if err != nil || limit == 0 {
		return 0, err
	}
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return 0, err
	}
	if n, err := contents.MostFiles(st, entry.Slug(conversation), append([]string{"facts"}, turnFolders...)...); err != nil || n <= limit {
		return 0, err
	}
	c := &compacting{ctx: ctx, ss: ss, st: st, CompactRequest: CompactRequest{
		Options: memory.Options{Origin: memory.Origin{Kind: memory.Automatic}, Scope: scope}, Only: []string{kindTurn}, Apply: true,
	}}
	done, err := c.run()
	return done.Moved, err
}
