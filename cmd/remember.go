package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memory/acts/edit"
)

// bindEntry adds the flags of every command that keeps an entry.
func bindEntry(c *cobra.Command, req *edit.Request) {
	bindLabels(c, req)
	f := c.Flags()
	f.StringArrayVar(&req.Topics, "topic", nil, "add `TOPIC` (may be repeated)")
	f.StringVar(&req.Session, "session", "", "store the `ID` of the session that it comes from")
	f.StringVar(&req.Conversation, "conversation", "", "assign it to the conversation `NAME`")
}

func newRemember(a *app) *cobra.Command {
	req, from := &edit.Request{}, ""
	c := &cobra.Command{
		Use:   "remember TEXT",
		Short: "Remember a fact",
		Long: `Remember stores TEXT as a fact, in its own Markdown file under memories/. Agents
get a fact when it is relevant. They get an item ("memctl add") in every session. TEXT can
begin with a category in brackets:
  ` + strings.Join(entry.Categories()[:6], ", ") + `,
  ` + strings.Join(entry.Categories()[6:], ", ") + `

If memctl knows the fact already, it counts the repetition and stores nothing new. If a
similar fact exists, memctl names it; --replace ID replaces that fact. If TEXT is -, it is
read from stdin.
`,
		Example: `  memctl remember "[gotcha] the tests need Docker running"
  memctl remember "retries live in client.go" --anchor client.go#L10-L24 --tag http
  memctl remember --replace 1f0c4a2b "the tests need Podman running"
  memctl remember --from 3f9a1c2e77d0`,
		Args: func(c *cobra.Command, args []string) error {
			if from == "" || len(args) > 0 {
				if err := oneText(c, args); err != nil {
					return err
				}
			}
			return checkAsk(c, req)
		},
		RunE: a.runner(needWrite, func(s *session, args []string) error {
			text := strings.Join(args, "")
			if from != "" {
				if err := s.fromHistory(req, from, &text); err != nil {
					return err
				}
			}
			return runEntry(s, req, entry.RoleFact, text)
		}),
	}
	bindEntry(c, req)
	bindLasting(c, req)
	f := c.Flags()
	f.StringVarP(&req.Category, "category", "c", "", "set the `CATEGORY`, if the text does not begin with one")
	f.StringArrayVar(&req.Anchors, "anchor", nil, "link it to `PATH` or PATH#L1-L9, so that verify can check it (may be repeated)")
	f.BoolVar(&req.Pinned, "pin", false, "show it before others")
	f.BoolVar(&req.Ask, "ask", false, "make the agent ask you before it runs a command that --command matches; --ask=false stops that")
	f.Float64Var(&req.Weight, "weight", 0, "multiply its score in recall by `NUMBER` (0 counts as 1)")
	f.StringVar(&req.Replace, "replace", "", "replace the fact with this `ID`")
	f.StringVar(&from, "from", "", "store the hit that has this `ID` in recall --history")
	offer(c, "category", entry.Categories()...)
	return c
}

func newNote(a *app) *cobra.Command {
	req := &edit.Request{}
	c := &cobra.Command{
		Use:   "note TEXT",
		Short: "Write a note into the journal of today",
		Long: `Note stores TEXT under today's date: what was done, tried or decided. If TEXT is -, it
is read from stdin.`,
		Example: `  memctl note "moved the parser to its own package; benchmarks unchanged"
  git log -1 --format=%s | memctl note - --topic parser`,
		Args: oneText,
		RunE: a.runner(needWrite, func(s *session, args []string) error { return runEntry(s, req, entry.RoleNote, args[0]) }),
	}
	bindEntry(c, req)
	return c
}

// oneText checks that there is one text, and says how several words are given.
func oneText(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage(args[1], "one argument too many: quote a text of several words", c.CommandPath()+" "+shell.Quote(strings.Join(args, " ")))
	}
	return argumentCount(1, 1)(c, args)
}

func runEntry(s *session, req *edit.Request, role, text string) (err error) {
	if text == "-" {
		if text, err = s.readAll(); err != nil {
			return err
		}
	}
	req.Role, req.Text = role, text
	return s.keep(*req)
}
