package skill

import (
	"cmp"
	"context"
	"path"
	"slices"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/skills"
	"github.com/memctl/memctl/internal/skills/format"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// GrantRequest is one `skills grant` or `skills revoke`.
type GrantRequest struct {
	memory.Options
	Name   string
	Grant  format.Grant
	Revoke bool
}

// SetGrant adds a grant to a skill's front matter, or takes it out. The commit's author is who
// granted. A grant that is there already changes nothing. Errors: those of installed; a
// *memory.Refusal for an agent, and for a skill that memctl cannot commit.
func SetGrant(ctx context.Context, ss *store.Stores, req GrantRequest) (memory.Write, error) {
	w := req.Answer("skills", req.Name, "")
	if err := req.Permit("skills grant", memory.StateAbsent, ""); err != nil {
		return w.Refused(err)
	}
	s, err := installed(ctx, ss, req.Name, req.Scope)
	if err != nil {
		return w.Refused(err)
	}
	st, file, err := storeOf(ctx, ss, s)
	if err != nil {
		return w.Refused(err)
	}
	w.Scope = st.Scope
	if v := req.Grant.Version; v != "" && !req.Revoke {
		if st.Repo == nil {
			return w.Refused(memory.Refuse("not-a-repository", "a grant of a version needs git", "git init"))
		}
		if req.Grant.Version, err = object.Resolve(ctx, st.Repo, v); err != nil {
			return w, err
		}
		if _, ok, err := object.FileAt(ctx, st.Repo, req.Grant.Version, st.GitPathOf(file)); err != nil || !ok {
			return w.Refused(memory.Refuse(memory.RuleNotFound, "the commit does not have this skill"))
		}
	}
	act := "skills grant"
	if req.Revoke {
		act = "skills revoke"
	}
	out, err := req.Update(ctx, st, txn.Write{
		Act: act, Keys: []string{req.Name}, Subject: act + " " + req.Name,
		Files: true, Change: func(d *txn.Draft) error {
			before, err := d.File(file)
			if err != nil {
				return err
			}
			head, _ := format.ParseHead(req.Name, before)
			next, ok := format.SetGrants(req.Name, before, req.changed(head.Grants))
			if !ok {
				return memory.Refuse("skill-form", "only front matter in YAML can be changed; edit the grants by hand")
			}
			if err := d.WriteFile(file, next); err != nil {
				return err
			}
			return unlessIgnored(ctx, d)
		},
	})
	said := "granted the skill "
	if req.Revoke {
		said = "revoked the grant of the skill "
	}
	return w.After(out, err, said+req.Name+" to "+cmp.Or(req.Grant.Agent, req.Grant.User)+" in "+policy.ShownPath(s.Path))
}

// changed are the grants after the request: one for each agent and user.
func (req GrantRequest) changed(list []format.Grant) []format.Grant {
	same := func(g format.Grant) bool { return g.Agent == req.Grant.Agent && g.User == req.Grant.User }
	i := slices.IndexFunc(list, same)
	switch {
	case req.Revoke:
		return slices.DeleteFunc(list, same)
	case i < 0:
		return append(list, req.Grant)
	}
	list[i] = req.Grant
	return list
}

// scopeOf is the scope whose files a skill is among; "" for a skill that memctl does not change.
func scopeOf(s skills.Skill) string {
	switch s.Tier {
	case skills.TierProject, skills.TierAgents:
		return store.Project
	case skills.TierUser:
		return store.User
	}
	return ""
}

// storeOf is the store whose repository has the skill, and the path of its SKILL.md there.
func storeOf(ctx context.Context, ss *store.Stores, s skills.Skill) (*store.Store, string, error) {
	scope, file := scopeOf(s), s.Path
	if scope == "" {
		return nil, "", memory.Refuse("scope", "only skills of the project and of your user store can be changed")
	}
	if scope == store.User {
		file = path.Join(skills.InProject, s.Name, format.FileName)
		if ss.IsSingleStore() {
			scope = store.Only
		}
	}
	st, err := ss.Get(ctx, scope)
	return st, file, err
}
