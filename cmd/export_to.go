package cmd

import (
	"errors"
	"fmt"

	"github.com/memctl/memctl/agents"
	"github.com/memctl/memctl/internal/managed"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/transfer"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/txn"
)

// exportedTo is what became of one instruction file.
type exportedTo struct {
	Schema     int    `json:"schema"`
	Act        string `json:"act"`
	To         string `json:"to"`
	Path       string `json:"path"`
	Scope      string `json:"scope"`
	ItemCount  int    `json:"item_count"`
	LeftCount  int    `json:"left_count"`  // items for which there was no room
	KnownCount int    `json:"known_count"` // items whose text the rest of the file has
	Changed    bool   `json:"changed"`
	Diff       string `json:"diff,omitempty"`
}

// runExportTo writes memory into the instruction file of an agent, or takes it out.
func runExportTo(s *session, o *exportOptions, patterns []string) error {
	switch {
	case o.to == "":
		return usage("--remove and --dry-run", "need --to", "memctl export --to claude")
	case len(patterns) > 0:
		return usage(patterns[0], "--to takes all confirmed items of a scope", "memctl export --to "+o.to)
	}
	scope, whose, err := exportScope(s.Scope, o.to)
	if err != nil {
		return err
	}
	if !s.dryRun() {
		if err := onlyPerson(s.Options, "export --to", s.commandWith("")); err != nil {
			return err
		}
	}
	out, plan, err := s.planExport(o.to, scope, whose, o.maxBytes, o.remove)
	if err != nil {
		return exportFault(err)
	}
	if s.dryRun() {
		out.Diff = txn.UnifiedDiff(plan.File.Path, plan.Before, plan.After)
	} else if err := plan.Apply(); err != nil {
		return err
	}
	return present(s, out, nil, func(out exportedTo) error { return s.printExported(out, o) })
}

// exportScope is the scope whose items go to the target's file: a person's own file has what is
// theirs, and a project's file what is the project's.
func exportScope(given, to string) (scope, whose string, err error) {
	switch {
	case given == store.Project || given == "" && to == "agents-md":
		return store.Project, agents.ForProject, nil
	case to == "agents-md":
		return "", "", usage("--scope "+given, "AGENTS.md is the project's, so it gets the items of the project", "memctl export --to agents-md")
	case given == "" || given == store.User:
		return store.User, agents.ForUser, nil
	}
	return "", "", usage("--scope "+given, "an instruction file gets the items of scope user or project", "memctl export --scope "+given)
}

// planExport plans what one instruction file becomes.
func (s *session) planExport(to, scope, whose string, max int, remove bool) (exportedTo, agents.Plan, error) {
	out := exportedTo{Schema: memory.SchemaNumber, Act: "export", To: to, Scope: scope}
	part := func([]byte) string { return "" }
	if !remove {
		result, err := transfer.Export(s.ctx, s.stores, s.Reader(), transfer.ExportRequest{Scope: scope})
		if err != nil {
			return out, agents.Plan{}, err
		}
		part = func(rest []byte) string {
			in := result.Instructions(s.stores.Today(), max, rest)
			out.ItemCount, out.LeftCount, out.KnownCount = in.Items, in.Left, in.Known
			return in.Text
		}
	}
	plan, err := agents.PlanMemory(s.machine(), to, whose, part)
	if err == nil {
		err = plan.Err
	}
	out.Path, out.Changed = plan.File.Path, plan.Changes()
	return out, plan, err
}

func exportFault(err error) error {
	switch {
	case errors.Is(err, managed.ErrChanged), errors.Is(err, managed.ErrMarks):
		return refusal("changed-by-hand", inert(err.Error()))
	case errors.Is(err, agents.ErrNoHome), errors.Is(err, agents.ErrNoProject):
		return refusal("no-place", err.Error(), "memctl export")
	}
	return err
}

func (s *session) printExported(out exportedTo, o *exportOptions) error {
	if out.LeftCount > 0 {
		s.note("list-truncated", count(out.LeftCount, "item")+" did not fit into --max-bytes")
	}
	path := inert(s.relative(out.Path))
	switch {
	case s.dryRun() && out.Changed:
		return s.printDiff(out.Diff)
	case o.remove && !out.Changed:
		s.note("no-block", named(path, "has no items of memctl"))
		return nil
	case o.remove:
		return s.print("Removed memctl's items from " + path + "\n")
	case out.ItemCount == 0 && out.KnownCount > 0:
		return s.print(path + " already has the text of " + count(out.KnownCount, "item") + " of scope " + out.Scope + "\n")
	case out.ItemCount == 0:
		s.note("none-confirmed", "scope "+out.Scope+" has no confirmed items to write")
		return nil
	case !out.Changed:
		return s.print(path + " is up to date: " + count(out.ItemCount, "item") + " of scope " + out.Scope + "\n")
	}
	if out.KnownCount > 0 {
		s.note("known-left-out", "left out "+count(out.KnownCount, "item")+" whose text is in "+path+" already")
	}
	if out.Scope == store.Project {
		s.note("commit-yourself", "memctl does not commit "+path+"; commit it yourself, so that others receive these items")
	}
	return s.print("Wrote " + count(out.ItemCount, "item") + " of scope " + out.Scope + " to " + path + " (undo: memctl export --to " + o.to + s.scopeFlag(out.Scope, o.to) + " --remove)\n")
}

// scopeFlag is the flag that means the same file again.
func (s *session) scopeFlag(scope, to string) string {
	if scope == store.Project && to != "agents-md" {
		return " --scope project"
	}
	return ""
}

// refreshExports brings the instruction files up to date that have a part of memctl already. It
// makes no part and no file, and a file that cannot be changed stops nothing.
func (s *session) refreshExports() {
	if s.dryRun() {
		return
	}
	origin, err := s.origin(false)
	if err == nil && s.stores == nil {
		s.stores, err = s.open(s.ctx)
	}
	if err != nil || origin.Kind != memory.Explicit || s.stores.Alone() {
		return
	}
	s.eachExport(func(out exportedTo, plan agents.Plan, err error) {
		if err == nil && out.Changed {
			err = plan.Apply()
		}
		switch path := inert(s.relative(out.Path)); {
		case err != nil:
			s.note("list-not-refreshed", "did not refresh memctl's items: "+inert(err.Error()))
		case out.Changed:
			s.note("list-refreshed", "refreshed memctl's items in "+path)
		}
	})
}

// eachExport plans a new export for each instruction file that has a part of memctl.
func (s *session) eachExport(do func(exportedTo, agents.Plan, error)) {
	done := map[string]bool{}
	for _, at := range []struct{ to, scope, whose string }{
		{"claude", store.User, agents.ForUser}, {"codex", store.User, agents.ForUser},
		{"claude", store.Project, agents.ForProject}, {"agents-md", store.Project, agents.ForProject},
	} {
		found, plan, err := s.planExport(at.to, at.scope, at.whose, 0, true) // it does not read memory
		if found.Path == "" || plan.State != agents.Installed && !errors.Is(err, managed.ErrChanged) || done[found.Path] {
			continue
		}
		done[found.Path] = true
		do(s.planExport(at.to, at.scope, at.whose, defaultExportBytes, false))
	}
}

// exports names the instruction files with an outdated export, and the lines that a session reads twice.
func (c *checks) exports() {
	c.eachExport(func(out exportedTo, _ agents.Plan, err error) {
		command := "memctl export --to " + out.To + c.scopeFlag(out.Scope, out.To)
		path := inert(c.relative(out.Path))
		_, whose, _ := exportScope(out.Scope, out.To)
		switch _, without, failed := c.planExport(out.To, out.Scope, whose, 0, true); {
		case err != nil:
			c.warn(inert(err.Error()), "")
		case out.Changed:
			c.warn(path+" has items as they were at an earlier export", command)
		case failed == nil:
			c.warn(fmt.Sprintf("each session receives the items that were exported to %s from memctl too, and reads %s twice", path, count(len(without.Before)-len(without.After), "byte")), command+" --remove")
		}
	})
}
