package cmd

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/view"
)

type listOptions struct {
	req           view.ItemsRequest // Glob is a fact's category or a note's days if tier says so
	tier          string
	topics, files bool
}

func newList(a *app) *cobra.Command {
	o := &listOptions{}
	c := &cobra.Command{
		Use:   "list [AREA|GLOB|CATEGORY|DAY]",
		Short: "List all items, facts, notes of a day, topics or files",
		Long: `List prints the scope, the key and the value of every item, one line each. An AREA (the
beginning of a key) or a GLOB selects items. For a value of several lines, list prints the
first line and the number of the others; "memctl show KEY" prints them all.

With --tier fact it lists what "memctl remember" stored, or the facts of one CATEGORY: the
beginning of the id, the standing, scope, category and text. The standing is 1+ln(1+uses),
and halves with every 30 days without use. It only sorts the list.

With --tier note it lists what "memctl note" stored on a DAY: today (the default),
yesterday, a date, or week for the seven days that end today. If memctl.capture is on,
memctl also writes a note of each day from the transcripts of this worktree: files that
agents wrote, the most frequent commands, commits, and errors with the command that fixed
them. This note stays on this machine, is not in git, and is deleted after 90 days.

With --topics it lists the topics of facts and notes, or the tags of those without a topic,
with the number of entries, the last date and the newest facts. With --files it lists the
memory files, and the files of facts, notes and summaries.`,
		Example: `  memctl list
  memctl list testing
  memctl list '*.tone'
  memctl list --scope user --tag style
  memctl list --by automatic --confidence low
  memctl list --tier fact gotcha
  memctl list --tier note 2026-11-21
  memctl list --files`,
		Args: takes(0, 1),
		RunE: a.run(needStores, func(s *session, args []string) error {
			o.req.Glob = strings.Join(args, "")
			return runList(s, o)
		}),
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			switch o.tier {
			case entry.Fact:
				return entry.Categories(), cobra.ShellCompDirectiveNoFileComp
			case entry.Note:
				return []string{"today", "yesterday", "week"}, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completeOneKey(c, args, typed)
		},
	}
	bindScope(c, &o.req.Scope)
	f := c.Flags()
	f.StringVarP(&o.req.Tag, "tag", "t", "", "list only items or facts with `TAG`")
	f.StringVar(&o.req.Confidence, "confidence", "", "list only items of confidence `LEVEL`: low, medium or high")
	f.StringVar(&o.req.By, "by", "", "list only items set by `WHOM`: person, relayed or automatic")
	f.StringVar(&o.tier, "tier", "", "list `TIER` instead: fact or note")
	f.BoolVar(&o.topics, "topics", false, "list the topics of facts and notes instead")
	f.BoolVar(&o.files, "files", false, "list the files of memory instead")
	offer(c, "confidence", memfile.Low, memfile.Medium, memfile.High)
	offer(c, "by", view.ByPerson, memfile.ByRelayed, memfile.ByAutomatic)
	offer(c, "tier", entry.Fact, entry.Note)
	c.MarkFlagsMutuallyExclusive("tier", "topics", "files", "confidence")
	c.MarkFlagsMutuallyExclusive("tier", "topics", "files", "by")
	c.MarkFlagsMutuallyExclusive("topics", "files", "tag")
	return c
}

func runList(s *session, o *listOptions) error {
	if err := errors.Join(checkScope(o.req.Scope), oneOf("--confidence", o.req.Confidence, memfile.Low, memfile.Medium, memfile.High),
		oneOf("--by", o.req.By, view.ByPerson, memfile.ByRelayed, memfile.ByAutomatic), oneOf("--tier", o.tier, entry.Fact, entry.Note)); err != nil {
		return err
	}
	switch {
	case (o.files || o.topics) && o.req.Glob != "":
		return usage(o.req.Glob, "--files and --topics take no argument")
	case o.tier == entry.Note && o.req.Tag != "":
		return usage("--tag", "selects items and facts, not notes", "memctl list --tier fact --tag "+shell.Quote(o.req.Tag))
	case o.files:
		return s.listFiles(o.req.Scope)
	case o.topics:
		return runTopics(s, o.req.Scope)
	case o.tier == entry.Note:
		return runNotes(s, o.req.Scope, o.req.Glob)
	case o.tier == entry.Fact:
		return runFacts(s, view.FactsRequest{Scope: o.req.Scope, Category: o.req.Glob, Tag: o.req.Tag})
	}
	result, err := view.Items(s.ctx, s.stores, o.req)
	if err = errors.Join(err, s.hideFromAgent(result.ForAgent)); err != nil {
		return err
	}
	if s.global.json {
		return s.printJSON(result)
	}
	if len(result.Items) == 0 {
		s.talk("note: no item matches")
		s.hint("memctl show")
	}
	t := term.Table{Max: keyColumn}
	for _, it := range result.Items {
		value := firstLine(plainLines(it.Value))
		if len(it.Withheld) > 0 {
			value = strings.TrimSpace(value + " [withheld: " + strings.Join(it.Withheld, ", ") + "]")
		}
		t.Cells(term.Cell{Text: it.Scope, Style: term.Faint}, term.Cell{Text: inert(it.Key), Style: term.Strong}, term.Cell{Text: value})
	}
	var b strings.Builder
	_ = t.Write(&b, s.streams.OutColour)
	return s.printLong(b.String())
}

// listFiles lists the files of memory.
func (s *session) listFiles(scope string) error {
	result, err := view.ListFiles(s.ctx, s.stores, scope)
	if err != nil {
		return err
	}
	if s.global.json {
		return s.printJSON(result)
	}
	var t term.Table
	for _, f := range result.Files {
		t.Cells(term.Cell{Text: f.Scope, Style: term.Faint}, term.Cell{Text: f.Tier}, term.Cell{Text: inert(f.Path)})
	}
	var b strings.Builder
	_ = t.Write(&b, s.streams.OutColour)
	return s.printLong(b.String())
}
