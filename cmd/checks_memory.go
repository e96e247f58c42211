package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	briefs "github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/exchange"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/memory/upkeep/integrity"
)

// remembered counts what each scope has.
func (c *checks) remembered() {
	stats, err := view.BriefStats(c.ctx, c.stores, c.Reader(), "")
	if err != nil {
		c.fail(err, "")
		return
	}
	var list []string
	for _, s := range stats.Scopes {
		counts := joinFacts([]string{countSome(s.Items, "item"), countSome(s.Facts, "fact"), countSome(s.Notes, "note")})
		list = append(list, s.Scope+" "+cmp.Or(counts, "nothing"))
	}
	c.ok(cmp.Or(strings.Join(list, "; "), "nothing yet"))
}

// files names each memory file that is damaged, switched off, missing or none of memctl's, and what validate says of the others.
func (c *checks) files() {
	before := len(c.found)
	c.each(func(st *store.Store) {
		m, err := contents.Read(c.ctx, st)
		flag := " --scope " + st.Scope
		c.setName(st.Scope)
		switch {
		case err != nil:
			c.fail(err, "")
		case txn.Absent(c.ctx, m):
			missing := txn.Missing(c.ctx, st)
			c.bad(missing.Error(), missing.RestoreCommand)
		case m.Foreign:
			c.warn(st.Name()+" is not a memory file; nothing in it is read", "memctl recover --dry-run")
		case !m.Exists && st.Scope == store.Project && st.Repo != nil:
			if missing := txn.Missing(c.ctx, st); missing.Why != "" {
				c.note(missing.Error(), missing.RestoreCommand)
			} else {
				c.note("this repository has no memory file yet", "memctl init")
			}
		case !m.Exists:
		case m.Salvaged:
			c.bad(st.Path()+": damaged", m.Mend+flag)
		case !m.Settings.Enabled:
			c.warn(st.Path()+": disabled", "memctl config enabled on"+flag)
		default:
			c.ok(st.Path())
		}
		if err == nil && m.Exists && !m.Foreign {
			c.validate(st.Scope)
		}
	})
	if len(c.found) == before {
		c.setName("memory file").warn("none yet", "memctl init")
	}
}

// validate has what validate says of a scope.
func (c *checks) validate(scope string) {
	result, err := integrity.Validate(c.ctx, c.stores, c.Reader(), integrity.ValidateRequest{Scope: scope})
	hint := "memctl validate --scope " + scope
	if slices.ContainsFunc(result.Findings, func(f fault.Finding) bool { return f.Rule == "conflict-markers" }) {
		hint = "memctl resolve --scope " + scope
	}
	c.setName(scope + " findings")
	switch {
	case err != nil:
		c.fail(err, "")
	case fault.HasErrors(result.Findings):
		c.bad(count(len(result.Findings), "finding"), hint)
	case len(result.Findings) > 0:
		c.warn(count(len(result.Findings), "warning"), hint)
	}
}

// unfinished names an act that a killed process left half done, and the files of local state
// that no act could read.
func (c *checks) unfinished() {
	const fix = "memctl doctor --fix"
	named := map[string]bool{} // a file that several scopes share is named once
	c.each(func(st *store.Store) {
		c.setName(st.Scope + " act")
		switch killed, err := txn.Unfinished(c.ctx, st); {
		case err != nil:
			c.fail(err, "")
		case killed != nil:
			c.warn("killed on "+killed.Time.UTC().Format(time.DateTime)+" while it wrote: "+killed.Act+"; the next write finishes it", fix)
		}
		for _, damage := range txn.DamagedState(st) {
			if named[damage.Error()] {
				continue
			}
			named[damage.Error()] = true
			c.setName(st.Scope+" state").fail(damage, "")
		}
	})
}

// dropped counts the memories that are no longer in the history of a branch.
func (c *checks) dropped() {
	c.each(func(st *store.Store) {
		for _, note := range ledger.LostNote(ledger.LostWrites(c.ctx, st)) {
			c.setName(st.Scope+" branch").note(note.Text, "")
		}
	})
}

// forgotten warns of memories that the person stated and agents forgot.
func (c *checks) forgotten() {
	list, err := briefing.ForgottenByAgents(c.ctx, c.stores)
	if err != nil {
		c.fail(err, "")
	}
	for _, f := range list {
		c.warn(f.Said(), f.Restore)
	}
}

// noteWaitingDecisions counts the decisions that a person has to make.
func (c *checks) noteWaitingDecisions() {
	review, err := view.Review(c.ctx, c.stores, c.Reader(), "")
	switch n := len(review.Waiting); {
	case err != nil:
		c.fail(err, "")
	case n > 0:
		c.note(count(n, "decision")+" for you", "memctl review")
	default:
		c.ok("nothing")
	}
}

// listUncommitted names the files of memory that are not committed.
func (c *checks) listUncommitted() {
	list, err := view.EditedFiles(c.ctx, c.stores)
	if err != nil {
		c.fail(err, "")
		return
	}
	if len(list) == 0 {
		c.ok("nothing")
		return
	}
	list = slices.DeleteFunc(list, func(e view.Edited) bool { // a damaged file is not committed
		return slices.ContainsFunc(c.found, func(f fault.Finding) bool { return f.Rule == e.Scope && f.Severity == fault.SeverityError })
	})
	if len(list) == 0 {
		return
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Scope+" "+strings.Join(e.Files[:min(len(e.Files), 3)], ", "))
		if more := len(e.Files) - 3; more > 0 {
			names[len(names)-1] += fmt.Sprintf(" and %d more", more)
		}
	}
	text := strings.Join(names, "; ")
	if !slices.ContainsFunc(c.found, func(f fault.Finding) bool { return f.Rule == checkCommit && f.Severity != fault.SeverityOK }) {
		text += " (the next write commits it)"
	}
	c.note(text, "memctl log --diff"+memory.ScopeFlag(list[0].Scope))
}

// nextSession builds the briefing as a hook would hand it out at a start.
func (c *checks) nextSession() {
	if _, err := c.stores.Setting(c.ctx, store.Mode); err != nil {
		c.fail(err, "memctl config")
		return
	}
	agent := c.sessionAgent("")
	b, err := briefing.Bootstrap(c.ctx, c.stores, briefing.BootstrapRequest{Agent: agent.Name, Tools: agent.Tools, Hook: true, Look: true, Reader: c.Reader()})
	if err != nil {
		c.fail(err, "memctl config")
		return
	}
	left, untrusted := b.Profile.LeftOutText(), false
	for _, back := range b.StoodBack {
		if back.Why == briefs.WhyUntrusted || back.Why == briefs.WhyNoGit {
			untrusted = untrusted || back.Why == briefs.WhyUntrusted
			left = strings.TrimPrefix(left+", "+back.Name+" ("+back.Why+")", ", ")
		}
	}
	text := "receives " + count(len(b.Profile.Bullets), "item")
	mine, err := c.stores.Setting(c.ctx, store.Enabled)
	switch {
	case err == nil && !mine.Bool():
		why, command := view.SwitchedOff(mine)
		c.warn("receives nothing: "+why, command)
	case b.Mode == briefing.ModeOff:
		c.note("receives no memory: memctl.mode is off", "memctl config mode "+briefing.ModeIndex)
	case untrusted:
		c.warn(text+"; left out: "+left, "memctl trust")
	case left != "":
		c.note(text+"; left out: "+left, "memctl profile --all")
	default:
		c.ok(text)
	}
	c.size(b)
	c.topic = "context files"
	for _, f := range b.Context {
		text := fmt.Sprintf("%s %d bytes, about %s", f.Name, f.Bytes, count(f.Tokens, "token"))
		if c.setName(f.Name); f.Over > 0 {
			c.warn(fmt.Sprintf("%s (%d characters over the limit, left out of its middle)", text, f.Over), "memctl bootstrap --context "+f.Name)
		} else {
			c.ok(text)
		}
	}
}

// nearlyFull is the percentage from which status warns about the profile.
const nearlyFull = 80

// size says what a session costs, and when its profile is nearly full.
func (c *checks) size(v briefing.BootstrapResult) {
	c.topic = "size"
	most, profile := briefs.Lower(briefs.MaxBytes, memory.HandedOut(c.ctx, c.stores, true).MaxBytes), v.Profile.Bytes
	text := fmt.Sprintf("a session starts with %d bytes, about %s", v.Bytes, count(v.Tokens, "token"))
	if full := (profile*100 + most - 1) / max(most, 1); full >= nearlyFull {
		text += fmt.Sprintf("; the profile takes %d of its %d bytes (%d%%)", profile, most, full)
	}
	if c.setName("size"); v.Tokens > v.Budget {
		c.warn(fmt.Sprintf("%s; %d tokens (%d%%) over the budget of %d", text, v.Tokens-v.Budget, (v.Tokens-v.Budget)*100/v.Budget, v.Budget), "memctl bootstrap")
	} else {
		c.ok(text)
	}
}

// trust reports whether agents here may be given the project's memory. Without memory there is
// nothing to trust.
func (c *checks) trust() {
	st, err := c.stores.Get(c.ctx, store.Project)
	if err != nil || st.Repo == nil || !st.HasFile() && memory.MissingFile(c.ctx, c.stores, store.Project) == nil {
		return
	}
	switch c.stores.TrustLevel(c.ctx) {
	case store.TrustAll:
		c.ok("this repository is trusted")
	case store.TrustReviewed:
		c.ok("hooks give agents the reviewed part of this repository's memory and what was written on this machine")
	default:
		c.warn("this repository is not trusted, so hooks do not give its memory to agents", "memctl trust")
	}
}

// checkMergeDriver reports for each store that has memory whether git merges it item by item.
func (c *checks) checkMergeDriver() {
	c.each(func(st *store.Store) {
		own := st.Scope == store.Private || st.Scope == store.User
		if st.Repo == nil || !own && !st.HasFile() { // without memory, init will set the driver
			return
		}
		if own {
			c.setName(st.Scope + " merge driver")
		}
		switch set, err := remotes.MergeDriver(c.ctx, st.Repo); {
		case err != nil:
			c.warn("git merges memory as text: "+err.Error(), "git rev-parse --git-path info/attributes")
		case !set:
			c.warn("git merges memory as text", "memctl doctor --fix")
		default:
			c.ok("git merges memory item by item")
		}
	})
}

// private reports whether this repository's private store is there.
func (c *checks) private() {
	if !slices.Contains(c.stores.Scopes(), store.Private) {
		return
	}
	switch st, err := c.stores.Get(c.ctx, store.Private); {
	case err != nil:
		c.fail(err, "")
	case st.Dir == "":
	case st.Gone():
		c.bad(st.Dir+": missing, although this repository has an id for it; restore the folder from a backup or its remote, or start a new store",
			"git config --local --unset memctl.private")
	}
}

// remotes compares the stores outside the project with their remotes, as they were last
// fetched: it does not use the network.
func (c *checks) remotes() {
	none := true
	c.each(func(st *store.Store) {
		remote := ""
		if st.Repo != nil && (st.Scope == store.Private || st.Scope == store.User) {
			remote = exchange.Remote(c.ctx, st)
		}
		if remote == "" {
			return
		}
		none = false
		c.setName(st.Scope + " remote")
		switch ahead, err := exchange.Unsent(c.ctx, st); {
		case err != nil:
			c.fail(err, "")
		case ahead > 0:
			c.warn(remote+": "+count(ahead, "commit")+" not pushed", "memctl sync --scope "+st.Scope)
		default:
			c.ok(remote)
		}
	})
	if none {
		c.ok(store.Private + " and " + store.User + " memory stay on this machine: they have no remote")
	}
}
