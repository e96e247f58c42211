package cmd

import (
	"cmp"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/setup"
	"github.com/memctl/memctl/memory/skill"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/txn"
)

// explainAnswer gives the answer of an act its hints. An error that the command line itself
// made has them already.
func explainAnswer(f *fault.Error) *fault.Error {
	if len(f.Hints) > 0 {
		return f
	}
	known := *f
	known.Hints = answerHints(f)
	return &known
}

// writeHints are the hints of an act's answer about one key. A refusal has the code of its rule,
// and without a Why its row is that of the act.
func writeHints(w memory.Write) []string {
	f := w.Facts
	f.Thing, f.Why = w.Key, cmp.Or(f.Why, w.Act)
	switch {
	case w.Verdict == policy.Refuse.String() && len(w.Findings) > 0:
		f.Code = w.Findings[0].Rule
	case w.WouldWait:
		f.Code, f.Why = "would-wait", w.Why
	case w.Verdict == policy.Hold.String():
		f.Code, f.Why = "waits", w.Why
	}
	return answerHints(&f)
}

// reason is a code of an act's answer, with which of its reasons it is: the act, where
// several have the code. The row without a reason is that of all others.
type reason struct{ code, why string }

const (
	reviewHint = "memctl review" // shows what is held
	purgeText  = "memctl purge - < FILE"
	syncToUser = "memctl sync --scope user --remote URL"
	ownCommand = "memctl {act}{flag} {args}"
	ownMove    = "memctl move {key} --to {scope}"
)

// answerTable is the one table of hints of acts' answers. In braces are the facts of the answer:
//
//	{key}    its key, else its first name
//	{each}   one of its names: a hint for each of them
//	{args}   all its names, else what the act takes
//	{act}    its reason, which is the act
//	{scope}  its scope, and {flag} the flag of a scope that commands do not take by themselves
//	{path}, {way}  those of the error; {word}  what it is about, as a word of a shell
//
// A hint is left out where {each}, {act}, {path} or {way} is empty: what follows "||" takes its place.
func answerTable() map[reason][]string {
	return map[reason][]string{
		{"ambiguous", "forget"}:                    {"memctl forget --scope {each}"},
		{"ambiguous", "journal"}:                   {"memctl restore {each} --from journal"},
		{"ambiguous", "move"}:                      {"memctl show {key}", "memctl forget --scope {scope} {key}"},
		{"ambiguous", "purge"}:                     {"memctl purge {each}"},
		{"ambiguous", "rename"}:                    {"memctl show {each}"},
		{"ambiguous", "entry"}:                     {"memctl list --tier fact"},
		{"ambiguous", "restore"}:                   {"memctl restore {each}"},
		{"ambiguous", "scopes"}:                    {"--scope {each}"},
		{"ambiguous", "taken"}:                     {"memctl validate"},
		{"anchor", "verify"}:                       {"memctl forget {key}"},
		{"changed-since", "committed"}:             {"memctl undo"},
		{"changed-since", "context-file"}:          {"memctl context show {each}"},
		{"changed-since", "invalid"}:               {"memctl log"},
		{"changed-since", "newer"}:                 {"memctl log {path}", "memctl restore {path}"},
		{"changed-since", "removed-file"}:          {"git revert {each}"},
		{"changed-since", "off-branch"}:            {"memctl restore {path} --from journal", "memctl undo {each}"},
		{"changed-since", "off-branch-forgot"}:     {"memctl forget {path}", "memctl undo {each}"},
		{"changed-since", "review"}:                {reviewHint},
		{"changed-since", "same"}:                  {"memctl show {key}"},
		{"contained", ""}:                          {"memctl forget {each}"},
		{"disabled", ""}:                           {"{way}"},
		{"disabled", "file"}:                       {"memctl enable{flag}"},
		{"disabled", "history"}:                    {"git config --global memctl.recall.history on"},
		{"explicit-only", ""}:                      {ownCommand},
		{"explicit-only", "by-key"}:                {},
		{"explicit-only", "compact"}:               {"memctl compact"},
		{"explicit-only", "import"}:                {"memctl trust", "memctl import {key}"},
		{"explicit-only", "index"}:                 {"memctl index {key}"},
		{"explicit-only", "move"}:                  {ownMove},
		{"explicit-only", "skill-add"}:             {"memctl skills add {key}"},
		{"explicit-only", "skill-check"}:           {"memctl skills check {key} --accept"},
		{"explicit-only", "skill-grant"}:           {},
		{"explicit-only", "skill-remove"}:          {"memctl skills remove {key}"},
		{"explicit-only", "sync"}:                  {syncToUser},
		{"forgotten", ""}:                          {ownCommand},
		{"key-form", "add"}:                        {"memctl add {each}"},
		{"locked", ""}:                             {ownCommand},
		{"locked", "add"}:                          {"memctl unlock {key}"},
		{"locked", "move"}:                         {ownMove},
		{"locked", "elsewhere"}:                    {"memctl show {key}"},
		{"no-memory-change", ""}:                   {"memctl log", "git revert {each}"},
		{"no-memory-file", "import"}:               {"memctl init", "memctl import --scope private {key}"},
		{"no-such-category", ""}:                   {"memctl list --tier fact"},
		{"no-such-day", ""}:                        {"memctl list --tier note week"},
		{"no-terminal", "index"}:                   {"memctl index drop --scope {scope} --yes"},
		{"no-terminal", ""}:                        {"git config memctl.trust {key}"},
		{"no-value", ""}:                           {purgeText},
		{"not-a-memory-file", "resolve"}:           {"memctl resolve"},
		{"not-a-repository", ""}:                   {"git init"},
		{"not-a-repository", "validate"}:           {"memctl -C FOLDER validate"},
		{"not-acceptable", ""}:                     {"memctl why {key}", "memctl forget {key}"},
		{"not-found", "all"}:                       {"memctl list"},
		{"not-found", "away"}:                      {"{way}", "memctl restore {path} --from journal{flag}"},
		{"not-found", "entry"}:                     {"memctl list --tier fact"},
		{"agent-exists", ""}:                       {"memctl context summon {each} --edit"},
		{"agent-type", ""}:                         {"memctl context edit agent.md --agent {each}"},
		{"explicit-only", "context-file"}:          {},
		{"locked", "context-file"}:                 {},
		{"not-found", "context-agent"}:             {"memctl context init --agent {each} --type predefined"},
		{"not-found", "context-file"}:              {"memctl context list"},
		{"not-found", "skill"}:                     {"memctl skills list"},
		{"not-found", "skill-left-out"}:            {"memctl skills list"},
		{"not-found", "skill-untrusted"}:           {"memctl trust"},
		{"not-found", "skill-unlisted"}:            {"memctl index pull"},
		{"scope", "context-agent"}:                 {"memctl context list"},
		{"scope", "context-copy"}:                  {"memctl context init --type predefined --scope project --agent NAME"},
		{"scope", "skill"}:                         {"memctl skills add {key} --scope project"},
		{skill.RuleWithheld, ""}:                   {"memctl skills check {key} --accept"},
		{"not-found", "history"}:                   {"memctl recall --history QUERY"},
		{"not-found", "item"}:                      {"memctl show", "memctl restore {path} --from journal{flag}"},
		{"not-found", "journal"}:                   {"memctl restore {each} --from journal"},
		{"not-found", "log"}:                       {"memctl log --all {key}"}, // other branches, and the journal
		{"not-found", "nowhere"}:                   {"memctl log --all"},
		{"not-found", "purge"}:                     {purgeText},
		{"not-found", "removed"}:                   {"memctl why {path}", "memctl restore {path}", "memctl show {each}"},
		{"not-found", "review"}:                    {reviewHint},
		{"not-found", "revision"}:                  {"memctl log {key}"},
		{"not-found", "show"}:                      {"memctl show", "memctl restore {path} --from journal{flag}", "memctl show {each}"},
		{"not-found", "text"}:                      {"memctl show", "memctl list --tier fact"},
		{"not-set-here", ""}:                       {"memctl help sync"},
		{"not-set-here", "level"}:                  {"{way}"},
		{"not-set-here", "memctl.accept"}:          {"memctl policy accept KEY"},
		{"not-set-here", "memctl.private"}:         {"memctl init --scope private"},
		{"not-set-here", "memctl.protectedBranch"}: {"git config --add memctl.protectedBranch main"},
		{"not-set-here", "memctl.trust"}:           {"memctl trust"},
		{"not-specific", "purge"}:                  {"memctl log {each}", purgeText}, // the log shows which commits have it
		{"not-undone", ""}:                         {"memctl log", "memctl undo {each}"},
		{"not-undone", "taken-out"}:                {"memctl undo {each}"},
		{"not-withheld", ""}:                       {"memctl why {key}"},
		{"not-withheld", "forgotten"}:              {"memctl confirm {key}{flag}"},
		{"nothing-to-redo", ""}:                    {"memctl log {key}"},
		{"nothing-to-undo", ""}:                    {"memctl log --all", "memctl undo COMMIT"},
		{"nothing-to-undo", "unchanged"}:           {"memctl log"},
		{"repeated", ""}:                           {"memctl undo && memctl add {each}"},
		{"repeated", txn.WhyNoRepository}:          {"memctl forget {key} && memctl add {each}"},
		{"scope", "agent-cli"}:                     {"memctl import {key}"},
		{"scope", "rename"}:                        {"memctl move {key} --to user"},
		{"scope", "sync"}:                          {syncToUser, "memctl sync --scope private --remote URL"},
		{"scope", "target"}:                        {"--scope {each}"},
		{"secret", "item"}:                         {"memctl forget {key}"},
		{"setting", "change"}:                      {"memctl config {path} {each}"},
		{"similar", ""}:                            {"memctl remember {each}"},
		{"similar-key", "add"}:                     {"memctl add {each}"},
		{"similar-value", ""}:                      {"memctl add {each}"},
		{"still-remembered", ""}:                   {"{each}"},
		{"sync", ""}:                               {"git pull", "git push"},
		{"sync", "no-repository"}:                  {"git init"},
		{"too-long", "purge"}:                      {"memctl log {each}", purgeText},
		{"unfinished", ""}:                         {"memctl move {args}"},
		{"unmerged", ""}:                           {"git add {args}"},
		{"unmerged", "many"}:                       {"memctl resolve --add{flag}"},
		{"unknown-revision", "base"}:               {"git fetch", "git log --oneline --all"},
		{"validate", "conflict"}:                   {"memctl resolve{flag}"},
		{"validate", "damage"}:                     {"memctl recover{flag}"},
		{"validate", "entry-conflict"}:             {"memctl resolve {each}"},
		{"validate", "forgotten"}:                  {"memctl forget {each}"},
		{"validate", "held"}:                       {reviewHint},
		{"validate", "low-unconfirmed"}:            {"memctl doubt {key}"},
		{"validate", "markers"}:                    {"memctl resolve merges both sides by meaning"},
		{"validate", "no-memory"}:                  {"memctl recover turns it into a memory file"},
		{"validate", "team"}:                       {"memctl validate .memctl.yaml says what is wrong with them"},
		{"value", "choice"}:                        {"memctl show {key}"},
		{"value", "lesson"}:                        {"memctl add {key} --issue TEXT --outcome TEXT --fix TEXT"},
		{"waits", ""}:                              {"{way} || " + reviewHint},
		{"waits", gitops.WhyNoIdentity}:            {memory.IdentityHint}, // review can write nothing either
		{"would-wait", ""}:                         {"{way}"},
		{"would-wait", gitops.WhyNoIdentity}:       {memory.IdentityHint},
	}
}

// answerHints are the hints of an act's answer; those that need more than words are not in the table.
func answerHints(f *fault.Error) []string {
	switch (reason{f.Code, f.Why}) {
	case reason{"explicit-only", "trust"}:
		return []string{strings.TrimSpace("memctl trust " + strings.TrimPrefix(keyOf(f), setup.TrustOn))}
	case reason{"shallow-clone", ""}:
		return append(fetchOne(keyOf(f)), "git fetch --unshallow")
	}
	table := answerTable()
	row, ok := table[reason{f.Code, f.Why}]
	if !ok {
		row = table[reason{f.Code, ""}]
	}
	return hintsFrom(row, f)
}

// hintsFrom are the hints of a row with the facts in them.
func hintsFrom(row []string, f *fault.Error) (hints []string) {
	for _, hint := range row {
		each := []string{""}
		if strings.Contains(hint, "{each}") {
			each = f.Names
		}
		for _, one := range each {
			for other := range strings.SplitSeq(hint, " || ") {
				if filled := fillIn(other, one, f); filled != nil {
					hints = append(hints, filled...)
					break
				}
			}
		}
	}
	return hints
}

// fillIn is a hint of the table with the facts in it; none where one is empty.
func fillIn(hint, one string, f *fault.Error) []string {
	needed := []string{"{each}", one, "{act}", f.Why, "{path}", f.Path, "{way}", f.Way}
	for i := 0; i < len(needed); i += 2 {
		if needed[i+1] == "" && strings.Contains(hint, needed[i]) {
			return nil
		}
	}
	args, ok := argsOf(f)
	if !ok && strings.Contains(hint, "{args}") {
		return nil
	}
	facts := append(needed, "{key}", keyOf(f), "{word}", shell.Quote(f.Thing), "{scope}", cmp.Or(f.Scope, store.User), "{flag}", memory.ScopeFlag(f.Scope),
		"{args}", args)
	return []string{strings.TrimSpace(strings.NewReplacer(facts...).Replace(hint))}
}

// keyOf is what the answer is about.
func keyOf(f *fault.Error) string {
	if f.Thing == "" && len(f.Names) > 0 {
		return f.Names[0]
	}
	return f.Thing
}

// argsOf are the words after an act's own command; not ok where they cannot be printed.
func argsOf(f *fault.Error) (args string, ok bool) {
	switch f.Why {
	case "remember", "note", "summary":
		args = "TEXT"
	case "undo", "redo", "review", "enable", "disable", "config announce_writes on", "config announce_writes off":
	default:
		args = f.Thing
	}
	if f.Names != nil {
		args = strings.Join(f.Names, " ")
	}
	return args, f.Names == nil || args != ""
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
