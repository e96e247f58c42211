package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
)

// entryOptions are the flags of every command that keeps an entry.
type entryOptions struct {
	write        writeOptions
	auto         bool
	repeated     bool
	tags, topics []string
	session      string
	conversation string
	source       string
	category     string
	confidence   string
	anchors      []string
	expires      string
	pin          bool
	weight       float64
	replace      string
}

func (o *entryOptions) bind(c *cobra.Command) {
	o.write.bind(c)
	f := c.Flags()
	f.BoolVar(&o.auto, "auto", false, "nobody asked for it: the write is automatic")
	f.StringArrayVarP(&o.tags, "tag", "t", nil, "a `TAG`, or several with commas (may be repeated)")
	f.StringArrayVar(&o.topics, "topic", nil, "a `TOPIC` that it belongs to (may be repeated)")
	f.StringVar(&o.session, "session", "", "the `ID` of the session that it comes from")
	f.StringVar(&o.conversation, "conversation", "", "the `NAME` of the conversation that it belongs to")
	f.StringVar(&o.source, "source", "", "`TEXT`: where it comes from, in a few words")
}

// request is what the flags say, for one text.
func (o *entryOptions) request(s *session, role, text string) (edit.RememberRequest, error) {
	options, err := o.write.options(s.app, o.auto)
	if err != nil {
		return edit.RememberRequest{}, err
	}
	if o.repeated && options.Origin.Kind != memory.Automatic {
		return edit.RememberRequest{}, usage("--repeated", "only an automatic write has signals")
	}
	if err := s.checkDay(o.expires); err != nil {
		return edit.RememberRequest{}, err
	}
	if text == "-" {
		if text, err = s.readAll(); err != nil {
			return edit.RememberRequest{}, err
		}
	}
	return edit.RememberRequest{
		Options: options, Text: text, Role: role, Category: o.category, Tags: splitTags(o.tags), Topics: splitTags(o.topics),
		Session: o.session, Conversation: o.conversation, Anchors: o.anchors, Expires: o.expires, Pin: o.pin, Weight: o.weight,
		Confidence: o.confidence, Source: o.source, Replace: o.replace, Repeated: o.repeated,
	}, nil
}

func newRemember(a *app) *cobra.Command {
	o := &entryOptions{}
	c := &cobra.Command{
		Use:   "remember TEXT",
		Short: "Remember a fact: what has no place in the profile and must be found again",
		Long: `Remember keeps TEXT as a fact, in a Markdown file of its own under memories/.
A category may stand before it in brackets:
` + strings.Join(entry.Categories()[:6], ", ") + `,
` + strings.Join(entry.Categories()[6:], ", ") + `.
TEXT - reads it from stdin. The same fact again is counted, not added; one that is
nearly the same is named, and --replace lets the new one take its place.`,
		Example: `  memctl remember "[gotcha] the tests need Docker running"
  memctl remember "retries live in client.go" --anchor client.go#L10-L24 --tag http
  memctl remember --replace 1f0c4a2b "the tests need Podman running"`,
		Args: func(c *cobra.Command, args []string) error {
			if err := oneText(c, args); err != nil {
				return err
			}
			return oneOf("--confidence", o.confidence, memfile.Low, memfile.Medium, memfile.High)
		},
		RunE:              a.run(needWrite, func(s *session, args []string) error { return runEntry(s, o, entry.RoleFact, args[0]) }),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.bind(c)
	f := c.Flags()
	f.BoolVar(&o.repeated, "repeated", false, "an automatic write whose signal was seen before")
	f.StringVarP(&o.category, "category", "c", "", "the `CATEGORY`, where the text does not begin with it")
	f.StringVar(&o.confidence, "confidence", "", "low, medium or high: a `LEVEL` below what the origin gives")
	f.StringArrayVar(&o.anchors, "anchor", nil, "a `PATH` or PATH#L1-L9 that it is about (may be repeated)")
	f.StringVar(&o.expires, "expires", "", "the `DAY` from which it no longer counts, as 2027-01-31")
	f.BoolVar(&o.pin, "pin", false, "put it before others")
	f.Float64Var(&o.weight, "weight", 0, "a `NUMBER` that recall multiplies its rank by (0: 1)")
	f.StringVar(&o.replace, "replace", "", "the `ID` of the fact that it takes the place of")
	_ = c.RegisterFlagCompletionFunc("category", cobra.FixedCompletions(entry.Categories(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("confidence", cobra.FixedCompletions([]string{memfile.Low, memfile.Medium, memfile.High}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func newNote(a *app) *cobra.Command {
	o := &entryOptions{}
	c := &cobra.Command{
		Use:   "note TEXT",
		Short: "Write a note into today's journal",
		Long: `Note keeps TEXT under today's day: what was done, tried or decided. TEXT - reads it
from stdin.`,
		Example: `  memctl note "moved the parser to its own package; benchmarks unchanged"
  git log -1 --format=%s | memctl note - --topic parser`,
		Args:              oneText,
		RunE:              a.run(needWrite, func(s *session, args []string) error { return runEntry(s, o, entry.RoleNote, args[0]) }),
		ValidArgsFunction: cobra.NoFileCompletions,
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
	if !s.keepsTemporary(req.Temporary(), req.DryRun, &req.Lasts) {
		return nil
	}
	s.bringIn(req.Options)
	return s.housed(&req.Options, func() (memory.Write, error) { return edit.Remember(s.ctx, s.stores, req) })
}
