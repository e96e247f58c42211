package cmd

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory/sharing"
)

// syncTime is how long a sync may take, unless told otherwise.
const syncTime = 2 * time.Minute

func newSync(a *app) *cobra.Command {
	req, timeout := sharing.SyncRequest{}, syncTime
	c := &cobra.Command{
		Use:   "sync",
		Short: "Synchronise your own memory with a remote",
		Long: `Sync exchanges the private and the user store with their remotes: it commits pending
changes, fetches, merges item by item, and pushes without force. Without --scope it
handles both stores, each if it has a remote. It uses the credentials of git and ssh, and
can ask for them at a terminal.

Memory of the project is not synchronised by this command: it is part of the repository,
and git pull and git push exchange it.`,
		Example: `  memctl sync --scope user --remote git@example.com:ada/memory.git
  memctl sync
  memctl sync --dry-run`,
		RunE: a.runner(needWrite, func(s *session, _ []string) error { return runSync(s, req, timeout) }),
	}
	bindWrite(c)
	c.Flags().StringVar(&req.Remote, "remote", "", "set the remote of the store to `URL`")
	c.Flags().DurationVar(&timeout, "timeout", syncTime, "stop after `TIME`, as in 30s")
	return c
}

func runSync(s *session, req sharing.SyncRequest, timeout time.Duration) error {
	setPace(steadyHeap)
	if timeout <= 0 {
		return usage("--timeout", "use a time above zero", "memctl sync --timeout 30s")
	}
	ctx, cancel := context.WithTimeout(s.ctx, timeout)
	defer cancel()
	req.Options, req.Ask = s.Options, s.streams.Interactive() && s.Explicit()
	if s.streams.ErrTerminal && !s.global.quiet && !s.global.json {
		req.Progress = s.streams.Err
	}
	s.commitPending()
	result, failed := sharing.Sync(ctx, s.stores, req)
	if len(result.Scopes) > 0 {
		result.Scopes[0].Notes = s.withPendingNotes(result.Scopes[0].Notes)
	}
	var err error
	if len(result.Scopes) > 0 || failed == nil {
		err = present(s, result, nil, s.printSynced)
	}
	if failed != nil {
		return failed
	}
	s.refreshExports()
	return err
}

// printSynced prints a line a store, with its diff where nothing was done yet.
func (s *session) printSynced(result sharing.SyncResult) error {
	for _, v := range result.Scopes {
		s.print(syncedLine(v))
		s.notes(v.Notes)
		s.hints(v.Hints)
		s.printDiff(v.Diff)
	}
	return nil
}

// syncedLine says in one line what became of a store.
func syncedLine(v sharing.SyncedView) string {
	var said []string
	switch {
	case v.Remote == "":
		return inert(v.Scope) + ": nothing to do: the repository's own commits contain this memory\n"
	case v.Why == txn.WhyUnchanged:
		said = append(said, "nothing to exchange")
	case v.Why == txn.WhyDryRun && v.Branch == "":
		said = append(said, "would be exchanged with this remote")
	case v.Why == txn.WhyDryRun && v.Taken+v.Sent == 0:
		said = append(said, "nothing to exchange")
	case v.Why == txn.WhyDryRun:
		said = append(said, "would take "+count(v.Taken, "commit")+", would send "+count(v.Sent, "commit"))
	default:
		said = append(said, "took "+count(v.Taken, "commit")+", sent "+count(v.Sent, "commit"))
	}
	if v.Commit != nil {
		said = append(said, "merged in "+short(*v.Commit))
	}
	line := inert(v.Scope) + ": " + strings.Join(said, "; ") + " (" + inert(v.Remote)
	if v.Branch != "" {
		line += ", " + inert(v.Branch)
	}
	return line + ")\n"
}
