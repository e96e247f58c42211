package cmd

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/integrity"
	"github.com/memctl/memctl/memory/setup"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/statedir"
	"github.com/memctl/memctl/store/txn"
)

// checkRepository looks at the repository, what it is in the middle of and who
// commits.
func (d *doctor) checkRepository() {
	dir, err := os.Getwd()
	if err != nil {
		d.fail("folder", err)
		return
	}
	repo, err := gitops.Find(dir)
	if errors.Is(err, gitops.ErrNotARepository) {
		d.warn("repository", "none here, so memory has no history", "git init")
		if ss, err := d.open(d.ctx); err == nil && ss.Nameless(d.ctx) != nil {
			d.warn(checkNameCommit, "memory cannot be committed: "+gitops.WhyNoIdentity, gitops.IdentityHint)
		}
		return
	}
	if err == nil {
		err = repo.Refused(d.ctx)
	}
	if err == nil {
		_, err = repo.State()
	}
	if err != nil {
		d.fail("repository", err)
		return
	}
	d.ok("repository", repo.Root)
	cfg, err := repo.Config(d.ctx)
	if err != nil {
		d.add(checkFail, "git config", explain(err).Error(), "git config --list")
		return
	}
	d.checkCommit(repo, cfg)
	d.checkTrust()
	if _, err := os.Lstat(filepath.Join(repo.Root, memfile.FileName)); err == nil { // without memory, init will set the driver
		d.checkMergeDriver("merge driver", repo)
	}
}

// checkNameCommit names the check whether a commit could be made now.
const checkNameCommit = "commit"

// checkCommit reports whether a commit could be made now.
func (d *doctor) checkCommit(repo *gitops.Repo, cfg *gitops.Config) {
	if lost, fix := repo.HeadLost(d.ctx); lost != "" {
		d.add(checkFail, checkNameCommit, lost, fix)
		return
	}
	why := cmp.Or(repo.Waits(d.ctx, 0), repo.Blocked(d.ctx, cfg.NamesSomebody()))
	if why == "" {
		d.ok(checkNameCommit, "memory can be committed now")
		return
	}
	status := checkWarn
	if why == gitops.WhyNoIdentity {
		status = checkFail
	}
	d.add(status, checkNameCommit, "memory cannot be committed now: "+why, explain(gitops.Blocked(why, "")).Hints[0])
}

// checkTrust reports whether agents here may be given the project's memory. Without memory
// there is nothing to trust, and checkFiles names the way to one.
func (d *doctor) checkTrust() {
	level := store.TrustOff
	if ss, err := d.open(d.ctx); err == nil {
		st, err := ss.Get(d.ctx, store.Project)
		if err == nil && !st.HasFile() && memory.MissingFile(d.ctx, ss, store.Project) == nil {
			return
		}
		level = ss.TrustLevel(d.ctx)
	}
	switch level {
	case store.TrustAll:
		d.ok("trust", "this repository is trusted")
	case store.TrustReviewed:
		d.ok("trust", "hooks give agents the reviewed part of this repository's memory and what was written on this machine")
	default:
		d.warn("trust", "this repository is not trusted, so hooks do not give its memory to agents", "memctl trust")
	}
}

const mergesByMeaning = "git merges memory item by item"

// checkMergeDriver reports whether git merges memory item by item in a repository.
func (d *doctor) checkMergeDriver(name string, repo *gitops.Repo) {
	switch set, err := remotes.MergeDriver(d.ctx, repo); {
	case err != nil:
		d.warn(name, "git merges memory as text: "+err.Error(), "git rev-parse --git-path info/attributes")
	case !set:
		d.warn(name, "git merges memory as text", "memctl doctor --fix")
	default:
		d.ok(name, mergesByMeaning)
	}
	d.about(aboutMerge)
}

// checkStores looks at the memory files, at local state and at what waits.
func (d *doctor) checkStores() {
	var err error
	if d.stores, err = d.open(d.ctx); err != nil {
		d.fail("stores", err)
		return
	}
	d.checkUnfinished()
	d.checkDropped()
	d.checkForgotten()
	d.checkFiles()
	d.checkOutside()
	if waiting, err := d.countWaiting(); err != nil {
		d.fail("queue", err)
	} else {
		line := waitingLine(waiting)
		d.add(line.Status, "queue", line.Said, line.Fix)
	}
	for _, v := range setup.RemovedSettings(d.ctx, d.stores) {
		d.warn("setting", removedText(v), "")
	}
	if st, err := d.stores.Get(d.ctx, store.Project); err == nil {
		if fix := contents.LeftOut(d.ctx, st); fix != "" {
			d.warn("sparse checkout", "the sparse checkout leaves facts and notes out, so they are not read", fix)
		}
	}
	d.checkState()
}

// checkFiles has a check for each memory file, and one for its findings.
func (d *doctor) checkFiles() {
	const memoryFile = "memory file"
	shown, err := view.Show(d.ctx, d.stores, d.Reader(), view.ShowRequest{})
	if err != nil {
		d.fail(memoryFile, err)
		return
	}
	before := len(d.checks)
	for _, scope := range shown.Scopes {
		said := scope.Path + ": " + count(len(scope.Items), "item")
		switch {
		case scope.Salvaged:
			d.add(checkFail, scope.Scope, scope.Path+": damaged", scope.Mend+" --scope "+scope.Scope)
		case !scope.Enabled:
			d.warn(scope.Scope, said+", disabled", "memctl enable --scope "+scope.Scope)
		default:
			d.ok(scope.Scope, said)
		}
	}
	if missing := memory.MissingFile(d.ctx, d.stores, ""); missing != nil {
		d.add(checkFail, memoryFile, missing.Error(), missing.Way)
	}
	if page := memory.Page(d.ctx, d.stores); page != "" {
		d.warn(memoryFile, page+" is not a memory file; nothing in it is read", "memctl recover --dry-run")
	}
	if len(d.checks) == before {
		d.warn(memoryFile, "none yet", "memctl init")
		return
	}
	if st, err := d.stores.Get(d.ctx, store.Project); err == nil && st.Repo != nil && !st.HasFile() && memory.MissingFile(d.ctx, d.stores, store.Project) == nil {
		d.note(memoryFile, "this repository has none yet", "memctl init")
	}
	for _, scope := range shown.Scopes {
		d.checkFindings(scope.Scope)
	}
}

// checkFindings has what validate says of a scope's file.
func (d *doctor) checkFindings(scope string) {
	name := scope + " findings"
	result, err := integrity.Validate(d.ctx, d.stores, d.Reader(), integrity.ValidateRequest{Scope: scope})
	fix := "memctl validate --scope " + scope
	for _, f := range result.Findings {
		if f.Rule == "conflict-markers" {
			fix = "memctl resolve --scope " + scope
			break
		}
	}
	switch {
	case err != nil:
		d.fail(name, err)
	case hasErrors(result.Findings):
		d.add(checkFail, name, count(len(result.Findings), "finding"), fix)
	case len(result.Findings) > 0:
		d.warn(name, count(len(result.Findings), "warning"), fix)
	default:
		d.ok(name, "none")
	}
}

// checkUnfinished names an act that a killed process left half done, and the files of
// local state that no act could read, a check for each.
func (d *doctor) checkUnfinished() {
	reported := map[string]bool{} // a file that several scopes share is named once
	for _, scope := range d.stores.Scopes() {
		st, err := d.stores.Get(d.ctx, scope)
		if err != nil {
			continue // checkFiles says so
		}
		switch act, begun, ok, err := txn.Unfinished(d.ctx, st); {
		case err != nil:
			d.fail(scope+" act", err)
		case ok && act == "":
			d.warn(scope+" act", "a write was killed before it changed anything", "memctl doctor --fix")
		case ok:
			d.warn(scope+" act", "killed on "+begun.UTC().Format(time.DateTime)+" while it wrote: "+act+"; the next write finishes it", "memctl doctor --fix")
		}
		for _, damage := range txn.DamagedState(st) {
			if reported[damage.Error()] {
				continue
			}
			reported[damage.Error()] = true
			e := explain(damage)
			fix := "memctl doctor --fix"
			if statedir.IsLink(damage) {
				fix = strings.Join(e.Hints, "; ")
			}
			d.add(checkFail, scope+" state", e.Error(), fix)
		}
	}
}

// checkDropped counts the memories that are no longer in the history of a branch.
func (d *doctor) checkDropped() {
	for _, scope := range d.stores.Scopes() {
		st, err := d.stores.Get(d.ctx, scope)
		if err != nil {
			continue
		}
		for _, note := range ledger.LostNote(ledger.LostWrites(d.ctx, st)) {
			d.note(scope+" branch", note.Text, "")
		}
	}
}

// checkForgotten warns of what agents have forgotten of the person's word.
func (d *doctor) checkForgotten() {
	const name = "forgotten"
	list, err := briefing.ForgottenByAgents(d.ctx, d.stores)
	if err != nil {
		d.fail(name, err)
	}
	for _, f := range list {
		d.warn(name, f.Said(), f.Restore)
	}
}
