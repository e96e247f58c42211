package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
)

// entryOptions are the flags of every command that keeps an entry.
type entryOptions struct {
	labels.Labels
	noAsk        bool
	repeated     bool
	topics       []string
	session      string
	conversation string
	category     string
	anchors      []string
	weight       float64
	replace      string
	from         string
}

func (o *entryOptions) bind(c *cobra.Command) {
	bindWrite(c)
	f := c.Flags()
	f.Bool(flagAuto, false, "mark the write as automatic: no person asked for it")
	f.StringArrayVarP(&o.Tags, "tag", "t", nil, "add `TAG`, or several separated by commas (may be repeated)")
	f.StringArrayVar(&o.topics, "topic", nil, "add `TOPIC` (may be repeated)")
	f.StringVar(&o.session, "session", "", "store the `ID` of the session that it comes from")
	f.StringVar(&o.conversation, "conversation", "", "assign it to the conversation `NAME`")
	f.StringVar(&o.Source, "source", "", "store `TEXT` as the source")
}

// request is what the flags say, for one text.
func (o *entryOptions) request(s *session, role, text string) (edit.Request, error) {
	if o.repeated && !s.Automatic() {
		return edit.Request{}, usage("--repeated", "only an automatic write has signals")
	}
	if err := s.checkDay(o.Expires); err != nil {
		return edit.Request{}, err
	}
	if text == "-" {
		var err error
		if text, err = s.readAll(); err != nil {
			return edit.Request{}, err
		}
	}
	o.Tags = splitTags(o.Tags)
	return edit.Request{
		Options: s.Options, Text: text, Role: role, Category: o.category, Labels: o.Labels, Topics: splitTags(o.topics),
		Session: o.session, Conversation: o.conversation, Anchors: o.anchors, Weight: o.weight, Replace: o.replace, Repeated: o.repeated, NoAsk: o.noAsk,
	}, nil
}

func newRemember(a *app) *cobra.Command {
	o := &entryOptions{}
	c := &cobra.Command{
		Use:   "remember TEXT",
		Short: "Remember a fact",
		Long: `Remember stores TEXT as a fact, in its own Markdown file under memories/. Facts are found
by recall; an item ("memctl add") is in every session instead. TEXT can begin with a
category in brackets:
  ` + strings.Join(entry.Categories()[:6], ", ") + `,
  ` + strings.Join(entry.Categories()[6:], ", ") + `

A fact that is known already is counted again, not stored twice. If a similar fact
exists, memctl names it; --replace ID replaces it. TEXT - reads from stdin.

With --from ID, remember keeps the text of a hit of memctl recall --history, or TEXT instead
of it. The source of the fact names the agent and the day.`,
		Example: `  memctl remember "[gotcha] the tests need Docker running"
  memctl remember "retries live in client.go" --anchor client.go#L10-L24 --tag http
  memctl remember --replace 1f0c4a2b "the tests need Podman running"
  memctl remember --from 3f9a1c2e77d0`,
		Args: func(c *cobra.Command, args []string) error {
			if o.from == "" || len(args) > 0 {
				if err := oneText(c, args); err != nil {
					return err
				}
			}
			return checkAsk(c, o.Labels, &o.noAsk)
		},
		RunE: a.run(needWrite, func(s *session, args []string) error {
			text := strings.Join(args, "")
			if o.from != "" {
				if err := s.fromHistory(o, &text); err != nil {
					return err
				}
			}
			return runEntry(s, o, entry.RoleFact, text)
		}),
	}
	o.bind(c)
	f := c.Flags()
	f.BoolVar(&o.repeated, "repeated", false, "count this automatic write as a repeat of an earlier proposal")
	f.StringVarP(&o.category, "category", "c", "", "set the `CATEGORY`, if the text does not begin with one")
	f.StringVar(&o.Confidence, "confidence", "", "set the confidence to `LEVEL` (low, medium or high); it cannot exceed what the writer is allowed")
	f.StringArrayVar(&o.anchors, "anchor", nil, "link it to `PATH` or PATH#L1-L9, so that verify can check it (may be repeated)")
	f.StringVar(&o.Expires, "expires", "", "let it expire on `DAY`, as in 2027-01-31")
	f.BoolVar(&o.Pinned, "pin", false, "show it before others")
	bindCommands(c, &o.Labels)
	f.BoolVar(&o.Ask, "ask", false, "make the agent ask you before it runs a command that --command matches; --ask=false stops that")
	f.Float64Var(&o.weight, "weight", 0, "multiply its rank in recall by `NUMBER` (0 counts as 1)")
	f.StringVar(&o.replace, "replace", "", "replace the fact with this `ID`")
	f.StringVar(&o.from, "from", "", "keep the text of the hit of recall --history with this `ID`")
	offer(c, "category", entry.Categories()...)
	allow(c, "confidence", memfile.Low, memfile.Medium, memfile.High)
	return c
}

func newNote(a *app) *cobra.Command {
	o := &entryOptions{}
	c := &cobra.Command{
		Use:   "note TEXT",
		Short: "Write a note into the journal of today",
		Long: `Note stores TEXT under today's date: what was done, tried or decided. TEXT - reads from
stdin.`,
		Example: `  memctl note "moved the parser to its own package; benchmarks unchanged"
  git log -1 --format=%s | memctl note - --topic parser`,
		Args: oneText,
		RunE: a.run(needWrite, func(s *session, args []string) error { return runEntry(s, o, entry.RoleNote, args[0]) }),
	}
	o.bind(c)
	return c
}

// oneText checks that there is one text, and says how several words are given.
func oneText(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage(args[1], "one argument too many: quote a text of several words", c.CommandPath()+" "+shell.Quote(strings.Join(args, " ")))
	}
	return takes(1, 1)(c, args)
}

func runEntry(s *session, o *entryOptions, role, text string) error {
	req, err := o.request(s, role, text)
	if err != nil {
		return err
	}
	if !s.confirmTemporary(req.Temporary(), &req.Lasts) {
		return nil
	}
	s.commitPending()
	return s.offerMemoryFile(&req.Options, func() (memory.Write, error) { return edit.Add(s.ctx, s.stores, req) })
}
