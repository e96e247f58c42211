package skill

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/skills"
	"github.com/memctl/memctl/skills/check"
	"github.com/memctl/memctl/skills/format"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/txn"
)

// Remove deletes the files of a skill from the user store or the project, in one commit: of the
// tiers that have the name, from the highest, or from that of the scope. It does not ask
// whether the repository is trusted, or whether the skill is sound. Errors: not-found; a
// *memory.Refusal for an agent, and for a skill that memctl cannot put back.
func Remove(ctx context.Context, ss *store.Stores, o memory.Options, name string) (memory.Write, error) {
	w := o.Answer("skills", name, o.Scope)
	if !o.Explicit() {
		return w.Refused(memory.Refuse(memory.RuleExplicitOnly, "only a person can remove a skill", memory.Facts{Why: "skill-remove", Names: []string{name}}))
	}
	s, ok := installedAs(ctx, ss, name, o.Scope)
	if !ok {
		return w, &fault.Error{Code: memory.RuleNotFound, Status: 1, Cause: memory.Quoted(name) + ": there is no skill of this name", Why: "skill"}
	}
	st, file, err := storeOf(ctx, ss, s)
	if err != nil {
		return w.Refused(err)
	}
	w.Scope = st.Scope
	if info, err := os.Lstat(s.Folder); err != nil || !info.IsDir() {
		return w.Refused(memory.Refuse("skill-link", "the skill is a link to another folder; delete the link"))
	}
	out, err := o.Update(ctx, st, txn.Write{
		Act: "skills remove", Keys: []string{name}, Subject: "skills remove " + name,
		Files: func() (list []store.FileChange, err error) {
			files, err := skills.FilesIn(s.Folder)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(files, func(f check.File) bool { return f.Link || f.Large }) {
				return nil, memory.Refuse("skill-size", "the skill has links or files over 1 MB, which memctl undo could not restore; delete the folder "+path.Dir(s.Path))
			}
			for _, f := range files {
				list = append(list, store.FileChange{Path: path.Dir(file) + "/" + f.Path, Before: f.Data})
			}
			return list, unlessIgnored(ctx, st, list)
		},
	})
	return w.After(out, err, "removed the skill "+name)
}

// unlessIgnored refuses to change files of a skill that git ignores: memctl undo could not
// restore them, and they may hold what must not be committed.
func unlessIgnored(ctx context.Context, st *store.Store, changes []store.FileChange) error {
	if st.Repo == nil {
		return nil
	}
	var there []string
	for _, c := range changes {
		if c.Before != nil {
			there = append(there, st.GitPathOf(c.Path))
		}
	}
	ignored, err := worktree.Ignored(ctx, st.Repo, there)
	if err != nil || len(ignored) == 0 {
		return err
	}
	return memory.Refuse("skill-ignored", policy.ShownPath(ignored[0])+": git ignores this file, so memctl does not change it; move or delete it")
}

// installedAs finds a skill by the name of its folder, whoever may use it.
func installedAs(ctx context.Context, ss *store.Stores, name, scope string) (skills.Skill, bool) {
	for _, f := range skills.Folders(ctx, ss) {
		inScope := scope == "" || scope == store.Only || f.Project() && scope == store.Project || f.Tier == skills.TierUser && scope == store.User
		if !inScope || !slices.Contains(f.Names(), name) {
			continue
		}
		s := skills.Skill{Head: format.Head{Name: name}, Tier: f.Tier, Path: f.Name + "/" + name + "/" + format.FileName}
		if f.Dir != "" {
			s.Folder = filepath.Join(f.Dir, name)
		}
		return s, true
	}
	return skills.Skill{}, false
}
