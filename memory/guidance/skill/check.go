package skill

import (
	"context"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/skills"
	"github.com/memctl/memctl/internal/skills/format"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// CheckResult is what is wrong with skills.
type CheckResult struct {
	Count    int             `json:"skill_count"`
	Findings []fault.Finding `json:"findings"`
}

// Check checks the skills in the named folders, with every file. A folder without a SKILL.md
// is looked through for skills. A name that is no folder is that of a skill. Without names it
// checks the skills of the project and of the person, and those of the shared index that are
// in use. Errors: *fault.Error of code not-found for a name that is neither.
func Check(ctx context.Context, ss *store.Stores, paths []string) (CheckResult, error) {
	res := CheckResult{Findings: []fault.Finding{}}
	found, err := load(ctx, ss, ListRequest{})
	if err != nil {
		return res, err
	}
	wholeFolders := len(paths) == 0
	if wholeFolders {
		for _, f := range skills.Folders(ctx, ss) {
			if f.Dir != "" && len(f.Names()) > 0 {
				paths = append(paths, f.Dir)
			}
		}
		for _, f := range found {
			if f.Tier == skills.TierShared && f.Why != skills.WhyUntrusted && f.Why != skills.WhyShadowed {
				paths = append(paths, f.Folder)
			}
		}
	}
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return res, err
		}
		dir, err := folder(ss, path, found)
		if err != nil {
			return res, err
		}
		folders, err := skills.FoldersIn(dir)
		if err != nil {
			return res, err
		}
		if len(folders) == 0 && !wholeFolders {
			folders = []string{"."} // it was named as a skill
		}
		for _, at := range folders {
			at = filepath.Join(dir, filepath.FromSlash(at))
			res.Count++
			list, _ := skills.Findings(at)
			for _, f := range list {
				f.File = policy.ShownPath(filepath.Join(shown(ss, at), filepath.FromSlash(f.File)))
				res.Findings = append(res.Findings, f)
			}
		}
	}
	return res, nil
}

// folder is the folder that a path means: a SKILL.md means the folder it is in, and the name of
// a skill that of the skill.
func folder(ss *store.Stores, path string, found []skills.LeftOut) (string, error) {
	dir := ss.Abs(path)
	if filepath.Base(dir) == format.FileName {
		dir = filepath.Dir(dir)
	}
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return dir, nil
	}
	for _, f := range found {
		if f.Name == path && f.Folder != "" {
			return f.Folder, nil
		}
	}
	return "", &fault.Error{Code: memory.RuleNotFound, Status: 1, Cause: memory.Quoted(path) + ": there is no folder and no skill of this name", Hints: []string{"memctl skills list"}}
}

// shown is a path as it is printed: from the session's folder where it lies below.
func shown(ss *store.Stores, path string) string {
	if rel, err := filepath.Rel(ss.Abs("."), path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// Accept records that the person accepts the skill as it is, although check refuses it: it is
// handed to their agents on this machine. seen is the digest of the content that they looked at;
// "" accepts any. Errors: those of find; *memory.Refusal for an agent, and for another content.
func Accept(ctx context.Context, ss *store.Stores, o memory.Options, name, seen string) (memory.Write, error) {
	w := o.Answer("skills", name, "")
	if err := o.Permit("skills check --accept", memory.StateAbsent, "memctl skills check "+name+" --accept"); err != nil {
		return w.Refused(err)
	}
	s, err := find(ctx, ss, name, "", "")
	if err != nil {
		return w, err
	}
	if s.RefusedBy(ctx, ss) == "" {
		return w, nil
	}
	list, verdict := skills.Findings(s.Folder)
	if verdict.Refused == "" {
		return w.Refused(memory.Refuse(ruleChecked, "a check refuses the version that a grant names; grant another version"))
	}
	if verdict.Digest == "" {
		return w.Refused(memory.Refuse(ruleChecked, list[0].Message))
	}
	if seen != "" && verdict.Digest != seen {
		return w.Refused(memory.Refuse(memory.RuleChanged, "the skill changed meanwhile; look at it again"))
	}
	scope := store.User
	if s.Tier == skills.TierProject || s.Tier == skills.TierAgents {
		scope = store.Project
	}
	st, err := ss.Get(ctx, scope)
	if err == nil {
		err = st.Accept(ctx, verdict.Digest)
	}
	if err != nil {
		return w, err
	}
	return w.Uncommitted(ss, "accepted the skill "+name, fault.NewNote("would-accept-skill", "would accept the skill "+name)), nil
}
