// Package skill holds the acts on skills: list, show, check, grant, revoke, add and update.
package skill

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/skills"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// ruleWithheld is the code of a skill that check refuses, asked for by an agent.
const ruleWithheld = "skill-withheld"

// ListRequest says whose skills to list.
type ListRequest struct {
	Agent string // the coding agent whose skills to list; "" for a person
	As    string // the agent of the context files whose skills to list; "" for the session's
	User  string // another user than the one of git's settings
	// Caller is the agent that asks, "" for a person: it sees what it is offered only.
	Caller string
}

// ListResult is the skills, those that are offered first.
type ListResult struct {
	Skills []memory.SkillView `json:"skills"`
	// Count is how many of them the reader is offered.
	Count int `json:"count"`
}

// List returns the skills that the reader may use, and for a person those that are left out,
// with the reason.
func List(ctx context.Context, ss *store.Stores, req ListRequest) (ListResult, error) {
	res := ListResult{Skills: []memory.SkillView{}}
	found, err := load(ctx, ss, req)
	if err != nil {
		return res, err
	}
	for _, f := range found {
		if f.Why == "" {
			res.Count++
		}
		v := memory.NewSkillView(f.Skill)
		v.Why, v.Detail = f.Why, policy.Inert(f.Detail)
		res.Skills = append(res.Skills, v)
	}
	return res, nil
}

// load finds the skills of a reader, and for a person after them those that are left out.
func load(ctx context.Context, ss *store.Stores, req ListRequest) (found []skills.LeftOut, err error) {
	agent := req.Caller // an agent sees what it is offered only
	if agent == "" {
		agent = req.Agent
	}
	r, err := memory.SkillReader(ctx, ss, agent, req.As)
	if err != nil {
		return nil, err
	}
	if req.User != "" && req.Caller == "" {
		r.User = []string{req.User}
	}
	r.Checked = true
	lib := skills.Load(ctx, ss, r)
	for _, s := range lib.Skills {
		found = append(found, skills.LeftOut{Skill: s})
	}
	if req.Caller == "" {
		found = append(found, lib.Out...)
	}
	return found, nil
}

// ShowResult is one skill with its text.
type ShowResult struct {
	Schema int `json:"schema"`
	memory.SkillView
	Folder string   `json:"folder"` // "" for one that is built in
	Files  []string `json:"files"`
	Text   string   `json:"text"`
}

// Show returns the text of a skill, with {baseDir} replaced. client and as are who asks, as for
// memory.SkillReader: an agent gets no skill that check refuses, unless the person accepted it.
// Errors: *fault.Error of code not-found, with the reason in Why where there is one of the name;
// ruleWithheld.
func Show(ctx context.Context, ss *store.Stores, name, client, as string) (ShowResult, error) {
	res := ShowResult{Schema: memory.SchemaNumber, Files: []string{}}
	s, err := find(ctx, ss, name, client, as)
	if err != nil {
		return res, err
	}
	if client != "" || as != "" {
		rule := s.RefusedBy(ctx, ss)
		if rule != "" {
			return res, &fault.Error{Code: ruleWithheld, Status: 1, Cause: memory.Quoted(name) + ": memctl withholds this skill from agents, because a check refuses it (" + rule + ")", Hints: []string{"memctl skills check " + name + " --accept"}}
		}
	}
	if res.Text, err = s.Read(ctx, ss); err != nil {
		return res, err
	}
	res.SkillView, res.Folder = memory.NewSkillView(s), filepath.ToSlash(s.Folder)
	if s.OnDisk() { // the files on disk are those of another version than a pinned one
		files, err := s.Files()
		if err != nil {
			return res, err
		}
		for _, f := range files {
			res.Files = append(res.Files, policy.Inert(f.Path))
		}
	}
	return res, nil
}

// find returns the skill of that name that the reader is offered. A person who names no agent finds those too that agents
// are not offered: they look at it to see why, and who has the repository has the skill.
func find(ctx context.Context, ss *store.Stores, name, client, as string) (skills.Skill, error) {
	r, err := memory.SkillReader(ctx, ss, client, as)
	if err != nil {
		return skills.Skill{}, err
	}
	person := client == "" && as == ""
	if person {
		r.Allow = nil
	}
	s, why, ok := skills.Load(ctx, ss, r).Find(name)
	if ok || person && (why == skills.WhyInactive || why == skills.WhyInvalid || why == skills.WhyNoAccess) {
		return s, nil
	}
	e := notFound(name)
	if why != "" {
		e.Cause = fmt.Sprintf("%s: the skill is left out (%s)", memory.Quoted(name), why)
	}
	if why == skills.WhyUntrusted {
		e.Hints = []string{"memctl trust"}
		if s.Repository != "" {
			e.Hints = []string{"memctl index pull"}
		}
	}
	return s, e
}

func notFound(name string) *fault.Error {
	return &fault.Error{Code: memory.RuleNotFound, Status: 1, Cause: memory.Quoted(name) + ": there is no skill of this name", Hints: []string{"memctl skills list"}}
}
