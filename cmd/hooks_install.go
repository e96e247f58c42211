package cmd

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
)

// remark is a note of install or uninstall, with the commands that belong to it.
type remark struct {
	text  string
	hints []string
}

type remarks []remark

func (r *remarks) say(text string, hints ...string) { *r = append(*r, remark{text, hints}) }

// consent is a setting of the person's own that install turns on.
type consent struct {
	row    settings.Setting
	value  string
	effect string
}

func consents() []consent {
	return []consent{
		{store.Capture, store.CaptureRules, "memctl reminds your agents of what you ask them to remember"},
		{store.History, "on", "agents can search their past sessions of the same repository"},
	}
}

// turnOnCapture turns on what reads the person's conversations, in the person's own
// configuration. It leaves what the person has set, and turns nothing on for a person who has turned memctl.capture
// off. Where they want none of it, it says what stays on.
func (s *session) turnOnCapture(o *hooksOptions, said *remarks) error {
	if s.dryRun() && o.noCapture || o.place() != agents.ForUser {
		return nil
	}
	is := " is "
	if s.dryRun() {
		is = " would be "
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
			said.say(c.row.Name+" is still "+v.Text+" ("+v.Origin+")", "git config --global "+c.row.Name+" off")
		case v.Origin != settings.OriginDefault && v.Text == "off":
			return nil
		case o.noCapture || v.Origin != settings.OriginDefault:
			continue
		default:
			if !s.dryRun() {
				if err := gitops.ChangeGlobalConfig(s.ctx, gitops.AddValue, c.row.Name, c.value); err != nil {
					return err
				}
			}
			said.say(c.effect+" ("+c.row.Name+is+c.value+")", "git config --global "+c.row.Name+" off")
		}
	}
	return nil
}

// turnOffCapture removes the settings that turnOnCapture made, and says which of them another
// value or file keeps on.
func (s *session) turnOffCapture(o *hooksOptions, said *remarks) error {
	if o.place() != agents.ForUser {
		return nil
	}
	for _, c := range consents() {
		if err := gitops.ChangeGlobalConfig(s.ctx, gitops.RemoveValue, c.row.Name, c.value); err != nil {
			return err
		}
	}
	return s.turnOnCapture(&hooksOptions{scope: o.scope, noCapture: true}, said)
}

// acceptsOffers reports whether to install MCP and the permission too. It asks one question at a terminal; elsewhere only --yes is a yes.
func (s *session) acceptsOffers(m agents.Machine, o *hooksOptions, list []*agents.Agent, said *remarks) bool {
	if o.yes || o.noMCP || s.global.json {
		return o.yes
	}
	var offers []string
	for _, a := range list {
		title := a.Title() + ": "
		plans, err := agents.PlanInstallAll(m, a, o.place(), nil)
		for _, p := range plans {
			if err == nil && p.File.Offer != "" && p.Changes() {
				offers = append(offers, title+p.File.Offer)
				title = ""
			}
		}
	}
	question := strings.Join(offers, ", and ")
	switch {
	case len(offers) == 0:
		return false
	case s.streams.Interactive() && !s.dryRun():
		if o.usually {
			return slices.Contains([]string{"", "y", "yes"}, s.choose(question+"?", "[Y/n]"))
		}
		return s.confirmYes(question + "?")
	}
	said.say("add --yes to do this too: " + question)
	return false
}

// applyPlans applies an agent's plans, unless one of the files cannot be edited; it reports
// whether it did, or in a dry run would.
func (s *session) applyPlans(plans []agents.Plan) bool {
	for _, p := range plans {
		if p.Err != nil {
			return false
		}
	}
	for i := range plans {
		if !s.dryRun() && plans[i].Changes() {
			plans[i].Err = plans[i].Apply()
		}
	}
	return true
}

// refuseAgents refuses where an agent would connect or disconnect itself.
func (s *session) refuseAgents() error {
	origin, err := s.origin(false)
	if err == nil && origin.Kind != memory.Explicit && !s.dryRun() {
		err = refusal("explicit-only", "only a person can connect memctl to an agent or disconnect it, in a terminal of their own", s.commandWith(""))
	}
	return err
}

// hooksTable is a line a file.
func hooksTable(out hooksJSON, colour bool) string {
	styles := map[string]term.Style{
		string(agents.Installed): term.Good, string(agents.Theirs): term.Good,
		string(agents.Partly): term.Warning, "broken": term.Bad,
	}
	t := term.Table{}
	for _, a := range out.Agents {
		for _, f := range a.Files {
			state := f.State
			if state == string(agents.Absent) && a.For == agents.ForUser && a.Found {
				state = "absent (agent found)"
			}
			name := a.Agent
			if a.Untested {
				name += " (untested)"
			}
			t.AddCells(term.Cell{Text: name}, term.Cell{Text: a.For}, term.Cell{Text: f.What},
				term.Cell{Text: state, Style: styles[f.State]}, term.Cell{Text: inert(f.Path)})
		}
	}
	return t.Text(colour)
}

// printPartial lists the files with an incomplete or outdated installation, and prints the
// command that completes it.
func (s *session) printPartial(out hooksJSON) {
	for _, a := range out.Agents {
		command := ""
		for _, f := range a.Files {
			if f.State != string(agents.Partly) {
				continue
			}
			s.note("partly-installed", named(f.Path, partialText(a.Title, f.What, f.Missing)))
			command = installCommand(a.Agent, a.For, f.What)
		}
		if command != "" {
			s.hint(command)
		}
	}
}

// partialText names the parts of an installation that a file lacks.
func partialText(title, what string, missing []string) string {
	text := title + " " + what + ": installed in part, as by an older memctl"
	if len(missing) > 0 {
		text += "; missing: " + strings.Join(missing, ", ")
	}
	return text
}

// installCommand is the command that installs what an agent's file of a scope lacks.
func installCommand(agent, scope, what string) string {
	command := "memctl hooks install " + agent
	if scope == agents.ForProject {
		command += " --for " + scope
	}
	if what == "permissions" || agent == "claude" && what == "mcp server" { // after a question
		command += " --yes"
	}
	return command
}

// printHooks prints a line for each agent; with --dry-run, the differences.
func (s *session) printHooks(out hooksJSON, o *hooksOptions, words [2]string, said *remarks) error {
	any := false
	var untested []string
	for _, a := range out.Agents {
		var what, paths []string
		for _, f := range a.Files {
			any = any || f.Changed
			if len(f.Left) > 0 {
				said.say(named(f.Path, `still has "`+strings.Join(f.Left, `", "`)+`", which memctl did not write`))
			}
			switch {
			case s.dryRun() && f.Changed:
				s.printDiff(f.Diff)
			case f.Changed:
				what = append(what, f.What)
				if path := inert(f.Path); !slices.Contains(paths, path) {
					paths = append(paths, path)
				}
			case f.State == string(agents.Theirs) && len(f.Left) == 0:
				said.say(named(f.Path, "has an entry for memctl that memctl did not write; it stays unchanged"))
			}
		}
		if len(what) == 0 {
			continue
		}
		if !s.global.quiet {
			s.print(words[0] + ": " + a.Title + " " + strings.Join(what, ", ") + " (" + strings.Join(paths, ", ") + ")\n")
		}
		if a.Remark != "" {
			said.say(a.Remark)
		}
		if a.Untested && words[0] == "installed" {
			untested = append(untested, a.Title)
		}
	}
	if len(untested) > 0 {
		said.say("memctl was never tested with " + strings.Join(untested, ", "))
	}
	if !any && out.ErrorCount == 0 && !o.quietly {
		s.note("nothing-to-do", "memctl "+words[1])
	}
	return nil
}
