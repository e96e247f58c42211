package postgres

// File is one file of a skill, by its path from the skill's folder.
type File struct {
	Path string
	Data []byte
}

// Grant lets an agent or a person use a skill.
type Grant struct {
	Agent   string
	Person  string // a role of the server
	Version string // the commit that it pins; "" for the current version
}

// Skill is a skill of a store, or the version of it that a grant pins.
type Skill struct {
	Name        string
	Version     string // the commit that a grant pins; "" for the current version
	Description string
	Visibility  string // public, private or internal: that of the current version, as are Owner and Grants
	Owner       string // a role of the server; "" for nobody
	Grants      []Grant
	Files       []File
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
	// GrantedBy says who granted a skill, and is asked for what is sent alone: it may read all history. Nil for nobody.
	GrantedBy func(name string, g Grant) string
}

// Tally counts what became of the rows of a table.
type Tally struct {
	Total   int `json:"total"`
	Sent    int `json:"sent"`    // new or changed
	Removed int `json:"removed"` // that the store no longer has
}

// Document is the path of the document that a push makes of the skill.
func (s *Skill) Document() string {
	if s.Version == "" {
		return s.Name
	}
	return s.Name + "@" + s.Version
}

// Usable is a skill that the person may use, without its files.
type Usable struct {
	Skill
	Target
	Store int64
	Hash  string
}
