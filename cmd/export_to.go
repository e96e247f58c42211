package cmd

import (
	"errors"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/managed"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/sharing"
)

// exportedTo is what became of one instruction file.
type exportedTo struct {
	correct    func(file []byte) []byte // puts what items say in the place of lines that say otherwise
	Act        string                   `json:"act"`
	To         string                   `json:"to"`
	Path       string                   `json:"path"`
	ItemCount  int                      `json:"item_count"`
	LeftCount  int                      `json:"left_count"`  // items for which there was no room
	KnownCount int                      `json:"known_count"` // items whose text the rest of the file has
	Changed    bool                     `json:"changed"`
	Diff       string                   `json:"diff,omitempty"`
}

// runExportTo writes the project's rules into an instruction file, takes them out, or checks that they are up to date.
func runExportTo(s *session, o *exportOptions, patterns []string) error {
	switch {
	case o.to == "":
		return usage("--remove, --check and --dry-run", "need --to", "memctl export --to claude")
	case len(patterns) > 0:
		return usage(patterns[0], "--to takes all confirmed items of the project", "memctl export --to "+o.to)
	case s.Scope != "" && s.Scope != store.Project:
		return usage("--scope "+s.Scope, "an instruction file gets the items of the project", "memctl export --scope "+s.Scope)
	}
	if !s.dryRun() && !o.check {
		if err := onlyPerson(s.Options, "export --to", s.commandWith("")); err != nil {
			return err
		}
	}
	out, plan, err := s.planExport(o.to, o.maxBytes, o.remove, false)
	if err != nil {
		return exportFault(err)
	}
	switch {
	case o.check && out.Changed:
		return refusal("export-old", named(inert(s.relative(out.Path)), "does not have the project's current items"), "memctl export --to "+o.to)
	case s.dryRun():
		out.Diff = txn.UnifiedDiff(plan.File.Path, plan.Before, plan.After)
	default:
		if err := plan.Apply(); err != nil {
			return err
		}
	}
	return present(s, out, nil, func(out exportedTo) error { return s.printExported(out, o) })
}

// planExport plans what one instruction file becomes; with leave, it has all rules, also in place of lines that say otherwise.
func (s *session) planExport(to string, max int, remove, leave bool) (exportedTo, agents.Plan, error) {
	out := exportedTo{Act: "export", To: to}
	part, name := func([]byte, func(string) int) string { return "" }, "AGENTS.md"
	if to == "claude" {
		name = "CLAUDE.md"
	}
	if !remove {
		result, err := sharing.Export(s.ctx, s.stores, s.Reader(), sharing.ExportRequest{Scope: store.Project})
		if err != nil {
			return out, agents.Plan{}, err
		}
		req := sharing.InstructionsRequest{Name: name, Today: s.stores.Today(), Max: max, Limited: leave}
		if st, err := s.stores.Get(s.ctx, store.Project); err == nil && leave {
			req.Corrected = memory.KeysByCorrectedImport(s.ctx, st)
			doc, _ := contents.Document(s.ctx, st)
			for i := range result.Items { // an export has no requests to ask
				at := memory.Find(&doc, result.Items[i].Key)
				result.Items[i].Ask = at >= 0 && doc.Items[at].Ask
			}
		}
		part = func(rest []byte, size func(string) int) string {
			req.Rest, req.Size = rest, size
			in := result.Instructions(req)
			out.correct = in.Correct
			out.ItemCount, out.LeftCount, out.KnownCount = in.Items, in.Left, in.Known
			return in.Text
		}
	}
	plan, err := agents.PlanMemory(s.agentsMachine(), to, part)
	if err == nil {
		err = plan.Err
	}
	out.Path, out.Changed = plan.File.Path, plan.Changes()
	return out, plan, err
}

func exportFault(err error) error {
	switch {
	case errors.Is(err, managed.ErrChangedByHand), errors.Is(err, managed.ErrBadMarks):
		return refusal("changed-by-hand", inert(err.Error()))
	case errors.Is(err, agents.ErrOutside):
		return refusal("link-outside", inert(err.Error()))
	case errors.Is(err, agents.ErrNoProject):
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
		return s.print(path + " already has the text of " + count(out.KnownCount, "item") + "\n")
	case out.ItemCount == 0:
		s.note("none-confirmed", "the project has no confirmed items to write")
		return nil
	case !out.Changed:
		return s.print(path + " is up to date: " + count(out.ItemCount, "item") + "\n")
	}
	if out.KnownCount > 0 {
		s.note("known-left-out", "left out "+count(out.KnownCount, "item")+" whose text is in "+path+" already")
	}
	s.noteCommitYourself(path)
	return s.print("Wrote " + count(out.ItemCount, "item") + " to " + path + " (undo: memctl export --to " + o.to + " --remove)\n")
}

// noteCommitYourself says that memctl commits no file of the person's.
func (s *session) noteCommitYourself(path string) {
	s.note("commit-yourself", "commit "+path+" yourself, so that others receive these items")
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
	if err != nil || origin.Kind != memory.Explicit || s.stores.IsSingleStore() {
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
	for _, to := range agents.MemoryTargets() {
		_, plan, err := s.planExport(to, 0, true, false) // it does not read memory
		if plan.State == agents.Installed || errors.Is(err, managed.ErrChangedByHand) {
			do(s.planExport(to, defaultExportBytes, false, false))
		}
	}
}

// exports names the instruction files with an outdated export.
func (c *checks) exports() {
	c.eachExport(func(out exportedTo, _ agents.Plan, err error) {
		if err != nil {
			c.warn(inert(err.Error()), "")
		} else if out.Changed {
			c.warn(inert(c.relative(out.Path))+" has outdated items", "memctl export --to "+out.To)
		}
	})
}
