package skill

import (
	"context"
	"slices"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/skills"
	"github.com/memctl/memctl/skills/check"
	"github.com/memctl/memctl/store"
)

// Inspection is a skill with what check finds in its files.
type Inspection struct {
	memory.SkillView
	Skill    skills.Skill
	Findings []check.Finding
	Digest   string // names the content of a skill that check refuses: see Accept
	Refused  bool   // check keeps it from agents
	Accepted bool   // the person accepted it as it is
}

// Inspect returns the skills of List, each with what check finds in every file. What it found before is cached.
func Inspect(ctx context.Context, ss *store.Stores, req ListRequest) ([]Inspection, error) {
	found, err := load(ctx, ss, req)
	if err != nil {
		return nil, err
	}
	defer skills.SaveChecks(ss)
	var list []Inspection
	for _, f := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		in := Inspection{SkillView: memory.NewSkillView(f.Skill), Skill: f.Skill}
		in.Why, in.Detail = f.Why, policy.Inert(f.Detail)
		if f.Folder != "" {
			verdict := skills.Check(ss, f.Folder)
			in.Findings, in.Digest, in.Refused = verdict.Findings, verdict.Digest, verdict.Refused != ""
			in.Accepted = in.Digest != "" && slices.Contains(ss.Accepted(ctx), in.Digest)
		}
		list = append(list, in)
	}
	return list, nil
}
