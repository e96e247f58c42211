package cmd

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
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
			var failed error
			walk(s.root(commands()), func(c *cobra.Command) {
				if !c.Hidden && c.Name() != "help" {
					failed = errors.Join(failed, os.WriteFile(filepath.Join(args[0], pageName(c)+".1"), []byte(manPage(c)), 0o644))
				}
			})
			return failed
		}),
	}
}

// pageName is the name of a command's page.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manWidth is the width of the lines in a manual page.
const manWidth = 80

// manPage is one page in man's own macros, with the sections of help. It bears no date, so that the same
// version gives the same bytes.
func manPage(c *cobra.Command) string {
	var b strings.Builder
	page := pageName(c)
	b.WriteString(`.TH "` + strings.ReplaceAll(roff(strings.ToUpper(page)), `"`, `\(dq`) + `" 1 "" memctl "memctl manual"` + "\n")
	b.WriteString(".SH NAME\n" + roff(page) + ` \- ` + roff(c.Short) + "\n")
	list := sections(c, special, manWidth, false)
	if !c.HasParent() {
		list = append(list, section{"Environment", topic("environment")})
	}
	for _, part := range list {
		b.WriteString(".SH " + strings.ToUpper(cmp.Or(part.title, "Description")) + "\n.nf\n" + roff(part.text) + "\n.fi\n")
	}
	return b.String()
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
