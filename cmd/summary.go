package cmd

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/extraction"
	"github.com/memctl/memctl/memory/reading/view"
)

func newSummary(a *app) *cobra.Command {
	req, update := &edit.Request{}, false
	c := &cobra.Command{
		Use:   "summary [TEXT]",
		Short: "Show or write the summary of a conversation",
		Long: `Summary shows the summaries of conversations. With TEXT it writes the summary of the
conversation that --conversation names (by default "project"), and replaces the previous
one. If TEXT is -, it is read from stdin. A single word is refused, because it is probably
the name of a conversation.

With --update, a configured model writes the summary from the previous one and the newer
facts of the conversation. Without a model, memctl writes it by rules.`,
		Example: `  memctl summary
  memctl summary --update --conversation parser
  memctl summary "the parser is done, the printer is next" --conversation parser`,
		RunE: func(c *cobra.Command, args []string) error {
			if update {
				if len(args) > 0 {
					return usage("--update", "goes without TEXT", "memctl summary --update")
				}
				return a.runner(needWrite, func(s *session, _ []string) error { return s.updateSummary(req.Conversation) })(c, args)
			}
			if len(args) == 1 {
				if words := strings.Fields(args[0]); req.Conversation == "" && args[0] != "-" && len(words) == 1 { // written, it would replace the summary that is meant
					name := shell.Quote(words[0])
					return usage(words[0], "a single word looks like the name of a conversation, not like a summary", "memctl summary --conversation "+name, "echo "+name+" | memctl summary -")
				}
				return a.runner(needWrite, func(s *session, args []string) error { return runEntry(s, req, entry.RoleSummary, args[0]) })(c, args)
			}
			return a.runner(needStores, func(s *session, _ []string) error { return runSummary(s, req.Conversation) })(c, args)
		},
	}
	bindEntry(c, req)
	c.Flags().BoolVar(&update, "update", false, "write the summary from the conversation's newer facts")
	return c
}

func runSummary(s *session, conversation string) error {
	list, err := s.records(view.Query{Scope: s.Scope, Tier: entry.Summary, Conversation: conversation})
	if err != nil {
		return err
	}
	if s.global.json {
		return s.printRecords("summaries", list)
	}
	if len(list) == 0 {
		of := ""
		if conversation != "" {
			of = " of conversation " + inert(redact(conversation))
		}
		s.note("no-summary", "there is no summary"+of+" yet")
	}
	var b strings.Builder
	for _, v := range list {
		head := inert(v.Conversation) + " (" + v.Scope + ")"
		if month := inert(v.Month); month != "" {
			head = inert(v.Conversation) + ", notes of " + month + " (" + v.Scope + ")"
		}
		if v.Stale {
			head += " " + term.Warning.Paint(s.streams.OutColour, "(lost lines since it was written)")
		}
		if v.Hidden() {
			head += " " + term.Warning.Paint(s.streams.OutColour, v.Mark())
		}
		b.WriteString(term.Strong.Paint(s.streams.OutColour, head) + "\n")
		for _, line := range strings.Split(v.Text, "\n") {
			b.WriteString("  " + inert(line) + "\n")
		}
	}
	return s.print(b.String())
}

// updateSummary writes a conversation's summary from its facts.
func (s *session) updateSummary(conversation string) error {
	s.commitPending()
	conversation = cmp.Or(conversation, memory.OwnConversation(s.Scope))
	w, byModel, failed := extraction.UpdateSummary(s.ctx, s.stores, s.Options, conversation)
	if w.Act == "" {
		return failed
	}
	switch {
	case failed != nil && w.Changed:
		s.noteWithoutModel("written by rule", failed)
	case failed != nil:
		return failed
	case w.Changed && !byModel:
		s.noteWithoutModel("written by rule", nil)
	case !w.Changed && w.Saved == "" && len(w.Findings) == 0:
		s.note("summary-current", "no fact of conversation "+inert(redact(conversation))+" is newer than its summary")
	}
	return s.finish([]memory.Write{w}, nil)
}
