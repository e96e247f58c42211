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
// folders that have one of the name the highest of the scope, or without a scope the one that
// agents get. It does not ask whether the skill is sound. Errors: not-found; a *memory.Refusal
// for an agent, for a skill that memctl cannot put back, and where it is not clear which is meant.
func Remove(ctx context.Context, ss *store.Stores, o memory.Options, name string) (memory.Write, error) {
	w := o.Answer("skills", name, o.Scope)
	if err := o.Permit("skills remove", memory.StateAbsent, "memctl skills remove "+name); err != nil {
		return w.Refused(err)
	}
	s, err := chosen(ctx, ss, name, o.Scope)
	if err != nil {
		return w.Refused(err)
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
		Files: true, Change: func(d *txn.Draft) error {
			files, err := skills.FilesIn(s.Folder)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(files, func(f check.File) bool { return f.Link || f.Large }) {
				return memory.Refuse("skill-size", "the skill has links or files over 1 MB, which memctl undo could not restore; delete the folder "+path.Dir(s.Path))
			}
			for _, f := range files {
				if err := d.WriteFile(path.Dir(file)+"/"+f.Path, nil); err != nil {
					return err
				}
			}
			return unlessIgnored(ctx, d)
		},
	})
	if err == nil && out.Changed {
		err = ss.DataState().Remove(store.SkillsCacheFile) // it has the skill's description
	}
	return w.After(out, err, "removed the skill "+name+" from "+path.Dir(path.Dir(file)))
}

// unlessIgnored refuses to change files of a skill that git ignores: memctl undo could not
// restore them, and they may hold what must not be committed.
func unlessIgnored(ctx context.Context, d *txn.Draft) error {
	if d.Store.Repo == nil {
		return nil
	}
	there := d.Replaced()
	for i := range there {
		there[i] = d.Store.GitPathOf(there[i])
	}
	states, err := worktree.States(ctx, d.Store.Repo, there)
	i := slices.IndexFunc(there, func(p string) bool { return states[p].Ignored })
	if err != nil || i < 0 {
		return err
	}
	return memory.Refuse("skill-ignored", policy.ShownPath(there[i])+": git ignores this file, so memctl does not change it; move or delete it")
}

// chosen is the skill to remove. Without a scope it is the one that Load finds, and what a
// repository has that the person does not trust does not count.
func chosen(ctx context.Context, ss *store.Stores, name, scope string) (skills.Skill, error) {
	list := installedAs(ctx, ss, name, scope)
	none := &fault.Error{Code: memory.RuleNotFound, Status: 1, Cause: memory.Quoted(name) + ": there is no skill of this name", Hints: []string{"memctl skills list"}}
	switch {
	case len(list) == 0:
		return skills.Skill{}, none
	case scope != "":
		return list[0], nil
	}
	untrusted := ss.TrustLevel(ctx) == store.TrustOff
	list = slices.DeleteFunc(list, func(s skills.Skill) bool {
		return untrusted && (s.Tier == skills.TierProject || s.Tier == skills.TierAgents)
	})
	if len(list) == 0 {
		none.Hints = []string{"memctl trust"}
		return skills.Skill{}, none
	}
	r, err := memory.SkillReader(ctx, ss, "", "")
	if err != nil {
		return skills.Skill{}, err
	}
	r.Allow = nil
	found, _, ok := skills.Load(ctx, ss, r).Find(name)
	for _, s := range list {
		if ok && s.Folder == found.Folder || len(list) == 1 {
			return s, nil
		}
	}
	return skills.Skill{}, memory.Refuse(memory.RuleAmbiguous, memory.Quoted(name)+": several folders have a skill of this name; name one with --scope")
}

// installedAs finds skills by the name of their folder, whoever may use them. A folder without
// a SKILL.md of its own is no skill.
func installedAs(ctx context.Context, ss *store.Stores, name, scope string) (list []skills.Skill) {
	for _, f := range skills.Folders(ctx, ss) {
		inScope := scope == "" || scope == store.Only || f.Project() && scope == store.Project || f.Tier == skills.TierUser && scope == store.User
		if !inScope || !slices.Contains(f.Names(), name) {
			continue
		}
		s := f.Skill(name)
		if s.Folder != "" {
			if info, err := os.Lstat(filepath.Join(s.Folder, format.FileName)); err != nil || !info.Mode().IsRegular() {
				continue
			}
		}
		list = append(list, s)
	}
	return list
}
