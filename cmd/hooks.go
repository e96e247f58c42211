package cmd

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/store/txn"
)

type hooksOptions struct {
	all     bool
	scope   string
	yes     bool
	noMCP   bool
	usually bool // Enter means yes
	quietly bool // a part of another command, which says itself that there was nothing to do

	noCapture bool
}

// place is the scope that is meant.
func (o *hooksOptions) place() string { return cmp.Or(o.scope, agents.ForUser) }

// hookFile is one file of an agent, as `hooks` prints it.
type hookFile struct {
	Path    string   `json:"path"`
	What    string   `json:"what"`
	State   string   `json:"state"` // absent, partly, installed, theirs or broken
	Changed bool     `json:"changed"`
	Missing []string `json:"missing,omitempty"` // of ours, where the state is partly
	Left    []string `json:"left,omitempty"`    // what names memctl and uninstall leaves, because memctl did not write it
	Error   string   `json:"error,omitempty"`
	Diff    string   `json:"diff,omitempty"`
}

// hookAgent is one agent in one scope.
type hookAgent struct {
	Agent    string     `json:"agent"`
	Title    string     `json:"title"`
	For      string     `json:"for"`
	Found    bool       `json:"found"` // the person's settings folder of this agent is there
	Files    []hookFile `json:"files"`
	Remark   string     `json:"remark,omitempty"`   // what the person still has to do
	Untested bool       `json:"untested,omitempty"` // memctl was never tested with the agent
}

// hooksJSON is the object that the commands of `hooks` print.
type hooksJSON struct {
	Agents     []hookAgent `json:"agents"`
	ErrorCount int         `json:"error_count"`
}

func newHooks(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "hooks",
		Short: "Connect memctl to your coding agents",
		Long: `Hooks connects coding agents to memctl: it adds calls of memctl to their settings, so that
each session starts with your memory. Your own settings stay as they are, and uninstall
restores the files byte for byte. For an agent program that has no hooks, memctl adds a
marked section to its instruction file. docs/agents.md lists the agents.`,
		Example: `  memctl hooks install claude codex
  memctl hooks install --for project
  memctl hooks status
  memctl hooks uninstall --all --dry-run`,
	},
		hooksCommand(a, &cobra.Command{
			Use:   "install [AGENT...]",
			Short: "Connect agents",
			Long: `Install adds memctl to the settings of the named agents or, if you name none, of the
agents that you use. It changes your own settings; with --for project it changes those in
this folder, which you then commit. Running it again changes nothing.

Install asks one question. If you say yes, Claude Code and Gemini CLI may use memctl's
tools without asking you, and Claude Code gets memctl's MCP server (other agents always
get it). --yes answers yes, and --no-mcp no. Without a terminal the answer is no. Without
these tools, agents cannot store what you say.

Install also turns on two settings in your own git config. With memctl.capture, memctl
notes lasting statements in your prompts. With memctl.recall.history, "memctl recall
--history" searches past sessions: for you, all of them with --all; for agents, only those
of the same repository. --no-capture leaves both as they are, and --for project never sets
them.`,
			Example: `  memctl hooks install
  memctl hooks install claude codex
  memctl hooks install claude --for project --dry-run`,
		}, runHooksInstall),
		hooksCommand(a, &cobra.Command{
			Use:   "uninstall [AGENT...]",
			Short: "Disconnect agents",
			Long: `Uninstall removes what install added and restores the settings byte for byte. Without a
name it handles every agent.`,
			Example: `  memctl hooks uninstall
  memctl hooks uninstall codex --dry-run`,
		}, runHooksUninstall),
		hooksCommand(a, &cobra.Command{
			Use:   "status [AGENT...]",
			Short: "Show which agents are connected",
			Long: `Status prints a line for each settings file, yours and the project's, of each agent that
you use; with --all, of every agent. Each line has the state of its file:
  absent      memctl is not in it
  partly      something is missing, or an older memctl installed it
  installed   memctl is in it
  theirs      memctl is in it, in an entry that you wrote yourself
  broken      the file cannot be read; the exit status is then 1
For partly, status prints the command that adds the missing part.`,
			Example: `  memctl hooks status
  memctl hooks status claude --json`,
		}, runHooksStatus),
	)
}

// hooksCommand gives a command of `hooks` its arguments and flags.
func hooksCommand(a *app, c *cobra.Command, run func(*session, *hooksOptions, []string) error) *cobra.Command {
	o := &hooksOptions{}
	c.Args = func(c *cobra.Command, args []string) error {
		if o.all && len(args) > 0 {
			return usage("--all", "use either --all or the names of agents")
		}
		for _, arg := range args {
			if agents.ByName(arg) == nil {
				hints := prefixed(c.CommandPath()+" ", nearest(arg, agentNames()))
				if len(hints) == 0 {
					hints = []string{"memctl hooks status"}
				}
				return usage(arg, "no such agent", hints...)
			}
		}
		return nil
	}
	c.RunE = a.runner(needNothing, func(s *session, args []string) error { return run(s, o, args) })
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return agentNames(), cobra.ShellCompDirectiveNoFileComp
	}
	c.Flags().BoolVar(&o.all, "all", false, "handle every agent, also those that you do not use")
	c.Flags().StringVar(&o.scope, "for", "", "handle the settings of `WHOM`: user (yours) or project (those in this folder, for everyone)")
	allow(c, "for", agents.ForUser, agents.ForProject)
	if c.Name() != "status" {
		c.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask: answer yes")
		bindDryRun(c, "print what would change, and change nothing")
	}
	if c.Name() == "install" {
		c.Flags().BoolVar(&o.noMCP, "no-mcp", false, "answer no")
		c.Flags().BoolVar(&o.noCapture, "no-capture", false, "do not set memctl.capture and memctl.recall.history, which read your conversations")
		c.MarkFlagsMutuallyExclusive("yes", "no-mcp")
	}
	return c
}

func agentNames() []string {
	var names []string
	for _, a := range agents.All() {
		names = append(names, a.Name())
	}
	return names
}

// agentsMachine is where settings are looked for.
func (s *session) agentsMachine() agents.Machine {
	home, _ := os.UserHomeDir()
	m := agents.Machine{Home: home, Getenv: s.getenv}
	stores := s.stores
	if stores == nil {
		stores, _ = s.open(s.ctx)
	}
	if stores != nil {
		m.Root = stores.Root()
	}
	return m
}

// hasSettings reports whether the person has settings of the agent.
func hasSettings(m agents.Machine, a *agents.Agent) bool {
	dir := a.Settings(m)
	info, err := os.Stat(dir)
	return dir != "" && err == nil && info.IsDir()
}

// agentsToChange are the agents that the command line means: the named ones, with
// --all those that have settings of their own, else those that accept.
func agentsToChange(o *hooksOptions, names []string, accept func(*agents.Agent) bool) []*agents.Agent {
	var list []*agents.Agent
	for _, name := range names {
		list = append(list, agents.ByName(name))
	}
	if len(names) > 0 {
		return list
	}
	for _, a := range agents.All() {
		if isPage := strings.HasSuffix(a.Name(), ".md"); accept(a) || o.all && !isPage {
			list = append(list, a)
		}
	}
	return list
}

func runHooksInstall(s *session, o *hooksOptions, names []string) error {
	m := s.agentsMachine()
	list := agentsToChange(o, names, func(a *agents.Agent) bool { return hasSettings(m, a) })
	if len(list) == 0 {
		return refusal("no-agent", "no agent's settings were found in your home folder; name the agents that you use", "memctl hooks install claude", "memctl hooks install codex")
	}
	if _, err := exec.LookPath("memctl"); err != nil {
		s.note("not-on-path", "memctl is not on the PATH, so agents will not find it")
	}
	if err := s.refuseAgents(); err != nil {
		return err
	}
	var said remarks
	plan := agents.PlanInstall
	if s.acceptsOffers(m, o, list, &said) {
		plan = agents.PlanInstallAll
		if problem := s.fullProblem(s.ctx); problem != nil {
			s.note("mcp-unusable", "agents cannot use memctl's tools yet: "+problem.Error())
			s.hints(problem.Hints)
		}
	}
	if err := s.changeHooks(m, o, list, len(names) > 0, plan, [2]string{"installed", "is installed already"}, &said); err != nil {
		return err
	}
	s.refreshExports()
	if stores, err := s.open(s.ctx); err == nil {
		s.notes(stores.NoteNoIdentity(s.ctx))
	}
	if err := s.turnOnCapture(o, &said); err != nil {
		return err
	}
	for _, r := range said {
		s.note("hooks-installed", r.text, r.hints...)
	}
	return nil
}

func runHooksUninstall(s *session, o *hooksOptions, names []string) error {
	if err := s.refuseAgents(); err != nil {
		return err
	}
	m := s.agentsMachine()
	list := agentsToChange(o, names, func(a *agents.Agent) bool { return !a.HasOnlySharedFile() || hasSettings(m, a) })
	var said remarks
	if err := s.changeHooks(m, o, list, len(names) > 0, agents.PlanRemove, [2]string{"removed", "is not installed"}, &said); err != nil {
		return err
	}
	if !s.dryRun() && len(names) == 0 { // else other agents may go on
		if err := s.turnOffCapture(o, &said); err != nil {
			return err
		}
	}
	for _, r := range said {
		s.note("hooks-removed", r.text, r.hints...)
	}
	return nil
}

func runHooksStatus(s *session, o *hooksOptions, names []string) error {
	m := s.agentsMachine()
	out := hooksJSON{Agents: []hookAgent{}}
	scopes := []string{agents.ForUser, agents.ForProject}
	if o.scope != "" {
		scopes = []string{o.scope}
	}
	for _, a := range agentsToChange(o, names, func(*agents.Agent) bool { return true }) {
		for _, scope := range scopes {
			plans, err := agents.PlanLook(m, a, scope)
			if err != nil {
				continue // it has nothing there
			}
			absent := a.HasOnlySharedFile() && !hasSettings(m, a) || !slices.ContainsFunc(plans, func(p agents.Plan) bool { return p.Err != nil || p.State != agents.Absent })
			if absent && !o.all && len(names) == 0 && (scope == agents.ForProject && o.scope == "" || !hasSettings(m, a)) {
				continue // an agent that is not there
			}
			out.add(m, a, scope, plans)
		}
	}
	return s.hooksDone(out, present(s, out, nil, func(out hooksJSON) error {
		err := s.print(hooksTable(out, s.streams.OutColour))
		s.printPartial(out)
		return err
	}))
}

// planFunc is one of agents' plans.
type planFunc func(m agents.Machine, a *agents.Agent, scope string, earlier []agents.Plan) ([]agents.Plan, error)

// changeHooks carries out what plan says for each agent: all of the files that
// memctl edits, or none of them.
func (s *session) changeHooks(m agents.Machine, o *hooksOptions, list []*agents.Agent, named bool, plan planFunc, words [2]string, said *remarks) error {
	scope := o.place()
	out := hooksJSON{Agents: []hookAgent{}}
	planned := make([][]agents.Plan, len(list))
	for i, a := range list {
		var err error
		planned[i], err = plan(m, a, scope, slices.Concat(planned...))
		if err != nil && (named || !errors.Is(err, agents.ErrNotFor)) {
			return noPlace(a, err, scope)
		}
	}
	for i, a := range list {
		if planned[i] == nil {
			continue
		}
		changed := s.applyPlans(planned[i])
		view := out.add(m, a, scope, planned[i])
		for j, p := range planned[i] {
			f := &view.Files[j]
			f.Changed = changed && p.Changes()
			if f.Changed && s.dryRun() {
				f.Diff = txn.UnifiedDiff(p.File.Path, p.Before, p.After)
			}
			if f.Changed && words[0] == "installed" {
				view.Remark = a.Trust()
			}
		}
	}
	return s.hooksDone(out, present(s, out, nil, func(out hooksJSON) error { return s.printHooks(out, o, words, said) }))
}

// noPlace is the error of an agent that has no settings in a scope.
func noPlace(a *agents.Agent, err error, scope string) error {
	hint := "memctl hooks install " + a.Name()
	why := err.Error()
	if errors.Is(err, agents.ErrNotFor) {
		if why = "has no settings for --for " + scope; scope == agents.ForUser {
			hint += " --for project"
		}
	}
	if errors.Is(err, agents.ErrNoProject) {
		hint = "git init"
	}
	return refusal("no-place", named(a.Name(), why), hint)
}

// add puts an agent's files into the answer.
func (out *hooksJSON) add(m agents.Machine, a *agents.Agent, scope string, plans []agents.Plan) *hookAgent {
	view := hookAgent{Agent: a.Name(), Title: a.Title(), For: scope, Untested: a.Tested() == "", Found: hasSettings(m, a), Files: []hookFile{}}
	for _, p := range plans {
		f := hookFile{Path: p.File.Path, What: p.File.What, State: string(p.State), Missing: p.Missing}
		for _, text := range p.Left {
			f.Left = append(f.Left, inert(redact(text)))
		}
		if p.Err != nil {
			f.State, f.Error = "broken", p.Err.Error()
			out.ErrorCount++
		}
		view.Files = append(view.Files, f)
	}
	out.Agents = append(out.Agents, view)
	return &out.Agents[len(out.Agents)-1]
}

// hooksDone says what is broken, and is the command's end.
func (s *session) hooksDone(out hooksJSON, err error) error {
	if err != nil || out.ErrorCount == 0 {
		return err
	}
	if !s.global.json {
		last := "" // one file may be listed for its hooks and for its rules
		for _, a := range out.Agents {
			for _, f := range a.Files {
				if f.Error != "" && f.Error != last {
					s.errorLine(f.Error + "; memctl did not change it")
					last = f.Error
				}
			}
		}
	}
	return statusError(statusRefused)
}
