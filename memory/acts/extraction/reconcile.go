package extraction

import (
	"cmp"

	"github.com/memctl/memctl/internal/capture/extract"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// nearest is how many memories each new fact is compared with.
const nearest = 5

// near is a memory that is near a new fact.
type near struct {
	scope  string
	text   string
	item   *contents.Item // one of the two is set
	fact   *contents.Entry
	stated bool // by a person, or locked: it gets a conflict, and no other text
}

// facts reconciles the new facts with the nearest memories, and stores the outcome.
func (r *reading) facts(found extract.Findings) error {
	if len(found.Facts) == 0 {
		return nil
	}
	memories, err := r.nearestTo(found.Facts)
	if err != nil {
		return err
	}
	for _, d := range r.decide(found.Facts, memories) {
		r.carryOut(d, found.Facts[d.Fact-1], found.Topics, memories)
	}
	return nil
}

// nearestTo finds the memories that are near the facts: facts of the same conversation and of global, and items where the
// conversation has no name of its own. A model gets nothing that agents do not get.
func (r *reading) nearestTo(facts []extract.Fact) (list []near, err error) {
	recaller, err := briefing.OpenRecall(r.ctx, r.ss, briefing.RecallOptions{Reader: contents.Agent, Guarded: true, Fresh: true})
	if err != nil {
		return nil, err
	}
	defer recaller.Close()
	tiers := []string{index.TierFact.String(), index.TierItem.String()}
	if r.c.Name != "" { // it changes nothing of other conversations
		tiers = tiers[:1]
	}
	seen := map[string]bool{}
	for _, f := range facts {
		found, err := recaller.Find(r.ctx, briefing.RecallRequest{
			Query: f.Text, K: nearest, Tiers: tiers,
			Conversation: cmp.Or(r.c.Name, entry.ProjectConversation),
		})
		if err != nil {
			return nil, err
		}
		for _, hit := range found.Hits {
			if name := hit.Scope + " " + hit.ID; !seen[name] {
				seen[name] = true
				if n, err := r.read(hit); err != nil {
					return nil, err
				} else if n != nil {
					list = append(list, *n)
				}
			}
		}
	}
	return list, nil
}

// read finds the memory of a hit; nil where it is no text that a fact could replace.
func (r *reading) read(hit briefing.RecallHit) (*near, error) {
	st, err := r.ss.Get(r.ctx, hit.Scope)
	if err != nil {
		return nil, err
	}
	if hit.Tier == index.TierItem.String() {
		m, err := contents.Read(r.ctx, st)
		if err != nil {
			return nil, err
		}
		it := m.Find(hit.ID)
		if it == nil || it.Value.Kind != memfile.String {
			return nil, nil
		}
		return &near{scope: hit.Scope, text: it.Value.Text, item: it, stated: it.IsStated() || it.Locked}, nil
	}
	list, err := contents.ReadEntries(r.ctx, st, []string{hit.Path}, nil)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	e := list[0]
	return &near{scope: hit.Scope, text: e.Text, fact: &e, stated: e.IsStated() || e.Locked}, nil
}

// decide asks the model what to do with the facts. Without memories, and where no model answers,
// every fact is added.
func (r *reading) decide(facts []extract.Fact, memories []near) []extract.Decision {
	var texts, known []string
	for _, f := range facts {
		texts = append(texts, f.Text)
	}
	for _, n := range memories {
		known = append(known, n.text)
	}
	if len(known) == 0 {
		return extract.Decisions(nil, len(texts), len(known))
	}
	answer, err := r.chain.Ask(r.ctx, extract.Reconcile(texts, known))
	r.res.Tokens += answer.Usage.Total()
	if err != nil {
		return extract.Decisions(nil, len(texts), len(known))
	}
	r.res.Requests++
	return extract.Decisions(answer.JSON, len(texts), len(known))
}

// carryOut does what was decided. What a person stated keeps its text: the new fact is stored
// beside it, and an item has the other value in its conflict.
func (r *reading) carryOut(d extract.Decision, fact extract.Fact, topics []string, memories []near) {
	req := r.remember(fact, topics)
	if d.Event == extract.Add {
		r.requests = append(r.requests, req)
		return
	}
	n := memories[d.Memory-1]
	switch {
	case d.Event == extract.None:
		r.res.Known++
		return
	case n.item != nil:
		scope := n.scope
		if scope == store.Project {
			scope = r.place(false)
		}
		req = edit.Request{Options: r.options(scope), Key: n.item.Key, Value: memfile.Str(fact.Text)}
	case !n.stated && n.scope != store.Project:
		req.Replace, req.Scope, req.Conversation = n.fact.ID, n.scope, n.fact.Conversation
	}
	r.requests = append(r.requests, req)
}
