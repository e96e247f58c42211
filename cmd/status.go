package cmd

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/term"
)

func newStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what is remembered, what waits and what works",
		Long: `Status shows in about ten lines what is remembered in each scope, what waits for you,
what the next session receives and what it does not, and whether hooks, MCP, merging and
sync work. A line about a problem is followed by the command that solves it. Status
changes nothing and uses no network. "memctl doctor" checks more.`,
		Example: `  memctl status
  memctl status --json`,
		RunE: a.runner(needStores, func(s *session, _ []string) error { return runStatus(s) }),
	}
}

func runStatus(s *session) error {
	c := s.runChecks(s.ctx, true, false)
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return present(s, doctorReport(c.found), nil, func(out doctorJSON) error { return s.print(statusText(out.Findings, s.streams.OutColour)) })
}

// statusText is a line for each topic, with the command that solves a problem below it. Where something is wrong with a topic,
// only that is said of it, in a line for each command.
func statusText(found []fault.Finding, colour bool) string {
	styles := severityStyles()
	styles[fault.SeverityOK] = ""
	isWrong := func(f fault.Finding) bool {
		return f.Severity == fault.SeverityWarning || f.Severity == fault.SeverityError
	}
	t := term.Table{}
	for len(found) > 0 {
		topic := found[0].Topic
		end := slices.IndexFunc(found, func(f fault.Finding) bool { return f.Topic != topic })
		if end < 0 {
			end = len(found)
		}
		lines := found[:end:end]
		if found = found[end:]; slices.ContainsFunc(lines, isWrong) {
			lines = slices.DeleteFunc(slices.Clone(lines), func(f fault.Finding) bool { return !isWrong(f) })
		}
		for i := 0; i < len(lines); {
			first := lines[i]
			var texts []string
			for ; i < len(lines) && lines[i].Hint == first.Hint; i++ {
				if !slices.Contains(texts, lines[i].Message) {
					texts = append(texts, lines[i].Message)
				}
			}
			t.AddCells(term.Cell{Text: topic, Style: term.Strong}, term.Cell{Text: inert(strings.Join(texts, "; ")), Style: styles[first.Severity]})
			if topic = ""; first.Hint != "" {
				t.AddCells(term.Cell{}, term.Cell{Text: "  " + inert(first.Hint), Style: term.Faint})
			}
		}
	}
	return t.Text(colour)
}
