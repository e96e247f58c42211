package view

import (
	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store/contents"
)

// Against is a memory that a waiting fact contradicts or repeats.
type Against struct {
	Key     string `json:"key"` // of a fact, the beginning of its id
	Tier    string `json:"tier"`
	Scope   string `json:"scope"`
	Text    string `json:"text"`
	Repeats bool   `json:"repeats"` // false: it contradicts it
}

// maxPairs bounds how many pairs of memories are compared: at more, nobody reviews them one by one.
const maxPairs = 500_000

// against tells of each waiting fact which older memory it contradicts, or repeats in other words.
// texts are those of the waiting facts, by their index in the list.
func against(list []Waiting, waiting []contents.Entry, facts []contents.Entry, memories []*contents.Memory) {
	items := 0
	for _, m := range memories {
		items += len(m.Items)
	}
	if len(waiting)*(len(facts)+items) > maxPairs {
		return
	}
	for i, e := range waiting {
		if e.Hidden() {
			continue
		}
		rule := similar.NewRule("", e.Text)
		list[i].Against = againstFacts(rule, e, facts)
		for _, m := range memories {
			for j := range m.Items {
				it := &m.Items[j]
				if list[i].Against == nil && !it.Hidden() && it.Value.Kind == memfile.String {
					if a := opposes(rule, it.Key, it.Value.Text); a != nil {
						a.Key, a.Tier, a.Scope = it.Key, "item", m.Store.Scope
						list[i].Against = a
					}
				}
			}
		}
	}
}

func againstFacts(rule similar.Rule, e contents.Entry, facts []contents.Entry) *Against {
	for _, old := range facts {
		if old.ID == e.ID && old.Scope == e.Scope || old.Tier() != entry.Fact || old.Hidden() || old.Time().After(e.Time()) {
			continue
		}
		if a := opposes(rule, "", old.Text); a != nil {
			a.Key, a.Tier, a.Scope = memory.ShortID(old.ID), entry.Fact, old.Scope
			return a
		}
	}
	return nil
}

// opposes compares a rule with an older text; nil where they go together.
func opposes(rule similar.Rule, key, text string) *Against {
	switch {
	case rule.Restated(text), key != "" && rule.Repeats(key, text):
		return &Against{Text: text, Repeats: true}
	case rule.TakesBack(key, text), rule.Rejects(key, text):
		return &Against{Text: text}
	}
	return nil
}
