// Package contextfile finds and reads context files: the Markdown files that give an agent its
// character, its rules and the notes on its user. It only reads.
//
// Words. An agent is a folder below memories/context of a store. A user copy is a file of one
// user of the agent, in the private or the user store, or in the local copy of the shared index, where the person pushed
// it from another machine; it wins over the agent's own file. After
// these come the project's root and the person's global folder.
package contextfile

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/pulled"
)

// usersDir is the folder of an agent that holds its users' folders.
const usersDir = "users"

// sharedScope is the scope of copies that the person pushed to the shared index from other machines.
const sharedScope = "shared"

// AgentDir is the agent's folder in a store.
func AgentDir(agent string) string { return store.ContextDir + "/" + Folder(agent) }

// UserDir is the folder of one user's copies in a store.
func UserDir(agent, user string) string { return AgentDir(agent) + "/" + usersDir + "/" + Folder(user) }

// Reader is for whom context files are read.
type Reader struct {
	Agent    string // "" for the one of the settings
	User     string // "" for the one of the settings
	Guarded  bool   // the person has not trusted the repository: none of its files is read
	Reviewed *contents.Reviewed
}

// Trusted is the reader for what reaches an agent: of a project it reads what the person trusts.
func Trusted(ctx context.Context, ss *store.Stores, agent, user string) Reader {
	r := Reader{Agent: agent, User: user}
	switch ss.TrustLevel(ctx) {
	case store.TrustOff:
		r.Guarded = true
	case store.TrustReviewed:
		r.Reviewed = contents.LoadReviewed(ctx, ss)
	}
	return r
}

// Found is a context file in one place.
type Found struct {
	session.ContextFile
	Scope string // of the store that has it; "" for the project's root and the global folder
}

// outcome says whether an agent gets a file.
type outcome int

const (
	found outcome = iota
	missing
	untrusted
	unreviewed
	unusable // no regular Markdown file of at most 1 MB inside its folder
)

// Chosen is the agent and the user that a caller names. For "" it takes the agent of the setting, else Default, and the user Me.
func Chosen(ctx context.Context, ss *store.Stores, agent, user string) (string, string) {
	v, _ := ss.Setting(ctx, store.ContextAgent) // any text is valid
	return cmp.Or(agent, v.Text, Default), cmp.Or(user, Me)
}

// place is a folder in which context files are looked for.
type place struct {
	dir     string // no link may lead out of it
	prefix  string // from dir, ending in a slash; "" for dir itself
	from    string
	scope   string
	guarded bool
}

// places lists the folders, the first of which has precedence.
func (r Reader) places(ctx context.Context, ss *store.Stores) []place {
	agent, user := Chosen(ctx, ss, r.Agent, r.User)
	var list []place
	add := func(from, scope, prefix string) {
		st, err := ss.Get(ctx, scope)
		if err != nil || st.Dir == "" {
			return
		}
		if _, err := os.Lstat(filepath.Join(st.Dir, filepath.FromSlash(prefix))); err == nil {
			list = append(list, place{st.Dir, prefix, from, scope, r.Guarded && scope == store.Project})
		}
	}
	for _, scope := range CopyScopes(ss) {
		add(session.FromCopy, scope, UserDir(agent, user)+"/")
	}
	if c := pulled.Read(ctx, ss); c != nil && c.Context != "" {
		list = append(list, place{dir: pulled.Dir(ss, c.Context), prefix: UserDir(agent, user) + "/", from: session.FromCopy, scope: sharedScope})
	}
	for _, scope := range agentScopes(ss) {
		add(session.FromAgent, scope, AgentDir(agent)+"/")
	}
	if root := ss.Root(); root != "" {
		list = append(list, place{dir: root, from: session.FromWorkspace, guarded: r.Guarded})
	}
	if dir := ss.ContextDir(ctx); dir != "" && !ss.IsSingleStore() {
		list = append(list, place{dir: dir, from: session.FromUser})
	}
	return list
}

// CopyScopes are the scopes that can have user copies, the first of which has precedence.
func CopyScopes(ss *store.Stores) []string {
	return has(ss, store.Only, store.Private, store.User)
}

// agentScopes are the scopes that can have agents, the first of which has precedence.
func agentScopes(ss *store.Stores) []string {
	return has(ss, store.Only, store.Project, store.Private, store.User)
}

// has are those of the scopes that the session has.
func has(ss *store.Stores, scopes ...string) []string {
	all := ss.Scopes()
	return slices.DeleteFunc(scopes, func(scope string) bool { return !slices.Contains(all, scope) })
}

// Load reads the context files of these names, and counts those that the reader may not have. Of a name it returns the first
// file with text in the order of the places; an unchanged template only where no other place has text.
func Load(ctx context.Context, ss *store.Stores, r Reader, names []string) (list []Found, left session.FilesLeft) {
	places := r.places(ctx, ss)
	for _, name := range names {
		var chosen *Found
		var out session.FilesLeft
		for _, p := range places {
			f, is := p.read(ctx, r, name)
			switch {
			case is == missing, is == found && strings.TrimSpace(string(f.Content)) == "":
			case is != found:
				out = session.FilesLeft{Count: 1, Untrusted: out.Untrusted || is == untrusted}
			case chosen == nil || IsTemplate(name, chosen.Content) && !IsTemplate(name, f.Content):
				chosen = &f
			}
		}
		if chosen != nil {
			list = append(list, *chosen)
		}
		left.Add(out)
	}
	return list, left
}

// read reads one file. Only a regular file inside its folder is read: a link out of it is
// refused.
func (p place) read(ctx context.Context, r Reader, name string) (f Found, is outcome) {
	file := p.prefix + name
	f = Found{ContextFile: session.ContextFile{Name: name, From: p.from, Path: session.Defuse(file)}, Scope: p.scope}
	if own := p.scope == store.Private || p.scope == store.User || p.scope == sharedScope; own || p.from == session.FromUser {
		f.Path = session.Defuse(filepath.ToSlash(filepath.Join(p.dir, filepath.FromSlash(file))))
	}
	if !filepath.IsLocal(name) || path.Ext(name) != ".md" {
		return f, unusable
	}
	if _, err := os.Lstat(filepath.Join(p.dir, filepath.FromSlash(file))); errors.Is(err, fs.ErrNotExist) {
		return f, missing
	}
	if p.guarded {
		return f, untrusted
	}
	var err error
	if f.Content, err = p.bytes(file); err != nil {
		return f, unusable
	}
	inProject := p.from == session.FromWorkspace || p.scope == store.Project
	if r.Reviewed != nil && inProject && !r.Reviewed.HasFile(ctx, file, f.Content) {
		return f, unreviewed
	}
	return f, found
}

func (p place) bytes(file string) ([]byte, error) {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, _, err := safefile.Read(root, file, session.MaxContextFileBytes)
	return data, err
}

// Find returns the agent of that name, from the first store with its agent.md; Undescribed
// where none has one. The problems are those of that file. An agent whose only agent.md cannot
// be used is offered no skills: the list that limits them is unknown.
func Find(ctx context.Context, ss *store.Stores, r Reader) (Agent, []Problem) {
	name, _ := Chosen(ctx, ss, r.Agent, r.User)
	a, problems := Undescribed(name), []Problem(nil)
	leftOut := r.eachDescription(ctx, ss, name, func(found Agent, wrong []Problem) bool {
		a, problems = found, wrong
		return false
	})
	if leftOut && !a.Described() {
		a.Skills, problems = []string{}, []Problem{{1, "cannot be used (docs/context.md has the rules), so the agent is offered no skills"}}
	}
	return a, problems
}

// eachDescription visits the agent.md of the agent in each store until visit returns false. Of one that is not
// reviewed it takes the reviewed version. leftOut is true if it could not use one.
func (r Reader) eachDescription(ctx context.Context, ss *store.Stores, name string, visit func(Agent, []Problem) bool) (leftOut bool) {
	for _, p := range r.places(ctx, ss) {
		if p.from != session.FromAgent {
			continue
		}
		f, is := p.read(ctx, r, AgentFile)
		if is == unreviewed {
			if data, ok := r.Reviewed.Version(ctx, p.prefix+AgentFile); ok {
				f.Content, is = data, found
			}
		}
		if is != found {
			leftOut = leftOut || is != missing && is != untrusted // nothing in an untrusted repository limits the person
			continue
		}
		a, problems := ParseAgent(name, f.Content)
		a.Scope = p.scope
		if !visit(a, problems) {
			break
		}
	}
	return leftOut
}

// Locks reports whether the agent.md of any store locks the file to agents. A repository's own agent.md, which an
// agent or an untrusted clone can write, cannot unlock what the person locked in another store.
func Locks(ctx context.Context, ss *store.Stores, agent, file string) (locked bool) {
	Reader{Agent: agent}.eachDescription(ctx, ss, agent, func(a Agent, _ []Problem) bool {
		locked = a.Locked && a.Owns(file)
		return !locked
	})
	return locked
}

// Agents lists the agents that have an agent.md which the reader may read, by name.
func Agents(ctx context.Context, ss *store.Stores, r Reader) []Agent {
	var list []Agent
	seen := map[string]bool{}
	for _, scope := range agentScopes(ss) {
		st, err := ss.Get(ctx, scope)
		if err != nil || st.Dir == "" || r.Guarded && scope == store.Project {
			continue
		}
		entries, _ := os.ReadDir(filepath.Join(st.Dir, filepath.FromSlash(store.ContextDir)))
		for _, e := range entries {
			name := e.Name()
			if !e.IsDir() || seen[name] {
				continue
			}
			if a, _ := Find(ctx, ss, Reader{Agent: name, Guarded: r.Guarded, Reviewed: r.Reviewed}); a.Described() {
				list, seen[name] = append(list, a), true
			}
		}
	}
	slices.SortFunc(list, func(a, b Agent) int { return strings.Compare(a.Name, b.Name) })
	return list
}

//go:embed templates
var templates embed.FS

// flagsMark stands in a template for the flags of commands that name an agent and a user.
const flagsMark = "{flags}"

// Template is the text that a new context file of that name gets, with the flags of its commands; nil for none.
func Template(name, flags string) []byte {
	src, _ := templates.ReadFile(path.Join("templates", name))
	return bytes.ReplaceAll(src, []byte(flagsMark), []byte(flags))
}

// IsTemplate reports whether a file still says what its template says, with whatever flags.
func IsTemplate(name string, text []byte) bool {
	src := Template(name, flagsMark)
	if src == nil {
		return false
	}
	rest := strings.ReplaceAll(string(text), "\r\n", "\n")
	parts := strings.Split(string(src), flagsMark)
	for i, part := range parts {
		flags, after, found := strings.Cut(rest, part)
		if !found || strings.Contains(flags, "\n") || i == 0 && flags != "" {
			return false
		}
		rest = after
	}
	return rest == ""
}
