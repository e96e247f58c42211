package setup

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
)

// The levels of trust, as the command names them.
const (
	TrustOn       = "on"
	TrustReviewed = "reviewed"
	TrustOff      = "off"
)

// TrustRequest asks for a level of trust in this repository's memory; Level ""
// asks only what it is. Ask puts a yes/no question to a person at a terminal;
// nil where there is none.
type TrustRequest struct {
	memory.Options
	Level string // TrustOn, TrustReviewed, TrustOff, or ""
	Ask   func(question string) bool
}

// TrustResult is what became of it.
type TrustResult struct {
	Level   string `json:"level"` // on, reviewed or off
	Changed bool   `json:"changed"`
	Why     string `json:"why"` // why nothing changed: "", "dry run", "nothing changed", "not confirmed"
	Path    string `json:"path"`

	Accepted []AcceptedView `json:"accepted,omitempty"` // where the question was what the level is
	fault.Noted
}

// Trust sets how far this repository's memory and context files may reach an
// agent's hook, in the repository's own git configuration. Only a person does,
// and to let more through they say yes at a terminal. Errors, all *fault.Error:
// explicit-only; not-a-repository; no-terminal.
func Trust(ctx context.Context, ss *store.Stores, req TrustRequest) (TrustResult, error) {
	now := levels()[rank(ss.TrustLevel(ctx))].name
	res := TrustResult{Level: now, Path: ss.Root(), Noted: fault.Noted{Notes: []fault.Note{}}}
	if req.Level == "" {
		res.Notes = trustNotes(ctx, ss, now)
		var err error
		res.Accepted, err = accepted(ctx, ss)
		return res, err
	}
	switch {
	case ss.IsSingleStore():
		return res, &fault.Error{Code: "scope", Status: 1, Cause: "--store names a folder of your own, which needs no trust"}
	case ss.Unusable() != nil:
		return res, ss.Unusable()
	case ss.Repo() == nil || ss.Root() == "":
		return res, &fault.Error{Code: "not-a-repository", Status: 1, Cause: "trust is stored in a repository's git config, but this is not a git repository", Hints: []string{"git init"}}
	}
	if err := req.Permit("trust", memory.StateAbsent, strings.TrimSpace("memctl trust "+strings.TrimPrefix(req.Level, TrustOn))); err != nil {
		return res, memory.AsError("", err)
	}
	switch {
	case now == req.Level:
		res.Why = "nothing changed"
		return res, nil
	case ss.DryRun():
		res.Why = txn.WhyDryRun
		return res, nil
	}
	if rank(req.Level) > rank(now) {
		if req.Ask == nil {
			return res, &fault.Error{Code: "no-terminal", Status: 1, Cause: "only a person at a terminal can trust a repository", Hints: []string{"git config memctl.trust " + levels()[rank(req.Level)].value}}
		}
		if !req.Ask(question(req.Level)) {
			res.Why = "not confirmed"
			return res, nil
		}
	}
	if err := ss.SetTrustLevel(ctx, levels()[rank(req.Level)].value); err != nil {
		return res, err
	}
	res.Level, res.Changed = req.Level, true
	res.Notes = trustNotes(ctx, ss, req.Level)
	if st, err := ss.Get(ctx, store.Project); err == nil && st.HasFile() && req.Level != TrustOff {
		res.Notes = append(res.Notes, st.SetMergeDriver(ctx)...)
	}
	return res, nil
}

// level is a level of trust: its name, and its value in git config.
type level struct{ name, value string }

// levels lists the levels. Each lets more through than the one before it.
func levels() []level {
	return []level{{TrustOff, store.TrustOff}, {TrustReviewed, store.TrustReviewed}, {TrustOn, store.TrustAll}}
}

// rank is the place of the level with that name or value.
func rank(of string) int {
	return slices.IndexFunc(levels(), func(l level) bool { return l.name == of || l.value == of })
}

func question(level string) string {
	if level == TrustReviewed {
		return "Let the reviewed part of this repository's memory reach your coding agents?"
	}
	return "Let this repository's memory, on every branch that you check out, reach your coding agents?"
}

// trustNotes tell what a level needs to work.
func trustNotes(ctx context.Context, ss *store.Stores, level string) []fault.Note {
	if level == TrustReviewed && !contents.LoadReviewed(ctx, ss).HasDefaultBranch() {
		return []fault.Note{fault.NewNote("no-default-branch", "memctl does not know the remote's default branch, so only memory written on this machine counts as reviewed: git remote set-head origin --auto")}
	}
	return []fault.Note{}
}
