package cmd

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/integrity"
	"github.com/memctl/memctl/memory/setup"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store"
)

// The outcomes of a check.
const (
	checkOK   = "ok"
	checkNote = "note"
	checkWarn = "warn"
	checkFail = "fail"
)

// check is one thing that doctor looked at.
type check struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok, note, warn or fail
	Said   string `json:"message"`
	Fix    string `json:"hint,omitempty"` // the command that mends it

	about string // the line of status that this check belongs to; "" for none of its own
}

// What a check can be about.
const (
	aboutHooks = "hooks"
	aboutMCP   = "mcp"
	aboutMerge = "merging"
	aboutSync  = "sync"
)

// doctorJSON is the object that doctor prints.
type doctorJSON struct {
	Schema    int     `json:"schema"`
	FailCount int     `json:"fail_count"`
	WarnCount int     `json:"warn_count"`
	Checks    []check `json:"checks"`
}

func newDoctor(a *app) *cobra.Command {
	fix, models := false, false
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Find and repair problems",
		Long: `Doctor checks git, the repository, the memory files, memctl's own folders and the
connection to your agents. For each problem it prints the command that solves it. It
changes nothing, and exits with 1 if a check fails.

With --fix it first repairs what it can: it sets the merge driver, moves damaged files of
local state aside, finishes a write that was killed, and commits or stores pending writes.

With --models it also sends each configured model one tiny request (see docs/models.md).`,
		Example: `  memctl doctor
  memctl doctor --fix
  memctl doctor --json`,
		RunE: a.run(needNothing, func(s *session, _ []string) error { return runDoctor(s, fix, models) }),
	}
	c.Flags().BoolVar(&fix, "fix", false, "repair what can be repaired without a decision of yours")
	c.Flags().BoolVar(&models, "models", false, "try each configured model with one tiny request")
	return c
}

func runDoctor(s *session, fix, models bool) error {
	// What opening and reading would say, the checks say.
	quiet := s.global.quiet
	s.global.quiet = true
	if fix {
		if err := s.mend(quiet); err != nil {
			return err
		}
	}
	checks := s.doctorChecks(models)
	if err := s.ctx.Err(); err != nil {
		return err // what was looked at last may not be as it seems
	}
	out := doctorJSON{Schema: memory.SchemaNumber, Checks: checks}
	for _, c := range checks {
		switch c.Status {
		case checkFail:
			out.FailCount++
		case checkWarn:
			out.WarnCount++
		}
	}
	var err error
	if s.global.json {
		err = s.printJSON(out)
	} else {
		err = s.print(doctorText(checks, s.streams.OutColour))
	}
	if err == nil && out.FailCount > 0 {
		return statusError(statusRefused)
	}
	return err
}

// doctorChecks runs every check. With models it asks each configured model.
func (s *session) doctorChecks(models bool) []check {
	return slices.Concat([]check{checkGit(s.ctx)}, s.checkFull(), s.checkRepository(), s.checkStores(), s.checkAgents(), s.checkSessions(), s.checkShared(), s.checkModels(models))
}

// checkStyles are the colours of the outcomes.
func checkStyles() map[string]term.Style {
	return map[string]term.Style{checkOK: term.Good, checkWarn: term.Warning, checkFail: term.Bad}
}

// doctorText is a line for each check, with the command that mends a problem below it.
func doctorText(checks []check, colour bool) string {
	styles := checkStyles()
	var b strings.Builder
	t := term.Table{}
	for _, c := range checks {
		t.Cells(term.Cell{Text: c.Status, Style: styles[c.Status]}, term.Cell{Text: c.Name}, term.Cell{Text: inert(c.Said)})
		if c.Fix != "" && c.Status != checkOK {
			t.Row("", "", inert(c.Fix))
		}
	}
	_ = t.Write(&b, colour)
	return b.String()
}

// oldestGit is the oldest git that memctl is tested with.
var oldestGit = [2]int{2, 25}

// checkGit looks for git and its version.
func checkGit(ctx context.Context) check {
	c := check{Name: "git", Status: checkOK}
	c.Said = gitops.GitVersion(ctx)
	if c.Said == "" {
		c.Status, c.Said, c.Fix = checkFail, "not found on the path", "install git from https://git-scm.com/downloads"
		return c
	}
	if older(c.Said, oldestGit) {
		c.Status = checkWarn
		c.Said += " is older than what memctl is tested with"
		c.Fix = "install a newer git from https://git-scm.com/downloads"
	}
	return c
}

// older compares the first two numbers of a version.
func older(version string, than [2]int) bool {
	parts := strings.SplitN(version, ".", 3)
	for i, want := range than {
		if i >= len(parts) {
			return false
		}
		got, err := strconv.Atoi(strings.TrimSpace(parts[i]))
		if err != nil {
			return false
		}
		if got != want {
			return got < want
		}
	}
	return false
}

// checkRepository looks at the repository, what it is in the middle of and who
// commits.
func (s *session) checkRepository() []check {
	dir, err := os.Getwd()
	if err != nil {
		return []check{{Name: "folder", Status: checkFail, Said: err.Error()}}
	}
	repo, err := gitops.Find(dir)
	if errors.Is(err, gitops.ErrNotARepository) {
		return []check{{Name: "repository", Status: checkWarn, Said: "none here, so memory has no history", Fix: "git init"}}
	}
	if err == nil {
		err = repo.Refused(s.ctx)
	}
	if err != nil {
		e := explain(err)
		return []check{{Name: "repository", Status: checkFail, Said: e.Error(), Fix: strings.Join(e.Hints, "; ")}}
	}
	if _, err := repo.State(); err != nil {
		e := explain(err)
		return []check{{Name: "repository", Status: checkFail, Said: e.Error(), Fix: strings.Join(e.Hints, "; ")}}
	}
	checks := []check{{Name: "repository", Status: checkOK, Said: repo.Root}}
	cfg, err := repo.Config(s.ctx)
	if err != nil {
		return append(checks, check{Name: "git config", Status: checkFail, Said: explain(err).Error(), Fix: "git config --list"})
	}
	checks = append(checks, checkCommit(s.ctx, repo, cfg))
	checks = append(checks, s.checkTrust()...)
	return append(checks, checkMergeDriver(s.ctx, repo)...)
}

// checkNameCommit names the check whether a commit could be made now.
const checkNameCommit = "commit"

// checkCommit tells whether a commit could be made now.
func checkCommit(ctx context.Context, repo *gitops.Repo, cfg *gitops.Config) check {
	c := check{Name: checkNameCommit, Status: checkOK, Said: "memory can be committed now"}
	if lost, mend := repo.HeadLost(ctx); lost != "" {
		return check{Name: checkNameCommit, Status: checkFail, Said: lost, Fix: mend}
	}
	why := cmp.Or(repo.Waits(ctx, 0), repo.Blocked(ctx, cfg.NamesSomebody()))
	if why == "" {
		return c
	}
	c.Status, c.Said = checkWarn, "memory cannot be committed now: "+why
	c.Fix = explain(gitops.Blocked(why, "")).Hints[0]
	if why == gitops.WhyNoIdentity {
		c.Status = checkFail
	}
	return c
}

// checkTrust tells whether agents here may be given the project's memory. Where it has none
// there is nothing to trust, and checkFiles names the way to one.
func (s *session) checkTrust() []check {
	level := store.TrustOff
	if ss, err := s.open(s.ctx); err == nil {
		st, err := ss.Get(s.ctx, store.Project)
		if err == nil && !st.HasFile() && memory.Away(s.ctx, ss, store.Project) == nil {
			return nil
		}
		level = ss.TrustLevel(s.ctx)
	}
	switch level {
	case store.TrustAll:
		return []check{{Name: "trust", Status: checkOK, Said: "this repository is trusted"}}
	case store.TrustReviewed:
		return []check{{Name: "trust", Status: checkOK, Said: "hooks give agents the reviewed part of this repository's memory and what was written on this machine"}}
	}
	return []check{{Name: "trust", Status: checkWarn, Said: "this repository is not trusted, so hooks do not give its memory to agents", Fix: "memctl trust"}}
}

// checkStores looks at the memory files and at what waits.
func (s *session) checkStores() []check {
	var err error
	if s.stores, err = s.open(s.ctx); err != nil {
		return []check{{Name: "stores", Status: checkFail, Said: explain(err).Error()}}
	}
	checks := append(s.checkUnfinished(), append(s.checkDropped(), append(append(s.checkFiles(), s.checkOutside()...), s.checkQueue())...)...)
	for _, v := range setup.RemovedSettings(s.ctx, s.stores) {
		checks = append(checks, check{Name: "setting", Status: checkWarn, Said: removedText(v)})
	}
	return append(append(checks, s.checkSparse()...), s.checkState()...)
}

// checkFiles has a check for each memory file, and one for its findings.
func (s *session) checkFiles() []check {
	shown, err := view.Show(s.ctx, s.stores, view.ShowRequest{})
	if err != nil {
		e := explain(err)
		return []check{{Name: "memory file", Status: checkFail, Said: e.Error(), Fix: strings.Join(e.Hints, "; ")}}
	}
	var checks []check
	for _, scope := range shown.Scopes {
		c := check{Name: scope.Scope, Status: checkOK, Said: scope.Path + ": " + count(len(scope.Items), "item")}
		switch {
		case scope.Salvaged:
			c.Status, c.Said, c.Fix = checkFail, scope.Path+": damaged", scope.Mend+" --scope "+scope.Scope
		case !scope.Enabled:
			c.Status, c.Said, c.Fix = checkWarn, c.Said+", disabled", "memctl enable --scope "+scope.Scope
		}
		checks = append(checks, c)
	}
	if missing := memory.Away(s.ctx, s.stores, ""); missing != nil {
		checks = append(checks, check{Name: "memory file", Status: checkFail, Said: missing.Error(), Fix: missing.Way})
	}
	if page := memory.Page(s.ctx, s.stores); page != "" {
		checks = append(checks, check{Name: "memory file", Status: checkWarn, Said: page + " is not a memory file; nothing in it is read", Fix: "memctl recover --dry-run"})
	}
	if len(checks) == 0 {
		return []check{{Name: "memory file", Status: checkWarn, Said: "none yet", Fix: "memctl init"}}
	}
	if st, err := s.stores.Get(s.ctx, store.Project); err == nil && st.Repo != nil && !st.HasFile() && memory.Away(s.ctx, s.stores, store.Project) == nil {
		checks = append(checks, check{Name: "memory file", Status: checkNote, Said: "this repository has none yet", Fix: "memctl init"})
	}
	for _, scope := range shown.Scopes {
		checks = append(checks, s.checkFindings(scope.Scope))
	}
	return append(checks, s.checkIdentity()...)
}

// checkIdentity warns where git knows nobody who could commit to a store of the
// person's own; of the repository checkCommit tells.
func (s *session) checkIdentity() []check {
	var checks []check
	for _, scope := range s.stores.Scopes() {
		st, err := s.stores.Get(s.ctx, scope)
		if err != nil || scope != store.Private && scope != store.User || st.Repo == nil {
			continue
		}
		cfg, err := st.Repo.Config(s.ctx)
		if err == nil && st.Repo.Blocked(s.ctx, cfg.NamesSomebody()) == gitops.WhyNoIdentity {
			checks = append(checks, check{Name: scope + " commit", Status: checkWarn, Said: "writes wait for a commit: " + gitops.WhyNoIdentity, Fix: memory.IdentityHint})
		}
	}
	return checks
}

// checkFindings has what validate says of a scope's file.
func (s *session) checkFindings(scope string) check {
	c := check{Name: scope + " findings", Status: checkOK, Said: "none"}
	result, err := integrity.Validate(s.ctx, s.stores, integrity.ValidateRequest{Scope: scope})
	fix := "memctl validate --scope " + scope
	for _, f := range result.Findings {
		if f.Rule == "conflict-markers" {
			fix = "memctl resolve --scope " + scope
			break
		}
	}
	switch {
	case err != nil:
		c.Status, c.Said = checkFail, explain(err).Error()
	case hasErrors(result.Findings):
		c.Status, c.Said, c.Fix = checkFail, count(len(result.Findings), "finding"), fix
	case len(result.Findings) > 0:
		c.Status, c.Said, c.Fix = checkWarn, count(len(result.Findings), "warning"), fix
	}
	return c
}

// checkQueue tells whether queued writes, or unconfirmed items and facts, wait for a person.
func (s *session) checkQueue() check {
	c := check{Name: "queue", Status: checkOK, Said: "nothing waits"}
	result, err := view.Review(s.ctx, s.stores, "")
	if err != nil {
		c.Status, c.Said = checkFail, explain(err).Error()
		return c
	}
	queued, unconfirmed := 0, 0
	for _, w := range result.Waiting {
		switch {
		case w.ID != "":
			queued++
		case w.Why == memfile.TagNeedsConfirmation || w.Why == memfile.Low:
			unconfirmed++
		}
	}
	var said []string
	if unconfirmed > 0 {
		said, c.Status = append(said, strconv.Itoa(unconfirmed)+" waiting for confirmation"), checkNote
	}
	if queued > 0 {
		said, c.Status = append(said, count(queued, "write")+" waiting for review"), checkWarn
	}
	if len(said) > 0 {
		c.Said, c.Fix = strings.Join(said, ", "), "memctl review"
	}
	return c
}
