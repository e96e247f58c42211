package character

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/skills"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/policy"
)

// PromptRequest asks for the system prompt of an agent.
type PromptRequest struct {
	Who
	Minimal bool   // for a subagent or a scheduled run
	Tools   []byte // the tools: JSON, or a line "name: description" for each; nil for none
	Extra   string // the caller's own text
	Sandbox bool   // the tools run in a sandbox
}

// PromptResult is a system prompt.
type PromptResult struct {
	Agent    string                 `json:"agent"`
	User     string                 `json:"user"`
	Minimal  bool                   `json:"minimal"`
	FirstRun bool                   `json:"first_run"`
	Sections []Section              `json:"sections"`
	Context  []briefing.ContextSize `json:"context"` // the context files that are included
	LeftOut  session.FilesLeft      `json:"-"`
	Bytes    int                    `json:"bytes"`
	Tokens   int                    `json:"tokens"`
	Warnings []string               `json:"warnings"`
	Text     string                 `json:"-"` // the sections as one text
}

// Prompt builds the system prompt of an agent. Files of a project are read only where the
// person trusts the repository. Errors: tools that cannot be read; a setting.
func Prompt(ctx context.Context, ss *store.Stores, req PromptRequest) (PromptResult, error) {
	req.Who = req.withDefaults(ctx, ss)
	res := PromptResult{Agent: req.As, User: req.User, Minimal: req.Minimal, Context: []briefing.ContextSize{}, Warnings: []string{}}
	tools, err := readTools(req.Tools)
	if err != nil {
		return res, err
	}
	p := &prompting{PromptRequest: req, ctx: ctx, ss: ss, reader: contextfile.Trusted(ctx, ss, req.As, req.User), res: &res}
	p.in = promptInput{Minimal: req.Minimal, Agent: plain(req.As), User: plain(req.User), Tools: tools, Sandbox: req.Sandbox, Flags: req.flags(ctx, ss), Extra: session.CleanContext(req.Extra)}
	if req.As == contextfile.Default { // IDENTITY.md names it
		p.in.Agent = ""
	}
	if req.User == contextfile.Me { // USER.md names them
		p.in.User = ""
	}
	p.describe()
	p.files()
	if err := p.memory(); err != nil {
		return res, err
	}
	p.surroundings()
	res.Sections = buildSections(p.in)
	res.Text = joinSections(res.Sections)
	res.Bytes, res.Tokens = len(res.Text), session.Tokens(len(res.Text))
	return res, nil
}

// prompting is one Prompt under way.
type prompting struct {
	PromptRequest
	ctx    context.Context
	ss     *store.Stores
	reader contextfile.Reader
	agent  contextfile.Agent
	in     promptInput
	res    *PromptResult
}

// plain is somebody's text as part of a line of the prompt.
func plain(text string) string { return session.Defuse(policy.Inert(text)) }

// describe reads the agent's agent.md, its delegates and its team.
func (p *prompting) describe() {
	a, problems := contextfile.Find(p.ctx, p.ss, p.reader)
	for _, problem := range problems {
		p.res.Warnings = append(p.res.Warnings, fmt.Sprintf("agent.md, line %d: %s", problem.Line, problem.Message))
	}
	p.agent = a
	p.in.Description = shownDescription(a)
	if len(a.Delegates) == 0 && a.Team == "" {
		return
	}
	mates := &promptTeam{Name: plain(a.Team), Role: a.Role}
	for _, other := range contextfile.Agents(p.ctx, p.ss, p.reader) {
		mate := promptMate{Name: plain(other.Name), Description: shownDescription(other)}
		if other.Name == a.Name {
			continue
		}
		if slices.Contains(a.Delegates, other.Name) || slices.Contains(a.Delegates, contextfile.Everyone) {
			p.in.Delegates = append(p.in.Delegates, mate)
		}
		if mate.Role = other.Role; a.Team != "" && other.Team == a.Team {
			mates.Mates = append(mates.Mates, mate)
		}
	}
	if a.Team != "" {
		p.in.Team = mates
	}
}

// shownDescription is the description of an agent; "" where it holds a secret.
func shownDescription(a contextfile.Agent) string {
	if len(policy.Scan([]byte(a.Description))) > 0 {
		return ""
	}
	return plain(a.Description)
}

// files reads the context files.
func (p *prompting) files() {
	names := session.ContextNames(p.Minimal)
	var files []session.ContextFile
	found, left := contextfile.Load(p.ctx, p.ss, p.reader, names)
	for _, f := range found {
		if len(p.in.Tools) == 0 && contextfile.IsTemplate(f.Name, f.Content) {
			f.Content = withoutCommands(f.Content)
		}
		files = append(files, f.ContextFile)
	}
	session.FirstRunFirst(files)
	part, more := session.Context(files, session.Client{})
	left.Add(more)
	p.in.InFirstRun = slices.ContainsFunc(part.Names, func(path string) bool { return strings.HasSuffix(path, session.FirstRunFile) })
	p.res.LeftOut, p.in.Files = left, part.Units
	sizes, warnings := briefing.ContextSizes(files, part)
	p.res.Context, p.res.Warnings = append(p.res.Context, sizes...), append(p.res.Warnings, warnings...)
	p.res.FirstRun = p.in.InFirstRun
}

// withoutCommands leaves out the paragraphs that name commands of memctl.
func withoutCommands(text []byte) []byte {
	parts := strings.Split(string(text), "\n\n")
	parts = slices.DeleteFunc(parts, func(part string) bool { return strings.Contains(part, "`memctl ") })
	return []byte(strings.Join(parts, "\n\n"))
}

// memory fills in the skills and what a session starts with. A minimal prompt has neither. An agent
// without tools cannot read a skill or search, so it gets no skills and the whole memory.
func (p *prompting) memory() error {
	if p.Minimal {
		return nil
	}
	req := briefing.BootstrapRequest{Hook: true, NoSkills: true, Context: []string{"none"}, Tools: p.has("remember")}
	if len(p.in.Tools) == 0 {
		req.NoTools, req.Mode = true, briefing.ModeFull
	} else {
		r, err := memory.SkillReader(p.ctx, p.ss, "", p.As)
		if err != nil {
			return err
		}
		r.Enough, r.NoBuiltIn, r.Checked = true, true, true
		p.in.Skills = skills.Available(skills.Load(p.ctx, p.ss, r), p.has("skill_search"))
	}
	b, err := briefing.Bootstrap(p.ctx, p.ss, req)
	if err != nil {
		return err
	}
	p.in.Memory = strings.TrimPrefix(b.Text, session.Heading+"\n\n")
	p.res.Warnings = append(p.res.Warnings, b.Warnings...)
	return nil
}

func (p *prompting) has(tool string) bool {
	return slices.ContainsFunc(p.in.Tools, func(t promptTool) bool { return t.Name == tool })
}

// surroundings fills in the folder, the day and the machine.
func (p *prompting) surroundings() {
	p.in.Folder = plain(filepath.ToSlash(p.ss.Abs(".")))
	now := p.ss.Now()
	zone, _ := now.Zone()
	p.in.Date = now.Format("Monday, 2006-01-02") + " (" + plain(zone) + ")"
	runs := []string{"agent=" + plain(p.agent.Name), "os=" + runtime.GOOS + "/" + runtime.GOARCH}
	if p.ss.Repo() != nil {
		runs = append(runs, "repository=git")
	}
	p.in.Runtime = strings.Join(runs, " | ")
}

// readTools reads the tools of an agent: a JSON list of objects with name and description, as
// model APIs and MCP have them, or lines "name: description".
func readTools(src []byte) ([]promptTool, error) {
	text := strings.TrimSpace(string(src))
	switch {
	case text == "":
		return nil, nil
	case !utf8.ValidString(text):
		return nil, &fault.Error{Code: codeTools, Status: 2, Cause: "the file of the tools is not text"}
	case text[0] != '[' && text[0] != '{':
		var tools []promptTool
		for line := range strings.Lines(text) {
			name, about, _ := strings.Cut(strings.TrimSpace(line), ":")
			if name != "" {
				tools = append(tools, promptTool{Name: plain(strings.TrimSpace(name)), Description: plain(strings.TrimSpace(about))})
			}
		}
		return tools, nil
	}
	type tool struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	type entry struct {
		tool
		Function *tool `json:"function"`
	}
	var list []entry
	var result struct {
		Tools []entry `json:"tools"`
	}
	err := json.Unmarshal([]byte(text), &list)
	if text[0] == '{' {
		err = json.Unmarshal([]byte(text), &result)
		list = result.Tools
	}
	if err != nil {
		return nil, &fault.Error{Code: codeTools, Status: 2, Cause: "the file of the tools is not a JSON list of tools: " + err.Error()}
	}
	var tools []promptTool
	for _, e := range list {
		if e.Function != nil {
			e.tool = *e.Function
		}
		if e.Name != "" {
			tools = append(tools, promptTool{Name: plain(e.Name), Description: plain(e.Description)})
		}
	}
	return tools, nil
}

// codeTools is the error of a file of tools that cannot be read.
const codeTools = "tools"
