package cmd

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/memctl/memctl/agents"
	"github.com/memctl/memctl/memory"
)

// agentTime bounds an agent's own command.
const agentTime = 30 * time.Second

// offered reports whether to install also what an agent's installation asks the person
// about. It asks at a terminal; elsewhere only --yes is a yes.
func (s *session) offered(m agents.Machine, o *hooksOptions, list []agents.Agent) bool {
	if o.yes || o.noMCP || s.global.json {
		return o.yes
	}
	for _, a := range list {
		var offers []string
		plans, err := agents.PlanInstallAll(m, a, o.place())
		for _, p := range plans {
			if err == nil && p.File.Offer != "" && p.Changes() {
				offers = append(offers, p.File.Offer)
			}
		}
		switch {
		case len(offers) == 0:
		case s.streams.Interactive() && !s.dryRun():
			// Claude Code alone has offers. A second agent would need an answer for each.
			return s.ask(a.Title() + ": " + strings.Join(offers, ", and ") + "?")
		default:
			s.talk("note: add --yes to do this for " + a.Title() + " too: " + strings.Join(offers, ", and "))
		}
	}
	return false
}

// errNoProgram says that the agent's own program is not on the path: the person runs its
// command elsewhere.
var errNoProgram = errors.New("is not on the path")

// runAgent runs an agent's own command. Errors: errNoProgram, or what the command wrote.
func (s *session) runAgent(command []string) error {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return errNoProgram
	}
	ctx, cancel := context.WithTimeout(s.ctx, agentTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, command[1:]...).CombinedOutput()
	if err == nil {
		return nil
	}
	said := redact(strings.Join(strings.Fields(string(out)), " "))
	return fmt.Errorf("%q: %w: %s", strings.Join(command, " "), err, inert(said[:min(len(said), 300)]))
}

// carryOut applies an agent's plans, unless one of the files cannot be edited; it reports
// whether it did, or in a dry run would. A file that the agent edits for itself stops nothing.
func (s *session) carryOut(plans []agents.Plan) bool {
	for _, p := range plans {
		if p.Err != nil && p.File.Add == nil {
			return false
		}
	}
	for i := range plans {
		p := &plans[i]
		switch {
		case s.dryRun() || !p.Changes():
		case p.Run != nil:
			p.Err = s.runAgent(p.Run)
		default:
			p.Err = p.Apply()
		}
	}
	return true
}

// onlyAPerson refuses where an agent would connect or disconnect itself.
func (s *session) onlyAPerson(o *hooksOptions) error {
	origin, err := s.origin(false)
	if err == nil && origin.Kind != memory.Explicit && !s.dryRun() {
		err = refusal("explicit-only", "only a person can connect memctl to an agent or disconnect it, in a terminal of their own", s.commandFor(s.keys))
	}
	return err
}
