package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/skills"
	"github.com/memctl/memctl/store"
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

// SkillReader is who asks for skills in this session: the agent, "" for a person, with what
// the settings let it be offered. off is true where the person wants no skills offered.
// Errors: fault.Setting.
func SkillReader(ctx context.Context, ss *store.Stores, agent string) (r skills.Reader, off bool, err error) {
	r = skills.Reader{Agent: agent, User: skillUser(ctx, ss)}
	set, err := ss.Setting(ctx, store.Skills)
	names := strings.FieldsFunc(set.Text, func(c rune) bool { return c == ',' || c == ' ' })
	switch {
	case err != nil || len(names) == 0:
		return r, false, err
	case len(names) == 1 && slices.Contains([]string{"true", "all", "yes", "on", "1"}, strings.ToLower(names[0])):
		return r, false, nil
	case len(names) == 1 && slices.Contains([]string{"false", "none", "no", "off", "0"}, strings.ToLower(names[0])):
		return r, true, nil
	}
	r.Allow = names
	return r, false, nil
}

// skillUser is what git calls the person: the name and the mail address of their commits.
func skillUser(ctx context.Context, ss *store.Stores) []string {
	author := ss.LookupConfig(ctx).Commits.Author
	return slices.DeleteFunc([]string{author.Name, author.Email}, func(s string) bool { return s == "" })
}
