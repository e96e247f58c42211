package skill

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/skills"
	"github.com/memctl/memctl/skills/check"
	"github.com/memctl/memctl/skills/format"
	"github.com/memctl/memctl/store"
)

// Inspection is a skill with its files and what check finds in them.
type Inspection struct {
	memory.SkillView
	Folder   string // "" for one that is built in
	Grants   []format.Grant
	Files    []check.File
	Findings []check.Finding
	Digest   string // names the content: see Accept
	Refused  bool   // check keeps it from agents
	Accepted bool   // the person accepted it as it is
	Failed   string // why its files cannot be read
}

// Inspect returns the skills of List, each checked with every file.
func Inspect(ctx context.Context, ss *store.Stores, req ListRequest) ([]Inspection, error) {
	found, err := load(ctx, ss, req)
	if err != nil {
		return nil, err
	}
	var list []Inspection
	for _, f := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		in := Inspection{SkillView: memory.NewSkillView(f.Skill), Folder: filepath.ToSlash(f.Folder), Grants: f.Grants}
		in.Why, in.Detail = f.Why, policy.Inert(f.Detail)
		if in.Files, err = f.Files(); err != nil {
			in.Failed = policy.Inert(memory.Redacted(err.Error()))
			list = append(list, in)
			continue
		}
		folder := f.Name
		if f.Folder != "" {
			folder = filepath.Base(f.Folder)
		}
		in.Findings = check.Skill(folder, in.Files)
		if in.Digest, err = skills.Digest(f.Folder, in.Files); err != nil {
			in.Failed = policy.Inert(memory.Redacted(err.Error()))
		}
		in.Refused = check.Refused(in.Findings)
		in.Accepted = in.Refused && in.Digest != "" && slices.Contains(ss.Accepted(ctx), in.Digest)
		list = append(list, in)
	}
	return list, nil
}
