package cmd

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memctl/memctl/agents"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/setup"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

// checkAgents looks at each coding agent that the person has settings of: is
// memory connected to it, for the person or for this project?
func (s *session) checkAgents() []check {
	m := s.machine()
	var checks []check
	for _, a := range agents.All() {
		if !found(m, a) {
			continue
		}
		checks = append(checks, s.neverCalled(hooked(m, a), a))
		checks = append(checks, serverCheck(m, a)...)
		checks = append(checks, permissionCheck(m, a)...)
	}
	if len(checks) == 0 {
		checks = []check{{Name: "agents", Status: checkNote, Said: "no agent was found: none has settings in your home folder", about: aboutHooks}}
	}
	return append(checks, s.checkLegacy()...)
}

// hooked tells whether memory is connected to an agent.
func hooked(m agents.Machine, a agents.Agent) check {
	c := check{Name: a.Name(), Status: checkWarn, Said: a.Title() + " does not get memory yet", Fix: "memctl hooks install " + a.Name(), about: aboutHooks}
	for _, scope := range []string{agents.ForUser, agents.ForProject} {
		plans, err := agents.Look(m, a, scope)
		if err != nil {
			continue // it has nothing there
		}
		c = connection(c, a, scope, plans)
	}
	return c
}

// faultAge is how long a hook's fault is a warning.
const faultAge = 7 * 24 * time.Hour

// checkSessions tells what a session starts with here, and when a hook had no
// answer: it tells nobody itself.
func (s *session) checkSessions() []check {
	if s.stores == nil {
		return nil // which a check has said
	}
	mode, err := s.stores.Setting(s.ctx, store.Mode)
	if err != nil {
		return []check{{Name: "mode", Status: checkFail, Said: explain(err).Error(), Fix: "memctl config"}}
	}
	checks := []check{{Name: "mode", Status: checkOK, Said: mode.Text + ": a session starts with " + modeSays(mode.Text)}}
	if on, err := s.stores.Setting(s.ctx, store.Enabled); err == nil && !on.On() {
		checks[0].Status = checkWarn
		checks[0].Said, checks[0].Fix = view.SwitchedOff(on)
	}
	checks = append(checks, s.checkProfile(), s.checkHookCalls())
	return append(checks, s.checkBriefedTwice()...)
}

// checkProfile tells how many items reach a session here, and which do not.
func (s *session) checkProfile() check {
	p, err := view.Profile(s.ctx, s.stores, true)
	if err != nil {
		return check{Name: "profile", Status: checkWarn, Said: explain(err).Error()}
	}
	reached := 0
	for _, b := range p.Bullets {
		reached += len(b.Each())
	}
	c := check{Name: "profile", Status: checkOK, Said: count(reached, "item") + " of memory reach a session here"}
	if reached == 1 {
		c.Said = "1 item of memory reaches a session here"
	}
	if len(p.LeftOut) > 0 {
		c.Status, c.Said, c.Fix = checkNote, c.Said+"; left out: "+p.LeftOutText(), "memctl profile --all"
	}
	return c
}

// checkHookCalls tells of the last hook that failed, until its agent has an answer
// again.
func (s *session) checkHookCalls() check {
	c := check{Name: "hook calls", Status: checkOK, Said: "none failed"}
	fault, err := localstate.LastHookFault(s.stores)
	switch {
	case err != nil:
		c.Status, c.Said = checkWarn, explain(err).Error()
	case fault.Code != "":
		who := strings.Join(strings.Fields(fault.Agent+" "+fault.Event), " ")
		c.Said = "the last failure, at " + fault.Time.Format(time.RFC3339) + ": " + cmp.Or(who, "an agent without a name") + ": " + fault.Code
		if s.stores.Now().Sub(fault.Time) < faultAge {
			c.Status, c.Fix = checkWarn, faultHint(fault)
		}
	}
	return c
}

// faultHint is what helps against a fault: to read how a hook is called, or to call
// the agent's as it would, which clears the fault where it works.
func faultHint(f localstate.HookFault) string {
	if agents.ByName(f.Agent) == nil || f.Code == "no-event" {
		return "memctl hook --help"
	}
	return "memctl hook --agent " + f.Agent + " --event " + briefing.EventSessionStart
}

func modeSays(mode string) string {
	switch mode {
	case briefing.ModeFull:
		return "the profile, an overview and what recall finds"
	case briefing.ModeOff:
		return "no memory"
	}
	return "the profile and an overview"
}

// connection is what the agent's files of one scope make of the check.
func connection(c check, a agents.Agent, scope string, plans []agents.Plan) check {
	for _, p := range plans {
		if p.File.Offer != "" || p.File.What == "mcp server" {
			continue // has a check of its own
		}
		switch {
		case p.Err != nil:
			c.Status, c.Said, c.Fix = checkWarn, p.Err.Error(), "memctl hooks status "+a.Name()
			return c
		case p.State == agents.Partly:
			c.Said = p.File.Path + ": " + partlySays(a.Title(), p.File.What, p.Missing)
			c.Fix = installCommand(a.Name(), scope, p.File.What)
		case p.State == agents.Installed:
			c.Status, c.Said, c.Fix = checkOK, a.Title()+" is connected ("+scope+")", ""
		}
	}
	return c
}

// serverCheck says whether the agent knows memctl's MCP server; none for an
// agent that has no MCP servers.
func serverCheck(m agents.Machine, a agents.Agent) []check {
	plans := agents.LookServers(m, a)
	if len(plans) == 0 {
		return nil
	}
	c := check{
		Name: a.Name() + " mcp", Status: checkWarn, Fix: agents.ServerCommand(a), about: aboutMCP,
		Said: a.Title() + " does not have memctl's MCP server, whose tools read and write memory",
	}
	for _, p := range plans {
		switch {
		case p.Err != nil:
			c.Said, c.Fix = p.Err.Error(), "memctl hooks status "+a.Name()
			return []check{c}
		case p.State == agents.Installed || p.State == agents.Theirs:
			c.Status, c.Said, c.Fix = checkOK, "registered in "+p.File.Path, ""
			return []check{c}
		}
	}
	return []check{c}
}

// permissionCheck says whether the agent has to ask the person at each write; none for an
// agent whose rules memctl does not know. Being asked is a choice, so nothing is wrong.
func permissionCheck(m agents.Machine, a agents.Agent) []check {
	plans, _ := agents.Look(m, a, agents.ForUser)
	for _, p := range plans {
		c := check{Name: a.Name() + " permissions", Status: checkOK, Said: "memctl's writes and searches are allowed in " + p.File.Path}
		switch {
		case p.File.What != "permissions" || p.Err != nil:
			continue // broken settings have a check already
		case p.State == agents.Absent || p.State == agents.Partly:
			c.Status, c.Said, c.Fix = checkNote, a.Title()+" asks you before each write of memory", "memctl hooks install "+a.Name()+" --yes"
		}
		return []check{c}
	}
	return nil
}

// checkLegacy offers to bring in the file that another tool's memory left in
// the project.
func (s *session) checkLegacy() []check {
	root := s.machine().Root
	info, err := os.Lstat(filepath.Join(root, setup.Legacy))
	if root == "" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return []check{{Name: "legacy", Status: checkWarn, Said: setup.Legacy + " contains another tool's memory", Fix: "memctl import " + setup.Legacy}}
}
