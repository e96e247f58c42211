package session

import "github.com/memctl/memctl/store"

// PartRecalled is what a search found for the session, in the mode full.
const PartRecalled = "recalled"

// Offer is an item that an agent may be handed unasked, when it fits what the
// session is about.
type Offer struct {
	Bullet
	Item *store.Item
}

// Offered are all items that may be handed out unasked, in the profile's order
// and without its caps. Lessons are among them: they are there to be found.
func Offered(memories []*store.Memory, on Conditions) []Offer {
	var p Profile
	shown := p.choose(memories, func(it *store.Item, m *store.Memory) string {
		why := standsBack(it, m, on)
		if why == WhyLesson {
			return ""
		}
		return why
	})
	offers := make([]Offer, len(shown))
	for i, c := range shown {
		offers[i] = Offer{Bullet: c.bullet(), Item: c.Item}
	}
	return offers
}
