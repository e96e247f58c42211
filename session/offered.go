package session

import (
	"github.com/memctl/memctl/store/contents"
)

// PartRecalled is what a search found for the session, in the mode full.
const PartRecalled = "recalled"

// Offer is an item that an agent may be handed unasked, when it fits what the
// session is about.
type Offer struct {
	Bullet
	Item *contents.Item
}

// Offered lists all items that may be handed out, in the profile's order and
// without its caps. Lessons are among them: they are there to be found.
func Offered(memories []*contents.Memory, on Conditions) []Offer {
	var p Profile
	shown := p.choose(memories, on, exclusionUnlessLesson)
	offers := make([]Offer, len(shown))
	for i, c := range shown {
		offers[i] = c.offer()
	}
	return offers
}

func (c candidate) offer() Offer { return Offer{Bullet: c.bullet(), Item: c.Item} }

func exclusionUnlessLesson(it *contents.Item, m *contents.Memory, on Conditions) string {
	why := exclusionReason(it, m, on)
	if why == WhyLesson {
		return ""
	}
	return why
}

// Ref names an item of a session.
type Ref struct{ Scope, Key string }

// Outranked returns, for each item that gives way to a person's of the same key in
// another scope, that person's item: an agent's value, or one of a stranger's. It
// applies whatever the agent's item is marked with, so a low one counts too.
func Outranked(memories []*contents.Memory, on Conditions) map[Ref]Offer {
	var p Profile
	winners, _ := p.compete(memories, on, exclusionUnlessLesson)
	outranked := map[Ref]Offer{}
	for _, m := range memories {
		for i := range m.Items {
			it := &m.Items[i]
			best, ok := winners[it.Key]
			if ok && best.authority == byPerson && authorityOf(it, m.Store.Scope, on) != byPerson {
				outranked[Ref{m.Store.Scope, it.Key}] = best.offer()
			}
		}
	}
	return outranked
}
