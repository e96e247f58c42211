package contextfile

import (
	"fmt"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/policy"
)

// The types of agents.
const (
	// Open gives each user all files of their own.
	Open = "open"
	// Predefined shares the agent's files between its users, who have only USER.md and
	// BOOTSTRAP.md of their own.
	Predefined = "predefined"
)

// The roles of an agent in its team.
const (
	RoleLead   = "lead"
	RoleMember = "member"
)

// Default is the agent, and Me the user, of a command that names none.
const (
	Default = "default"
	Me      = "me"
)

// AgentFile is the file that describes an agent, in its folder.
const AgentFile = "agent.md"

// Everyone among the delegates of an agent means every other agent.
const Everyone = "*"

// Agent is what the front matter of an agent.md says.
type Agent struct {
	Name        string   `json:"name"` // the folder's name
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Delegates   []string `json:"delegates,omitempty"` // the agents that it hands tasks to; Everyone for all
	Team        string   `json:"team,omitempty"`
	Role        string   `json:"role,omitempty"`   // in the team: lead or member
	Skills      []string `json:"skills,omitempty"` // the only skills that it is offered; nil for all, empty for none
	Locked      bool     `json:"locked"`           // agents cannot change the agent's own files
	Scope       string   `json:"scope,omitempty"`  // of the store that has it; "" where there is no agent.md
}

// Described reports whether the agent has an agent.md.
func (a Agent) Described() bool { return a.Scope != "" }

// Owns reports whether init and edit write the file to the agent's own folder, rather than to
// the user's copies.
func (a Agent) Owns(name string) bool {
	return a.Type == Predefined && name != "USER.md" && name != "BOOTSTRAP.md"
}

// Problem is one thing that is wrong with an agent.md.
type Problem struct {
	Line    int // 1-based
	Message string
}

// Undescribed is an agent without an agent.md: open, and nothing else is known of it.
func Undescribed(name string) Agent { return Agent{Name: name, Type: Open} }

// Folder is the name of an agent's or a user's folder: the name itself where every file
// system can have it, else a readable form with a hash, which is the same each time.
func Folder(name string) string { return entry.Slug(name) }

// ParseAgent reads an agent.md. The agent has what could be read.
func ParseAgent(name string, src []byte) (Agent, []Problem) {
	a := Undescribed(name)
	text, ok := yamltext.FrontMatter(src)
	if !ok {
		return a, []Problem{{1, "has no front matter: begin the file with a line ---, type: open or predefined, and a line ---"}}
	}
	root, err := yamltext.Parse(yamltext.Source{Text: text, To: len(text), Line: 2})
	if err != nil {
		if strings.Contains("\n"+text, "\nskills:") {
			a.Skills = []string{} // a list that cannot be read allows nothing
		}
		line, message := 2, err.Error()
		if e, ok := err.(*yamltext.Error); ok {
			line, message = e.Line, e.Message
		}
		return a, []Problem{{line, "the front matter is not valid YAML: " + message}}
	}
	if root == nil || root.Kind != yamltext.Map {
		return a, []Problem{{2, "the front matter has no fields"}}
	}
	var problems []Problem
	locked := ""
	for _, e := range root.Entries {
		problem := ""
		switch e.Key.Text {
		case "type":
			a.Type, problem = oneOf(e.Value, "type", Open, Predefined)
		case "role":
			a.Role, problem = oneOf(e.Value, "role", RoleLead, RoleMember)
		case "locked":
			locked, problem = oneOf(e.Value, "locked", "true", "false")
		case "description":
			a.Description, problem = line(e.Value, "description")
		case "team":
			a.Team, problem = line(e.Value, "team")
		case "delegates":
			a.Delegates, problem = names(e.Value, "delegates")
		case "skills":
			if a.Skills, problem = names(e.Value, "skills"); problem != "" {
				a.Skills = []string{}
			}
		}
		if problem != "" {
			problems = append(problems, Problem{e.Key.Line, problem})
		}
	}
	if a.Type == "" {
		a.Type = Open
	}
	a.Locked = locked == "true" || locked == "" && a.Type == Predefined
	return a, problems
}

func oneOf(n *yamltext.Node, field string, allowed ...string) (string, string) {
	for _, word := range allowed {
		if n.Kind == yamltext.Scalar && strings.EqualFold(n.Text, word) {
			return word, ""
		}
	}
	return "", fmt.Sprintf("%s must be %s", field, strings.Join(allowed, " or "))
}

func line(n *yamltext.Node, field string) (string, string) {
	if n.Kind != yamltext.Scalar {
		return "", field + " must be text"
	}
	return strings.TrimSpace(policy.Inert(n.Text)), ""
}

// names reads a list of names, or names in one string with commas between them.
func names(n *yamltext.Node, field string) ([]string, string) {
	list := []string{}
	switch n.Kind {
	case yamltext.Scalar:
		for name := range strings.SplitSeq(n.Text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				list = append(list, policy.Inert(name))
			}
		}
		return list, ""
	case yamltext.List:
		for _, e := range n.Entries {
			if e.Value.Kind != yamltext.Scalar {
				return nil, field + " must be a list of names"
			}
			list = append(list, policy.Inert(e.Value.Text))
		}
		return list, ""
	}
	return nil, field + " must be a list of names"
}

// Render is an agent.md with the agent's fields and a text for people below them.
func (a Agent) Render(body string) []byte {
	var b strings.Builder
	b.WriteString("---\ntype: " + a.Type + "\ndescription: " + quoted(a.Description) + "\n")
	b.WriteString("delegates: []\n---\n\n" + body)
	return []byte(b.String())
}

// quoted is a text as a YAML string in double quotes.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(policy.Inert(text)) + `"`
}
