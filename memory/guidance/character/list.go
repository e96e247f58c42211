package character

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/policy"
)

// FileView is one context file in one place.
type FileView struct {
	Name       string `json:"name"`
	From       string `json:"from"` // user copy, agent, workspace or user
	Path       string `json:"path"`
	Characters int    `json:"characters"`
	Tokens     int    `json:"tokens"`
	Over       int    `json:"over,omitempty"` // characters that are left out
}

// ListResult is the context files that an agent gets for a user.
type ListResult struct {
	Agent    contextfile.Agent `json:"agent"`
	User     string            `json:"user"`
	FirstRun bool              `json:"first_run"`
	Files    []FileView        `json:"files"`
	Tokens   int               `json:"tokens"`
	Warnings []string          `json:"warnings"`
}

// List returns the context files that an agent gets.
func List(ctx context.Context, ss *store.Stores, who Who) (ListResult, error) {
	who = who.withDefaults(ctx, ss)
	res := ListResult{User: who.User, Files: []FileView{}, Warnings: []string{}}
	reader := contextfile.Trusted(ctx, ss, who.As, who.User)
	agent, problems := contextfile.Find(ctx, ss, reader)
	res.Agent = agent
	for _, p := range problems {
		res.Warnings = append(res.Warnings, "agent.md: "+p.Message)
	}
	found, left := contextfile.Load(ctx, ss, reader, session.ContextNames(false))
	files := make([]session.ContextFile, len(found))
	for i, f := range found {
		files[i] = f.ContextFile
	}
	session.FirstRunFirst(files)
	part, more := session.Context(files, session.Client{})
	left.Add(more)
	sizes, warnings := briefing.ContextSizes(files, part)
	for _, f := range files {
		for _, size := range sizes {
			if size.Name == f.Path {
				res.Files = append(res.Files, FileView{Name: f.Name, From: f.From, Path: f.Path, Characters: utf8.RuneCount(f.Content), Tokens: size.Tokens, Over: size.Over})
				res.Tokens += size.Tokens
				res.FirstRun = res.FirstRun || f.Name == session.FirstRunFile
			}
		}
	}
	res.Warnings = append(res.Warnings, warnings...)
	if left.Count > 0 {
		res.Warnings = append(res.Warnings, left.Text())
	}
	return res, nil
}

// AgentsResult is the agents that have an agent.md.
type AgentsResult struct {
	Agents []contextfile.Agent `json:"agents"`
}

// Agents returns the agents whose name or description has all the words, by name.
func Agents(ctx context.Context, ss *store.Stores, words []string) (AgentsResult, error) {
	res := AgentsResult{Agents: []contextfile.Agent{}}
	for _, a := range contextfile.Agents(ctx, ss, contextfile.Trusted(ctx, ss, "", "")) {
		text, all := strings.ToLower(a.Name+" "+a.Description), true
		for _, word := range words {
			all = all && strings.Contains(text, strings.ToLower(word))
		}
		if all && len(policy.Scan([]byte(a.Description))) == 0 {
			res.Agents = append(res.Agents, a)
		}
	}
	return res, nil
}

// ShowResult is one context file as the agent gets it.
type ShowResult struct {
	FileView
	Text string `json:"text"`
}

// Show returns the context file of that name that the agent gets, whole. Errors: *fault.Error
// of code not-found.
func Show(ctx context.Context, ss *store.Stores, who Who, name string) (ShowResult, error) {
	who = who.withDefaults(ctx, ss)
	res := ShowResult{}
	name, err := fileName(name)
	if err != nil {
		return res, err
	}
	found, _ := contextfile.Load(ctx, ss, contextfile.Trusted(ctx, ss, who.As, who.User), []string{name})
	for _, f := range found {
		if text, ok := session.Readable(f.ContextFile); ok {
			res.FileView = FileView{Name: f.Name, From: f.From, Path: f.Path, Characters: utf8.RuneCount(f.Content), Tokens: session.Tokens(len(f.Content))}
			res.Text = text
			return res, nil
		}
	}
	return res, &fault.Error{Code: memory.RuleNotFound, Status: 1, Cause: memory.Quoted(name) + ": the agent gets no such file", Hints: []string{"memctl context list"}}
}
