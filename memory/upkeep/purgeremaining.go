package upkeep

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// still is what has the text yet: how each is named, and the commands that let go of it.
type still struct{ shown, commands []string }

func (s *still) add(shown, command string) {
	if s.shown = append(s.shown, shown); !slices.Contains(s.commands, command) {
		s.commands = append(s.commands, command)
	}
}

// remembered refuses where something else than what the purge is named after still has
// the text: to remove that is to forget it, which a person says before.
func (p *purging) remembered(ctx context.Context) error {
	m, err := contents.Read(ctx, p.st)
	if err != nil {
		return err
	}
	forget := "memctl forget "
	if p.out.Own && p.st.Scope != store.Only {
		forget += "--scope " + p.st.Scope + " "
	}
	var s still
	for _, it := range plainItems(m) {
		if it.Key == p.Key || !p.trace.Found([]byte(it.Value.YAML())) && !p.trace.Found([]byte(it.Value.Text)) {
			continue
		}
		key := policy.Inert(memory.Redacted(it.Key))
		s.add(memory.Quoted(key), forget+key)
	}
	all, err := contents.ReadAllEntries(ctx, p.st)
	if err != nil {
		return err
	}
	for _, e := range all.List {
		if e.Deleted || memory.MatchesID(e.ID, p.Key) || !p.trace.Found([]byte(e.Text)) {
			continue
		}
		if e.Tier() != entry.Fact && !memory.LosesLines(e.Entry) {
			continue // what was said in a session: it is cut out there
		}
		s.add(e.Tier()+" "+memory.Quoted(memory.ShortID(e.ID)), forget+memory.ShortID(e.ID))
	}
	if err := p.waiting(&s); err != nil || len(s.shown) == 0 {
		return err
	}
	them := "it"
	if len(s.shown) > 1 {
		them = "them"
	}
	return &fault.Error{Code: "still-remembered", Status: 1, Cause: strings.Join(s.shown, ", ") + ": still contains that text; forget " + them + " first", Hints: s.commands}
}

// waiting adds the writes in the queue that have the text and are not what the purge is
// named after: the queue is their only copy, and a person decides about each.
func (p *purging) waiting(s *still) error {
	queue, err := ledger.QueueOfAll(p.st)
	if err != nil {
		return err
	}
	for _, w := range queue {
		named := p.Key != "" && (w.Key == p.Key || w.Entry != nil && (memory.MatchesID(p.Key, w.Key) || memory.MatchesID(w.Key, p.Key)))
		if named || !w.Holds(p.trace) {
			continue
		}
		s.add("waiting "+memory.Quoted(policy.Inert(memory.Redacted(w.Key))), ledger.ReviewOf(p.st, w))
	}
	return nil
}
