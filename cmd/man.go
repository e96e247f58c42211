package cmd

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan writes the manual pages. cobra's own generator links a Markdown and a
// YAML library; a page is a hundred lines of text.
func newMan(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages into a folder",
		Long:    `Man writes a manual page for memctl and one for each command into DIR.`,
		Example: `  memctl man /usr/local/share/man/man1`,
		RunE: a.run(needNothing, func(s *session, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			return writeMan(s.root(commands()), args[0])
		}),
	}
}

// writeMan writes the page of c and of every command below it.
func writeMan(c *cobra.Command, dir string) error {
	if c.Hidden || c.Name() == "help" {
		return nil
	}
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(manPage(c)), 0o644); err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if err := writeMan(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

// manPage is one page in man's own macros. It bears no date, so that the same
// version gives the same bytes.
func manPage(c *cobra.Command) string {
	var b strings.Builder
	page := strings.ReplaceAll(c.CommandPath(), " ", "-")
	b.WriteString(".TH " + roffArg(strings.ToUpper(page)) + ` 1 "" memctl "memctl manual"` + "\n")
	b.WriteString(".SH NAME\n" + roff(page) + ` \- ` + roff(c.Short) + "\n")
	b.WriteString(".SH SYNOPSIS\n.B " + roff(c.UseLine()) + "\n")
	long := c.Long
	if long == "" {
		long = c.Short
	}
	b.WriteString(".SH DESCRIPTION\n" + roff(long) + "\n")
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				b.WriteString(".TP\n.B " + roff(sub.Name()) + "\n" + roff(sub.Short) + "\n")
			}
		}
	}
	manFlags(&b, "OPTIONS", c.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF EVERY COMMAND", c.InheritedFlags())
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n.nf\n" + roff(strings.Trim(c.Example, "\n")) + "\n.fi\n")
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, s := range Statuses() {
		b.WriteString(".TP\n.B " + strconv.Itoa(s.Number) + "\n" + roff(s.Meaning) + "\n")
	}
	if !c.HasParent() {
		b.WriteString(".SH ENVIRONMENT\n")
		for _, v := range environment() {
			b.WriteString(".TP\n.B " + roff(v[0]) + "\n" + roff(v[1]) + "\n")
		}
	}
	return b.String()
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			name += " " + value
		}
		b.WriteString(".TP\n.B " + roff(name) + "\n" + roff(usage) + "\n")
	})
}

// roff escapes text so that nothing in it is a request or an escape.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// roffArg is one argument of a request.
func roffArg(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }
