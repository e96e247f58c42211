package cmd

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/sharing"
)

func newIndex(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "index",
		Short: "Share an index of memory in PostgreSQL",
		Long: `A team can share an index of its memory in PostgreSQL. Then recall also finds what other
repositories know, and agents can use their skills. The index is a copy of the files: you can
drop it and push it again.

The server is set in global git config, as memctl.pg.url. The password comes from this
address, from PGPASSWORD or from ~/.pgpass. docs/teams.md describes the server, its roles
and its size.`,
		Example: `  git config --global memctl.pg.url postgres://ada@db.example.com/memory
  memctl index push
  memctl index pull
  memctl index status`,
	}, newIndexPush(a), newIndexPull(a), newIndexStatus(a), newIndexDrop(a), newIndexRole(a))
}

func newIndexPush(a *app) *cobra.Command {
	var scopes []string
	c := &cobra.Command{
		Use:   "push",
		Short: "Send what changed in memory to the shared index",
		Long: `Push sends the parts of files that changed since the last push, and removes parts that are
gone here, so that forgotten memory is gone there too. Without --scope it sends the
project's memory alone. Only you can see private and user memory on the server. Push never
sends what the policy withholds from agents. It refuses if the memory file is damaged or
missing, or if this branch lacks the commit of the last push.

A push that breaks off leaves whole documents, and the next one continues. If the tables are
missing or older, and your role may change them, push makes them first.`,
		Example: `  memctl index push
  memctl index push --scope project --scope user
  memctl index push --dry-run`,
		RunE: a.needsFull(a.runner(needStores, func(s *session, _ []string) error { return runIndexPush(s, scopes) })),
	}
	c.Flags().StringArrayVarP(&scopes, "scope", "s", nil, "send `SCOPE`: project, private or user (may be repeated)")
	allow(c, "scope", store.Project, store.Private, store.User)
	bindDryRun(c, "count what would be sent, and send nothing")
	return c
}

func runIndexPush(s *session, scopes []string) error {
	setPace(steadyHeap)
	s.Scope = "" // --scope may be repeated here
	progress := s.progress("pushing", "documents")
	result, failed := sharing.Push(s.ctx, s.stores, sharing.PushRequest{
		Options: s.Options, Dial: s.parts.Dial, Scopes: scopes, Progress: progress.Update, Talk: func(note fault.Note) { s.notes([]fault.Note{note}) },
	})
	progress.Clear()
	if s.global.json && (failed == nil || len(result.Stores) > 0) {
		s.printJSON(&result)
		return failed
	}
	for _, v := range result.Stores {
		s.print(pushedLines(v, result.Server))
		s.notes(v.Notes)
		if v.Scope == store.Project && v.Readers == "owner" && v.Why == "" {
			s.hint("memctl index role --group GROUP")
		}
	}
	s.notes(result.Notes)
	if p := result.Pulled; failed == nil && p != nil && p.Changed {
		return s.printPulled(*p)
	}
	return failed
}

// pushedLines say what became of a store, and of its skills and context files if it has any.
func pushedLines(v sharing.PushedView, server string) string {
	verb := "sent "
	if v.Why != "" {
		verb = "would send "
	}
	tally := func(sent, removed, unchanged int, what string) string {
		return count(sent, what) + ", " + strconv.Itoa(removed) + " removed, " + strconv.Itoa(unchanged) + " unchanged"
	}
	head := inert(v.Scope) + ": " + verb
	text := head + tally(v.Sent, v.Removed, v.Unchanged, "document") + " (" + count(v.Chunks, "chunk") + " of " + inert(v.Repository) + ", " + inert(server) + ")\n"
	var extras []string
	for i, t := range []postgres.RowCounts{v.Skills, v.Context} {
		if t.Total+t.Removed > 0 {
			extras = append(extras, tally(t.Sent, t.Removed, t.Total-t.Sent, []string{"skill", "context file"}[i]))
		}
	}
	if len(extras) > 0 {
		text += head + strings.Join(extras, "; ") + "\n"
	}
	return text
}

func newIndexStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what the shared index has",
		Long: `Status shows the server, the version of its tables, and each store that you may read: the
commit and the time of its last push, and its size.`,
		Example: `  memctl index status
  memctl index status --json`,
		RunE: a.needsFull(reads(a, func(s *session, _ []string) (sharing.StatusResult, error) {
			return sharing.Status(s.ctx, s.stores, s.parts.Dial)
		}, (*session).printIndexStatus)),
	}
}

func (s *session) printIndexStatus(result sharing.StatusResult) error {
	s.print("server: " + inert(result.Server) + "\n")
	if result.Version == 0 {
		s.print("tables: none\n")
		s.hint("memctl index push")
		return nil
	}
	s.print("tables: version " + strconv.Itoa(result.Version) + ", search by " + result.Search + "\n")
	var t term.Table
	for _, v := range result.Stores {
		readers := "a group"
		if v.Owner != "" {
			readers = "only " + inert(v.Owner)
		}
		extras := joinFacts([]string{countSome(v.Skills, "skill"), countSome(v.Context, "context file")})
		t.AddRow(v.Scope, inert(v.Name), storeState(v), count(int(v.Chunks), "chunk"), extras, readers)
	}
	if err := s.printTable(&t); err != nil || result.Copy == nil {
		return err
	}
	return s.print("on this machine: " + count(result.Copy.Skills, "skill") + ", " + count(result.Copy.Context, "context file") + ", pulled " + result.Copy.Pulled + "\n")
}

// storeState says which commit of a store was pushed, and when.
func storeState(v sharing.StoreView) string {
	switch {
	case v.Pushed == "":
		return "push not finished"
	case v.Commit == "":
		return "pushed " + v.Pushed
	}
	return short(v.Commit) + ", " + v.Pushed
}

func newIndexDrop(a *app) *cobra.Command {
	req := sharing.DropRequest{}
	yes := false
	c := &cobra.Command{
		Use:   "drop",
		Short: "Remove memory from the shared index",
		Long: `Drop removes the rows of this repository's project, or of another scope with --scope, from
the shared index. The files keep everything, and a push restores the rows.`,
		Example: `  memctl index drop
  memctl index drop --scope user --yes`,
		RunE: a.needsFull(reads(a, func(s *session, _ []string) (sharing.DropResult, error) {
			req.Options, req.Dial = s.Options, s.parts.Dial
			if yes {
				req.Ask = func(string) bool { return true }
			} else if s.mayAsk() {
				req.Ask = s.confirmYes
			}
			return sharing.Drop(s.ctx, s.stores, req)
		}, (*session).printDropped)),
	}
	c.Flags().StringVarP(&req.Scope, "scope", "s", "", "remove the rows of `SCOPE`: project, private or user")
	allow(c, "scope", store.Project, store.Private, store.User)
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	bindDryRun(c, "print what would be removed, and remove nothing")
	return c
}

func (s *session) printDropped(result sharing.DropResult) error {
	what := count(int(result.Chunks), "chunk") + " of " + inert(result.Repository) + " (" + result.Scope + ")"
	switch {
	case result.Changed:
		return s.print("removed " + what + " from " + inert(result.Server) + "\n")
	case result.Why == "dry run":
		return s.print("would remove " + what + " from " + inert(result.Server) + "\n")
	case result.Why == "not confirmed":
		return s.print("nothing was removed\n")
	}
	return s.print("nothing to remove\n")
}

func newIndexRole(a *app) *cobra.Command {
	o := roleOptions{}
	c := &cobra.Command{
		Use:   "role [NAME]",
		Short: "Print the SQL that makes a role of the shared index",
		Long: `Role prints SQL for an administrator of the server; memctl does not run it. With NAME, the
SQL makes a role for a person or a CI job. The role can read what each --group shares;
with --write it can also push. With one --group and no NAME, the SQL shares this
repository with that group. With --owner, the SQL makes all roles and tables, for a server
on which those who push may not make them.`,
		Example: `  memctl index role --owner | psql -1 memory
  memctl index role --group backend | psql memory
  memctl index role ada --group backend | psql memory
  memctl index role ci --group backend --write | psql memory`,
		RunE: a.runner(needStores, func(s *session, args []string) error {
			o.name = strings.Join(args, "")
			return runIndexRole(s, o)
		}),
	}
	c.Flags().StringArrayVar(&o.groups, "group", nil, "the group `NAME`, whose members share repositories (may be repeated for a person)")
	c.Flags().BoolVar(&o.write, "write", false, "NAME may push what its groups share")
	c.Flags().BoolVar(&o.owner, "owner", false, "print the SQL of all roles and tables")
	return c
}

// roleOptions say whose role: a person's, that of a group that shares this repository, or those of all tables.
type roleOptions struct {
	name         string
	groups       []string
	write, owner bool
}

// runIndexRole prints the SQL that an administrator runs. memctl does not run it.
func runIndexRole(s *session, o roleOptions) error {
	switch {
	case o.owner && (o.name != "" || len(o.groups) > 0 || o.write):
		return usage("--owner", "use it alone", "memctl index role --owner")
	case !o.owner && o.name == "" && len(o.groups) != 1:
		return usage("index role", "needs a NAME, one --group or --owner", "memctl index role --owner", "memctl index role --group GROUP", "memctl index role NAME --group GROUP")
	case o.write && o.name == "":
		return usage("--write", "use it with NAME", "memctl index role NAME --group GROUP --write")
	case o.owner:
		return s.print(postgres.SchemaSQL())
	case o.name != "":
		return s.print(postgres.PersonSQL(o.name, o.groups, o.write))
	}
	target, err := briefing.SharedTarget(s.ctx, s.stores, store.Project)
	if err != nil {
		return err
	}
	return s.print(postgres.GroupSQL(o.groups[0], target))
}

func newIndexPull(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "pull",
		Short: "Copy the skills that you may use from the shared index",
		Long: `Pull copies the skills of other repositories that you may use from the shared index to
this machine, and the context files that you pushed from your other machines. It deletes
copies that are gone there or that you may no longer read. "memctl index push" pulls, too.

Agents are offered the copied skills of the repositories in memctl.pg.trust. "memctl skills
list" shows them with the tier "shared". If the server does not answer, the last copy stays.`,
		Example: `  memctl index pull
  memctl index pull --dry-run`,
		RunE: a.needsFull(reads(a, func(s *session, _ []string) (sharing.PullResult, error) {
			return sharing.Pull(s.ctx, s.stores, s.parts.Dial, s.Options)
		}, (*session).printPulled)),
	}
	bindDryRun(c, "print what would be copied, and copy nothing")
	return c
}

// printPulled prints how many records a pull copied, and which of them agents do not get.
func (s *session) printPulled(r sharing.PullResult) error {
	verb := "copied "
	if r.Why == "dry run" {
		verb = "would copy "
	}
	line := verb + count(len(r.Skills), "skill")
	if r.Context > 0 {
		line += " and " + count(r.Context, "context file")
	}
	s.print(line + " from " + inert(r.Server) + "\n")
	s.notes(r.Notes)
	if len(r.Untrusted) > 0 {
		s.note("untrusted-skills", "agents do not get skills of repositories that memctl.pg.trust does not list: "+inert(strings.Join(r.Untrusted, ", ")))
		list := append(s.stores.SharedRepositories(s.ctx), r.Untrusted...)
		s.hint("git config --global " + store.SharedTrust.Name + " '" + inert(strings.ReplaceAll(strings.Join(list, " "), "'", "")) + "'")
	}
	return nil
}
