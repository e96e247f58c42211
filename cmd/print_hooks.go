package cmd

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/term"
)

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
			t.Cells(term.Cell{Text: name}, term.Cell{Text: a.For}, term.Cell{Text: f.What},
				term.Cell{Text: state, Style: styles[f.State]}, term.Cell{Text: inert(f.Path)})
		}
	}
	return t.Text(colour)
}

// printPartial names what is missing where a part of ours is installed, and the command that
// adds it.
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

// partialText says what a file lacks of ours.
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
