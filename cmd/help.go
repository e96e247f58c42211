package cmd

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memctl/memctl/internal/term"
)

// newHelp is `help`: cobra's own prints an unknown topic and exits with 0.
func newHelp(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Show the everyday commands, or explain one command or topic",
		Long: `Help without an argument lists the everyday commands. The topics are:
  all          every command
  exit         the exit statuses
  environment  the environment variables that memctl reads`,
		Example: `  memctl help
  memctl help all
  memctl help add`,
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			if len(args) == 1 && args[0] == topicAll {
				return a.print(a.helpPage(root, special))
			}
			if len(args) == 1 {
				if text := topic(args[0]); text != "" {
					return a.print(text)
				}
			}
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usage(strings.Join(args, " "), "no such command or topic", helpHints(args)...)
			}
			found.InitDefaultHelpFlag()
			a.help(found, nil)
			return nil
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return append([]string{topicAll, "exit", "environment"}, commandNames()...), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// topicAll is the topic that lists every command.
const topicAll = "all"

// helpHints are the pages that a mistyped command may mean, else the list of all commands.
func helpHints(args []string) []string {
	words := commandsMeant(args[0], commandNames())
	for i := range words {
		words[i], _, _ = strings.Cut(words[i], " ")
	}
	if len(args) == 1 && len(words) > 0 {
		return prefixed("memctl help ", words)
	}
	return []string{"memctl help all"}
}

// topic is the text of a help page that belongs to no command.
func topic(name string) string {
	var b strings.Builder
	switch name {
	case "exit":
		b.WriteString("Every command exits with one of these:\n\n")
		b.WriteString(statusLines() + "\n")
	case "environment":
		b.WriteString("memctl reads these variables. Each setting has one too: see `memctl config --all --json`.\n\n")
		for _, v := range environment() {
			b.WriteString("  " + v[0] + "\n      " + v[1] + "\n")
		}
	}
	return b.String()
}

// environment lists the variables that the command line itself reads.
func environment() [][2]string {
	return [][2]string{
		{envStore, "the only store to use, like --store"},
		{envOrigin, "the origin of a write: explicit, relayed or automatic; if unset, memctl detects it"},
		{envNow, "the current time, in RFC 3339, for reproducible output"},
		{envMCPToken, "the bearer token of `memctl mcp --http`; if unset, memctl prints a new one"},
		{"XDG_DATA_HOME", "the folder that contains memctl's data folder"},
		{"CLAUDECODE, CODEX_SANDBOX, CODEX_THREAD_ID, GEMINI_CLI, CURSOR_AGENT, OPENCODE,\n  COPILOT_CLI, AGENT",
			"agents set one of these for the commands that they run; memctl then treats writes as theirs"},
		{"NO_COLOR", "if set, memctl prints no colours"},
	}
}

// help prints a command's page; the root's is the list of everyday commands.
func (a *app) help(c *cobra.Command, _ []string) { _ = a.print(a.helpPage(c, everyday)) }

// section is a part of a command's page.
type section struct{ title, text string }

// helpPage is a command's page for a terminal; at the root, level says which commands it lists. It is
// written here and not as cobra's template, which would link text/template and reflection
// into every start.
func (a *app) helpPage(c *cobra.Command, level helpLevel) string {
	var b strings.Builder
	for _, part := range sections(c, level, a.streams.Width(), a.streams.OutColour) {
		if part.title != "" {
			b.WriteString("\n" + term.Strong.Paint(a.streams.OutColour, part.title) + "\n")
		}
		b.WriteString(part.text + "\n")
	}
	switch {
	case c.HasParent():
		return b.String()
	case level == everyday:
		return b.String() + "\n`memctl help all` lists every command, and `memctl help COMMAND` explains one.\n"
	}
	return b.String() + "\n`memctl help COMMAND` explains a command, `memctl help environment` the variables.\n"
}

// sections are the parts of a command's page, for help and the manual. The first one is the description, without a title.
func sections(c *cobra.Command, level helpLevel, width int, colour bool) []section {
	usage := c.UseLine()
	if c.HasAvailableSubCommands() {
		usage = c.CommandPath() + " COMMAND [flags]"
	}
	list := []section{{"", strings.TrimSpace(cmp.Or(c.Long, c.Short))}, {"Usage", "  " + usage}}
	if c.HasParent() && c.HasAvailableSubCommands() {
		list = append(list, section{"Commands", subcommands(c)})
	} else if !c.HasParent() {
		list[1].text += "\n" + commandsByGroup(c, level, colour)
	}
	if c.Example != "" {
		list = append(list, section{"Examples", strings.Trim(c.Example, "\n")})
	}
	if !c.HasParent() && level == everyday {
		return list
	}
	flags := func(title string, flags *pflag.FlagSet) {
		if flags.HasAvailableFlags() {
			list = append(list, section{title, strings.TrimRight(flags.FlagUsagesWrapped(width), "\n")})
		}
	}
	if c.HasParent() {
		flags("Flags", c.LocalFlags())
		flags("Flags of every command", c.InheritedFlags())
	} else {
		flags("Flags of every command", c.LocalFlags())
	}
	return append(list, section{"Exit status", statusLines()})
}

// statusLines is a line for each exit status.
func statusLines() string {
	var lines []string
	for _, s := range Statuses() {
		lines = append(lines, "  "+strconv.Itoa(s.Number)+"  "+s.Meaning)
	}
	return strings.Join(lines, "\n")
}

// subcommands lists the commands under c.
func subcommands(c *cobra.Command) string {
	t := term.Table{Indent: "  "}
	for _, sub := range c.Commands() {
		t.AddRow(sub.Name(), sub.Short)
	}
	return strings.TrimRight(t.Text(false), "\n")
}

// commandsByGroup lists the commands of a level under the root.
func commandsByGroup(root *cobra.Command, level helpLevel, colour bool) string {
	shorts := map[string]string{}
	for _, sub := range root.Commands() {
		shorts[sub.Name()] = sub.Short
	}
	group := ""
	t := term.Table{}
	for _, e := range commands() {
		if shorts[e.name] == "" || level == everyday && e.shown != everyday {
			continue
		}
		if e.group != group {
			group = e.group
			t.AddCells(term.Cell{})
			t.AddCells(term.Cell{Text: group, Style: term.Strong})
		}
		t.AddRow("  "+e.name, shorts[e.name])
	}
	return strings.TrimRight(t.Text(colour), "\n")
}
