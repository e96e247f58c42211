package skill

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/skills"
	"github.com/memctl/memctl/internal/skills/check"
	"github.com/memctl/memctl/internal/skills/format"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// Remove deletes the files of a skill from the user store or the project, in one commit. It does not ask whether the skill is
// sound. Errors: those of installed; a *memory.Refusal for an agent, and for a skill that memctl cannot put back.
func Remove(ctx context.Context, ss *store.Stores, o memory.Options, name string) (memory.Write, error) {
	w := o.Answer("skills", name, o.Scope)
	if err := o.Permit("skills remove", memory.StateAbsent, "memctl skills remove "+name); err != nil {
		return w.Refused(err)
	}
	s, err := installed(ctx, ss, name, o.Scope)
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

// installed is the skill of the name that a change is meant for, whoever may use it: that of the highest tier. Without a
// scope, skills with a broken head and those of a repository that the person does not trust do not count, and a private one of
// somebody else, which no grant opens, only where there is no other.
func installed(ctx context.Context, ss *store.Stores, name, scope string) (skills.Skill, error) {
	untrusted := scope == "" && ss.TrustLevel(ctx) == store.TrustOff
	person, err := memory.SkillReader(ctx, ss, "", "")
	if err != nil {
		return skills.Skill{}, err
	}
	var private []skills.Skill
	for _, s := range installedAs(ctx, ss, name, scope) {
		src, err := s.Source(ctx, ss)
		head, problems := format.Parse(name, src)
		others := head.Visibility == format.Private && !slices.Contains(person.User, head.Owner)
		if scope != "" || err == nil && len(problems) == 0 && !(untrusted && (s.Tier == skills.TierProject || s.Tier == skills.TierAgents)) {
			if scope != "" || !others {
				return s, nil
			}
			private = append(private, s)
		}
	}
	if len(private) > 0 {
		return private[0], nil
	}
	e := notFound(name)
	if untrusted {
		e.Hints = append(e.Hints, "memctl trust")
	}
	return skills.Skill{}, e
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
