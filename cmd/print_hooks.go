package cmd

import (
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
			t.Cells(term.Cell{Text: a.Agent}, term.Cell{Text: a.For}, term.Cell{Text: f.What},
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

// printHooks says what was done; with --dry-run it prints the differences.
func (s *session) printHooks(out hooksJSON, o *hooksOptions, words [2]string) error {
	any := false
	for _, a := range out.Agents {
		for _, f := range a.Files {
			any = any || f.Changed || len(f.Left) > 0
			if len(f.Left) > 0 {
				s.note("rules-left", named(f.Path, "still allows "+strings.Join(f.Left, ", ")+": these do not stand as memctl wrote them, so they may be yours; remove them yourself if not"))
			}
			switch {
			case s.dryRun() && f.Changed:
				s.printDiff(f.Diff)
			case f.Changed && !s.global.quiet:
				s.print(words[0] + ": " + a.Title + " " + f.What + ", " + inert(f.Path) + "\n")
			case f.State == string(agents.Theirs) && len(f.Left) == 0:
				s.note("foreign-entry", named(f.Path, "has an entry for memctl that memctl did not write; it stays unchanged"))
			}
		}
		if a.Remark != "" && !s.dryRun() {
			s.note("agent-remark", a.Remark)
		}
	}
	if !any && out.ErrorCount == 0 {
		s.note("nothing-to-do", "nothing to do: memctl "+words[1])
	}
	return nil
}
