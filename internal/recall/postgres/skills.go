package postgres

import "github.com/memctl/memctl/internal/store/pulled"

// Skill is a skill of a store, or the version of it that a grant pins.
type Skill struct {
	Name        string
	Version     string // the commit that a grant pins; "" for the current version
	Description string
	Visibility  string         // public, private or internal: that of the current version, as are Owner and Grants
	Owner       string         // a role of the server; "" for nobody
	Grants      []pulled.Grant // Users are roles of the server
	Files       []pulled.File  // by path from the skill's folder
}

// ContextFile is a context file of an agent, or a user's copy of one.
type ContextFile struct {
	Agent  string
	Person string // the user whose copy it is; "" for the agent's own file
	Name   string
	Data   []byte
}

// Extras are what a push sends beside the docs.
type Extras struct {
	Skills  []Skill
	Context []ContextFile
}

// Tally counts what became of the rows of a table.
type Tally struct {
	Total   int `json:"total"`
	Sent    int `json:"sent"`    // new or changed
	Removed int `json:"removed"` // that the store no longer has
}

// SkillDocument is the path of the document that a push makes of a version of a skill.
func SkillDocument(name, version string) string {
	if version == "" {
		return name
	}
	return name + "@" + version
}

// Usable is a skill that the person may use, without its files. Its versions have no folders yet.
type Usable struct {
	pulled.Skill
	Store int64
}
