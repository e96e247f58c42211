package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/policy"
)

type importOptions struct {
	format string
	yes    bool
}

func newImport(a *app) *cobra.Command {
	o := &importOptions{}
	c := &cobra.Command{
		Use:   "import [FILE|FOLDER|-]",
		Short: "Import memory from other files",
		Long: `Import reads memory from FILE, from the files of FOLDER, or from stdin, and stores what the
policy accepts, with one commit for each scope. It lists each part of a Markdown file with
its line and its outcome. At a terminal it asks once before it stores anything. Text that the
policy holds waits in "memctl review".

Your yes to an instruction file, or --yes, makes its lines your own statements, which agents do
not change. All else that is imported gets medium confidence at most, or low if the text
expresses doubt, and never replaces what a person stated. From a transcript or a chat history,
import captures what you said (see "memctl capture").

memctl detects the format from the name and the content: CLAUDE.md, AGENTS.md, GEMINI.md, QWEN.md,
rules of Cursor and Copilot, other Markdown, MEMORY.md, the memory folders of Claude Code,
Codex, Qwen Code, ChatCLI and agent-cli, the memory file of the MCP reference server, an export of
mememory, JSON Lines, another memories.md.

Import lists the files that an instruction file includes with @FILE, and does not read them.
It changes none of these files.

Without an argument, import lists the files here that it could import.`,
		Example: `  memctl import
  memctl import CLAUDE.md --dry-run
  memctl import memory.jsonl --scope user
  memctl import ~/.claude/projects/-home-ada-shop/memory
  memctl import ~/.codex/memories
  grep '"type":"rule"' export.json | memctl import - --format jsonl`,
		RunE: a.runner(needWrite, func(s *session, args []string) error { return runImport(s, o, args) }),
	}
	bindWrite(c)
	c.Flags().StringVar(&o.format, "format", "", "read the input as `FORMAT`: "+strings.Join(capture.Formats(), ", "))
	allow(c, "format", capture.Formats()...)
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "import without asking, as your own statements")
	return c
}

func runImport(s *session, o *importOptions, args []string) error {
	setPace(steadyHeap)
	if len(args) == 0 {
		return s.listImports()
	}
	name := args[0]
	if o.format == "" && isTranscript(name) {
		return runCapture(s, &captureOptions{yes: !s.mayAsk()}, args)
	}
	files, err := s.importFiles(name, o.format)
	if err != nil {
		return err
	}
	read, err := capture.Read(o.format, files)
	if err != nil {
		if bad := fault.Find(err, fault.Format); bad != nil {
			err = refusal("format", inert(bad.Error()), "memctl import --help")
		}
		return err
	}
	shown := edit.SourceName(s.stores, name)
	if name == "-" {
		shown = "stdin"
	}
	s.commitPending()
	req := edit.ImportRequest{Options: s.Options, Name: shown, Format: read.Format, Input: read, Project: capture.Instructs(read.Format)}
	asks := s.mayAsk() && !o.yes && s.Explicit() && name != "-"
	req.Accepted = s.Explicit() && req.Project && (asks || o.yes)
	if asks = asks && !s.dryRun(); asks {
		if goes, err := s.askImport(&req); err != nil || !goes {
			return err
		}
	}
	progress := s.progress("importing", "lines")
	req.Progress = progress.Update
	result, err := edit.Import(s.ctx, s.stores, req)
	progress.Clear()
	if err != nil {
		return err
	}
	if len(result.Writes) > 0 {
		result.Writes[0].Notes = s.withPendingNotes(result.Writes[0].Notes)
	}
	if result.AddedCount >= indexAfter {
		s.index()
	}
	s.nameIncluded(name, read.Includes)
	if result.MediumCount > 0 && req.Project && s.Explicit() && name != "-" {
		result.Hints = []string{"memctl import " + s.Asked() + shell.Quote(name) + " --yes"}
	}
	return s.printImport(result, !asks) // at a terminal, the person has seen it
}

// askImport shows what an import would take, and asks once whether it shall. It asks nothing where it would take nothing.
func (s *session) askImport(req *edit.ImportRequest) (goes bool, err error) {
	trial, err := edit.Import(s.ctx, s.stores.Trial(), *req)
	if err != nil {
		return false, err
	}
	fresh := trial.AddedCount + trial.ChangedCount + trial.ConflictCount + trial.HeldCount
	if fresh+trial.PersonalCount == 0 {
		return true, nil
	}
	s.printRows(trial, true)
	goes = fresh > 0 && s.confirmYes("Import "+count(fresh, "record")+"?")
	if n := trial.PersonalCount; n > 0 {
		req.Personal = s.confirmYes("Store " + count(n, "personal record") + " in the project, where others read them?")
	}
	if !goes && !req.Personal {
		s.note("nothing-imported", "nothing was imported")
	}
	return goes || req.Personal, nil
}

// nameIncluded names the files that an instruction file includes, with the command that imports each.
func (s *session) nameIncluded(name string, includes []string) {
	for _, include := range includes {
		at := filepath.Join(filepath.Dir(name), filepath.FromSlash(include))
		if rest, ok := strings.CutPrefix(include, "~/"); ok {
			at = filepath.Join(s.stores.Home(), filepath.FromSlash(rest))
		} else if filepath.IsAbs(include) {
			at = include
		}
		if info, err := os.Lstat(at); err == nil && !info.IsDir() {
			s.note("included-file", named(inert("@"+include), "this file is included, and not read"), "memctl import "+shell.Quote(s.relative(at)))
		}
	}
}

// indexAfter is the number of additions from which an import builds the
// index, because a hook reads only a few hundred changed files.
const indexAfter = 200

// index brings recall's index up to date. It is a cache: what goes wrong is told
// by whoever needs it next.
func (s *session) index() {
	if s.dryRun() {
		return
	}
	progress := s.progress("indexing", "files")
	defer progress.Clear()
	if r, err := briefing.OpenRecall(s.ctx, s.stores, briefing.RecallOptions{Reader: contents.Person, Progress: progress.Update}); err == nil {
		_ = r.Close()
	}
}

// cannotRead is the error of a file that is not read at all.
func cannotRead(name string, err error) error {
	code, status := "not-a-file", statusRefused
	if errors.Is(err, fs.ErrNotExist) {
		code = "not-found"
	}
	return &fault.Error{Code: code, Status: status, Cause: named(inert(name), inert(cause(err)))}
}

// cause is an error without the name of the file, which stands before it.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	text := err.Error()
	if _, after, ok := strings.Cut(text, `": `); ok && strings.HasPrefix(text, `"`) {
		return after
	}
	return text
}

// printImport prints what became of the input: on stdout the list, on stderr why something did not come in.
func (s *session) printImport(r edit.ImportResult, list bool) error {
	if r.HeldCount+r.LowCount > 0 {
		r.Hints = append(r.Hints, memory.ReviewHint)
	}
	if err := present(s, r, nil, func(r edit.ImportResult) error { return s.printImportText(r, list) }); err != nil {
		return err
	}
	if r.RefusedCount > 0 {
		return statusError(statusRefused)
	}
	return nil
}

func (s *session) printImportText(r edit.ImportResult, list bool) error {
	for _, row := range r.Rows {
		s.printImportRow(row)
	}
	if r.UnlistedCount > 0 {
		s.note("lines-unlisted", fmt.Sprintf("%d more lines are not listed", r.UnlistedCount))
	}
	for _, w := range r.Writes {
		s.notes(w.Notes)
	}
	if !s.global.quiet {
		if list {
			s.printRows(r, s.dryRun())
		}
		s.print(inert(s.summary(r)) + "\n")
	}
	if low := r.LowCount; low > 0 {
		s.note("low-confidence", fmt.Sprintf("memories of low confidence: %d; until you confirm them, agents get them only when they ask", low))
	}
	if r.MediumCount > 0 {
		s.note("medium-confidence", fmt.Sprintf("items of medium confidence: %d; until you confirm them, agents may change them", r.MediumCount))
	}
	for _, hint := range r.Hints {
		s.hint(hint)
	}
	return nil
}

// placeOf returns the file and the lines of a row, "" for a row without lines.
func placeOf(row edit.ImportRow) string {
	place := row.File
	if row.Line > 0 {
		place = strings.TrimPrefix(fmt.Sprintf("%s line %d", row.File, row.Line), " ")
	}
	return place
}

// printImportRow says of one row why it did not come in, or what there is to know.
func (s *session) printImportRow(row edit.ImportRow) {
	place := placeOf(row)
	if place != "" {
		place += ": "
	}
	for i, f := range row.Findings {
		if slices.ContainsFunc(row.Findings[:i], func(g fault.Finding) bool {
			return g.Rule == f.Rule && (g.Message == f.Message || f.Rule == policy.RuleSecret)
		}) {
			continue // the same of key and value, or by another mark of a secret: once is enough
		}
		text := f.Message + ruleMark(f.Rule)
		if f.Where != "" && !strings.HasPrefix(f.Where, "key") && !strings.HasPrefix(f.Where, "value") {
			text = f.Where + ": " + text // such as the heading above the line
		}
		switch text = place + named(row.Key, text); row.Outcome {
		case "refused":
			s.errorLine(text)
		case "held":
			s.talk("held: " + text)
		default:
			s.note(row.Outcome, text)
		}
	}
	if row.Forgotten != "" {
		s.hint("memctl restore " + row.Forgotten)
	}
	if row.Outcome == "conflict" {
		s.note("other-value-waits", place+named(row.Key, "is not changed yet; this other value waits for you: memctl review"))
	}
}

// printRows lists the rows of an import: memories with their keys, and skipped rows with their reasons.
// would is set for a dry run.
func (s *session) printRows(r edit.ImportResult, would bool) error {
	t := term.Table{Indent: "  ", MaxWidth: keyColumn}
	text := func(text string) term.Cell {
		text = inert(strings.Join(strings.Fields(text), " "))
		if s.streams.Columns > 0 {
			text = policy.Cut(text, max(s.streams.Columns-keyColumn-30, 30))
		}
		return term.Cell{Text: text, Style: term.Faint}
	}
	for _, left := range [...]bool{false, true} {
		for _, row := range r.Rows {
			if left != (row.Outcome == "skipped" || row.Outcome == "refused") {
				continue
			}
			place := placeOf(row)
			if row.Last > row.Line {
				place += fmt.Sprintf("-%d", row.Last)
			}
			about, outcome, style := strings.TrimSpace(row.Tier+" "+row.Key), row.Outcome, term.Style("")
			switch {
			case row.Outcome == "skipped":
				about, outcome, style = row.Kind+": "+row.Why, "left", term.Faint
			case row.Outcome == "known":
				style = term.Faint
			case row.Why != "":
				about = strings.TrimSpace(row.Key + ruleMark(row.Why))
			case would:
				outcome = wouldBe(outcome)
			}
			t.AddCells(term.Cell{Text: inert(place)}, term.Cell{Text: outcome, Style: style}, term.Cell{Text: inert(about)}, text(row.Text))
		}
	}
	return s.print(t.Text(s.streams.OutColour))
}

// wouldBe is an outcome in the words of a dry run.
func wouldBe(outcome string) string {
	switch outcome {
	case "added":
		return "would add"
	case "changed":
		return "would change"
	}
	return outcome
}

// summary is the one line that says what came in.
func (s *session) summary(r edit.ImportResult) string {
	change := func(n int, outcome string) string {
		if s.dryRun() {
			return wouldBe(outcome) + " " + fmt.Sprint(n)
		}
		return fmt.Sprint(n) + " " + outcome
	}
	facts := []string{change(r.AddedCount, "added")}
	if r.ChangedCount > 0 {
		facts = append(facts, change(r.ChangedCount, "changed"))
	}
	text := r.Name
	if r.Format != "" {
		text += " (" + r.Format + ")"
	}
	text += ": " + joinFacts(append(facts, countOrEmpty(r.ConflictCount, "in conflict"), countOrEmpty(r.KnownCount, "known already"), countOrEmpty(r.HeldCount, "held"),
		countOrEmpty(r.RefusedCount, "refused"), countOrEmpty(r.SkippedCount, "left in the file")))
	if len(r.Writes) > 0 && !s.dryRun() {
		text += " (undo: memctl undo)"
	}
	return text
}
