package view

import (
	"cmp"
	"slices"

	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

const (
	topCommands = 10
	topErrors   = 5
)

// days adds up the notes that memctl made of the last 90 days.
func (p *Patterns) days(ss *store.Stores) error {
	notes, err := localstate.DayNotes(ss)
	runs, ends := map[string]*localstate.CommandRun{}, map[string]*localstate.CommandEnd{}
	for _, n := range notes {
		p.Files += len(n.Files)
		p.Commits += len(n.Commits)
		for _, c := range n.Ran {
			if runs[c.Command] == nil {
				runs[c.Command] = &localstate.CommandRun{Command: c.Command}
			}
			runs[c.Command].Runs += c.Runs
			runs[c.Command].Fails += c.Fails
		}
		for _, e := range n.Errors {
			if ends[e.Command] == nil {
				ends[e.Command] = &localstate.CommandEnd{Command: e.Command}
			}
			ends[e.Command].Fails += e.Fails
			ends[e.Command].EndedBy = cmp.Or(e.EndedBy, ends[e.Command].EndedBy) // the last one
		}
	}
	for _, c := range runs {
		p.Ran = append(p.Ran, *c)
	}
	for _, e := range ends {
		p.Errors = append(p.Errors, *e)
	}
	slices.SortFunc(p.Ran, func(a, b localstate.CommandRun) int { return cmp.Or(b.Runs-a.Runs, cmp.Compare(a.Command, b.Command)) })
	slices.SortFunc(p.Errors, func(a, b localstate.CommandEnd) int {
		return cmp.Or(b.Fails-a.Fails, cmp.Compare(a.Command, b.Command))
	})
	p.Ran, p.Errors = p.Ran[:min(len(p.Ran), topCommands)], p.Errors[:min(len(p.Errors), topErrors)]
	return err
}

// defuseCommands makes the texts harmless, in place.
func defuseCommands(runs []localstate.CommandRun, ends []localstate.CommandEnd) {
	for i := range runs {
		runs[i].Command = session.Defuse(runs[i].Command)
	}
	for i := range ends {
		ends[i].Command, ends[i].EndedBy = session.Defuse(ends[i].Command), session.Defuse(ends[i].EndedBy)
	}
}
