// Package postgres keeps chunks of memory in PostgreSQL, as an index that a team shares. Files
// stay the truth: all of it can be dropped and pushed again.
//
// Words. A store is what one push sends: a scope of a repository, or the user scope of a person. A
// document is a file, of which chunks are made. A person is a role of the server. The
// schema memctl has the tables, and row-level security on all of them compares session_user.
package postgres

import (
	"context"
	"iter"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/store/pulled"
)

// The reasons of fault.Postgres.
const (
	WhyAddress     = "address"     // the URL cannot be read
	WhyUnreachable = "unreachable" // no server answers
	WhyLogin       = "login"       // the server refuses the role, or its password
	WhyRefused     = "refused"     // the role lacks a right
	WhyMissing     = "missing"     // the database has no schema memctl, and the role may not make it
	WhyOlder       = "older"       // the schema is older, and the role may not change it
	WhyNewer       = "newer"       // the schema is newer than this memctl
	WhyBroken      = "broken"      // the connection ended in the middle
	WhyFailed      = "failed"      // the server refused a statement
	WhyBehind      = "behind"      // the last push was of a commit that HEAD does not have
)

// SetHint is the command that names the server.
const SetHint = "git config --global memctl.pg.url postgres://NAME@HOST/DATABASE"

// Dial opens a connection to a server within the given time. Error: fault.Postgres, which never has the password.
type Dial func(ctx context.Context, address string, patience time.Duration) (Server, error)

// Server is a connection to a server. It is not for several goroutines. Errors: fault.Postgres.
type Server interface {
	// Address is the server's host and database, to be shown.
	Address() string
	Close() error

	// Version is the version of the schema; 0 where the database has none.
	Version(ctx context.Context) (int, error)
	// CheckSchema returns an error where the schema is not the one that this memctl knows.
	CheckSchema(ctx context.Context) error
	// Migrate brings the schema up to date.
	Migrate(ctx context.Context) error

	// Stores lists the stores that the person may read.
	Stores(ctx context.Context) ([]Store, error)
	// Find is the store of a target that the person reads; nil where it was never pushed.
	Find(ctx context.Context, t Target) (*Store, error)
	// Push sends the documents that changed since the last push, and removes those that are gone.
	Push(ctx context.Context, req PushRequest) (Pushed, error)
	// Droppable is the store of a target, by one of its first commits, that Drop removes with all its rows: the group's if the
	// person may push it, else the person's own; nil where there is none.
	Droppable(ctx context.Context, t Target, roots []string) (*Store, error)
	Drop(ctx context.Context, id int64) error

	// UsableSkills lists the skills that the person may use, by repository and name, each with the versions of it; SkillFiles
	// reads the files of one, by path from the skill's folder.
	UsableSkills(ctx context.Context) ([]UsableSkill, error)
	SkillFiles(ctx context.Context, u UsableSkill, version string) ([]pulled.File, error)
	// OwnContext lists the context files that the person pushed with the scope user, from stores without these first commits.
	OwnContext(ctx context.Context, without []string) ([]ContextFile, error)
	// Person is the role that the server knows the person by.
	Person(ctx context.Context) (string, error)

	// Candidates finds what may fit. The caller ranks it.
	Candidates(ctx context.Context, q Query) (Candidates, error)
	// HasVectors reports whether the server can compare vectors.
	HasVectors(ctx context.Context) (bool, error)
}

// Target says which store a push is for.
type Target struct {
	Scope  string `json:"scope"`      // project, private or user
	Root   string `json:"-"`          // the first commit of the repository; "" where the remote's address has a host
	Remote string `json:"-"`          // the remote's address without credentials; "" for none, and for a person's own stores
	Name   string `json:"repository"` // what hits call the repository
}

// Store is a store on the server that the person may read.
type Store struct {
	ID int64 `json:"-"`
	Target
	Owner     string    `json:"owner,omitempty"` // the person whose it is; "" where a group shares it
	Commit    string    `json:"commit"`          // of the last push that ended; "" before
	Pushed    time.Time `json:"pushed,omitzero"` // when that was, by the server's clock; zero where no push has ended
	Model     string    `json:"-"`               // the embedder of its vectors; "" for none
	Documents int64     `json:"documents"`
	Chunks    int64     `json:"chunks"`
	Writable  bool      `json:"writable"` // the person may push it
	Skills    int       `json:"skills"`   // that the person may use
	Context   int       `json:"context"`  // files that they may read
}

// Doc is a doc that a push sends.
type Doc struct {
	index.Doc
	Expires string // the first day on which nobody finds it, as 2026-11-21; "" for none
}

// PushRequest says what to push.
type PushRequest struct {
	Target
	// Replaced are earlier first commits of the repository, which a purge replaced. Stores of them are removed.
	Replaced []string
	Commit   string                // what HEAD is
	Docs     iter.Seq2[Doc, error] // every doc of the store
	Extras   *Extras               // nil: skills and context files stay as they are
	DryRun   bool
	Embed    Embedder              // nil: vectors stay as they are
	Model    string                // of the embedder
	Progress func(done, total int) // documents; nil for nobody
	Waiting  func()                // another push of the store runs; nil for nobody
	Patience time.Duration         // how long to wait for that one; 0: ten minutes
}

// Pushed is what a push did.
type Pushed struct {
	Store     int64     `json:"-"`
	Shared    bool      `json:"-"`         // a group reads it; else its owner alone
	Documents int       `json:"documents"` // all
	Chunks    int       `json:"chunks"`
	Sent      int       `json:"sent"`    // documents that were new or had changed
	Removed   int       `json:"removed"` // documents that the server had and the store no longer has
	Unchanged int       `json:"unchanged"`
	Embedded  int       `json:"embedded"` // texts that got a vector
	Skills    RowCounts `json:"skills"`   // with the versions that grants pin
	Context   RowCounts `json:"context"`  // files
}

// Embedder turns texts into vectors of one size; nil for a text that has none.
type Embedder func(ctx context.Context, texts []string) ([][]float32, error)

// Query is what to look for.
type Query struct {
	Scope     string               // "": all
	Elsewhere []Target             // stores that are searched elsewhere
	Trusted   []string             // remotes or first commits of the repositories that may be searched; nil: all
	Terms     []index.WeightedTerm // of the question; what each counts, without how rare it is
	Related   []index.WeightedTerm // words that are related to them

	// Filters: none lets all pass.
	Tiers, Conversations, Categories, Tags []string
	Since                                  time.Time

	Vector     []float32 // of the question; nil leaves the vectors out
	Model      string    // of the embedder; only stores of it are compared
	MaxNearest int       // how many chunks at most
}

// FoundChunk is a chunk that may be a hit.
type FoundChunk struct {
	index.Doc // Source is the path of its document
	Store     *Store
	Nearness  float64 // of its vector to the question's, of those in Candidates.Nearest
}

// Candidates are the chunks that may be hits, and what ranking has to know of the stores.
type Candidates struct {
	Chunks         []FoundChunk
	Nearest        []FoundChunk   // by their vectors
	Docs           int64          // chunks of the stores
	Length         int64          // of them, in terms
	ChunksWithTerm map[string]int // by term: the chunks that have it
}

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

// RowCounts counts what became of the rows of a table.
type RowCounts struct {
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

// UsableSkill is a skill that the person may use, without its files. Its versions have no folders yet.
type UsableSkill struct {
	pulled.Skill
	Store int64
}
