package cmd

import (
	"time"

	"github.com/memctl/memctl/agents"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/store/localstate"
)

// neverCalled adds to the check of a connected agent that none of its hooks was ever called
// in this worktree, for an agent that skips the hooks that the person has not trusted. It is
// a note: the person may not have used the agent here yet.
func (s *session) neverCalled(c check, a agents.Agent) check {
	if c.Status != checkOK || !agents.AsksTrust(a) || s.stores == nil {
		return c
	}
	records, err := localstate.SessionRecords(s.stores, "")
	if err != nil {
		return c
	}
	for _, rec := range records {
		if rec.Agent == a.Name() {
			return c
		}
	}
	c.Status, c.Said = checkNote, c.Said+"; installed, never called here; "+a.Remark("")
	return c
}

// briefedTwice is how far apart two answers to one event are at most. The same session may
// well be resumed a second time later.
const briefedTwice = 10 * time.Second

// checkBriefedTwice names the last session that received one briefing twice, which the
// record shows; no check where none did. Hooks for the person and for the project are no
// fault: the first of the two answers alone.
func (s *session) checkBriefedTwice() []check {
	records, err := localstate.SessionRecords(s.stores, "")
	if err != nil {
		return nil // the check of hook calls reads the same folder
	}
	var last localstate.SessionRecord
	for i, rec := range records {
		if rec.Session == "" || rec.Turn == "" || rec.Event != briefing.EventSessionStart && rec.Event != briefing.EventSubagentStart {
			continue // which session or subagent it was is not known
		}
		for _, was := range records[:i] {
			if was.Agent == rec.Agent && was.Session == rec.Session && was.Event == rec.Event && was.Source == rec.Source &&
				was.Turn == rec.Turn && rec.Time.Sub(was.Time).Abs() < briefedTwice {
				last = rec
			}
		}
	}
	a := agents.ByName(last.Agent)
	if a == nil || s.stores.Now().Sub(last.Time) > faultAge {
		return nil
	}
	c := check{Name: "briefings", Status: checkWarn, Said: a.Title() + " received the briefing twice, at " + last.Time.Format(time.RFC3339), Fix: "memctl hooks status " + a.Name()}
	if inBoth(s.machine(), a) {
		c.Said += "; its hooks are in your settings and in the project's"
		c.Fix = "memctl hooks uninstall " + a.Name()
	}
	return []check{c}
}

// inBoth reports whether the agent has our hooks in the person's settings and
// in the project's.
func inBoth(m agents.Machine, a agents.Agent) bool {
	for _, scope := range []string{agents.ForUser, agents.ForProject} {
		plans, err := agents.Look(m, a, scope)
		if err != nil || plans[0].Err != nil || plans[0].State != agents.Installed {
			return false
		}
	}
	return true
}
