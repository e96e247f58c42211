package cmd

import (
	"os"
	"path/filepath"

	"github.com/memctl/memctl/agents"
	"github.com/memctl/memctl/memory"
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
		c := check{Name: a.Name(), Status: checkWarn, Said: a.Title() + " does not get memory yet", Fix: "memctl hooks install " + a.Name()}
		for _, scope := range []string{agents.ForUser, agents.ForProject} {
			plans, err := agents.Look(m, a, scope)
			if err != nil {
				continue // it has nothing there
			}
			c = connection(c, a, scope, plans)
		}
		checks = append(checks, c)
	}
	return append(checks, s.checkLegacy()...)
}

// connection is what the agent's files of one scope make of the check.
func connection(c check, a agents.Agent, scope string, plans []agents.Plan) check {
	for _, p := range plans {
		switch {
		case p.Err != nil:
			c.Status, c.Said, c.Fix = checkWarn, p.Err.Error(), "memctl hooks status "+a.Name()
			return c
		case p.State == agents.Partly:
			c.Said = a.Title() + " is connected in part, in " + p.File.Path
		case p.State == agents.Installed:
			c.Status, c.Said, c.Fix = checkOK, a.Title()+" is connected ("+scope+")", ""
		}
	}
	return c
}

// checkLegacy offers to bring in the file that another tool's memory left in
// the project.
func (s *session) checkLegacy() []check {
	root := s.machine().Root
	info, err := os.Lstat(filepath.Join(root, memory.Legacy))
	if root == "" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return []check{{Name: "legacy", Status: checkWarn, Said: memory.Legacy + " holds another tool's memory", Fix: "memctl import " + memory.Legacy}}
}
