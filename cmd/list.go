package cmd

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/view"
)

type listOptions struct {
	req   view.ItemsRequest
	files bool
}

func newList(a *app) *cobra.Command {
	o := &listOptions{}
	c := &cobra.Command{
		Use:   "list [AREA|GLOB]",
		Short: "List all items with their scopes, one line each",
		Long: `List prints the scope, the key and the value of every item, one line each. An AREA (the
beginning of a key) or a GLOB selects items. For a value of several lines, list prints the
first line and the number of the others; "memctl show KEY" prints them all. With --files it
lists every file of memory instead: the memory files, and the files of facts, notes and
summaries.`,
		Example: `  memctl list
  memctl list testing
  memctl list '*.tone'
  memctl list --scope user --tag style
  memctl list --by automatic --confidence low
  memctl list --files`,
		Args: takes(0, 1),
		RunE: a.run(needStores, func(s *session, args []string) error {
			o.req.Glob = strings.Join(args, "")
			return runList(s, o)
		}),
		ValidArgsFunction: a.completeOneKey,
	}
	bindScope(c, &o.req.Scope)
	f := c.Flags()
	f.StringVarP(&o.req.Tag, "tag", "t", "", "list only items with `TAG`")
	f.StringVar(&o.req.Confidence, "confidence", "", "list only items of confidence `LEVEL`: low, medium or high")
	f.StringVar(&o.req.By, "by", "", "list only items set by `WHOM`: person, relayed or automatic")
	f.BoolVar(&o.files, "files", false, "list the files of memory instead")
	levels := []string{memfile.Low, memfile.Medium, memfile.High}
	_ = c.RegisterFlagCompletionFunc("confidence", cobra.FixedCompletions(levels, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions([]string{view.ByPerson, memfile.ByRelayed, memfile.ByAutomatic}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func runList(s *session, o *listOptions) error {
	if err := errors.Join(checkScope(o.req.Scope), oneOf("--confidence", o.req.Confidence, memfile.Low, memfile.Medium, memfile.High),
		oneOf("--by", o.req.By, view.ByPerson, memfile.ByRelayed, memfile.ByAutomatic)); err != nil {
		return err
	}
	if o.files {
		return s.listFiles(o.req.Scope)
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
