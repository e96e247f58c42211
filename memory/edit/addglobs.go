package edit

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memory"
)

// checkLabels refuses labels that no memory can have, and what only a person may say about asking. A person's
// empty glob is not blank: it empties the list.
func (req Request) checkLabels() error {
	switch {
	case req.Ask && !req.Explicit():
		return memory.Refuse(memory.RuleExplicitOnly, "only a person can set --ask", req.asking("--ask "))
	case req.NoAsk && !req.Explicit():
		return memory.Refuse(memory.RuleExplicitOnly, "only a person can remove --ask", req.asking("--ask=false "))
	}
	blank := func(glob string) bool { return strings.TrimSpace(glob) == "" && (glob != "" || !req.Explicit()) }
	switch {
	case slices.ContainsFunc(req.Commands, blank):
		return memory.Refuse(memory.RuleValue, "a command glob must name at least a program, as in 'git push*'")
	case slices.ContainsFunc(req.Paths, blank):
		return memory.Refuse(memory.RuleValue, "a path glob must name at least a folder, as in 'cmd/**'")
	case req.Confidence != "" && labels.ConfidenceRank(req.Confidence) == 0:
		return memory.Refuse(memory.RuleConfidence, "unknown confidence (use low, medium or high)")
	}
	if _, err := time.Parse(time.DateOnly, req.Expires); err != nil && req.Expires != "" {
		return memory.Refuse(memory.RuleValue, "the day of expiry must have the form 2026-12-31")
	}
	return nil
}

// asking is the command by which the person does it.
func (req Request) asking(flag string) string {
	if flag = req.Asked() + req.globs() + flag; req.Role != "" {
		return "memctl remember " + flag + "TEXT"
	}
	return addCommand(req.Key, req.Value, flag)
}

// setGlobs sets the paths, the commands and whether to ask. A memory about no path and no
// command asks nobody.
func (req Request) setGlobs(l *labels.Labels) {
	if len(req.Paths) > 0 {
		l.Paths = withoutEmpty(req.Paths)
	}
	if len(req.Commands) > 0 {
		l.Commands = withoutEmpty(req.Commands)
	}
	l.Ask = (l.Ask || req.Ask) && !req.NoAsk
	if !req.Everywhere() && l.Everywhere() {
		l.Ask = false
	}
}

// withoutEmpty returns the globs that are not empty, nil where there is none.
func withoutEmpty(globs []string) []string {
	var list []string
	for _, glob := range globs {
		if glob != "" {
			list = append(list, glob)
		}
	}
	return list
}

// globs are the flags that say what the item is about, to go into a command.
func (req Request) globs() string {
	var flags strings.Builder
	for _, glob := range withoutEmpty(req.Paths) {
		flags.WriteString("--path " + pasteable(glob, "GLOB") + " ")
	}
	for _, glob := range withoutEmpty(req.Commands) {
		flags.WriteString("--command " + pasteable(glob, "GLOB") + " ")
	}
	return flags.String()
}

// globNotes names the globs that match less than they seem to, with the wider ones.
func (req Request) globNotes() []string {
	var notes []string
	for _, glob := range req.Commands {
		if glob = strings.Join(strings.Fields(glob), " "); glob != "" && !strings.ContainsAny(glob, "*?") {
			notes = append(notes, "matches exactly `"+glob+"`; to match arguments too: --command "+pasteable(glob+"*", "GLOB"))
		}
	}
	for _, glob := range req.Paths {
		name := strings.TrimPrefix(path.Clean("/"+glob), "/")
		if strings.HasPrefix(name, "*") && strings.Contains(name, ".") && !strings.ContainsAny(name, "/") {
			notes = append(notes, "matches `"+name+"` in the root folder only; to match it everywhere: --path "+pasteable("**/"+name, "GLOB"))
		}
	}
	return notes
}
