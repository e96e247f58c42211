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
func (d *doctor) checkAgents() {
	m := d.machine()
	before := len(d.checks)
	for _, a := range agents.All() {
		if hasSettings(m, a) {
			d.checks = append(d.checks, d.neverCalled(hooksCheck(m, a), a))
			d.checkServer(m, a)
			d.checkPermission(m, a)
		}
	}
	if len(d.checks) == before {
		d.note("agents", "no agent was found: none has settings in your home folder", "")
		d.about(aboutHooks)
	}
	// The file that another tool's memory left in the project can be imported.
	info, err := os.Lstat(filepath.Join(m.Root, setup.Legacy))
	if m.Root != "" && err == nil && info.Mode().IsRegular() {
		d.note("legacy", setup.Legacy+" contains another tool's memory: import it, or delete it after an import", "memctl import "+setup.Legacy)
	}
}

// hooksCheck reports whether memory is connected to an agent.
func hooksCheck(m agents.Machine, a agents.Agent) check {
	c := check{Name: a.Name(), Status: checkWarn, Said: a.Title() + " does not get memory yet", Fix: "memctl hooks install " + a.Name(), About: aboutHooks}
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

// checkSessions says what a session starts with here, and when a hook failed: a hook itself
// reports nothing.
func (d *doctor) checkSessions() {
	mode, err := d.stores.Setting(d.ctx, store.Mode)
	if err != nil {
		d.add(checkFail, "mode", explain(err).Error(), "memctl config")
		return
	}
	if on, err := d.stores.Setting(d.ctx, store.Enabled); err == nil && !on.On() {
		said, fix := view.SwitchedOff(on)
		d.warn("mode", said, fix)
	} else {
		says := map[string]string{briefing.ModeFull: "the profile, an overview and what recall finds", briefing.ModeOff: "no memory"}
		d.ok("mode", mode.Text+": a session starts with "+cmp.Or(says[mode.Text], "the profile and an overview"))
	}
	d.checkProfile()
	d.checkHookCalls()
}

// checkProfile counts the items that reach a session here, and names those that do not.
func (d *doctor) checkProfile() {
	p, err := briefing.Profile(d.ctx, d.stores, briefing.BootstrapRequest{Agent: d.connectedAgent(), Hook: true, Reader: d.Reader()})
	if err != nil {
		d.warn("profile", explain(err).Error(), "")
		return
	}
	reached := len(p.Bullets)
	said := count(reached, "item") + " of memory reach a session here"
	if reached == 1 {
		said = "1 item of memory reaches a session here"
	}
	if len(p.LeftOut) > 0 {
		d.note("profile", said+"; left out: "+p.LeftOutText(), "memctl profile --all")
		return
	}
	d.ok("profile", said)
}

// checkHookCalls names the last hook that failed, until a hook of the same agent succeeds.
func (d *doctor) checkHookCalls() {
	const hookCalls = "hook calls"
	fault, err := localstate.LastHookFault(d.stores)
	if err != nil {
		d.warn(hookCalls, explain(err).Error(), "")
		return
	}
	if fault.Code == "" {
		d.ok(hookCalls, "none failed")
		return
	}
	who := strings.Join(strings.Fields(fault.Agent+" "+fault.Event), " ")
	said := "the last failure, at " + fault.Time.Format(time.RFC3339) + ": " + cmp.Or(who, "an agent without a name") + ": " + fault.Code
	if d.stores.Now().Sub(fault.Time) < faultAge {
		d.warn(hookCalls, said, faultHint(fault))
		return
	}
	d.ok(hookCalls, said)
}

// faultHint is what helps against a fault: to read how a hook is called, or to call
// the agent's as it would, which clears the fault where it works.
func faultHint(f localstate.HookFault) string {
	if agents.ByName(f.Agent) == nil || f.Code == "no-event" {
		return "memctl hook --help"
	}
	return "memctl hook --agent " + f.Agent + " --event " + briefing.EventSessionStart
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
			c.Said = p.File.Path + ": " + partialText(a.Title(), p.File.What, p.Missing)
			c.Fix = installCommand(a.Name(), scope, p.File.What)
		case p.State == agents.Installed:
			c.Status, c.Said, c.Fix = checkOK, a.Title()+" is connected ("+scope+")", ""
		}
	}
	return c
}

// checkServer reports whether the agent knows memctl's MCP server; no check for an
// agent that has no MCP servers.
func (d *doctor) checkServer(m agents.Machine, a agents.Agent) {
	plans := agents.LookServers(m, a)
	if len(plans) == 0 {
		return
	}
	c := check{Name: a.Name() + " mcp", Status: checkWarn, Said: a.Title() + " does not have memctl's MCP server, whose tools read and write memory", Fix: installCommand(a.Name(), agents.ForUser, "mcp server"), About: aboutMCP}
	for _, p := range plans {
		if p.Err != nil {
			c.Said, c.Fix = p.Err.Error(), "memctl hooks status "+a.Name()
			break
		}
		if p.State == agents.Installed || p.State == agents.Theirs {
			c.Status, c.Said, c.Fix = checkOK, "registered in "+p.File.Path, ""
			break
		}
	}
	d.checks = append(d.checks, c)
}

// checkPermission reports whether the agent has to ask the person at each write; no check for an
// agent whose rules memctl does not know. Being asked is a choice, so nothing is wrong.
func (d *doctor) checkPermission(m agents.Machine, a agents.Agent) {
	plans, _ := agents.Look(m, a, agents.ForUser)
	for _, p := range plans {
		if p.File.What != "permissions" || p.Err != nil {
			continue // broken settings have a check already
		}
		if p.State == agents.Absent || p.State == agents.Partly {
			d.note(a.Name()+" permissions", a.Title()+" asks you before each write of memory", "memctl hooks install "+a.Name()+" --yes")
		} else {
			d.ok(a.Name()+" permissions", "memctl's writes and searches are allowed in "+p.File.Path)
		}
		return
	}
}

// neverCalled adds to the check of a connected agent that none of its hooks was ever called
// in this worktree, for an agent that skips the hooks that the person has not trusted. It is
// a note: the person may not have used the agent here yet.
func (d *doctor) neverCalled(c check, a agents.Agent) check {
	if c.Status != checkOK || !agents.AsksTrust(a) || d.stores == nil {
		return c
	}
	records, err := localstate.SessionRecords(d.stores, "")
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
