package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/skills"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/policy"
)

// SkillView is a skill as the doors print it.
type SkillView struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Tier        string `json:"tier"`
	Path        string `json:"path"`
	Repository  string `json:"repository,omitempty"` // of a skill of the shared index
	Commit      string `json:"commit,omitempty"`     // whose version a grant names
	Visibility  string `json:"visibility,omitempty"`
	Owner       string `json:"owner,omitempty"`
	// Why says why an agent is not offered the skill; "" where it is.
	Why string `json:"why,omitempty"`
	// Detail is the rule or the file that Why is about.
	Detail string `json:"detail,omitempty"`
}

// NewSkillView is the view of a skill.
func NewSkillView(s skills.Skill) SkillView {
	if !s.OnDisk() {
		s.Path = "" // the file on disk is another version
	}
	return SkillView{
		Name: policy.Inert(s.Name), Description: policy.Inert(s.Description), Tier: s.Tier, Path: policy.Inert(s.Path),
		Repository: policy.Inert(s.Repository), Commit: s.Commit, Visibility: s.Visibility, Owner: policy.Inert(s.Owner),
	}
}

// SkillReader returns the one who asks for skills in this session, and which skills it may have: those of the person's
// setting memctl.skills that are also in the agent.md of the agent it works as. client is the coding agent or
// program, "" for a person; as is the agent of the context files, "" for the session's. Errors: fault.Setting.
func SkillReader(ctx context.Context, ss *store.Stores, client, as string) (skills.Reader, error) {
	r := skills.Reader{User: skillUser(ctx, ss)}
	if client != "" {
		r.Agents = append(r.Agents, client)
	}
	chosen, _ := contextfile.Chosen(ctx, ss, as, "")
	if client != "" || as != "" {
		r.Agents = append(r.Agents, chosen)
	}
	set, err := ss.Setting(ctx, store.Skills)
	if err != nil {
		return r, err
	}
	names := strings.FieldsFunc(set.Text, func(c rune) bool { return c == ',' || c == ' ' })
	one := strings.ToLower(strings.Join(names, ","))
	switch {
	case len(names) == 0, slices.Contains([]string{"true", "all", "yes", "on", "1"}, one):
	case slices.Contains([]string{"false", "none", "no", "off", "0"}, one):
		r.Allow = append(r.Allow, skills.AllowList{By: store.Skills.Name})
	default:
		r.Allow = append(r.Allow, skills.AllowList{Names: names, By: store.Skills.Name})
	}
	if agent, _ := contextfile.Find(ctx, ss, contextfile.Trusted(ctx, ss, chosen, "")); agent.Skills != nil {
		r.Allow = append(r.Allow, skills.AllowList{Names: agent.Skills, By: "agent " + policy.Inert(agent.Name)})
	}
	return r, nil
}

// skillUser is what git calls the person: the name and the mail address of their commits.
func skillUser(ctx context.Context, ss *store.Stores) []string {
	author := ss.LookupConfig(ctx).Commits.Author
	return slices.DeleteFunc([]string{author.Name, author.Email}, func(s string) bool { return s == "" })
}
