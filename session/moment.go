package session

import (
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store/contents"
)

// PartMoment is what an agent is given right before it acts.
const PartMoment = "moment"

// Action is what an agent is about to do.
type Action struct {
	Command string // a shell command line; "" for none
	File    string // the file that it changes, from the project's root with slashes; "" for none
}

// Reminder is an item that is about an action.
type Reminder struct {
	Bullet
	Item *contents.Item
	Ask  bool // the person who stated it wants to be asked
}

// AtMoment lists the items that are about an action, in the profile's order: those one of
// whose commands matches a simple command, or one of whose paths matches the file. An item
// that may not be shown, and one that gives way to another of its key, is not among them;
// a lesson is, and so is what the profile has no room for.
func AtMoment(memories []*contents.Memory, on Conditions, action Action) []Reminder {
	line := Commands(action.Command)
	if !slices.ContainsFunc(memories, func(m *contents.Memory) bool {
		return slices.ContainsFunc(m.Items, func(it contents.Item) bool { return action.concerns(&it, line) })
	}) {
		return nil // most actions: nothing needs to be ranked
	}
	var list []Reminder
	for _, c := range choose(memories, on, withheldAtMoment).shown {
		if action.concerns(c.Item, line) {
			list = append(list, Reminder{Bullet: c.bullet(), Item: c.Item, Ask: c.Ask && c.authority == byPerson})
		}
	}
	return list
}

// concerns reports whether an item is about the action, whose simple commands are given.
func (a Action) concerns(it *contents.Item, line []Command) bool {
	return len(it.Commands) > 0 && slices.ContainsFunc(line, func(command Command) bool { return MatchesCommand(it.Commands, command) }) ||
		a.File != "" && memfile.MatchesFile(it.Paths, a.File)
}

// withheldAtMoment is exclusionReason without the reasons that are about a session's start.
func withheldAtMoment(it *contents.Item, on Conditions) string {
	switch why := exclusionReason(it, on); why {
	case WhyLesson, WhyPaths:
		return ""
	default:
		return why
	}
}
