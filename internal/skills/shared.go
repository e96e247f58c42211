package skills

import (
	"io/fs"
	"os"
	"slices"

	"github.com/memctl/memctl/internal/skills/format"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/pulled"
)

// shared takes the skills of the local copy of the shared index. Agents get those of repositories that the person listed,
// and the person's own of other machines.
func (l *loading) shared() {
	c := pulled.Read(l.ctx, l.ss)
	if c == nil {
		return
	}
	listed := l.ss.SharedRepositories(l.ctx)
	list := slices.DeleteFunc(slices.Clone(c.Skills), func(p pulled.Skill) bool { return len(p.Versions) == 0 })
	pulled.Sort(list, listed)
	reader := l.reader
	defer func() { l.reader = reader }()
	l.reader.User = append(slices.Clone(reader.User), c.Person) // the server knows the person by the role
	for _, p := range list {
		if l.full {
			return
		}
		l.sharedSkill(p, p.Trusted(listed))
	}
}

// sharedSkill takes the version of a skill that the reader gets, or says why not.
func (l *loading) sharedSkill(p pulled.Skill, trusted bool) {
	h := format.Head{Name: p.Name, Visibility: p.Visibility, Owner: p.Owner}
	for _, g := range p.Grants {
		h.Grants = append(h.Grants, format.Grant(g))
	}
	grant, access := l.access(h)
	access = access || p.Scope != store.Project                                                         // the person's own, by whatever name git knows them there
	i := slices.IndexFunc(p.Versions, func(v pulled.Version) bool { return v.Commit == grant.Version }) // "" is the current one
	if i < 0 {
		i, access = 0, false
	}
	v := p.Versions[i]
	dir := pulled.Dir(l.ss, v.Folder)
	f := Folder{Tier: TierShared, Dir: dir, Name: TierShared, Root: dir}
	s := f.Skill(p.Name)
	s.Commit, s.Repository = v.Commit, p.Repository
	switch {
	case l.taken[p.Name]:
		if !slices.ContainsFunc(l.lib.Skills, func(above Skill) bool { return above.Name == p.Name && (Folder{Tier: above.Tier}).Project() }) {
			l.leave(s, WhyShadowed) // by a skill of the project it is most often the same one
		}
		return
	case !trusted:
		l.leave(s, WhyUntrusted)
		return
	case !access:
		l.leave(s, WhyNoAccess)
		return
	}
	var read *head
	if info, err := os.Lstat(s.Folder); err == nil { // the copy says what there is, so no folder is listed
		read = readHead(f, fs.FileInfoToDirEntry(info), make([]byte, headBytes))
	}
	if read == nil || len(read.problems) > 0 {
		l.leave(s, WhyInvalid)
		return
	}
	// A version says who could use it then, and the server says who may now.
	s.Head = read.Head
	s.Visibility, s.Owner, s.Grants = h.Visibility, h.Owner, h.Grants
	l.offer(s)
}
