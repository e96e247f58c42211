package skill

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/skills"
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
			if slices.ContainsFunc(files, func(f format.File) bool { return f.Link || f.Large }) {
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

// installed is the skill of the name that a change is meant for, whoever may use it: of those that List shows, the one of the
// highest tier. Without a scope, those that are broken or not trusted do not count, and a private one of somebody else only
// where there is no other.
func installed(ctx context.Context, ss *store.Stores, name, scope string) (skills.Skill, error) {
	found, err := load(ctx, ss, ListRequest{})
	if err != nil {
		return skills.Skill{}, err
	}
	e := notFound(name)
	found = slices.DeleteFunc(found, func(f skills.LeftOut) bool {
		info, err := os.Lstat(filepath.Join(f.Folder, format.FileName))
		isFile := f.Folder == "" || err == nil && info.Mode().IsRegular()
		if f.Name == name && f.Why == skills.WhyUntrusted && scope == "" {
			e.Hints = append(e.Hints, "memctl trust")
		}
		return f.Name != name || !isFile || f.Tier == skills.TierShared || scope != "" && scope != store.Only && scope != scopeOf(f.Skill) ||
			scope == "" && (f.Why == skills.WhyUntrusted || f.Why == skills.WhyInvalid)
	})
	if len(found) == 0 {
		return skills.Skill{}, e
	}
	rank := func(f skills.LeftOut) int {
		i := slices.Index(skills.Tiers, f.Tier)
		if f.Why == skills.WhyNoAccess && f.Visibility == format.Private {
			i += len(skills.Tiers)
		}
		return i
	}
	return slices.MinFunc(found, func(a, b skills.LeftOut) int { return rank(a) - rank(b) }).Skill, nil
}
