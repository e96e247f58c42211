package sharing

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/skills"
	"github.com/memctl/memctl/internal/skills/format"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/pulled"
	"github.com/memctl/memctl/memory"
)

// mostSkillBytes is how large a skill of the shared index may be. Everyone who reads it gets a copy.
const mostSkillBytes = 8 << 20

// gathering collects what a push sends beside the docs.
type gathering struct {
	ctx    context.Context
	st     *store.Store
	commit string
	extras postgres.Extras
	notes  []fault.Note
}

// extrasOf are the skills of a store as the commit has them, and in the user store the copies of context files. Extras is
// nil where they cannot be read, so that the server's stay.
func extrasOf(ctx context.Context, st *store.Store, commit string) (*postgres.Extras, []fault.Note) {
	g := &gathering{ctx: ctx, st: st, commit: commit}
	var folders []string
	switch st.Scope {
	case store.Project:
		folders = store.SkillFolders
	case store.User:
		folders = []string{skills.InProject}
		g.contextFiles()
	}
	if st.Repo != nil && commit != "" && len(folders) > 0 {
		if err := g.skills(folders); err != nil {
			return nil, append(g.notes, fault.NewNote("extras-not-sent", "skills and context files were not sent: "+err.Error()))
		}
	}
	return &g.extras, g.notes
}

func (g *gathering) leaveOut(what, why string) {
	g.notes = append(g.notes, fault.NewNote("not-sent", memory.Quoted(what)+" is not sent: "+why))
}

// skills takes the skills of the folders. Of two of one name it takes that of the first folder, as agents get it.
func (g *gathering) skills(folders []string) error {
	under := make([]string, len(folders))
	for i, f := range folders {
		under[i] = g.st.GitPathOf(f)
	}
	found, err := skills.InCommit(g.ctx, g.st.Repo, g.commit, "", nil, under)
	if err != nil {
		return err
	}
	place := func(s skills.Found) int { return slices.Index(under, path.Dir(s.Path)) }
	found = slices.DeleteFunc(found, func(s skills.Found) bool { return place(s) < 0 })
	slices.SortStableFunc(found, func(a, b skills.Found) int { return cmp.Compare(place(a), place(b)) })
	taken := map[string]bool{}
	for _, f := range found {
		if taken[f.Name] {
			continue
		}
		taken[f.Name] = true
		if err := g.skill(f); err != nil {
			return err
		}
	}
	return nil
}

// skill takes one skill with the versions that its grants pin.
func (g *gathering) skill(f skills.Found) error {
	s, head, why := sendable(f)
	if why != "" {
		g.leaveOut(f.Name, why)
		return nil
	}
	if head.Inactive {
		return nil // no agent is offered it
	}
	s.Visibility, s.Owner = cmp.Or(head.Visibility, format.Public), head.Owner
	pinned := map[string]postgres.Skill{}
	for _, grant := range head.Grants {
		if _, known := pinned[grant.Version]; !known && grant.Version != "" {
			version, why, err := g.pinned(f, grant.Version)
			if err != nil {
				return err
			}
			if why != "" {
				g.leaveOut(f.Name+" at "+grant.Version, why)
				continue
			}
			pinned[grant.Version] = version
		}
		s.Grants = append(s.Grants, pulled.Grant(grant))
	}
	g.extras.Skills = append(g.extras.Skills, s)
	for commit, v := range pinned {
		v.Version, v.Visibility, v.Owner = commit, s.Visibility, s.Owner
		g.extras.Skills = append(g.extras.Skills, v)
	}
	return nil
}

// pinned is a skill as another commit has it.
func (g *gathering) pinned(f skills.Found, commit string) (s postgres.Skill, why string, err error) {
	const absent = "its grant pins a commit that does not have it, or that this branch does not have"
	// A commit that a purge replaced may still be an object.
	if !gitops.IsID(commit) || !object.IsAncestor(g.ctx, g.st.Repo, commit, g.commit) {
		return s, absent, nil
	}
	found, err := skills.InCommit(g.ctx, g.st.Repo, commit, "", []string{f.Name}, []string{path.Dir(f.Path)})
	if g.ctx.Err() != nil {
		return s, "", err
	}
	for _, at := range found {
		if err == nil && at.Path == f.Path {
			s, _, why := sendable(at)
			return s, why, nil
		}
	}
	return s, absent, nil
}

// sendable is a skill as it is sent, or why it is not: agents of other machines get only what passes the check, as plain
// files of a moderate size.
func sendable(f skills.Found) (s postgres.Skill, head format.Head, why string) {
	findings := format.Check(f.Name, f.Files)
	if i := slices.IndexFunc(findings, func(found fault.Finding) bool { return found.Severity == fault.SeverityError }); i >= 0 {
		return s, head, "the check refuses it (" + findings[i].Rule + ")"
	}
	s.Name = f.Name
	total := 0
	for _, file := range f.Files {
		if total += len(file.Data); file.Large || total > mostSkillBytes {
			return s, head, "it has a file over 1 MB, or more than 8 MB"
		}
		if file.Link || !fs.ValidPath(file.Path) {
			return s, head, "it has a link or a file with an unusual name"
		}
		if file.Path == format.FileName {
			head, _ = format.ParseHead(f.Name, file.Data)
			s.Description = head.Description
		}
		s.Files = append(s.Files, pulled.File{Path: file.Path, Data: file.Data})
	}
	return s, head, ""
}

// contextFiles takes the users' copies of context files from the user store. BOOTSTRAP.md is no part of them: a first
// run that ended here would begin again on another machine.
func (g *gathering) contextFiles() {
	top := filepath.Join(g.st.Dir, filepath.FromSlash(store.ContextDir))
	agents, _ := os.ReadDir(top)
	for _, agent := range agents {
		users, _ := os.ReadDir(filepath.Join(top, agent.Name(), "users"))
		for _, user := range users {
			for _, name := range session.ContextNames(false) {
				if name != session.FirstRunFile {
					g.contextFile(agent.Name(), user.Name(), name)
				}
			}
		}
	}
}

func (g *gathering) contextFile(agent, user, name string) {
	file := contextfile.UserDir(agent, user) + "/" + name
	data, err := contents.FileBytes(g.st, file)
	if err != nil || len(strings.TrimSpace(string(data))) == 0 {
		return
	}
	if _, ok := session.Readable(session.ContextFile{Name: name, Content: data}); !ok {
		g.leaveOut(file, "withheld")
		return
	}
	if len(data) <= session.MaxContextFileBytes {
		g.extras.Context = append(g.extras.Context, postgres.ContextFile{Agent: agent, Person: user, Name: name, Data: data})
	}
}
