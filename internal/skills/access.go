package skills

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/skills/format"
)

// checkBudget is how many bytes of new or changed skills are read for a check if the reader has a budget: about 40 ms. The
// first skill may have firstBudget bytes, else a large one is never checked.
const (
	checkBudget = 128 << 10
	firstBudget = 2 << 20
)

// passes reports whether check lets agents have the skill; else it is left out.
func (l *loading) passes(s Skill) bool {
	if s.Folder == "" {
		return true
	}
	budget := int64(-1)
	switch {
	case l.reader.Enough && l.read == 0:
		budget = firstBudget
	case l.reader.Enough:
		budget = max(checkBudget-l.read, 0)
	}
	verdict, size, ok := l.verdicts.of(s.Folder, budget)
	if !ok {
		l.leave(s, WhyUnchecked)
		l.lib.Unchecked = true
		return false
	}
	l.read += size
	rule := s.refusedFor(l.ctx, l.ss, verdict)
	if rule != "" {
		l.leave(s, WhyRefused, rule)
	}
	return rule == ""
}

// isReviewed reports whether every file of the skill is reviewed; else file is the first that
// is not. A link counts as reviewed where it leads to a file of the skill.
func (l *loading) isReviewed(s Skill) (file string, ok bool) {
	st, err := l.ss.Session(l.ctx)
	if err != nil {
		return "", false
	}
	files, err := FilesIn(s.Folder)
	if err != nil {
		return "", false
	}
	folder := strings.TrimSuffix(s.Path, format.FileName)
	for _, f := range files {
		if f.Link && format.Inside(f, files) {
			continue
		}
		if f.Large {
			if f.Data, err = os.ReadFile(filepath.Join(s.Folder, filepath.FromSlash(f.Path))); err != nil {
				return f.Path, false
			}
		}
		if f.Link || !l.reviewed.HasEntry(l.ctx, st, folder+f.Path, f.Data) {
			return f.Path, false
		}
	}
	return "", true
}

// access reports whether the reader may use the skill, and the grant that says so.
func (l *loading) access(h format.Head) (g format.Grant, ok bool) {
	owns := h.Owner != "" && slices.Contains(l.reader.User, h.Owner)
	if h.Visibility == format.Private && !owns {
		return g, false // a grant does not open it to others
	}
	for _, g := range h.Grants {
		named := func(agent string) bool { return SameAgent(g.Agent, agent) }
		if g.Agent != "" && slices.ContainsFunc(l.reader.Agents, named) || g.User != "" && slices.Contains(l.reader.User, g.User) {
			return g, true
		}
	}
	return g, h.Visibility != format.Internal || owns
}

// SameAgent reports whether a client is the agent that a grant names: claude is also
// claude-code.
func SameAgent(named, agent string) bool {
	named, agent = strings.ToLower(named), strings.ToLower(agent)
	return named == agent || agent != "" && strings.HasPrefix(agent, named+"-")
}

// pinned is the skill as a commit has it; Commit stays "" where the commit does not have it. Only
// a full id names a commit, because what a branch or a short id names can change.
func (l *loading) pinned(s Skill, commit string) Skill {
	if !gitops.IsID(commit) {
		return s
	}
	repo, path, err := l.ss.InRepository(filepath.Join(s.Folder, format.FileName))
	if err != nil {
		return s
	}
	src, ok, err := object.FileAt(l.ctx, repo, commit, path)
	if err != nil || !ok {
		return s
	}
	head, problems := format.ParseHead(filepath.Base(s.Folder), src)
	if len(problems) > 0 {
		return s
	}
	head.Visibility, head.Owner, head.Grants = s.Visibility, s.Owner, s.Grants
	s.Head, s.Commit = head, commit
	return s
}
