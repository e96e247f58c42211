package cmd

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/memctl/memctl/agents"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/settings"
	"github.com/memctl/memctl/store"
)

// consent is a setting of the person's own that install turns on.
type consent struct {
	row    settings.Row
	value  string
	effect string
}

func consents() []consent {
	return []consent{
		{store.Capture, store.CaptureRules, "memctl notes what you state in your prompts from now on"},
		{store.History, "on", "agents can search their past sessions of the same repository"},
	}
}

// turnOnCapture turns on what reads the person's conversations, in the person's own
// configuration. It leaves what the person has set, and turns nothing on for a person who has turned memctl.capture
// off. Where they want none of it, it says what stays on.
func (s *session) turnOnCapture(o *hooksOptions) error {
	if s.dryRun() || o.place() != agents.ForUser {
		return nil
	}
	stores, err := s.open(s.ctx)
	if err != nil {
		return nil // without a readable repository the hooks do without it, too
	}
	for _, c := range consents() {
		v, err := stores.Setting(s.ctx, c.row)
		switch {
		case err != nil:
			return nil
		case o.noCapture && v.Text != "off":
			s.talk("note: " + c.row.Name + " is still " + v.Text + " (" + v.Origin + ")")
		case v.Origin != settings.OriginDefault && v.Text == "off":
			return nil
		case o.noCapture || v.Origin != settings.OriginDefault:
			continue
		default:
			if err := gitops.AddGlobalConfig(s.ctx, c.row.Name, c.value); err != nil {
				return err
			}
			s.talk("note: " + c.effect + " (" + c.row.Name + " is " + c.value + ")")
		}
		s.hint("git config --global " + c.row.Name + " off")
	}
	return nil
}

// turnOffCapture removes the settings that turnOnCapture made, and says which of them another
// value or file keeps on.
func (s *session) turnOffCapture(o *hooksOptions) error {
	if o.place() != agents.ForUser {
		return nil
	}
	for _, c := range consents() {
		if err := gitops.RemoveGlobalConfigValue(s.ctx, c.row.Name, c.value); err != nil {
			return err
		}
	}
	return s.turnOnCapture(&hooksOptions{scope: o.scope, noCapture: true})
}

// agentTime bounds an agent's own command.
const agentTime = 30 * time.Second

// acceptsOffers reports whether to install also what an agent's installation asks the person
// about. It asks at a terminal; elsewhere only --yes is a yes.
func (s *session) acceptsOffers(m agents.Machine, o *hooksOptions, list []agents.Agent) bool {
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

// applyPlans applies an agent's plans, unless one of the files cannot be edited; it reports
// whether it did, or in a dry run would. A file that the agent edits for itself stops nothing.
func (s *session) applyPlans(plans []agents.Plan) bool {
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

// refuseAgents refuses where an agent would connect or disconnect itself.
func (s *session) refuseAgents(o *hooksOptions) error {
	origin, err := s.origin(false)
	if err == nil && origin.Kind != memory.Explicit && !s.dryRun() {
		err = refusal("explicit-only", "only a person can connect memctl to an agent or disconnect it, in a terminal of their own", s.commandFor(s.keys))
	}
	return err
}
