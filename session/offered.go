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

// Ref names an item of a session.
type Ref struct{ Scope, Key string }

func exclusionUnlessLesson(it *contents.Item, on Conditions) string {
	why := exclusionReason(it, on)
	if why == WhyLesson {
		return ""
	}
	return why
}
