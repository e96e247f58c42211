package sharing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/pulled"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/policy"
)

// PullResult is what a pull did.
type PullResult struct {
	Server  string       `json:"server"`
	Skills  []PulledView `json:"skills"`
	Context int          `json:"context"` // context files of the person's other machines
	Changed bool         `json:"changed"`
	// Untrusted are the repositories whose skills agents do not get: neither this one nor listed in memctl.pg.trust.
	Untrusted []string `json:"untrusted"`
	fault.Noted
	Why string `json:"why"` // why nothing changed: "", "dry run", "nothing changed"
}

// PulledView is a skill of the copy.
type PulledView struct {
	Name       string `json:"name"`
	Repository string `json:"repository"`
	Scope      string `json:"scope"`
	Visibility string `json:"visibility"`
}

// Pull copies the skills and context files that the person may read from the server to the local copy, which agents
// use. If the server does not answer, the copy stays as it is. If no server is set, Pull deletes it. Errors:
// explicit-only; fault.NoPostgres, fault.Postgres; those of writing.
func Pull(ctx context.Context, ss *store.Stores, dial postgres.Dial, o memory.Options) (PullResult, error) {
	if err := o.Permit("index", memory.StateAbsent, "memctl index pull"); err != nil {
		return PullResult{}, memory.AsError("", err)
	}
	return pullFrom(ctx, ss, dial, patience)
}

// Renew pulls where there is a copy, so that what was revoked leaves this machine. Without the server the copy stays.
func Renew(ctx context.Context, ss *store.Stores, dial postgres.Dial) {
	if pulled.Read(ctx, ss) == nil || ss.DryRun() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, briefing.ConnectTime)
	defer cancel()
	_, _ = pullFrom(ctx, ss, dial, briefing.ConnectTime)
}

// pullFrom connects and pulls. If no server is set, or it refuses the person, the copy goes.
func pullFrom(ctx context.Context, ss *store.Stores, dial postgres.Dial, wait time.Duration) (PullResult, error) {
	server, err := briefing.ConnectShared(ctx, ss, dial, wait)
	if fault.Is(err, fault.NoPostgres) || fault.Why(err, fault.Postgres) == postgres.WhyLogin {
		_, _ = pulled.Remove(ctx, ss) // the error says the rest
	}
	if err != nil {
		return PullResult{}, err
	}
	defer server.Close()
	if err := server.CheckSchema(ctx); err != nil {
		return PullResult{}, err
	}
	return pull(ctx, ss, server)
}

// pulling is one pull under way.
type pulling struct {
	ctx    context.Context
	ss     *store.Stores
	server postgres.Server
	writer *pulled.Writer // nil in a dry run
	last   *pulled.Copy   // of the same server and person; empty where there is none
	next   pulled.Copy
	res    PullResult
}

// pull is Pull from a server that is open and has the tables.
func pull(ctx context.Context, ss *store.Stores, server postgres.Server) (PullResult, error) {
	p := &pulling{ctx: ctx, ss: ss, server: server, last: &pulled.Copy{}, res: PullResult{
		Server: server.Address(), Skills: []PulledView{}, Untrusted: []string{}, Noted: fault.Noted{Notes: []fault.Note{}},
	}}
	err := p.run()
	return p.res, err
}

func (p *pulling) run() (err error) {
	address, err := p.ss.SharedAddress(p.ctx)
	if err != nil {
		return err
	}
	p.next = pulled.Copy{Server: store.ServerName(address), Pulled: p.ss.Now().UTC(), Skills: []pulled.Skill{}}
	if p.next.Person, err = p.server.Person(p.ctx); err != nil {
		return err
	}
	before := pulled.Last(p.ss)
	if before != nil && before.Server == p.next.Server && before.Person == p.next.Person {
		p.last = before
	}
	usable, files, err := p.read()
	if err != nil || before == nil && len(usable) == 0 && len(files) == 0 {
		p.res.Why = "nothing changed"
		return err
	}
	if !p.ss.DryRun() {
		if p.writer, err = pulled.Write(p.ctx, p.ss); err != nil {
			return err
		}
		defer func() {
			if e := p.writer.Close(); err == nil {
				err = e
			}
		}()
	}
	for _, u := range usable {
		if err := p.skill(u); err != nil {
			return err
		}
	}
	if err := p.context(files); err != nil {
		return err
	}
	p.compare()
	if p.writer == nil {
		p.res.Changed, p.res.Why = false, "dry run"
		return nil
	}
	return p.writer.Save(&p.next)
}

// read asks the server what the person may read, without the stores that are on this machine.
func (p *pulling) read() (usable []postgres.UsableSkill, files []postgres.ContextFile, err error) {
	own, ownErr := briefing.SharedTarget(p.ctx, p.ss, store.User)
	roots := []string{}
	if user, err := p.ss.Get(p.ctx, store.User); err == nil && ownErr == nil {
		roots = append(replacedRoots(user, own), own.Root)
	}
	if usable, err = p.server.UsableSkills(p.ctx); err != nil {
		return nil, nil, err
	}
	usable = slices.DeleteFunc(usable, func(u postgres.UsableSkill) bool { return u.Scope == store.User && slices.Contains(roots, u.Root) })
	files, err = p.server.OwnContext(p.ctx, roots)
	return usable, files, err
}

// skill takes a skill with the versions of it that can be a folder here.
func (p *pulling) skill(u postgres.UsableSkill) error {
	s := u.Skill
	s.Versions = nil
	var before pulled.Skill
	if i := slices.IndexFunc(p.last.Skills, func(old pulled.Skill) bool {
		return old.Scope == s.Scope && old.Root == s.Root && old.Remote == s.Remote && old.Name == s.Name
	}); i >= 0 {
		before = p.last.Skills[i]
	}
	for _, v := range u.Versions {
		if i := slices.IndexFunc(before.Versions, func(old pulled.Version) bool { return old.Commit == v.Commit && old.Hash == v.Hash }); i >= 0 {
			v.Folder = before.Versions[i].Folder
		}
		if p.writer != nil && !p.writer.Has(v.Folder) {
			files, err := p.server.SkillFiles(p.ctx, u, v.Commit)
			if err != nil {
				return err
			}
			for i := range files {
				files[i].Path = u.Name + "/" + files[i].Path
			}
			v.Folder, err = p.writer.Keep(files)
			if fault.Is(err, fault.NotAFile) {
				p.res.Notes = append(p.res.Notes, fault.NewNote("skill-left-out", memory.Quoted(policy.Inert(s.Name))+" of "+policy.Inert(s.Repository)+" is left out: this system cannot store one of its files"))
				continue
			}
			if err != nil {
				return err
			}
		}
		s.Versions = append(s.Versions, v)
	}
	if len(s.Versions) > 0 {
		p.next.Skills = append(p.next.Skills, s)
		p.res.Skills = append(p.res.Skills, PulledView{Name: policy.Inert(s.Name), Repository: policy.Inert(s.Repository), Scope: s.Scope, Visibility: s.Visibility})
	}
	return nil
}

// context keeps the person's context files, as a store has them.
func (p *pulling) context(list []postgres.ContextFile) (err error) {
	p.next.Files, p.res.Context = len(list), len(list)
	if p.writer == nil || len(list) == 0 {
		return nil
	}
	var files []pulled.File
	for _, f := range list {
		files = append(files, pulled.File{Path: contextfile.UserDir(f.Agent, f.Person) + "/" + f.Name, Data: f.Data})
	}
	p.next.Context, err = p.writer.Keep(files)
	return err
}

// compare says whether the last copy was another one, and which repositories the person has not listed.
func (p *pulling) compare() {
	project, _ := briefing.SharedTarget(p.ctx, p.ss, store.Project)
	listed := p.ss.SharedRepositories(p.ctx)
	for _, s := range p.next.Skills {
		id := cmp.Or(s.Remote, s.Root)
		if here := s.Root == project.Root && s.Remote == project.Remote; !here && !s.Trusted(listed) && !slices.Contains(p.res.Untrusted, id) {
			p.res.Untrusted = append(p.res.Untrusted, id)
		}
	}
	same := func(a, b pulled.Skill) bool {
		return a.Name == b.Name && a.Repository == b.Repository && slices.Equal(a.Versions, b.Versions)
	}
	p.res.Changed = p.next.Context != p.last.Context || !slices.EqualFunc(p.next.Skills, p.last.Skills, same)
	if !p.res.Changed {
		p.res.Why = "nothing changed"
	}
}

// CopyView is the local copy.
type CopyView struct {
	Pulled  string `json:"pulled"`
	Skills  int    `json:"skills"`
	Context int    `json:"context"`
}

// copyOf is the local copy of the server in the settings; nil where there is none.
func copyOf(ctx context.Context, ss *store.Stores) *CopyView {
	c := pulled.Read(ctx, ss)
	if c == nil {
		return nil
	}
	return &CopyView{Pulled: c.Pulled.Format(time.RFC3339), Skills: len(c.Skills), Context: c.Files}
}
