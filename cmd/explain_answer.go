package cmd

import (
	"errors"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/setup"
	"github.com/memctl/memctl/memory/skill"
)

// explainAnswer gives the answer of an act its hints. An error that the command line itself
// made has them already.
func explainAnswer(f *fault.Error) *fault.Error {
	if len(f.Hints) > 0 {
		return f
	}
	known := *f
	known.Hints = answerHints(f)
	var refused *memory.Refusal
	if errors.As(f.Err, &refused) {
		known.Hints = slices.Clone(refused.Hints)
		if f.Way != "" {
			known.Hints = append(known.Hints, f.Way)
		}
	}
	return &known
}

// answer is a code of an act's answer, with which of its reasons it is: the act, where
// several have the code.
type answer struct{ code, why string }

const (
	purgeText  = "memctl purge - < FILE"
	syncToUser = "memctl sync --scope user --remote URL"
)

// answerHints is the table of hints of acts' answers. f.Names are the words that the commands
// need, f.Way is a whole command that depends on what the act found.
func answerHints(f *fault.Error) []string {
	name := ""
	if len(f.Names) > 0 {
		name = f.Names[0]
	}
	switch (answer{f.Code, f.Why}) {
	case answer{"disabled", "history"}:
		return []string{"git config --global memctl.recall.history on"}
	case answer{"not-found", "skill"}, answer{"not-found", "skill-left-out"}:
		return []string{"memctl skills list"}
	case answer{"not-found", "context-file"}:
		return []string{"memctl context list"}
	case answer{"not-found", "skill-untrusted"}:
		return []string{"memctl trust"}
	case answer{skill.RuleWithheld, ""}:
		return []string{"memctl skills check " + name + " --accept"}
	case answer{"not-found", "history"}:
		return []string{"memctl recall --history QUERY"}
	case answer{"explicit-only", "import"}:
		return []string{"memctl trust", "memctl import " + name}
	case answer{"explicit-only", "trust"}:
		return []string{strings.TrimSpace("memctl trust " + strings.TrimPrefix(name, setup.TrustOn))}
	case answer{"explicit-only", "sync"}:
		return []string{syncToUser}
	case answer{"explicit-only", "compact"}:
		return []string{"memctl compact"}
	case answer{"no-memory-file", "import"}:
		return []string{"memctl init", "memctl import --scope private " + name}
	case answer{"not-set-here", ""}:
		return []string{f.Way}
	case answer{"setting", "change"}:
		return f.Names
	case answer{"scope", "agent-cli"}:
		return []string{"memctl import " + name}
	case answer{"no-terminal", ""}:
		return []string{"git config memctl.trust " + name}
	case answer{"not-a-memory-file", "resolve"}:
		return []string{"memctl resolve"}
	case answer{"not-a-repository", ""}:
		return []string{"git init"}
	case answer{"not-a-repository", "validate"}:
		return []string{"memctl -C FOLDER validate"}
	case answer{"scope", "sync"}:
		return []string{syncToUser, "memctl sync --scope private --remote URL"}
	case answer{"shallow-clone", ""}:
		return append(fetchOne(name), "git fetch --unshallow")
	case answer{"unknown-revision", "base"}:
		return []string{"git fetch", "git log --oneline --all"}
	case answer{"no-such-category", ""}:
		return []string{"memctl facts"}
	case answer{"no-such-day", ""}:
		return []string{"memctl notes week"}
	case answer{"not-found", "show"}, answer{"not-found", "removed"}, answer{"not-found", "log"}:
		return notFoundHints(f, name)
	}
	if hints := undoHints(f, name); hints != nil {
		return hints
	}
	return purgeHints(f, name)
}

// notFoundHints are the commands that show or restore what has a name like the one asked for.
func notFoundHints(f *fault.Error, name string) []string {
	var hints []string
	switch f.Why {
	case "log":
		return []string{strings.TrimSpace("memctl log --all " + name)} // other branches, and the journal
	case "removed":
		hints = []string{"memctl why " + f.Path, "memctl restore " + f.Path}
	default:
		hints = []string{"memctl show"}
	}
	if f.Way != "" {
		hints = append(hints, f.Way)
	}
	return append(hints, prefixed("memctl show ", f.Names)...)
}

// undoHints are those of undo and redo.
func undoHints(f *fault.Error, name string) []string {
	switch (answer{f.Code, f.Why}) {
	case answer{"nothing-to-redo", ""}:
		return []string{strings.TrimSpace("memctl log " + name)}
	case answer{"nothing-to-undo", "unchanged"}, answer{"no-memory-change", ""}:
		return []string{"memctl log"}
	case answer{"nothing-to-undo", ""}:
		return []string{"memctl log --all", "memctl undo COMMIT"}
	case answer{"not-undone", ""}:
		return append([]string{"memctl log"}, prefixed("memctl undo ", f.Names)...)
	case answer{"not-undone", "committed"}:
		return []string{"git revert " + name}
	case answer{"not-undone", "merged"}:
		return []string{"memctl undo " + name, "memctl log"}
	case answer{"not-undone", "merging"}:
		quoted := make([]string, len(f.Names))
		for i, file := range f.Names {
			quoted[i] = shell.Quote(file)
		}
		return []string{"git checkout --merge -- " + strings.Join(quoted, " ")}
	}
	return nil
}

// purgeHints are those of purge.
func purgeHints(f *fault.Error, name string) []string {
	switch (answer{f.Code, f.Why}) {
	case answer{"explicit-only", ""}:
		if f.Way != "" {
			return []string{f.Way}
		}
	case answer{"still-remembered", ""}:
		return f.Names
	case answer{"ambiguous", "purge"}:
		return prefixed("memctl purge ", f.Names)
	case answer{"not-found", "purge"}, answer{"no-value", ""}:
		return []string{purgeText}
	case answer{"not-specific", ""}, answer{"too-long", ""}:
		return append(prefixed("memctl log ", f.Names), purgeText) // the log shows which commits have it
	}
	return nil
}

// fetchOne is the command that fetches one revision alone, for the names that a remote
// understands.
func fetchOne(rev string) []string {
	if branch, ok := strings.CutPrefix(rev, "origin/"); ok {
		return []string{"git fetch --depth=1 origin " + branch + ":refs/remotes/origin/" + branch}
	}
	if len(rev) >= 40 && strings.Trim(rev, "0123456789abcdef") == "" {
		return []string{"git fetch --depth=1 origin " + rev}
	}
	return nil
}
