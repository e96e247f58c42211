package cmd

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/notice"
)

type captureOptions struct {
	all     bool
	yes     bool
	pending bool
}

func newCapture(a *app) *cobra.Command {
	o := &captureOptions{}
	c := &cobra.Command{
		Use:   "capture [FILE|-]",
		Short: "Find lasting statements in what you told your agents",
		Long: `Capture reads what you wrote to coding agents, finds preferences, conventions and other
statements that hold for longer than a task, and shows them in a table. At a terminal it
asks once whether to put the new ones into the review queue, and then asks about each, as
"memctl review" does. It does not propose a dropped statement again.

With FILE or -, capture reads one transcript of an agent, or plain text of yours. Otherwise it
reads the sessions that Claude Code, Codex, Gemini CLI and Copilot CLI keep on this machine:
those of this repository, or all of them with --all. An agent that runs capture gets the
sessions of this repository only.

Without a terminal, capture prints the table and changes nothing. With --yes it puts the new
statements into the review queue without a question.

If memctl.capture is model, a configured model reads FILE instead of memctl's rules. memctl
checks that you said what the model found, and stores it as facts of low confidence, which
"memctl review" shows. With --pending the model reads the ended sessions that wait for it.
See docs/models.md.`,
		Example: `  memctl capture
  memctl capture --all --dry-run --json
  memctl capture ~/.claude/projects/-home-ada-shop/5f3a1c2e.jsonl
  memctl capture --yes notes.txt
  memctl capture --pending`,
		Args: o.checkArgs,
		RunE: a.runner(needWrite, func(s *session, args []string) error { return runCapture(s, o, args) }),
	}
	bindWrite(c)
	f := c.Flags()
	f.BoolVar(&o.all, "all", false, "read the sessions of every folder, not only of this repository")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask: put new statements into the review queue")
	f.BoolVar(&o.pending, "pending", false, "let a configured model read the ended sessions that wait for it")
	return c
}

// checkArgs looks at the arguments with the flags.
func (o *captureOptions) checkArgs(c *cobra.Command, args []string) error {
	switch {
	case o.pending && (len(args) > 0 || o.all || o.yes):
		return usage("--pending", "goes with no FILE and no other choice of sessions", "memctl capture --pending")
	case len(args) > 0 && o.all:
		return usage(args[0], "is one transcript; --all is for the sessions of this machine")
	}
	return argumentCount(0, 1)(c, args)
}

// captureResult is what capture found, and what became of it.
type captureResult struct {
	Act          string             `json:"act"`
	Origin       string             `json:"origin"`
	SessionCount int                `json:"session_count"` // sessions read
	MessageCount int                `json:"message_count"` // messages of the person in them
	SkippedCount int                `json:"skipped_count"` // records and files that could not be read
	RefusedCount int                `json:"refused_count"` // statements that the policy refuses; they are not shown
	Proposals    []*notice.Proposal `json:"proposals"`
	ReviewCount  int                `json:"review_count"` // proposals that went into the review queue
}

func runCapture(s *session, o *captureOptions, args []string) error {
	setPace(steadyHeap)
	if s.Scope == store.Project {
		if err := onlyPerson(s.Options, "capture --scope project", "memctl capture --scope project"); err != nil {
			return err
		}
	}
	if how, err := s.stores.Setting(s.ctx, store.Capture); err != nil {
		return err
	} else if o.pending || len(args) > 0 && how.Text == store.CaptureModel && s.stores.HasModels(s.ctx) {
		return s.captureByModel(o, args)
	}
	l, err := s.readSessions(o, args)
	if err != nil {
		return err
	}
	asks := s.streams.Interactive() && !o.yes && !s.dryRun() && !s.global.json
	if asks || o.yes {
		s.commitPending()
	}
	list, refused, err := notice.Proposals(s.ctx, s.stores, notice.Request{Options: s.Options, Stores: func(place string) *store.Stores { return l.stores[place] }}, l.heard.Statements())
	if err != nil {
		return err
	}
	res := captureResult{
		Act: "capture", Origin: s.Origin.Kind, SessionCount: len(l.sessions), MessageCount: l.heard.Messages,
		SkippedCount: l.skipped, RefusedCount: refused, Proposals: list,
	}
	if res.Proposals == nil {
		res.Proposals = []*notice.Proposal{}
	}
	if !s.global.json {
		read := count(res.MessageCount, "message") + " of " + count(res.SessionCount, "session")
		if l.text != "" {
			read = count(res.MessageCount, "paragraph") + " of " + inert(l.text)
		}
		s.printProposals(res, read)
	}
	fresh := slices.DeleteFunc(slices.Clone(list), func(p *notice.Proposal) bool { return p.State != notice.StateNew })
	switch {
	case len(fresh) == 0:
	case asks:
		return s.reviewProposals(fresh)
	case o.yes:
		res.ReviewCount, err = len(fresh), notice.Enqueue(s.ctx, s.Options, fresh)
	case !s.dryRun():
		s.note("nothing-stored", "nothing is stored; at a terminal capture asks about each new statement, and --yes puts them into the review queue", s.commandWith("--yes"))
	}
	return present(s, res, err, func(res captureResult) error {
		s.notes(s.withPendingNotes(nil))
		if res.ReviewCount > 0 {
			s.note("proposals-queued", s.stores.Said("put ", "would put ")+count(res.ReviewCount, "proposal")+" into the review queue", memory.ReviewHint)
		}
		return nil
	})
}
