package cmd

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/setup"
)

// hooks looks at each coding agent that the person has settings of: is memory connected to it,
// for the person or for this project?
func (c *checks) hooks() {
	m, none := c.agentsMachine(), true
	for _, a := range agents.All() {
		if hasSettings(m, a) {
			level, text, hint := connection(m, a)
			if level == fault.SeverityOK && c.neverCalled(a) {
				level, text = fault.SeverityNote, text+"; installed, never called here; "+a.Trust()
			}
			none = false
			c.setName(a.Name()).add(level, text, hint)
		}
	}
	if none {
		c.note("no agent was found: none has settings in your home folder", "")
	}
	// The file that another tool's memory left in the project can be imported.
	if info, err := os.Lstat(filepath.Join(m.Root, setup.Legacy)); m.Root != "" && err == nil && info.Mode().IsRegular() {
		c.setName("legacy").note(setup.Legacy+" contains another tool's memory: import it, or delete it after an import", "memctl import "+setup.Legacy)
	}
}

// connection reports whether memory is connected to an agent, which it is at fault.SeverityOK.
func connection(m agents.Machine, a *agents.Agent) (level, text, hint string) {
	plugin, off := agents.Switches(m, a)
	if off != "" {
		return fault.SeverityWarning, off + ": disableAllHooks is set, so " + a.Title() + " gets no memory; take it out", "memctl hooks status " + a.Name()
	}
	level, text, hint = fault.SeverityWarning, a.Title()+" does not get memory yet", "memctl hooks install "+a.Name()
	if plugin {
		level, text, hint = fault.SeverityOK, a.Title()+" is connected (plugin)", ""
	}
	for _, scope := range []string{agents.ForUser, agents.ForProject} {
		plans, _ := agents.PlanLook(m, a, scope) // none where the agent has nothing there
		for _, p := range plans {
			switch {
			case p.File.Offer != "" || p.File.What == "mcp server": // has a check of its own
			case p.Err != nil:
				return fault.SeverityWarning, p.Err.Error(), "memctl hooks status " + a.Name()
			case p.State == agents.Partly:
				level, text = fault.SeverityWarning, p.File.Path+": "+partialText(a.Title(), p.File.What, p.Missing)
				hint = installCommand(a.Name(), scope, p.File.What)
			case p.State == agents.Installed:
				level, text, hint = fault.SeverityOK, a.Title()+" is connected ("+scope+")", ""
			}
		}
	}
	return level, text, hint
}

// neverCalled reports that no hook of an agent was ever called in this worktree, for an agent that skips the hooks that the
// person has not trusted. The person may also not have used the agent here yet.
func (c *checks) neverCalled(a *agents.Agent) bool {
	if a.Trust() == "" || c.stores == nil {
		return false
	}
	records, err := localstate.SessionRecords(c.stores, "")
	return err == nil && !slices.ContainsFunc(records, func(r localstate.SessionRecord) bool { return r.Agent == a.Name() })
}

// servers reports which agents know memctl's MCP server, and which have to ask the person at each write. Being asked is a
// choice, so nothing is wrong then.
func (c *checks) servers() {
	m := c.agentsMachine()
	for _, a := range agents.All() {
		if !hasSettings(m, a) {
			continue
		}
		if plans := agents.LookServers(m, a); len(plans) > 0 {
			c.setName(a.Name()+" mcp").server(m, a, plans)
		}
		plans, _ := agents.PlanLook(m, a, agents.ForUser)
		for _, p := range plans {
			switch c.setName(a.Name() + " permissions"); {
			case p.File.What != "permissions" || p.Err != nil: // broken settings have a check already
			case p.State == agents.Absent || p.State == agents.Partly:
				c.note(a.Title()+" asks you before each write of memory", "memctl hooks install "+a.Name()+" --yes")
			default:
				c.ok("agents may use memctl's tools without asking")
			}
		}
	}
}

func (c *checks) server(m agents.Machine, a *agents.Agent, plans []agents.Plan) {
	for _, p := range plans {
		if p.Err != nil {
			c.warn(p.Err.Error(), "memctl hooks status "+a.Name())
			return
		}
		if p.State == agents.Installed || p.State == agents.Theirs {
			c.ok("registered in " + p.File.Path)
			return
		}
	}
	if plugin, _ := agents.Switches(m, a); plugin {
		c.ok("registered by memctl's plugin")
		return
	}
	c.warn(a.Title()+" does not have memctl's MCP server", installCommand(a.Name(), agents.ForUser, "mcp server"))
}

// faultAge is how long a hook's fault is a warning.
const faultAge = 7 * 24 * time.Hour

// hookCalls names the last hook that failed, until a hook of the same agent succeeds: a hook itself reports nothing. The hint
// is a command that calls the hook as the agent does, which clears the fault if it works, or the help of hook.
func (c *checks) hookCalls() {
	f, err := localstate.LastHookFault(c.stores)
	text := "the last failure, at " + f.Time.Format(time.RFC3339) + ": " + cmp.Or(strings.TrimSpace(f.Agent+" "+f.Event), "an agent without a name") + ": " + f.Code
	switch {
	case err != nil:
		c.warn(explain(err).Error(), "")
	case f.Code == "":
	case c.stores.Now().Sub(f.Time) >= faultAge:
		c.ok(text)
	case agents.ByName(f.Agent) == nil || f.Code == "no-event":
		c.warn(text, "memctl hook --help")
	default:
		c.warn(text, "memctl hook --agent "+f.Agent+" --event "+briefing.EventSessionStart)
	}
}
