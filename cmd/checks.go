package cmd

import (
	"context"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/term"
)

// check is one thing that memctl looks at.
type check struct {
	topic, name string // name is that of its findings, where the check gives them no other
	run         func(*checks)
	noStores    bool // it also runs where the stores cannot be opened
}

// checkCommit names the check whether a commit could be made now.
const checkCommit = "commit"

// allChecks is the list of checks, by topic. Doctor and the page print what they find, and status a line for each topic.
func allChecks() []check {
	return []check{
		{"git", "repository", (*checks).repository, true},
		{"git", "stores", (*checks).reportOpenError, true},
		{"remembered", "remembered", (*checks).remembered, false},
		{"files", "memory file", (*checks).files, false},
		{"files", "state", (*checks).unfinished, false},
		{"files", "branch", (*checks).dropped, false},
		{"forgotten", "forgotten", (*checks).forgotten, false},
		{"waiting", "waiting", (*checks).noteWaitingDecisions, false},
		{"not committed", "not committed", (*checks).listUncommitted, false},
		{"next session", "next session", (*checks).nextSession, false},
		{"trust", "trust", (*checks).trust, false},
		{"hooks", "agents", (*checks).hooks, true},
		{"hooks", "hook calls", (*checks).hookCalls, false},
		{"instructions", "instructions", (*checks).exports, false},
		{"mcp", "mcp", (*checks).servers, true},
		{"merging", "merge driver", (*checks).checkMergeDriver, false},
		{"sync", "private store", (*checks).private, false},
		{"sync", "remote", (*checks).remotes, false},
		{"shared index", "shared index", (*checks).shared, false},
		{topicMachine, "git", (*checks).git, true},
		{topicMachine, fullName, (*checks).full, true},
		{topicMachine, "path", (*checks).path, true},
		{topicMachine, "setting", (*checks).settings, false},
		{topicMachine, "data folder", (*checks).state, false},
		{topicMachine, "models", (*checks).modelChain, false},
	}
}

// topicMachine is the topic that status leaves to doctor: its checks start programs and write files.
const topicMachine = "machine"

// checks collects what the checks find.
type checks struct {
	*session    // says nothing; has no stores where they cannot be opened
	openFailed  error
	models      bool // ask each model
	topic, name string
	found       []fault.Finding
}

// runChecks runs the checks on stores of its own, and says nothing on the way. With models it asks each configured model;
// short leaves topicMachine out.
func (s *session) runChecks(ctx context.Context, short, models bool) *checks {
	c := &checks{session: s.silent(ctx), models: models}
	c.stores, c.openFailed = c.session.open(ctx)
	for _, one := range allChecks() {
		if c.stores == nil && !one.noStores || short && one.topic == topicMachine {
			continue
		}
		c.topic, c.name = one.topic, one.name
		one.run(c)
	}
	return c
}

// silent returns the session without its notes on stderr, for callers that report problems in another way.
func (s *session) silent(ctx context.Context) *session {
	own := *s.app
	own.global.quiet = true
	return &session{app: &own, ctx: ctx, Options: s.Options}
}

// setName names the findings that follow.
func (c *checks) setName(name string) *checks {
	c.name = name
	return c
}

func (c *checks) add(level, text, hint string) {
	c.found = append(c.found, fault.Finding{Topic: c.topic, Rule: c.name, Severity: level, Message: text, Hint: hint})
}

func (c *checks) ok(text string)         { c.add(fault.SeverityOK, text, "") }
func (c *checks) note(text, hint string) { c.add(fault.SeverityNote, text, hint) }
func (c *checks) warn(text, hint string) { c.add(fault.SeverityWarning, text, hint) }
func (c *checks) bad(text, hint string)  { c.add(fault.SeverityError, text, hint) }

// fail adds a finding for an error, with the hint where the error has none.
func (c *checks) fail(err error, hint string) {
	e := explain(err)
	if hint == "" {
		hint = strings.Join(e.Hints, "; ")
	}
	c.bad(e.Error(), hint)
}

// each calls do for every store that can be opened, with the name that the check has.
func (c *checks) each(do func(*store.Store)) {
	name := c.name
	for _, scope := range c.stores.Scopes() {
		c.name = name
		if st, err := c.stores.Get(c.ctx, scope); err == nil {
			do(st)
		}
	}
}

// severityStyles are the colours of the severities.
func severityStyles() map[string]term.Style {
	return map[string]term.Style{fault.SeverityOK: term.Good, fault.SeverityWarning: term.Warning, fault.SeverityError: term.Bad}
}

// reportOpenError reports why the stores cannot be opened.
func (c *checks) reportOpenError() {
	if c.openFailed != nil {
		c.fail(c.openFailed, "")
	}
}
