package cmd

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/managed"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/setup"
)

// leaveJSON is what `leave` did, or would do.
type leaveJSON struct {
	Act          string   `json:"act"`
	Folder       string   `json:"folder"` // has the copies; "" without any
	Kept         []string `json:"kept"`
	Removed      []string `json:"removed"` // memory files
	Commit       string   `json:"commit"`
	Instructions []string `json:"instructions"` // files that have the project's rules as plain lines now
	Settings     []string `json:"settings"`     // sections of the repository's git configuration
	State        []string `json:"state"`        // what stays: the journal's ref, and folders
	diffs        []string
	deletes      []string // the commands that delete State
}

func newLeave(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "leave",
		Short: "Stop using memctl in this repository",
		Long: `Leave takes memctl out of this repository:
  - It copies every store and what waits for your review into one folder in your home, as
    Markdown and YAML.
  - It writes the project's rules as plain lines into CLAUDE.md (or AGENTS.md, if only that
    exists). If you corrected a rule that was imported from there, its old line gets the new
    text. You commit that file.
  - It removes the memory files, in one commit. To leave the facts to your colleagues, first run
    "memctl export --scope project > team-notes.md".
  - It removes memctl's hooks, MCP servers and permissions from this repository's settings of
    agents. It also removes the merge driver, and memctl's settings in the repository's git
    config. Your own settings of agents serve other repositories too: "memctl hooks uninstall"
    removes memctl from them.

The journal and memctl's local state stay, and so do the private and user stores in the data
folder. Leave prints the commands that delete them.`,
		Example: `  memctl leave --dry-run
  memctl leave`,
		RunE: a.runner(needNothing, func(s *session, _ []string) error { return runLeave(s) }),
	}
	bindDryRun(c, "print what would change, and change nothing")
	return c
}

func runLeave(s *session) (err error) {
	if err := s.refuseAgents(); err != nil {
		return err
	}
	if s.stores, err = s.open(s.ctx); err != nil {
		return err
	}
	if s.stores.IsSingleStore() {
		return refusal("scope", "--store names a folder of your own, which you can delete", "memctl leave")
	}
	if s.Options, err = s.options(); err != nil {
		return err
	}
	if !s.dryRun() {
		s.commitPending()
	}
	s.notes(s.pendingNotes)
	out := leaveJSON{Act: "leave", Kept: []string{}, Removed: []string{}, Instructions: []string{}, Settings: []string{}, State: []string{}}
	plans := s.plainRules()
	if err := s.copyMemory(&out); err != nil {
		return err
	}
	names, commit, err := setup.RemoveFiles(s.ctx, s.stores, s.Options)
	if err != nil {
		return err
	}
	out.Removed, out.Commit = append(out.Removed, names...), commit
	for _, p := range plans {
		if s.dryRun() {
			out.diffs = append(out.diffs, txn.UnifiedDiff(p.File.Path, p.Before, p.After))
		} else if err := p.Apply(); err != nil {
			return err
		}
		out.Instructions = append(out.Instructions, p.File.Path)
	}
	var failed error
	if s.stores.Root() != "" {
		failed = runHooksUninstall(s, &hooksOptions{scope: agents.ForProject, quietly: true}, nil)
	}
	sections, err := setup.RemoveSettings(s.ctx, s.stores)
	if err != nil {
		return err
	}
	out.Settings = append(out.Settings, sections...)
	refs, folders := setup.LocalState(s.ctx, s.stores)
	for _, ref := range refs {
		out.State, out.deletes = append(out.State, ref), append(out.deletes, "git update-ref -d "+ref)
	}
	for _, dir := range folders {
		out.State, out.deletes = append(out.State, dir), append(out.deletes, "rm -r "+shell.Quote(dir))
	}
	return cmp.Or(present(s, out, nil, s.printLeave), failed)
}

// copyMemory copies memory into a new folder.
func (s *session) copyMemory(out *leaveJSON) error {
	files, err := setup.Keep(s.ctx, s.stores, s.Options)
	if err != nil || len(files) == 0 {
		return err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	name := filepath.Join(home, "memctl-"+filepath.Base(cmp.Or(s.stores.Root(), home))+"-"+s.stores.Today())
	out.Folder = name
	for n := 2; gitops.Exists(out.Folder); n++ {
		if !slices.ContainsFunc(files, func(f setup.Kept) bool {
			data, err := os.ReadFile(filepath.Join(out.Folder, f.Name))
			return err != nil || !bytes.Equal(data, f.Data)
		}) {
			return nil // an earlier leave kept them
		}
		out.Folder = name + "-" + strconv.Itoa(n)
	}
	for _, f := range files {
		if out.Kept = append(out.Kept, f.Name); s.dryRun() {
			continue
		}
		path := filepath.Join(out.Folder, f.Name)
		err = cmp.Or(err, os.MkdirAll(filepath.Dir(path), 0o700))
		err = cmp.Or(err, os.WriteFile(path, f.Data, 0o600))
	}
	return err
}

// plainRules plans to write the project's rules as plain lines into the instruction files that memctl exported them to, else into
// CLAUDE.md, or AGENTS.md if only that exists. A file that cannot be changed stays as it is.
func (s *session) plainRules() (plans []agents.Plan) {
	var targets []string
	for _, to := range agents.MemoryTargets() {
		_, plan, err := s.planExport(to, 0, true, false)
		if plan.State == agents.Installed || errors.Is(err, managed.ErrChangedByHand) {
			targets = append(targets, to)
		}
	}
	switch has := func(name string) bool { return gitops.Exists(filepath.Join(s.stores.Root(), name)) }; {
	case targets != nil:
	case !s.stores.Trusted(s.ctx):
		if has(memfile.FileName) {
			s.note("rules-only-copied", "you do not trust this repository, so its rules are only in the copy", "memctl trust")
		}
	case has("AGENTS.md") && !has("CLAUDE.md"):
		targets = []string{"agents-md"}
	default:
		targets = []string{"claude"}
	}
	done := map[string]bool{} // by the file behind a link
	for _, to := range targets {
		out, plan, err := s.planExport(to, math.MaxInt, false, true)
		at, _ := filepath.EvalSymlinks(plan.File.Path)
		switch {
		case errors.Is(err, managed.ErrChangedByHand):
			plan.After, plan.Err = plan.Before, nil // with the person's changes
		case err != nil:
			s.note("file-unchanged", inert(err.Error()))
			continue
		}
		if plan.After = withoutMarks(plan.After); out.correct != nil && plan.Err == nil {
			plan.After = out.correct(plan.After)
		}
		if plan.Changes() && !done[at] {
			plans, done[at] = append(plans, plan), at != ""
		}
	}
	return plans
}

// withoutMarks makes the lines that memctl exported into a file plain lines of it.
func withoutMarks(src []byte) []byte {
	var out []byte
	after := false // the empty line after a line that goes
	for line := range bytes.Lines(src) {
		text := strings.TrimRight(string(line), "\r\n")
		switch block := managed.MemoryBlock(); {
		case strings.HasPrefix(text, block.Begin) && strings.HasSuffix(text, block.AfterHash), text == block.End, after && text == "":
			after = false
		case text == "memctl writes these lines: change them with memctl, not here.":
			after = true
		default:
			out, after = append(out, line...), false
		}
	}
	return out
}

func (s *session) printLeave(out leaveJSON) error {
	say := func(done, would string, what string) {
		if what != "" && !s.global.quiet {
			if s.dryRun() {
				done = would
			}
			s.print(done + ": " + inert(what) + "\n")
		}
	}
	for _, diff := range out.diffs {
		s.printDiff(diff)
	}
	if len(out.Kept) > 0 {
		say("copied", "would copy", count(len(out.Kept), "file")+" to "+out.Folder)
	}
	if len(out.Removed) > 0 {
		say("removed", "would remove", count(len(out.Removed), "memory file"))
	}
	say("committed", "", out.Commit[:min(len(out.Commit), 8)])
	say("rules are in", "rules would be in", strings.Join(out.Instructions, ", "))
	say("removed from the repository's git config", "would remove from the repository's git config", strings.Join(out.Settings, ", "))
	if len(out.Kept)+len(out.Removed)+len(out.Settings)+len(out.Instructions) == 0 {
		s.note("nothing-to-leave", "this repository does not use memctl")
	}
	s.printLeft(out)
	return nil
}

// printLeft names what remains on the machine, with the commands that remove it.
func (s *session) printLeft(out leaveJSON) {
	for _, file := range out.Instructions {
		s.noteCommitYourself(inert(s.relative(file)))
	}
	if len(out.State) > 0 {
		s.note("state-left", "the journal and the local state stay, and may be the only place of writes that a reset removed: "+inert(strings.Join(out.State, ", ")), out.deletes...)
	}
	m, titles := s.agentsMachine(), []string{}
	for _, a := range agentsToChange(&hooksOptions{}, nil, func(a *agents.Agent) bool { return !a.HasOnlySharedFile() || hasSettings(m, a) }) {
		plans, err := agents.PlanLook(m, a, agents.ForUser)
		if err == nil && slices.ContainsFunc(plans, func(p agents.Plan) bool { return p.Err == nil && p.State != agents.Absent }) {
			titles = append(titles, a.Title())
		}
	}
	if len(titles) > 0 {
		s.note("hooks-left", "your own settings of "+strings.Join(titles, ", ")+" still call memctl in all repositories", "memctl hooks uninstall")
	}
	if dir := s.stores.DataDir(); dir != "" && gitops.Exists(dir) {
		s.note("stores-left", "your private and user memory of all repositories stays in "+inert(dir), "rm -r "+shell.Quote(dir))
	}
	if config, err := gitops.GlobalConfig(s.ctx); err == nil && len(config.All("memctl."))+len(config.All("memctl-llm.")) > 0 {
		s.note("settings-left", "your own git config still has settings of memctl", "git config --global --get-regexp ^memctl")
	}
	if r := s.stores.Repo(); r != nil {
		found, _ := r.Git(s.ctx, gitops.Call{Args: []string{"grep", "-lIi", "memctl", "--", ":!/memories.md", ":!/memories"}})
		names := strings.Fields(string(found))
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(out.Instructions, filepath.Join(r.Root, name)) })
		if len(names) > 0 {
			s.note("mentions-left", "these files name memctl: "+inert(strings.Join(names[:min(len(names), 12)], ", ")))
		}
	}
}
