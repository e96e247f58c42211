package session

import (
	"slices"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

// PartMoment is what an agent is given right before it acts.
const PartMoment = "moment"

// Action is what an agent is about to do.
type Action struct {
	Command string // a shell command line; "" for none
	// PowerShell tells that the shell is PowerShell or cmd.
	PowerShell bool
	File       string // the file that it changes, from the project's root with slashes; "" for none
}

// Commands are the simple commands of the action's command line.
func (a Action) Commands() []Command { return commandsOf(a.Command, a.PowerShell) }

// Reminder is an item or an entry that is about an action.
type Reminder struct {
	Bullet
	Item  *contents.Item
	Entry *contents.Entry // if it is no item
	Ask   bool            // the person who stated it wants to be asked
	Line  string          // how the agent gets it; "" for as a bullet
}

// AtMoment lists the items that are about an action, in the profile's order: those one of
// whose commands matches a simple command, or one of whose paths matches the file. An item
// that may not be shown, and one that gives way to another of its key, is not among them;
// a lesson is, and so is what the profile has no room for.
func AtMoment(memories []*contents.Memory, on Conditions, action Action) []Reminder {
	line := action.Commands()
	if !slices.ContainsFunc(memories, func(m *contents.Memory) bool {
		return slices.ContainsFunc(m.Items, func(it contents.Item) bool { return action.concerns(&it.Labels, line) })
	}) {
		return nil // most actions: nothing needs to be ranked
	}
	var list []Reminder
	for _, c := range choose(memories, on, withheldAtMoment).shown {
		if action.concerns(&c.Item.Labels, line) {
			list = append(list, Reminder{Bullet: c.bullet(), Item: c.Item, Ask: c.Ask && c.authority == byPerson})
		}
	}
	return list
}

// EntriesAtMoment lists those of the entries, in their order, that are about the command of an action.
func EntriesAtMoment(entries []*contents.Entry, action Action) (list []Reminder) {
	line := action.Commands()
	for _, e := range entries {
		if action.concerns(&e.Labels, line) {
			list = append(list, Reminder{Bullet: Bullet{Key: entry.ShortID(e.ID), Text: Defuse(e.Text), Scope: e.Scope}, Entry: e, Ask: e.Ask && e.IsStated()})
		}
	}
	return list
}

// concerns reports whether a memory is about the action, whose simple commands are given.
func (a Action) concerns(l *labels.Labels, line []Command) bool {
	return len(l.Commands) > 0 && slices.ContainsFunc(line, func(command Command) bool { return MatchesCommand(l.Commands, command) }) ||
		a.File != "" && memfile.MatchesFile(l.Paths, a.File)
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
